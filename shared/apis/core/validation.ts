/** Rules of core kinds, Services and workloads apart (k8s.io/kubernetes/pkg/apis/core/validation). */
import { deepEqual } from '../../machinery/equality.ts';
import { labelKeyErrors, nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { compareQuantities, parseQuantity } from '../../machinery/quantity.ts';
import type { FieldError } from '../definition.ts';
import { PROTOCOLS } from '../validation/containers.ts';
import {
  eachItem,
  forbidden,
  IMMUTABLE,
  invalid,
  invalidEach,
  isEmptyText,
  notSupported,
  type OwnField,
  oneOf,
  required,
  requiredOneOf,
  tooLong,
} from '../validation/fields.ts';
import { configKeyErrors, endpointIpErrors, ipErrors, portNumberErrors } from '../validation/formats.ts';
import { isUnqualifiedFinalizer, UNQUALIFIED_FINALIZER } from '../validation/metadata.ts';
import { validateLabelSelector } from '../validation/selector.ts';
import { validateVolumeSource } from './volume-source-validation.ts';

/** ConfigMap and Secret data together, in bytes. */
const DATA_BYTES_MAX = 1_048_576;
const WHEN_IMMUTABLE = 'field is immutable when `immutable` is set';

export function validateNamespace(namespace: KubeObject): FieldError[] {
  return eachItem('spec.finalizers', namespace.spec?.finalizers, (finalizer) => finalizerErrors(String(finalizer)));
}

function finalizerErrors(finalizer: string): FieldError[] {
  const errors = invalidEach('spec.finalizers', finalizer, labelKeyErrors(finalizer));
  if (errors.length > 0 || !isUnqualifiedFinalizer(finalizer)) return errors;
  return [invalid('spec.finalizers', finalizer, UNQUALIFIED_FINALIZER)];
}

export function validateConfigMap({ data, binaryData }: KubeObject): FieldError[] {
  const texts = Object.entries((data ?? {}) as Record<string, string>);
  const binaries = Object.entries((binaryData ?? {}) as Record<string, string>);
  const errors = [
    ...texts.flatMap(([key]) => [
      ...invalidEach(`data[${key}]`, key, configKeyErrors(key)),
      ...(Object.hasOwn(binaryData ?? {}, key) ? [invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')] : []),
    ]),
    ...binaries.flatMap(([key]) => invalidEach(`binaryData[${key}]`, key, configKeyErrors(key))),
  ];
  const bytes = texts.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0) + encodedBytes(binaries);
  return bytes > DATA_BYTES_MAX ? [...errors, tooLong('[]', DATA_BYTES_MAX)] : errors;
}

export function validateConfigMapUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  return immutableErrors(object, old, ['data', 'binaryData']);
}

/** What each Secret type must hold; `any` of several keys is enough for basic-auth. */
const SECRET_KEYS: ReadonlyMap<string, { keys: readonly string[]; any?: true; json?: true }> = new Map([
  ['kubernetes.io/dockercfg', { keys: ['.dockercfg'], json: true }],
  ['kubernetes.io/dockerconfigjson', { keys: ['.dockerconfigjson'], json: true }],
  ['kubernetes.io/basic-auth', { keys: ['username', 'password'], any: true }],
  ['kubernetes.io/ssh-auth', { keys: ['ssh-privatekey'] }],
  ['kubernetes.io/tls', { keys: ['tls.crt', 'tls.key'] }],
]);
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';

export function validateSecret(secret: KubeObject): FieldError[] {
  const entries = Object.entries((secret.data ?? {}) as Record<string, string>);
  const errors = entries.flatMap(([key]) => invalidEach(`data[${key}]`, key, configKeyErrors(key)));
  if (encodedBytes(entries) > DATA_BYTES_MAX) errors.push(tooLong('data', DATA_BYTES_MAX));
  return [...errors, ...secretTypeErrors(secret)];
}

function secretTypeErrors({ type, data, metadata }: KubeObject): FieldError[] {
  if (type === 'kubernetes.io/service-account-token')
    return metadata.annotations?.[ACCOUNT_ANNOTATION] ? [] : [required(`metadata.annotations[${ACCOUNT_ANNOTATION}]`)];
  const wanted = SECRET_KEYS.get(type);
  if (!wanted) return [];
  const missing = wanted.keys.filter((key) => !Object.hasOwn(data ?? {}, key));
  if (wanted.any && missing.length < wanted.keys.length) return [];
  const errors = missing.map((key) => required(`data[${key}]`));
  if (!wanted.json || missing.length > 0) return errors;
  return wanted.keys.flatMap((key) => jsonErrors(`data[${key}]`, String(data[key])));
}

function jsonErrors(field: string, encoded: string): FieldError[] {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  try {
    JSON.parse(text);
    return [];
  } catch {
    const first = text.trimStart().charAt(0);
    const why = first === '' ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`;
    return [invalid(field, '<secret contents redacted>', why)];
  }
}

export function validateSecretUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const type = object.type === old.type ? [] : [invalid('type', object.type, IMMUTABLE)];
  return [...type, ...immutableErrors(object, old, ['data'])];
}

function immutableErrors(object: KubeObject, old: KubeObject, members: readonly string[]): FieldError[] {
  if (old.immutable !== true) return [];
  return [
    ...(object.immutable === true ? [] : [forbidden('immutable', WHEN_IMMUTABLE)]),
    ...members
      .filter((member) => !deepEqual(object[member] ?? {}, old[member] ?? {}))
      .map((member) => forbidden(member, WHEN_IMMUTABLE)),
  ];
}

/** Bytes behind base64 texts. */
function encodedBytes(entries: readonly (readonly [string, string])[]): number {
  return entries.reduce((sum, [, value]) => sum + Buffer.byteLength(String(value), 'base64'), 0);
}

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

export function validatePersistentVolumeClaim(claim: KubeObject): FieldError[] {
  const spec = claim.spec ?? {};
  const storage = spec.resources?.requests?.storage;
  const field = 'spec.resources[storage]';
  const { dataSource, dataSourceRef, volumeAttributesClassName: attributes } = spec;
  return [
    ...(spec.accessModes?.length > 0
      ? accessModeErrors(spec.accessModes)
      : [required('spec.accessModes', 'at least 1 access mode is required')]),
    ...(storage === undefined
      ? [required(field)]
      : isPositive(storage)
        ? []
        : [invalid(field, storage, 'must be greater than zero')]),
    ...(spec.storageClassName
      ? invalidEach('spec.storageClassName', spec.storageClassName, nameErrors('subdomain', spec.storageClassName))
      : []),
    ...oneOf('spec.volumeMode', spec.volumeMode, ['Block', 'Filesystem']),
    ...validateLabelSelector('spec.selector', spec.selector),
    ...(isEmptyText(attributes)
      ? []
      : invalidEach('spec.volumeAttributesClassName', attributes, nameErrors('subdomain', attributes))),
    ...(dataSource && dataSourceRef && !dataSourceRef.namespace && !isSameSource(dataSource, dataSourceRef)
      ? [invalid('spec', {}, 'must match dataSourceRef')]
      : []),
  ];
}

const isSameSource = (source: OwnField, reference: OwnField) =>
  ['apiGroup', 'kind', 'name'].every((member) => (source[member] ?? '') === (reference[member] ?? ''));

function accessModeErrors(modes: readonly string[]): FieldError[] {
  const errors = modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => notSupported('spec.accessModes', mode, ACCESS_MODES));
  const isMixed =
    modes.includes('ReadWriteOncePod') && modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  return isMixed ? [...errors, forbidden('spec.accessModes', 'may not use ReadWriteOncePod with other access modes')] : errors;
}

/** A claim keeps its spec; a bound one may ask for more room, an unbound one be given a volume or a class. */
export function validatePersistentVolumeClaimUpdate(claim: KubeObject, old: KubeObject): FieldError[] {
  const isBound = claim.status?.phase === 'Bound';
  const errors = deepEqual(fixedClaim(claim, old, isBound), fixedClaim(old, old, isBound))
    ? []
    : [
        forbidden(
          'spec',
          'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
        ),
      ];
  const mode = claim.spec?.volumeMode;
  return mode === old.spec?.volumeMode ? errors : [...errors, invalid('volumeMode', mode, IMMUTABLE)];
}

function fixedClaim(claim: KubeObject, old: KubeObject, isBound: boolean): OwnField {
  const spec = structuredClone(claim.spec ?? {});
  if (!old.spec?.volumeName) delete spec.volumeName;
  if (old.spec?.storageClassName === undefined) delete spec.storageClassName;
  if (!isBound) return spec;
  delete spec.volumeAttributesClassName;
  delete spec.resources?.requests?.storage;
  return spec;
}

/** Sources of a PersistentVolume among the members of its spec: what is not one of these. */
const VOLUME_MEMBERS = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

export function validatePersistentVolume(volume: KubeObject): FieldError[] {
  const spec = volume.spec ?? {};
  const [first, ...others] = Object.keys(spec).filter((member) => !VOLUME_MEMBERS.has(member));
  return [
    ...(spec.accessModes?.length > 0 ? accessModeErrors(spec.accessModes) : [required('spec.accessModes')]),
    ...capacityErrors(spec.capacity),
    ...others.map((other) => forbidden(`spec.${other}`, 'may not specify more than 1 volume type')),
    ...(first === undefined ? [required('spec', 'must specify a volume type')] : []),
    ...validateVolumeSource(spec, first),
    ...oneOf('spec.persistentVolumeReclaimPolicy', spec.persistentVolumeReclaimPolicy, ['Delete', 'Recycle', 'Retain']),
    ...oneOf('spec.volumeMode', spec.volumeMode, ['Block', 'Filesystem']),
  ];
}

/** Go prints maps in the order of their keys. */
const sortedByName = (map: OwnField) =>
  map ? Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))) : map;

function capacityErrors(capacity: OwnField): FieldError[] {
  const names = Object.keys(capacity ?? {});
  const errors = names.length === 0 ? [required('spec.capacity')] : [];
  if (names.length !== 1 || names[0] !== 'storage')
    errors.push(notSupported('spec.capacity', sortedByName(capacity), ['storage']));
  if (capacity?.storage !== undefined && !isPositive(capacity.storage))
    errors.push(invalid('spec.capacity[storage]', capacity.storage, 'must be greater than zero'));
  return errors;
}

/** Affinity that was given stays; the value is shown in Go's spelling. */
export function validatePersistentVolumeUpdate(volume: KubeObject, old: KubeObject): FieldError[] {
  const source = (spec: OwnField) =>
    Object.fromEntries(Object.entries(spec ?? {}).filter(([member]) => !VOLUME_MEMBERS.has(member)));
  const errors = deepEqual(source(volume.spec), source(old.spec))
    ? []
    : [forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation')];
  const mode = volume.spec?.volumeMode;
  if (mode !== old.spec?.volumeMode) errors.push(invalid('volumeMode', mode, IMMUTABLE));
  const affinity = volume.spec?.nodeAffinity;
  const isKept = !old.spec?.nodeAffinity || deepEqual(affinity, old.spec.nodeAffinity);
  const why = 'field is immutable, except for updating from beta label to GA';
  return isKept ? errors : [...errors, invalid('nodeAffinity', goAffinity(affinity), why)];
}

function goAffinity(affinity: OwnField): OwnField {
  const requirements = (items: OwnField) =>
    items?.map((item: OwnField) => ({ Key: item.key, Operator: item.operator, Values: item.values ?? null })) ?? null;
  const terms = affinity?.required?.nodeSelectorTerms?.map((term: OwnField) => ({
    MatchExpressions: requirements(term.matchExpressions),
    MatchFields: requirements(term.matchFields),
  }));
  return affinity ? { Required: affinity.required ? { NodeSelectorTerms: terms ?? null } : null } : null;
}

function isPositive(amount: unknown): boolean {
  return compareQuantities(parseQuantity(String(amount)), parseQuantity('0')) > 0;
}

export function validateEndpoints({ subsets }: KubeObject): FieldError[] {
  return eachItem('subsets', subsets, (subset, path) => {
    const { addresses, notReadyAddresses, ports } = subset ?? {};
    const isEmpty = !(addresses?.length > 0) && !(notReadyAddresses?.length > 0);
    return [
      ...(isEmpty ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...eachItem(`${path}.addresses`, addresses, endpointErrors),
      ...eachItem(`${path}.notReadyAddresses`, notReadyAddresses, endpointErrors),
      ...eachItem(`${path}.ports`, ports, (port, at) => [
        ...(ports.length > 1 && isEmptyText(port?.name) ? [required(`${at}.name`)] : []),
        ...invalidEach(`${at}.port`, port?.port ?? 0, portNumberErrors(port?.port)),
        ...requiredOneOf(`${at}.protocol`, port?.protocol, PROTOCOLS),
      ]),
    ];
  });
}

/** Said twice for what is no address: by the old rule and the stricter new one, as upstream. */
function endpointErrors(address: OwnField, path: string): FieldError[] {
  const ip = address?.ip ?? '';
  const errors = invalidEach(`${path}.ip`, ip, ipErrors(ip));
  if (errors.length > 0) return [...errors, invalid(`${path}.ip`, ip, 'must be a valid IP address')];
  return invalidEach(`${path}.ip`, ip, endpointIpErrors(ip));
}

export function validateEvent(event: KubeObject): FieldError[] {
  const { namespace = '' } = event.involvedObject ?? {};
  const own = event.metadata.namespace ?? '';
  // Events of cluster-scoped objects lie in namespace default.
  if (namespace === own || (namespace === '' && own === 'default')) return [];
  return [invalid('involvedObject.namespace', namespace, 'does not match event.namespace')];
}
