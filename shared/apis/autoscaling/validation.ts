/** Rules of HorizontalPodAutoscaler v2 (k8s.io/kubernetes/pkg/apis/autoscaling/validation); v1 is checked in its v2 form. */
import { nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { parseQuantity } from '../../machinery/quantity.ts';
import type { FieldError } from '../definition.ts';
import {
  eachItem,
  forbidden,
  invalid,
  invalidEach,
  isEmptyText,
  NOT_NEGATIVE,
  notSupported,
  type OwnField,
  oneOf,
  required,
} from '../validation/fields.ts';
import { autoscalerFromV1 } from './conversion.ts';

const SOURCES: ReadonlyMap<string, string> = new Map([
  ['ContainerResource', 'containerResource'],
  ['External', 'external'],
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
]);
const TARGETS = ['Utilization', 'Value', 'AverageValue'];

export function validateAutoscaler(hpa: KubeObject): FieldError[] {
  const { minReplicas, maxReplicas = 0, scaleTargetRef, metrics, behavior } = hpa.spec ?? {};
  return [
    ...(minReplicas < 1 ? [invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1')] : []),
    ...(maxReplicas < 1 ? [invalid('spec.maxReplicas', maxReplicas, 'must be greater than 0')] : []),
    ...(maxReplicas < minReplicas
      ? [invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`')]
      : []),
    ...targetReferenceErrors('spec.scaleTargetRef', scaleTargetRef),
    ...eachItem('spec.metrics', metrics, metricErrors),
    ...zeroErrors(minReplicas, metrics),
    ...rulesErrors('spec.behavior.scaleUp', behavior?.scaleUp),
    ...rulesErrors('spec.behavior.scaleDown', behavior?.scaleDown),
  ];
}

export function validateAutoscalerV1(hpa: KubeObject): FieldError[] {
  return validateAutoscaler(autoscalerFromV1(structuredClone(hpa)));
}

function targetReferenceErrors(field: string, reference: OwnField): FieldError[] {
  const { kind, name, apiVersion = '' } = reference ?? {};
  const errors = Object.entries({ kind, name }).flatMap(([member, value]) =>
    isEmptyText(value)
      ? [required(`${field}.${member}`)]
      : invalidEach(`${field}.${member}`, value, nameErrors('pathSegment', value)),
  );
  // Only ReplicationControllers live in the core group, whose apiVersion names no group.
  const isGrouped = apiVersion.includes('/') || (kind === 'ReplicationController' && apiVersion === 'v1');
  return isGrouped ? errors : [...errors, invalid(`${field}.apiVersion`, apiVersion, 'apiVersion must specify API group')];
}

function zeroErrors(minReplicas: unknown, metrics: unknown): FieldError[] {
  if (minReplicas !== 0) return [];
  const scalesToZero = Array.isArray(metrics) && metrics.some(({ type }) => type === 'Object' || type === 'External');
  const why = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return scalesToZero ? [] : [forbidden('spec.metrics', why)];
}

function metricErrors(metric: OwnField, path: string): FieldError[] {
  const type = metric?.type ?? '';
  const present = [...SOURCES.values()].filter((source) => metric?.[source]);
  const expected = SOURCES.get(type);
  if (expected === undefined) return [notSupported(`${path}.type`, type, [...SOURCES.keys()])];
  const others = present.length === 1 ? [] : present.filter((source) => source !== expected);
  return [
    ...(metric[expected]
      ? sourceErrors(type, `${path}.${expected}`, metric[expected])
      : [required(`${path}.${expected}`, 'must populate information for the given metric source')]),
    ...others.map((source) => forbidden(`${path}.${source}`, 'must populate the given metric source only')),
  ];
}

function sourceErrors(type: string, field: string, source: OwnField): FieldError[] {
  const target = source.target ?? {};
  const isResource = type === 'Resource' || type === 'ContainerResource';
  return [
    ...(isResource && isEmptyText(source.name) ? [required(`${field}.name`, 'must specify a resource name')] : []),
    ...(type === 'ContainerResource' && isEmptyText(source.container)
      ? [required(`${field}.container`, 'must specify a container')]
      : []),
    ...(type === 'Object' ? describedErrors(`${field}.describedObject`, source.describedObject) : []),
    ...(isResource ? [] : metricNameErrors(`${field}.metric.name`, source.metric?.name)),
    ...targetErrors(`${field}.target`, target),
    ...(isResource ? resourceTargetErrors(`${field}.target`, target) : customTargetErrors(type, `${field}.target`, target)),
  ];
}

function describedErrors(field: string, described: OwnField): FieldError[] {
  return ['kind', 'name'].flatMap((member) =>
    isEmptyText(described?.[member])
      ? [required(`${field}.${member}`)]
      : invalidEach(`${field}.${member}`, described[member], nameErrors('pathSegment', described[member])),
  );
}

function metricNameErrors(field: string, name: unknown): FieldError[] {
  if (isEmptyText(name)) return [required(field, 'must specify a metric name')];
  return invalidEach(field, name, nameErrors('pathSegment', String(name)));
}

function resourceTargetErrors(field: string, { averageUtilization, averageValue }: OwnField): FieldError[] {
  if (averageUtilization === undefined && averageValue === undefined)
    return [required(`${field}.averageUtilization`, 'must set either a target raw value or a target utilization')];
  if (averageUtilization === undefined || averageValue === undefined) return [];
  return [forbidden(`${field}.averageValue`, 'may not set both a target raw value and a target utilization')];
}

function customTargetErrors(type: string, field: string, { value, averageValue }: OwnField): FieldError[] {
  if (type === 'Pods')
    return isPositive(averageValue) ? [] : [required(`${field}.averageValue`, 'must specify a positive target averageValue')];
  if (value === undefined && averageValue === undefined) {
    const what = type === 'External' ? 'a target value for metric or a per-pod target' : 'a target value or averageValue';
    return [required(`${field}.averageValue`, `must set either ${what}`)];
  }
  if (type !== 'External' || value === undefined || averageValue === undefined) return [];
  return [forbidden(`${field}.value`, 'may not set both a target value for metric and a per-pod target')];
}

const isPositive = (amount: unknown) => amount !== undefined && amount !== null && parseQuantity(String(amount)).unscaled > 0n;

function targetErrors(field: string, { type, averageUtilization, value, averageValue }: OwnField): FieldError[] {
  return [
    ...(isEmptyText(type) ? [required(`${field}.type`, 'must specify a metric target type')] : []),
    ...(TARGETS.includes(type)
      ? []
      : [invalid(`${field}.type`, type ?? '', 'must be either Utilization, Value, or AverageValue')]),
    ...Object.entries({ value, averageValue })
      .filter(([, amount]) => amount !== undefined && !isPositive(amount))
      .map(([member, amount]) => invalid(`${field}.${member}`, amount, 'must be positive')),
    ...(averageUtilization < 1 ? [invalid(`${field}.averageUtilization`, averageUtilization, 'must be greater than 0')] : []),
  ];
}

const WINDOW_SECONDS_MAX = 3600;
const PERIOD_SECONDS_MAX = 1800;

function rulesErrors(field: string, rules: OwnField): FieldError[] {
  if (!rules) return [];
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies, tolerance } = rules;
  const window = `${field}.stabilizationWindowSeconds`;
  return [
    ...(seconds < 0 ? [invalid(window, seconds, 'must be greater than or equal to zero')] : []),
    ...(seconds > WINDOW_SECONDS_MAX ? [invalid(window, seconds, `must be less than or equal to ${WINDOW_SECONDS_MAX}`)] : []),
    ...(tolerance !== undefined && parseQuantity(String(tolerance)).unscaled < 0n
      ? [invalid(`${field}.tolerance`, tolerance, NOT_NEGATIVE)]
      : []),
    ...oneOf(`${field}.selectPolicy`, selectPolicy, ['Disabled', 'Max', 'Min']),
    ...(policies?.length > 0 ? [] : [required(`${field}.policies`, 'must specify at least one Policy')]),
    ...eachItem(`${field}.policies`, policies, policyErrors),
  ];
}

function policyErrors({ type, value = 0, periodSeconds = 0 }: OwnField, path: string): FieldError[] {
  const period = `${path}.periodSeconds`;
  return [
    ...(['Percent', 'Pods'].includes(type) ? [] : [notSupported(`${path}.type`, type ?? '', ['Percent', 'Pods'])]),
    ...(value > 0 ? [] : [invalid(`${path}.value`, value, 'must be greater than zero')]),
    ...(periodSeconds > 0 ? [] : [invalid(period, periodSeconds, 'must be greater than zero')]),
    ...(periodSeconds > PERIOD_SECONDS_MAX
      ? [invalid(period, periodSeconds, `must be less than or equal to ${PERIOD_SECONDS_MAX}`)]
      : []),
  ];
}
