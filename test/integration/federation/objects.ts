/** Builders of what the tests apply. */
import type { KubeObject } from '../../../shared/machinery/object.ts';

const POLICY_LABEL = 'kubeadmiral.io/propagation-policy-name';

/** A Deployment that names policy `everywhere`. */
export function deployment(name: string, replicas: number, labels: Record<string, string> = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default', labels: { [POLICY_LABEL]: 'everywhere', ...labels } },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'nginx:1.27', resources: { requests: { cpu: '100m' } } }] },
      },
    },
  };
}

/** A PropagationPolicy in namespace default. */
export function policy(name: string, spec: Record<string, unknown>): KubeObject {
  return {
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name, namespace: 'default' },
    spec,
  };
}

/** Divides over all clusters by fixed, equal weights. */
export function everywhere(clusters: readonly string[] = ['eu-1', 'us-1', 'ap-1']): KubeObject {
  const placement = clusters.map((cluster) => ({ cluster, preferences: { weight: 1 } }));
  return policy('everywhere', { schedulingMode: 'Divide', placement });
}
