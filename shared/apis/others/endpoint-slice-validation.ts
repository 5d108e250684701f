/** Rules of EndpointSlices (k8s.io/kubernetes/pkg/apis/discovery/validation). */
import { labelKeyErrors, nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import {
  duplicate,
  eachItem,
  IMMUTABLE,
  invalid,
  invalidEach,
  isEmptyText,
  type OwnField,
  oneOf,
  required,
  requiredOneOf,
  tooMany,
} from '../validation/fields.ts';
import { externalIpErrors, ipErrors } from '../validation/formats.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const ADDRESSES_MAX = 100;
const ENDPOINTS_MAX = 1000;
const PORTS_MAX = 20_000;
const HINTS_MAX = 8;

export function validateEndpointSlice({ addressType, endpoints, ports }: KubeObject): FieldError[] {
  return [
    ...requiredOneOf('addressType', addressType, ADDRESS_TYPES),
    ...limited('endpoints', endpoints, ENDPOINTS_MAX, (endpoint, path) => endpointErrors(endpoint ?? {}, path, addressType)),
    ...portsErrors(ports),
  ];
}

type Check = (item: OwnField, path: string) => FieldError[];

/** A list that is too long is not looked into. */
function limited(field: string, items: OwnField, max: number, check: Check): FieldError[] {
  if (Array.isArray(items) && items.length > max) return [tooMany(field, items.length, max)];
  return eachItem(field, items, check);
}

function endpointErrors(endpoint: OwnField, path: string, addressType: string): FieldError[] {
  const { addresses, nodeName, hostname, hints } = endpoint;
  const field = `${path}.addresses`;
  return [
    ...(addresses?.length > 0
      ? limited(field, addresses, ADDRESSES_MAX, (address, at) => addressErrors(String(address), at, { field, addressType }))
      : [required(field, 'must contain at least 1 address')]),
    ...(nodeName === undefined ? [] : invalidEach(`${path}.nodeName`, nodeName, nameErrors('subdomain', nodeName))),
    ...(hostname === undefined ? [] : invalidEach(`${path}.hostname`, hostname, nameErrors('label', hostname))),
    ...(hints ? hintErrors(hints, `${path}.hints`) : []),
  ];
}

/** The family is told of the list, all else of the address. */
function addressErrors(
  address: string,
  at: string,
  { field, addressType }: { field: string; addressType: string },
): FieldError[] {
  if (addressType === 'FQDN') return domainErrors(address, at);
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return [];
  const complaints = externalIpErrors(address);
  const isOther = ipErrors(address).length === 0 && address.includes(':') !== (addressType === 'IPv6');
  const family = isOther ? [invalid(field, address, `must be an ${addressType} address`)] : [];
  return [...invalidEach(at, address, complaints), ...family];
}

function domainErrors(name: string, field: string): FieldError[] {
  const domain = name.replace(/\.$/, '');
  const errors = invalidEach(field, name, nameErrors('subdomain', domain));
  if (errors.length > 0 || domain.includes('.')) return errors;
  return [invalid(field, name, 'should be a domain with at least two segments separated by dots')];
}

function hintErrors({ forZones, forNodes }: OwnField, path: string): FieldError[] {
  return [
    ...namedErrors(`${path}.forZones`, forZones, () => []),
    ...namedErrors(`${path}.forNodes`, forNodes, (name) => nameErrors('subdomain', name)),
  ];
}

function namedErrors(field: string, items: OwnField, complaints: (name: string) => string[]): FieldError[] {
  const seen = new Set<string>();
  return limited(field, items, HINTS_MAX, (item, path) => {
    const name = String(item?.name ?? '');
    const errors = seen.has(name) ? [duplicate(`${path}.name`, name)] : [];
    seen.add(name);
    return [...errors, ...invalidEach(`${path}.name`, name, complaints(name))];
  });
}

function portsErrors(ports: OwnField): FieldError[] {
  const seen = new Set<string>();
  return limited('ports', ports, PORTS_MAX, (port, path) => {
    const { name = '', protocol, appProtocol } = port ?? {};
    const errors = isEmptyText(name) ? [] : invalidEach(`${path}.name`, name, nameErrors('label', name));
    if (seen.has(name)) errors.push(duplicate(`${path}.name`, name));
    seen.add(name);
    return [
      ...errors,
      ...(protocol ? oneOf(`${path}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']) : []),
      ...(appProtocol === undefined ? [] : invalidEach(`${path}.appProtocol`, appProtocol, labelKeyErrors(appProtocol))),
    ];
  });
}

export function validateEndpointSliceUpdate(slice: KubeObject, old: KubeObject): FieldError[] {
  const { addressType } = slice;
  return addressType === old.addressType ? [] : [invalid('addressType', addressType, IMMUTABLE)];
}
