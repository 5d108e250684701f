/** Rules of IPAddresses, ServiceCIDRs and the parameters of IngressClasses (k8s.io/kubernetes/pkg/apis/networking/validation). */
import { deepEqual } from '../../machinery/equality.ts';
import { nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import {
  eachItem,
  forbidden,
  IMMUTABLE,
  invalid,
  invalidEach,
  isEmptyText,
  type OwnField,
  oneOf,
  required,
} from '../validation/fields.ts';
import { cidrErrors, ipErrors } from '../validation/formats.ts';
import { canonicalIp, ipToNumber, isIPv4 } from '../validation/ip.ts';

export function validateIpAddress(address: KubeObject): FieldError[] {
  const { name = '' } = address.metadata;
  const errors = invalidEach('metadata.name', name, ipErrors(name));
  const canonical = errors.length > 0 ? name : canonicalIp(name);
  if (canonical !== name) errors.push(invalid('metadata.name', name, `must be in canonical form ("${canonical}")`));
  return [...errors, ...parentErrors(address.spec?.parentRef)];
}

function parentErrors(parent: OwnField): FieldError[] {
  const field = 'spec.parentRef';
  if (parent === undefined || parent === null) return [required(field)];
  const { group, resource, name, namespace } = parent;
  return [
    ...(isEmptyText(group) ? [] : invalidEach(`${field}.group`, group, nameErrors('subdomain', group))),
    ...requiredSegment(`${field}.resource`, resource),
    ...requiredSegment(`${field}.name`, name),
    ...(isEmptyText(namespace) ? [] : invalidEach(`${field}.namespace`, namespace, nameErrors('pathSegment', namespace))),
  ];
}

function requiredSegment(field: string, value: unknown): FieldError[] {
  return isEmptyText(value) ? [required(field)] : invalidEach(field, value, nameErrors('pathSegment', String(value)));
}

export function validateIpAddressUpdate(address: KubeObject, old: KubeObject): FieldError[] {
  if (deepEqual(address.spec?.parentRef, old.spec?.parentRef)) return [];
  const { group = '', resource = '', namespace = '', name = '' } = address.spec?.parentRef ?? {};
  return [invalid('spec.parentRef', { Group: group, Resource: resource, Namespace: namespace, Name: name }, IMMUTABLE)];
}

const ONE_EACH = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';

export function validateServiceCidr({ spec }: KubeObject): FieldError[] {
  const cidrs: string[] = Array.isArray(spec?.cidrs) ? spec.cidrs : [];
  if (cidrs.length === 0) return [required('spec.cidrs', 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalid('spec.cidrs', { CIDRs: cidrs }, 'may only hold up to 2 values')];
  const errors = eachItem('spec.cidrs', cidrs, strictCidrErrors);
  const [first = '', second] = cidrs;
  const sameFamily = second !== undefined && first.includes(':') === second.includes(':');
  return sameFamily ? [...errors, invalid('spec.cidrs', cidrs, ONE_EACH)] : errors;
}

function strictCidrErrors(cidr: OwnField, field: string): FieldError[] {
  const text = String(cidr);
  const errors = invalidEach(field, text, cidrErrors(text));
  if (errors.length > 0) return errors;
  const [address = '', bits = ''] = text.split('/');
  if (/^0\d/.test(bits) || (isIPv4(address) && /(^|\.)0\d/.test(address)))
    return [invalid(field, text, 'must not have leading 0s in IP or prefix length')];
  const ip = ipToNumber(address);
  const host = ip === undefined ? 0n : ip.value & ((1n << BigInt(ip.bits - Number(bits))) - 1n);
  if (host !== 0n) return [invalid(field, text, 'must not have bits set beyond the prefix length')];
  const canonical = `${canonicalIp(address)}/${bits}`;
  return canonical === text ? [] : [invalid(field, text, `must be in canonical form ("${canonical}")`)];
}

const TEXT_BYTES_MAX = 250;

/** `spec.controller` of an IngressClass: `acme.io/foo`. */
export function ingressControllerErrors(controller: string): FieldError[] {
  const field = 'spec.controller';
  if (Buffer.byteLength(controller) > TEXT_BYTES_MAX)
    return [{ type: 'TooLong', field, detail: `Too long: may not be more than ${TEXT_BYTES_MAX} bytes` }];
  const slash = controller.indexOf('/');
  if (slash <= 0 || slash === controller.length - 1)
    return [invalid(field, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const domain = controller.slice(0, slash);
  const errors = invalidEach(field, domain, nameErrors('subdomain', domain));
  const path = controller.slice(slash + 1);
  const why = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
  return /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path) ? errors : [...errors, invalid(field, path, why)];
}

/** `spec.parameters` of an IngressClass. */
export function ingressParameterErrors(parameters: OwnField): FieldError[] {
  if (parameters === undefined || parameters === null) return [];
  const field = 'spec.parameters';
  const { apiGroup, kind, name, scope, namespace } = parameters;
  const errors = [
    ...(apiGroup === undefined ? [] : invalidEach(`${field}.apiGroup`, apiGroup, nameErrors('subdomain', apiGroup))),
    ...requiredSegment(`${field}.kind`, kind),
    ...requiredSegment(`${field}.name`, name),
  ];
  if (isEmptyText(scope)) return [...errors, required(`${field}.scope`)];
  errors.push(...oneOf(`${field}.scope`, scope, ['Cluster', 'Namespace']));
  const at = `${field}.namespace`;
  if (namespace !== undefined && scope === 'Cluster') return [...errors, forbidden(at, "`parameters.scope` is set to 'Cluster'")];
  if (scope !== 'Namespace') return errors;
  if (isEmptyText(namespace)) return [...errors, required(at, "`parameters.scope` is set to 'Namespace'")];
  return [...errors, ...invalidEach(at, namespace, nameErrors('label', namespace))];
}
