/** Which labels and annotations of a source go where (KubeAdmiral's list), and the keys that a plan writes. */
import {
  CLUSTER_OVERRIDE_POLICY_LABEL,
  CLUSTER_PROPAGATION_POLICY_LABEL,
  OVERRIDE_POLICY_LABEL,
  PROPAGATION_POLICY_LABEL,
} from '../policies/match.ts';
import { SCHEDULING } from './feedback.ts';

const PREFIX = 'kubeadmiral.io/';
const INTERNAL = 'internal.kubeadmiral.io/';
const FEDERATE = 'federate.controller.kubeadmiral.io/';

/** Labels that move from the source to the federated object. */
export const MOVED_LABELS: ReadonlySet<string> = new Set([
  PROPAGATION_POLICY_LABEL,
  CLUSTER_PROPAGATION_POLICY_LABEL,
  OVERRIDE_POLICY_LABEL,
  CLUSTER_OVERRIDE_POLICY_LABEL,
]);

/** Annotations that move from the source to the federated object. */
export const MOVED_ANNOTATIONS: ReadonlySet<string> = new Set(
  [
    'scheduling-mode',
    'sticky-cluster',
    'tolerations',
    'placements',
    'affinity',
    'clusterSelector',
    'maxClusters',
    'no-scheduling',
    'retain-replicas',
    'orphan',
    'conflict-resolution',
    'clusters-to-adopt',
    'followers',
    'disable-following',
    'migration-configuration',
    'dry-run',
    'no-auto-propagation',
    'follows-object',
  ].map((key) => PREFIX + key),
);

/** Annotations of the source that go nowhere: written by the federation, by its own workload controllers, or by clients for themselves. */
export const IGNORED_ANNOTATIONS: ReadonlySet<string> = new Set([
  `${PREFIX}latest-replicaset-digests`,
  `${PREFIX}applied-migration-configuration`,
  SCHEDULING,
  'deployment.kubernetes.io/revision',
  'kubectl.kubernetes.io/last-applied-configuration',
]);

/** The object opts out of going to every cluster (Namespaces). */
export const NO_AUTO_PROPAGATION = `${PREFIX}no-auto-propagation`;

/** Written on the federated object. */
export const OBSERVED_ANNOTATIONS = `${FEDERATE}observed-annotations`;
export const OBSERVED_LABELS = `${FEDERATE}observed-labels`;
export const TEMPLATE_MERGE_PATCH = `${FEDERATE}template-generator-merge-patch`;
export const ENABLE_FOLLOWER_SCHEDULING = `${INTERNAL}enable-follower-scheduling`;
export const POD_UNSCHEDULABLE_THRESHOLD = `${INTERNAL}pod-unschedulable-threshold`;
export const DEFERRED_REASONS = `${PREFIX}scheduling-deferred-reasons`;

/** Controllers that write entries of a federated object's placements. */
export const FOLLOWER_CONTROLLER = `${PREFIX}follower-controller`;
export const NAMESPACE_CONTROLLER = `${PREFIX}nsautoprop-controller`;
/** Finalizer of every source that has a federated object. */
export const FEDERATE_FINALIZER = `${PREFIX}federate-controller`;
