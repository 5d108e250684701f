/** Defaults of HorizontalPodAutoscaler (k8s.io/kubernetes/pkg/apis/autoscaling/v2/defaults.go). */
import type { KubeObject } from '../../machinery/object.ts';
import { fill, fillEmpty, isStruct, struct } from '../defaults/fill.ts';
import { CPU_PERCENT } from './conversion.ts';

const PERIOD_SECONDS = 15;

const byPercent = () => ({ type: 'Percent', value: 100, periodSeconds: PERIOD_SECONDS });
const byPods = () => ({ type: 'Pods', value: 4, periodSeconds: PERIOD_SECONDS });

export function defaultAutoscalerV1(hpa: KubeObject): void {
  fill(struct(hpa, 'spec'), { minReplicas: 1 });
}

export function defaultAutoscalerV2(hpa: KubeObject): void {
  const spec = struct(hpa, 'spec');
  fill(spec, { minReplicas: 1 });
  fillEmpty(spec, {
    metrics: () => [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: CPU_PERCENT } } },
    ],
  });
  if (!isStruct(spec.behavior)) return;
  fill(struct(spec.behavior, 'scaleUp'), {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: () => [byPods(), byPercent()],
  });
  // How long scaling down waits is the controller's setting, so it has no default here.
  fill(struct(spec.behavior, 'scaleDown'), { selectPolicy: 'Max', policies: () => [byPercent()] });
}
