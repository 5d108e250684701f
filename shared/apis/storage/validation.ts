/** Rules of `storage.k8s.io/v1` kinds (k8s.io/kubernetes/pkg/apis/storage/validation). */
import { deepEqual } from '../../machinery/equality.ts';
import { labelKeyErrors, nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { parseQuantity } from '../../machinery/quantity.ts';
import type { FieldError } from '../definition.ts';
import {
  duplicate,
  eachItem,
  forbidden,
  IMMUTABLE,
  invalid,
  invalidEach,
  isEmptyText,
  NOT_NEGATIVE,
  nonNegative,
  notSupported,
  type OwnField,
  oneOf,
  required,
  tooLong,
} from '../validation/fields.ts';
import { validateLabelSelector } from '../validation/selector.ts';

const PARAMETERS_MAX = 512;
const PARAMETERS_BYTES_MAX = 256 * 1024;
const TOKEN_SECONDS_MIN = 600;
const UPDATE_SECONDS_MIN = 10;

export function validateStorageClass(storageClass: KubeObject): FieldError[] {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies } = storageClass;
  return [
    ...qualifiedLowerErrors('provisioner', provisioner),
    ...parameterErrors(parameters),
    ...oneOf('reclaimPolicy', reclaimPolicy, ['Delete', 'Retain']),
    ...oneOf('volumeBindingMode', volumeBindingMode, ['Immediate', 'WaitForFirstConsumer']),
    ...eachItem('allowedTopologies', allowedTopologies, topologyErrors),
  ];
}

/** Upstream looks at the name in lower case, and shows it so. */
function qualifiedLowerErrors(field: string, name: unknown): FieldError[] {
  if (isEmptyText(name)) return [required(field)];
  const lower = String(name).toLowerCase();
  return invalidEach(field, lower, labelKeyErrors(lower));
}

/** Sizes are told as of text, also where they count entries. */
function parameterErrors(parameters: OwnField): FieldError[] {
  const entries = Object.entries((parameters ?? {}) as Record<string, string>);
  if (entries.length > PARAMETERS_MAX) return [tooLong('parameters', PARAMETERS_MAX)];
  const errors = entries.filter(([key]) => key === '').map(([key]) => invalid('parameters', key, 'field can not be empty.'));
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return bytes > PARAMETERS_BYTES_MAX ? [...errors, tooLong('parameters', PARAMETERS_BYTES_MAX)] : errors;
}

function topologyErrors(term: OwnField, path: string): FieldError[] {
  const seen = new Set<string>();
  return eachItem(`${path}.matchLabelExpressions`, term?.matchLabelExpressions, ({ key = '', values = [] }, at) => {
    const errors = values.length === 0 ? [required(`${at}.values`)] : duplicateErrors(`${at}.values`, values);
    errors.push(...invalidEach(`${at}.key`, key, labelKeyErrors(key)));
    if (seen.has(key)) errors.push(duplicate(`${at}.key`, key));
    seen.add(key);
    return errors;
  });
}

function duplicateErrors(field: string, values: readonly unknown[]): FieldError[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [duplicate(`${field}[${index}]`, value)] : []));
}

export function validateStorageClassUpdate(storageClass: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...forbiddenChanges(storageClass, old, ['parameters', 'provisioner', 'reclaimPolicy']),
    ...immutableChange('volumeBindingMode', storageClass.volumeBindingMode, old.volumeBindingMode),
  ];
}

function forbiddenChanges(object: KubeObject, old: KubeObject, members: readonly string[]): FieldError[] {
  return members
    .filter((member) => !deepEqual(object[member] ?? {}, old[member] ?? {}))
    .map((member) => forbidden(member, `updates to ${member} are forbidden.`));
}

function immutableChange(field: string, value: unknown, old: unknown): FieldError[] {
  return deepEqual(value, old) ? [] : [invalid(field, value, IMMUTABLE)];
}

