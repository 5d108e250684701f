/** Which propagation policy an object asks for: by label, its own first, then the default on its Namespace. */

/** Label that names a PropagationPolicy of the object's namespace. */
export const PROPAGATION_POLICY_LABEL = 'kubeadmiral.io/propagation-policy-name';
/** Label that names a ClusterPropagationPolicy. */
export const CLUSTER_PROPAGATION_POLICY_LABEL = 'kubeadmiral.io/cluster-propagation-policy-name';
/** Label that names an OverridePolicy of the object's namespace. */
export const OVERRIDE_POLICY_LABEL = 'kubeadmiral.io/override-policy-name';
/** Label that names a ClusterOverridePolicy. */
export const CLUSTER_OVERRIDE_POLICY_LABEL = 'kubeadmiral.io/cluster-override-policy-name';

/** A policy by name; `namespace` is empty for the cluster-scoped kind. `from` says who wears the label. */
export type PolicyKey = {
  kind: 'PropagationPolicy' | 'ClusterPropagationPolicy';
  name: string;
  namespace: string;
  from: 'object' | 'namespace';
};

type Labels = Readonly<Record<string, string>>;

/**
 * The policy that labels name; undefined when none does. `namespace` is empty for cluster-scoped objects, which cannot name a
 * PropagationPolicy. `namespaceLabels` are the labels of the object's Namespace. An empty label value names the policy ''.
 */
export function matchedPolicy(object: { namespace: string; labels: Labels; namespaceLabels: Labels }): PolicyKey | undefined {
  return named(object.labels, object.namespace, 'object') ?? named(object.namespaceLabels, object.namespace, 'namespace');
}

function named(labels: Labels, namespace: string, from: PolicyKey['from']): PolicyKey | undefined {
  const own = namespace === '' ? undefined : read(labels, PROPAGATION_POLICY_LABEL);
  if (own !== undefined) return { kind: 'PropagationPolicy', name: own, namespace, from };
  const cluster = read(labels, CLUSTER_PROPAGATION_POLICY_LABEL);
  return cluster === undefined ? undefined : { kind: 'ClusterPropagationPolicy', name: cluster, namespace: '', from };
}

function read(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
