import type { KubeObject } from '../../machinery/object.ts';
import { validateAtMost100Percent, validateIntOrPercent } from '../apps/validation.ts';
import type { FieldError } from '../definition.ts';
import { forbidden, IMMUTABLE, invalid, nonNegative, oneOf } from '../validation/fields.ts';
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

export function validateLease(lease: KubeObject): FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions } = lease.spec ?? {};
  return [
    ...(typeof seconds === 'number' && seconds <= 0
      ? [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
      : []),
    ...nonNegative('spec.leaseTransitions', leaseTransitions),
  ];
}
