/** Rules of the small groups: disruption budgets, priority and storage classes, leases, endpoint slices. */
import { labelKeyErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { validateAtMost100Percent, validateIntOrPercent } from '../apps/validation.ts';
import type { FieldError } from '../definition.ts';
import {
  eachItem,
  forbidden,
  IMMUTABLE,
  invalid,
  invalidEach,
  isEmptyText,
  nonNegative,
  oneOf,
  required,
  requiredOneOf,
} from '../validation/fields.ts';
import { externalIpErrors } from '../validation/formats.ts';
import { validateLabelSelector } from '../validation/selector.ts';

export function validateDisruptionBudget(budget: KubeObject): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = budget.spec ?? {};
  const isBoth = minAvailable !== undefined && maxUnavailable !== undefined;
  // In Go's spelling, as upstream prints it.
  const goSpec = {
    MinAvailable: minAvailable,
    Selector: selector ?? null,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
  };
  return [
    ...(isBoth ? [invalid('spec', goSpec, 'minAvailable and maxUnavailable cannot be both set')] : []),
    ...Object.entries({ minAvailable, maxUnavailable }).flatMap(([member, value]) => [
      ...validateIntOrPercent(`spec.${member}`, value),
      ...validateAtMost100Percent(`spec.${member}`, value),
    ]),
    ...validateLabelSelector('spec.selector', selector),
    ...oneOf('spec.unhealthyPodEvictionPolicy', unhealthyPodEvictionPolicy, ['AlwaysAllow', 'IfHealthyBudget']),
  ];
}

const PRIORITY_MAX = 1_000_000_000;
const SYSTEM_PREFIX = 'system-';
const SYSTEM_CLASSES = new Set(['system-cluster-critical', 'system-node-critical']);

export function validatePriorityClass(priorityClass: KubeObject): FieldError[] {
  const { name = '' } = priorityClass.metadata;
  return [...systemErrors(name), ...userPriority(name, priorityClass.value), ...preemption(priorityClass)];
}

function systemErrors(name: string): FieldError[] {
  if (!name.startsWith(SYSTEM_PREFIX) || SYSTEM_CLASSES.has(name)) return [];
  const why = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
  return [forbidden('metadata.name', why)];
}

function userPriority(name: string, value: unknown): FieldError[] {
  if (name.startsWith(SYSTEM_PREFIX) || typeof value !== 'number' || value <= PRIORITY_MAX) return [];
  return [forbidden('value', `maximum allowed value of a user defined priority is ${PRIORITY_MAX}`)];
}

function preemption({ preemptionPolicy }: KubeObject): FieldError[] {
  return oneOf('preemptionPolicy', preemptionPolicy, ['PreemptLowerPriority', 'Never']);
}

export function validatePriorityClassUpdate(priorityClass: KubeObject, old: KubeObject): FieldError[] {
  const { value, preemptionPolicy } = priorityClass;
  return [
    ...((value ?? 0) === (old.value ?? 0) ? [] : [forbidden('value', 'may not be changed in an update.')]),
    ...(preemptionPolicy === old.preemptionPolicy ? [] : [invalid('preemptionPolicy', preemptionPolicy, IMMUTABLE)]),
  ];
}

export function validateStorageClass({ provisioner, reclaimPolicy, volumeBindingMode }: KubeObject): FieldError[] {
  return [
    ...(isEmptyText(provisioner)
      ? [required('provisioner')]
      : invalidEach('provisioner', provisioner, labelKeyErrors(String(provisioner).toLowerCase()))),
    ...oneOf('reclaimPolicy', reclaimPolicy, ['Delete', 'Retain']),
    ...oneOf('volumeBindingMode', volumeBindingMode, ['Immediate', 'WaitForFirstConsumer']),
  ];
}

export function validateStorageClassUpdate(storageClass: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...['parameters', 'provisioner', 'reclaimPolicy']
      .filter((member) => JSON.stringify(storageClass[member]) !== JSON.stringify(old[member]))
      .map((member) => forbidden(member, `updates to ${member} are forbidden.`)),
    ...(storageClass.volumeBindingMode === old.volumeBindingMode
      ? []
      : [invalid('volumeBindingMode', storageClass.volumeBindingMode, IMMUTABLE)]),
  ];
}

export function validateLease(lease: KubeObject): FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions } = lease.spec ?? {};
  return [
    ...(typeof seconds === 'number' && seconds <= 0
      ? [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
      : []),
    ...nonNegative('spec.leaseTransitions', leaseTransitions),
  ];
}

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

export function validateEndpointSlice({ addressType, endpoints, ports }: KubeObject): FieldError[] {
  return [
    ...requiredOneOf('addressType', addressType, ADDRESS_TYPES),
    ...eachItem('endpoints', endpoints, (endpoint, path) => {
      const field = `${path}.addresses`;
      if (!(endpoint?.addresses?.length > 0)) return [required(field, 'must contain at least 1 address')];
      if (addressType !== 'IPv4' && addressType !== 'IPv6') return [];
      return eachItem(field, endpoint.addresses, (address, at) => invalidEach(at, address, externalIpErrors(address)));
    }),
    ...eachItem('ports', ports, (port, path) =>
      port?.protocol ? oneOf(`${path}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']) : [],
    ),
  ];
}

export function validateEndpointSliceUpdate(slice: KubeObject, old: KubeObject): FieldError[] {
  const { addressType } = slice;
  return addressType === old.addressType ? [] : [invalid('addressType', addressType, IMMUTABLE)];
}
