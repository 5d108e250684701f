/** Rules of HorizontalPodAutoscaler v2 (k8s.io/kubernetes/pkg/apis/autoscaling/validation); v1 is checked in its v2 form. */
import { nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import {
  eachItem,
  forbidden,
  invalid,
  invalidEach,
  isEmptyText,
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
  const at = `${field}.target`;
  const isResource = type === 'Resource' || type === 'ContainerResource';
  return [
    ...(isResource && isEmptyText(source.name) ? [required(`${field}.name`, 'must specify a resource name')] : []),
    ...targetErrors(at, target),
    ...(isResource && target.averageUtilization === undefined && target.averageValue === undefined
      ? [required(`${at}.averageUtilization`, 'must set either a target raw value or a target utilization')]
      : []),
    ...(isResource && target.averageUtilization !== undefined && target.averageValue !== undefined
      ? [forbidden(`${at}.averageValue`, 'may not set both a target raw value and a target utilization')]
      : []),
  ];
}

function targetErrors(field: string, { type, averageUtilization }: OwnField): FieldError[] {
  return [
    ...(isEmptyText(type) ? [required(`${field}.type`, 'must specify a metric target type')] : []),
    ...(TARGETS.includes(type)
      ? []
      : [invalid(`${field}.type`, type ?? '', 'must be either Utilization, Value, or AverageValue')]),
    ...(averageUtilization < 1 ? [invalid(`${field}.averageUtilization`, averageUtilization, 'must be greater than 0')] : []),
  ];
}

const WINDOW_SECONDS_MAX = 3600;
const PERIOD_SECONDS_MAX = 1800;

function rulesErrors(field: string, rules: OwnField): FieldError[] {
  if (!rules) return [];
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies } = rules;
  const window = `${field}.stabilizationWindowSeconds`;
  return [
    ...(seconds < 0 ? [invalid(window, seconds, 'must be greater than or equal to zero')] : []),
    ...(seconds > WINDOW_SECONDS_MAX ? [invalid(window, seconds, `must be less than or equal to ${WINDOW_SECONDS_MAX}`)] : []),
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
