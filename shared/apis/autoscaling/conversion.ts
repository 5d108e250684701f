/**
 * HorizontalPodAutoscaler between v1 and v2. v1 knows one metric, CPU utilisation; what else v2 has travels in annotations, as upstream
 * (k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go). Both functions change their argument and return it.
 */
import { parseJson, stringifyJson } from '../../machinery/codec/json.ts';
import type { JsonValue, KubeObject } from '../../machinery/object.ts';
import { isStruct, type Struct } from '../defaults/fill.ts';

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';
/** What an autoscaler without any metric aims at. */
export const CPU_PERCENT = 80;

const ROUND_TRIP = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR];

/** v2 -> v1: the first CPU utilisation target becomes `targetCPUUtilizationPercentage`. */
export function autoscalerToV1(hpa: KubeObject): KubeObject {
  const spec: Struct = hpa.spec ?? {};
  const status: Struct = hpa.status;
  const annotations: Record<string, string> = { ...hpa.metadata.annotations };
  for (const key of ROUND_TRIP) delete annotations[key];
  const metrics: Struct[] = spec.metrics ?? [];
  const cpu = metrics.find(isCpuUtilization);
  if (cpu) spec.targetCPUUtilizationPercentage = cpu.resource.target.averageUtilization;
  keep(
    annotations,
    METRICS,
    metrics.filter((metric) => !isCpuUtilization(metric)),
  );
  if (spec.behavior) annotations[BEHAVIOR] = stringifyJson(spec.behavior as JsonValue);
  delete spec.metrics;
  delete spec.behavior;
  if (isStruct(status)) {
    const current: Struct[] = status.currentMetrics ?? [];
    const used = current.find((metric) => metric.type === 'Resource' && metric.resource?.name === 'cpu');
    if (used?.resource.current?.averageUtilization !== undefined)
      status.currentCPUUtilizationPercentage = used.resource.current.averageUtilization;
    keep(annotations, CURRENT_METRICS, current);
    keep(annotations, CONDITIONS, status.conditions ?? []);
    delete status.currentMetrics;
    delete status.conditions;
  }
  setAnnotations(hpa, annotations);
  return hpa;
}

/** v1 -> v2: the reverse. v1 has no default of its own for the metric: without any, v2's of 80 % CPU applies here, as upstream. */
export function autoscalerFromV1(hpa: KubeObject): KubeObject {
  const spec: Struct = hpa.spec ?? {};
  const status: Struct = hpa.status;
  const annotations: Record<string, string> = { ...hpa.metadata.annotations };
  const others = listOf(annotations[METRICS]);
  const target = spec.targetCPUUtilizationPercentage;
  const metrics = typeof target === 'number' ? [...others, cpuMetric(target)] : others;
  spec.metrics = metrics.length > 0 ? metrics : [cpuMetric(CPU_PERCENT)];
  const behavior = parsedAnnotation(annotations[BEHAVIOR]);
  if (isStruct(behavior) && Object.keys(behavior).length > 0) spec.behavior = behavior;
  delete spec.targetCPUUtilizationPercentage;
  if (isStruct(status)) {
    const current = listOf(annotations[CURRENT_METRICS]);
    const conditions = listOf(annotations[CONDITIONS]);
    if (current.length > 0) status.currentMetrics = current;
    if (conditions.length > 0) status.conditions = conditions;
    delete status.currentCPUUtilizationPercentage;
  }
  for (const key of ROUND_TRIP) delete annotations[key];
  setAnnotations(hpa, annotations);
  return hpa;
}

function isCpuUtilization(metric: Struct): boolean {
  return (
    metric?.type === 'Resource' && metric.resource?.name === 'cpu' && metric.resource?.target?.averageUtilization !== undefined
  );
}

function cpuMetric(averageUtilization: number): Struct {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function keep(annotations: Record<string, string>, key: string, values: readonly Struct[]): void {
  if (values.length > 0) annotations[key] = stringifyJson(values as JsonValue);
}

function setAnnotations(hpa: KubeObject, annotations: Record<string, string>): void {
  if (Object.keys(annotations).length === 0) delete hpa.metadata.annotations;
  else hpa.metadata.annotations = annotations;
}

/** Annotations are users' text: what cannot be read is passed over, as upstream. */
function parsedAnnotation(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function listOf(text: string | undefined): Struct[] {
  const value = parsedAnnotation(text);
  return Array.isArray(value) ? value.filter(isStruct) : [];
}