export function validateVolumeAttributesClass({ driverName, parameters }: KubeObject): FieldError[] {
  const isEmpty = Object.keys(parameters ?? {}).length === 0;
  return [
    ...qualifiedLowerErrors('driverName', driverName),
    ...(isEmpty ? [required('parameters', 'must contain at least one key/value pair')] : parameterErrors(parameters)),
  ];
}

export function validateVolumeAttributesClassUpdate(attributesClass: KubeObject, old: KubeObject): FieldError[] {
  return forbiddenChanges(attributesClass, old, ['driverName', 'parameters']);
}

const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];

export function validateCsiDriver(driver: KubeObject): FieldError[] {
  const { fsGroupPolicy, volumeLifecycleModes, tokenRequests, nodeAllocatableUpdatePeriodSeconds: period } = driver.spec ?? {};
  const audiences = new Set<string>();
  const modes: unknown[] = Array.isArray(volumeLifecycleModes) ? volumeLifecycleModes : [];
  return [
    ...oneOf('spec.fsGroupPolicy', fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType']),
    ...eachItem('spec.tokenRequests', tokenRequests, ({ audience = '', expirationSeconds }, path) => {
      const errors = audiences.has(audience) ? [duplicate(`${path}.audience`, audience)] : [];
      audiences.add(audience);
      return [...errors, ...tokenSecondsErrors(`${path}.expirationSeconds`, expirationSeconds)];
    }),
    ...modes
      .filter((mode) => !LIFECYCLE_MODES.includes(String(mode)))
      .map((mode) => notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES)),
    ...(typeof period === 'number' && period < UPDATE_SECONDS_MIN
      ? [invalid('spec.nodeAllocatableUpdatePeriodSeconds', period, 'must be greater than or equal to 10 seconds')]
      : []),
  ];
}

