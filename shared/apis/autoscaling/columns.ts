/** Columns of HorizontalPodAutoscaler, read in its v2 form. */
import type { KubeObject } from '../../machinery/object.ts';
import type { Column } from '../definition.ts';
import { AGE, count, list, NAME, text } from '../printing/columns.ts';

const METRICS_SHOWN_MAX = 2;
const UNKNOWN = '<unknown>';

type Part = KubeObject[string];

export const AUTOSCALER_COLUMNS: readonly Column[] = [
  NAME,
  text('Reference', (hpa) => `${hpa.spec?.scaleTargetRef?.kind ?? ''}/${hpa.spec?.scaleTargetRef?.name ?? ''}`),
  text('Targets', targets),
  text('MinPods', (hpa) => (hpa.spec?.minReplicas === undefined ? '<unset>' : String(hpa.spec.minReplicas))),
  text('MaxPods', (hpa) => count(hpa.spec?.maxReplicas)),
  text('Replicas', (hpa) => count(hpa.status?.currentReplicas)),
  AGE,
];

function targets(hpa: KubeObject): string {
  const metrics = list(hpa.spec?.metrics);
  if (metrics.length === 0) return '<none>';
  const statuses = list(hpa.status?.currentMetrics);
  const texts = metrics.map((metric, index) => metricText(metric, statuses[index]));
  const shown = texts.slice(0, METRICS_SHOWN_MAX).join(', ');
  return texts.length > METRICS_SHOWN_MAX ? `${shown} + ${texts.length - METRICS_SHOWN_MAX} more...` : shown;
}

function metricText(metric: Part, status: Part): string {
  switch (metric?.type) {
    case 'External':
      return valueText(metric.external?.target, status?.external?.current);
    case 'Object':
      return valueText(metric.object?.target, status?.object?.current);
    case 'Pods':
      return `${status?.pods?.current?.averageValue ?? UNKNOWN}/${metric.pods?.target?.averageValue ?? '0'}`;
    case 'Resource':
      return resourceText(metric.resource, status?.resource?.current);
    case 'ContainerResource':
      return resourceText(metric.containerResource, status?.containerResource?.current);
    default:
      return '<unknown type>';
  }
}

function valueText(target: Part, current: Part): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`;
  return `${current?.value ?? UNKNOWN}/${target?.value ?? '0'}`;
}

function resourceText(resource: Part, current: Part): string {
  const { target } = resource ?? {};
  if (target?.averageValue !== undefined) return `${resource.name}: ${current?.averageValue ?? UNKNOWN}/${target.averageValue}`;
  const now = current?.averageUtilization === undefined ? UNKNOWN : `${current.averageUtilization}%`;
  const wanted = target?.averageUtilization === undefined ? '<auto>' : `${target.averageUtilization}%`;
  return `${resource?.name ?? ''}: ${now}/${wanted}`;
}
