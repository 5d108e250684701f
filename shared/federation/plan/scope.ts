/** Which objects are federated at all. */
import type { KubeObject } from '../../machinery/object.ts';
import { isUntouchedNamespace, NO_FEDERATED_RESOURCE_ANNOTATION, SYSTEM_NAMESPACE } from '../keys.ts';
import { CLUSTER_PROPAGATION_POLICY_LABEL, PROPAGATION_POLICY_LABEL } from '../policies/match.ts';
import type { LeaderPlacement, PlanSnapshot } from '../snapshot.ts';
import { NAMESPACE_CONTROLLER } from './keys.ts';
import { hasForeign } from './pending.ts';
import type { Subject } from './subject.ts';

const CONTROL_NAMESPACES: ReadonlySet<string> = new Set(['kube-system', 'kube-public', 'kube-node-lease']);
/** What every namespace of every cluster makes for itself. */
const MADE_EVERYWHERE: ReadonlySet<string> = new Set(['ServiceAccount/default', 'ConfigMap/kube-root-ca.crt']);
/** Name of the Service (and its EndpointSlice) through which pods of a cluster reach that cluster's own API. */
const API_SERVICE = 'kubernetes';
const SLICE_CONTROLLERS: ReadonlySet<string> = new Set([
  'endpointslice-controller.k8s.io',
  'endpointslicemirroring-controller.k8s.io',
]);
/** Label of RBAC objects that every API server makes for itself. */
const BOOTSTRAPPING = 'kubernetes.io/bootstrapping';

/** Why an object is not federated; undefined when it is. */
export function whyNotFederated(snapshot: PlanSnapshot): string | undefined {
  const { source, type, federated, policy, leaders } = snapshot;
  const { name = '', namespace = '', annotations = {} } = source.metadata;
  if (source.metadata.deletionTimestamp) return 'it is being deleted';
  if (annotations[NO_FEDERATED_RESOURCE_ANNOTATION]) return `annotation ${NO_FEDERATED_RESOURCE_ANNOTATION} is set`;
  if (isMirror(source)) return 'it only shows what its Deployment runs';
  if (namespace === SYSTEM_NAMESPACE) return `namespace ${SYSTEM_NAMESPACE} belongs to the control plane`;
  if (isNamespace(type) && (isUntouchedNamespace('', 'Namespace', name) || name.startsWith('kube-')))
    return 'every cluster has this namespace by itself';
  if (isControllerMade(source)) return 'a controller made it for this cluster alone';
  if (hasOwnPolicy(source) || federated || leaders.length > 0) return undefined;
  if (namespace === 'default' && name === API_SERVICE) return 'every cluster makes this object for its own API';
  if (MADE_EVERYWHERE.has(`${type.kind}/${name}`)) return 'every namespace makes this object for itself';
  return policy === undefined && isSystemMade(source) ? 'the system made it for itself' : undefined;
}

/**
 * True for an object that would be placed nowhere and never was: no policy, no leader, no controller that is not ours. For such an object KubeAdmiral
 * keeps a FederatedObject all the same; here nothing is kept, for in most namespaces that is every object, and each would cost four writes.
 */
export function isUnselected({ snapshot, pipeline, controller }: Subject, leaders: readonly LeaderPlacement[]): boolean {
  const { policy, federated } = snapshot;
  return !policy && !federated && leaders.length === 0 && controller !== NAMESPACE_CONTROLLER && !hasForeign(pipeline);
}

/** True for the kind whose objects go to every cluster. */
export function isNamespace({ group, kind }: { group: string; kind: string }): boolean {
  return group === '' && kind === 'Namespace';
}

/** A ReplicaSet that the control plane keeps for people to read (status/replica-sets.ts). */
function isMirror({ kind, metadata }: KubeObject): boolean {
  return (
    kind === 'ReplicaSet' && (metadata.ownerReferences ?? []).some((owner) => owner.controller && owner.kind === 'Deployment')
  );
}

/** An EndpointSlice of the control plane's own controllers; every member's make their own. */
function isControllerMade({ kind, metadata }: KubeObject): boolean {
  return kind === 'EndpointSlice' && SLICE_CONTROLLERS.has(metadata.labels?.['endpointslice.kubernetes.io/managed-by'] ?? '');
}

function hasOwnPolicy({ metadata }: KubeObject): boolean {
  const labels = metadata.labels ?? {};
  return labels[PROPAGATION_POLICY_LABEL] !== undefined || labels[CLUSTER_PROPAGATION_POLICY_LABEL] !== undefined;
}

function isSystemMade({ metadata }: KubeObject): boolean {
  const { name = '', namespace = '', labels = {} } = metadata;
  return name.startsWith('system:') || CONTROL_NAMESPACES.has(namespace) || labels[BOOTSTRAPPING] !== undefined;
}