function tokenSecondsErrors(field: string, seconds: unknown): FieldError[] {
  if (typeof seconds !== 'number') return [];
  if (seconds < TOKEN_SECONDS_MIN) return [invalid(field, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > 2 ** 32 ? [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')] : [];
}

/** The first is spelled as upstream spells it. */
export function validateCsiDriverUpdate(driver: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...immutableChange('spec.attachedRequired', driver.spec?.attachRequired, old.spec?.attachRequired),
    ...immutableChange('spec.volumeLifecycleModes', driver.spec?.volumeLifecycleModes, old.spec?.volumeLifecycleModes),
  ];
}

const NODE_ID_BYTES_MAX = 256;

export function validateCsiNode(node: KubeObject): FieldError[] {
  const seen = new Set<string>();
  return eachItem('spec.drivers', node.spec?.drivers, (driver, path) => {
    const { name = '', nodeID = '', topologyKeys, allocatable } = driver ?? {};
    const errors = [
      ...(name === '' ? [required(`${path}.name`)] : csiNameErrors(`${path}.name`, name)),
      ...nodeIdErrors(`${path}.nodeID`, nodeID),
      ...(seen.has(name) ? [duplicate(`${path}.name`, name)] : []),
      ...topologyKeyErrors(path, topologyKeys),
      ...nonNegative(`${path}.allocatable.count`, allocatable?.count),
    ];
    seen.add(name);
    return errors;
  });
}

function nodeIdErrors(field: string, id: string): FieldError[] {
  if (id === '') return [required(field)];
  return Buffer.byteLength(id) > NODE_ID_BYTES_MAX ? [invalid(field, id, `must be ${NODE_ID_BYTES_MAX} characters or less`)] : [];
}

/** Said of the driver, not of the key, as upstream says it. */
function topologyKeyErrors(path: string, keys: unknown): FieldError[] {
  if (!Array.isArray(keys)) return [];
  return keys.flatMap((key, index) => [
    ...(keys.indexOf(key) < index ? [duplicate(path, key)] : []),
    ...(key === '' ? [required(path)] : []),
    ...invalidEach(path, key, labelKeyErrors(String(key))),
  ]);
}

/** Names of CSI drivers: a subdomain whose case does not count. */
export function csiNameErrors(field: string, name: string): FieldError[] {
  if (name === '') return [required(field)];
  if (name.length > 63) return [tooLong(field, 63)];
  return invalidEach(field, name, nameErrors('subdomain', name.toLowerCase()));
}

/** A driver that stays says the same of itself, but for what it can hold. */
export function validateCsiNodeUpdate(node: KubeObject, old: KubeObject): FieldError[] {
  const drivers: OwnField[] = Array.isArray(node.spec?.drivers) ? node.spec.drivers : [];
  const known: OwnField[] = Array.isArray(old.spec?.drivers) ? old.spec.drivers : [];
  return drivers.flatMap((driver) => {
    const { allocatable: _room, ...before } = known.find(({ name }) => name === driver?.name) ?? driver;
    const { allocatable, ...after } = driver;
    if (deepEqual(before, after)) return [];
    const shown = {
      Name: after.name,
      NodeID: after.nodeID,
      TopologyKeys: after.topologyKeys ?? null,
      Allocatable: allocatable ?? null,
    };
    return [invalid('spec.drivers', shown, IMMUTABLE)];
  });
}

export function validateStorageCapacity({
  storageClassName = '',
  capacity,
  maximumVolumeSize,
  nodeTopology,
}: KubeObject): FieldError[] {
  return [
    ...invalidEach('storageClassName', storageClassName, nameErrors('subdomain', storageClassName)),
    ...negativeAmount('capacity', capacity),
    ...negativeAmount('maximumVolumeSize', maximumVolumeSize),
    ...validateLabelSelector('nodeTopology', nodeTopology),
  ];
}

/** The size of one volume is not looked at where the capacity is wrong already: upstream stops there. */
function negativeAmount(field: string, amount: unknown): FieldError[] {
  if (amount === undefined || amount === null || field === 'maximumVolumeSize') return [];
  return parseQuantity(String(amount)).unscaled < 0n ? [invalid(field, amount, NOT_NEGATIVE)] : [];
}

export function validateStorageCapacityUpdate(capacity: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...immutableChange('nodeTopology', capacity.nodeTopology, old.nodeTopology),
    ...immutableChange('storageClassName', capacity.storageClassName, old.storageClassName),
  ];
}

const ONE_SOURCE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

export function validateVolumeAttachment(attachment: KubeObject): FieldError[] {
  const { attacher = '', nodeName = '', source } = attachment.spec ?? {};
  return [
    ...(attacher === '' ? [required('spec.attacher')] : csiNameErrors('spec.attacher', attacher)),
    ...attachedErrors(source),
    ...invalidEach('spec.nodeName', nodeName, nameErrors('subdomain', nodeName)),
  ];
}

function attachedErrors(source: OwnField): FieldError[] {
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source ?? {};
  if (name === undefined && inline === undefined) return [required('spec.source', ONE_SOURCE)];
  if (name !== undefined && inline !== undefined) return [forbidden('spec.source', ONE_SOURCE)];
  if (name === undefined) return [];
  const field = 'spec.source.persistentVolumeName';
  return [
    ...(name === '' ? [required(field, 'must specify non empty persistentVolumeName')] : []),
    ...invalidEach(field, name, nameErrors('subdomain', name)),
  ];
}

export function validateVolumeAttachmentUpdate({ spec }: KubeObject, old: KubeObject): FieldError[] {
  if (deepEqual(spec, old.spec)) return [];
  const { persistentVolumeName = null, inlineVolumeSpec = null } = spec?.source ?? {};
  const shown = {
    Attacher: spec?.attacher ?? '',
    Source: { PersistentVolumeName: persistentVolumeName, InlineVolumeSpec: inlineVolumeSpec },
    NodeName: spec?.nodeName ?? '',
  };
  return [invalid('spec', shown, IMMUTABLE)];
}
