/** Labels, annotations and finalizers that the federation reads and writes, by the names that KubeAdmiral documents (and ours: `lamiral.dev/`). */

/** Label of every copy on a member: `"true"`; an admin of the member writes `"false"` to keep it out of our hands. */
export const MANAGED_LABEL = 'kubeadmiral.io/managed';
/** Annotation of a copy that existed before it was managed: `"true"`. */
export const ADOPTED_ANNOTATION = 'kubeadmiral.io/adopted';
/** Annotation of a copy: `metadata.generation` of the source that it was made from. */
export const SOURCE_GENERATION_ANNOTATION = 'kubeadmiral.io/source-generation';
/** Annotations of a copy: sorted comma lists of the keys that were propagated. */
export const PROPAGATED_LABEL_KEYS_ANNOTATION = 'kubeadmiral.io/propagated-label-keys';
export const PROPAGATED_ANNOTATION_KEYS_ANNOTATION = 'kubeadmiral.io/propagated-annotation-keys';
/** Annotation of a copy, and of a FederatedObject: number of the decision that it carries. Only grows within one life of the FederatedObject. */
export const DECISION_ANNOTATION = 'lamiral.dev/decision';
/** Annotation of a copy: uid of its FederatedObject. Decision numbers of another uid are another life's, and are not compared. */
export const FEDERATED_UID_ANNOTATION = 'lamiral.dev/federated-uid';

/** Annotations of a FederatedObject about objects that exist on a member already; the internal ones win. */
export const CONFLICT_RESOLUTION_ANNOTATION = 'kubeadmiral.io/conflict-resolution';
export const INTERNAL_CONFLICT_RESOLUTION_ANNOTATION = 'internal.kubeadmiral.io/conflict-resolution';
export const CLUSTERS_TO_ADOPT_ANNOTATION = 'kubeadmiral.io/clusters-to-adopt';
export const INTERNAL_CLUSTERS_TO_ADOPT_ANNOTATION = 'internal.kubeadmiral.io/clusters-to-adopt';
export const ORPHAN_ANNOTATION = 'kubeadmiral.io/orphan';
export const INTERNAL_ORPHAN_ANNOTATION = 'internal.kubeadmiral.io/orphan';

/** `"true"`: the member's count of replicas is kept. */
export const RETAIN_REPLICAS_ANNOTATION = 'kubeadmiral.io/retain-replicas';
/** `"true"`: schedule, but send nothing as long as nothing was sent. */
export const DRY_RUN_ANNOTATION = 'kubeadmiral.io/dry-run';
/** `"true"`: the placement is frozen, and the object leads nobody. */
export const NO_SCHEDULING_ANNOTATION = 'kubeadmiral.io/no-scheduling';
/** Leader: JSON list of `{group, kind, name}` that go where it goes. */
export const FOLLOWERS_ANNOTATION = 'kubeadmiral.io/followers';
/** Follower: `"true"` opts out of following. */
export const DISABLE_FOLLOWING_ANNOTATION = 'kubeadmiral.io/disable-following';
/** Non-empty: the object is not federated. */
export const NO_FEDERATED_RESOURCE_ANNOTATION = 'kubeadmiral.io/no-federated-resource';
/** Presence on a FederatedCluster: copies are removed when the cluster leaves. */
export const CASCADING_DELETE_ANNOTATION = 'kubeadmiral.io/cascading-delete';

/** Controller names of the override lists in a FederatedObject. */
export const SCHEDULER_CONTROLLER = 'kubeadmiral.io/global-scheduler';
export const OVERRIDE_CONTROLLER = 'kubeadmiral.io/overridepolicy-controller';

/** Namespace of the federation itself, on the host and on every member. */
export const SYSTEM_NAMESPACE = 'kube-admiral-system';

const UNTOUCHED_NAMESPACES: ReadonlySet<string> = new Set([
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
  SYSTEM_NAMESPACE,
]);

/** True for Namespaces that every member has by itself: they are neither sent nor deleted. */
export function isUntouchedNamespace(group: string, kind: string, name: string): boolean {
  return group === '' && kind === 'Namespace' && UNTOUCHED_NAMESPACES.has(name);
}
