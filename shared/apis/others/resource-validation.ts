/** Rules of `resource.k8s.io/v1` kinds (k8s.io/kubernetes/pkg/apis/resource/validation): what users write; expressions are judged by the scheduler. */
import { deepEqual } from '../../machinery/equality.ts';
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
  tooMany,
} from '../validation/fields.ts';

const ITEMS_MAX = 32;
const DEVICES_MAX = 128;

type Check = (item: OwnField, path: string) => FieldError[];

function limited(field: string, items: OwnField, max: number, check: Check): FieldError[] {
  if (Array.isArray(items) && items.length > max) return [tooMany(field, items.length, max)];
  return eachItem(field, items, (item, path) => check(item ?? {}, path));
}

/** Names that come twice are told of the element. */
function withoutDuplicates(field: string, items: OwnField): FieldError[] {
  const seen = new Set<string>();
  return eachItem(field, items, (item, path) => {
    const name = String(item?.name ?? '');
    const errors = seen.has(name) ? [duplicate(path, name)] : [];
    seen.add(name);
    return errors;
  });
}

function selectorErrors(field: string, selectors: OwnField): FieldError[] {
  return limited(field, selectors, ITEMS_MAX, (selector, path) => {
    if (!selector.cel) return [required(`${path}.cel`)];
    return isEmptyText(selector.cel.expression) ? [required(`${path}.cel.expression`)] : [];
  });
}

function opaqueErrors(path: string, opaque: OwnField): FieldError[] {
  const field = `${path}.opaque`;
  if (!opaque) return [required(field)];
  return [
    ...driverErrors(`${field}.driver`, opaque.driver),
    ...(opaque.parameters === undefined || opaque.parameters === null ? [required(`${field}.parameters`)] : []),
  ];
}

function driverErrors(field: string, driver: unknown): FieldError[] {
  return isEmptyText(driver) ? [required(field)] : invalidEach(field, driver, nameErrors('subdomain', String(driver)));
}

export function validateDeviceClass({ spec }: KubeObject): FieldError[] {
  return [
    ...selectorErrors('spec.selectors', spec?.selectors),
    ...limited('spec.config', spec?.config, ITEMS_MAX, (config, path) => opaqueErrors(path, config.opaque)),
  ];
}

export function validateResourceClaim({ spec }: KubeObject): FieldError[] {
  return claimErrors('spec', spec);
}

export function validateResourceClaimTemplate({ spec }: KubeObject): FieldError[] {
  return claimErrors('spec.spec', spec?.spec);
}

function claimErrors(field: string, spec: OwnField): FieldError[] {
  const { requests, constraints, config } = spec?.devices ?? {};
  const at = `${field}.devices`;
  const names = requestNames(requests);
  const known = (path: string, list: OwnField) =>
    eachItem(`${path}.requests`, list, (name, item) => knownErrors(item, String(name), names));
  const isTooLong = Array.isArray(requests) && requests.length > ITEMS_MAX;
  return [
    ...limited(`${at}.requests`, requests, ITEMS_MAX, requestErrors),
    ...(isTooLong ? [] : withoutDuplicates(`${at}.requests`, requests)),
    ...limited(`${at}.constraints`, constraints, ITEMS_MAX, (constraint, path) => [
      ...known(path, constraint.requests),
      ...attributeErrors(`${path}.matchAttribute`, constraint.matchAttribute ?? constraint.distinctAttribute),
    ]),
    ...limited(`${at}.config`, config, ITEMS_MAX, (each, path) => [
      ...known(path, each.requests),
      ...opaqueErrors(path, each.opaque),
    ]),
  ];
}

function requestNames(requests: OwnField): ReadonlySet<string> {
  const names = new Set<string>();
  for (const request of Array.isArray(requests) ? requests : []) {
    names.add(request?.name);
    for (const sub of Array.isArray(request?.firstAvailable) ? request.firstAvailable : [])
      names.add(`${request.name}/${sub?.name}`);
  }
  return names;
}

const UNKNOWN_REQUEST = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

function knownErrors(path: string, name: string, names: ReadonlySet<string>): FieldError[] {
  return names.has(name) ? [] : [invalid(path, name, UNKNOWN_REQUEST)];
}

function attributeErrors(field: string, attribute: unknown): FieldError[] {
  if (isEmptyText(attribute)) return [required(field)];
  const [domain = '', id, ...rest] = String(attribute).split('/');
  if (id === undefined || rest.length > 0)
    return [invalid(field, attribute, 'a fully qualified name must be a domain and a name separated by a slash')];
  const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? [] : labelKeyErrors(id);
  return [...invalidEach(field, domain, nameErrors('subdomain', domain)), ...invalidEach(field, id, name)];
}

function requestErrors(request: OwnField, path: string): FieldError[] {
  const { name = '', exactly, firstAvailable } = request;
  const hasList = Array.isArray(firstAvailable) && firstAvailable.length > 0;
  const either = 'exactly one of `exactly` or `firstAvailable` is required';
  return [
    ...invalidEach(`${path}.name`, name, nameErrors('label', name)),
    ...(exactly && hasList ? [invalid(path, null, `${either}, but multiple fields are set`)] : []),
    ...(!exactly && !hasList ? [required(path, either)] : []),
    ...(exactly && !hasList ? deviceErrors(exactly, `${path}.exactly`) : []),
    ...(hasList && !exactly
      ? limited(`${path}.firstAvailable`, firstAvailable, 8, (sub, at) => [
          ...invalidEach(`${at}.name`, sub.name ?? '', nameErrors('label', sub.name ?? '')),
          ...deviceErrors(sub, at),
        ])
      : []),
  ];
}

function deviceErrors({ deviceClassName, selectors, allocationMode, count }: OwnField, path: string): FieldError[] {
  return [
    ...(isEmptyText(deviceClassName)
      ? [required(`${path}.deviceClassName`)]
      : invalidEach(`${path}.deviceClassName`, deviceClassName, nameErrors('subdomain', deviceClassName))),
    ...selectorErrors(`${path}.selectors`, selectors),
    ...oneOf(`${path}.allocationMode`, allocationMode, ['All', 'ExactCount']),
    ...(allocationMode === 'All' && count
      ? [invalid(`${path}.count`, count, "must not be specified when allocationMode is 'All'")]
      : []),
    ...(allocationMode === 'ExactCount' && count <= 0 ? [invalid(`${path}.count`, count, 'must be greater than zero')] : []),
  ];
}

/** What a claim asks for stays. */
export function validateClaimUpdate({ spec }: KubeObject, old: KubeObject): FieldError[] {
  return deepEqual(spec, old.spec) ? [] : [invalid('spec', spec, IMMUTABLE)];
}

const NODES = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;

export function validateResourceSlice({ spec }: KubeObject): FieldError[] {
  const { driver, pool, devices } = spec ?? {};
  const { name = '', resourceSliceCount = 0, generation = 0 } = pool ?? {};
  const isTooLong = Array.isArray(devices) && devices.length > DEVICES_MAX;
  return [
    ...driverErrors('spec.driver', driver),
    ...(name === ''
      ? [required('spec.pool.name')]
      : String(name)
          .split('/')
          .flatMap((part) => invalidEach('spec.pool.name', part, nameErrors('subdomain', part)))),
    ...(resourceSliceCount > 0 ? [] : [invalid('spec.pool.resourceSliceCount', resourceSliceCount, 'must be greater than zero')]),
    ...(generation < 0 ? [invalid('spec.pool.generation', generation, 'must be greater than or equal to zero')] : []),
    ...nodeErrors(spec ?? {}),
    ...limited('spec.devices', devices, DEVICES_MAX, (device, path) =>
      invalidEach(`${path}.name`, device.name ?? '', nameErrors('label', device.name ?? '')),
    ),
    ...(isTooLong ? [] : withoutDuplicates('spec.devices', devices)),
  ];
}

function nodeErrors(spec: OwnField): FieldError[] {
  const set = NODES.filter((member) => spec[member] !== undefined && spec[member] !== false);
  const either = `exactly one of ${NODES.map((member) => `\`${member}\``).join(', ')} is required`;
  if (set.length === 1) return [];
  if (set.length === 0) return [required('spec', either)];
  const shown = `{${set.map((member) => `\`${member}\``).join(', ')}}`;
  return [invalid('spec', shown, `${either}, but multiple fields are set`)];
}

export function validateResourceSliceUpdate({ spec }: KubeObject, old: KubeObject): FieldError[] {
  const changed = (field: string, value: unknown, before: unknown) =>
    value === before ? [] : [invalid(field, value, IMMUTABLE)];
  return [
    ...changed('spec.pool.name', spec?.pool?.name, old.spec?.pool?.name),
    ...changed('spec.driver', spec?.driver, old.spec?.driver),
    ...changed('spec.nodeName', spec?.nodeName, old.spec?.nodeName),
  ];
}
