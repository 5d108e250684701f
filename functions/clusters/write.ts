/** Writing a FederatedCluster: finalizer, member uid and status in one step, with its event. */
import { MEMBER_UID_ANNOTATION } from '../../shared/federation/clusters/view.ts';
import { SCOPES } from '../../shared/federation/type-config.ts';
import type { JsonObject, KubeObject } from '../../shared/machinery/object.ts';
import type { WriteOutcome } from '../../shared/ports/object-store.ts';
import { eventOperation, type WorkerEvent } from '../../shared/runtime/events.ts';
import type { Loaded } from '../../shared/runtime/objects.ts';
import { updateOperation } from '../../shared/runtime/operations.ts';
import type { ClustersDeps } from './deps.ts';

export const CLUSTERS = 'clusters';
/** Keeps a FederatedCluster until its member is let go. */
export const CLUSTER_FINALIZER = 'kubeadmiral.io/federated-cluster-controller';

export type ClusterChange = { status: JsonObject; memberUid?: string; finalizer: 'keep' | 'remove'; event?: WorkerEvent };

/** Stores the change. Nothing is written when it says what is stored already (the event then neither). */
export async function writeCluster(deps: ClustersDeps, cluster: Loaded, change: ClusterChange): Promise<WriteOutcome> {
  const now = deps.clock.now();
  const definition = deps.registry().byScope(SCOPES.clusters);
  const events = deps.registry().byScope(SCOPES.events);
  if (!definition || !events) throw new Error('FederatedCluster and Event must be served');
  const operation = updateOperation(definition, cluster, changed(cluster.object, change), { now, part: 'objectAndStatus' });
  if (!operation) return { type: 'committed', resourceVersions: [] };
  const event =
    change.event &&
    (await eventOperation({ reader: deps.reader, definition: events }, cluster.object, change.event, {
      now,
      uid: deps.ids.uid(),
    }));
  return deps.objects.write({ operations: event ? [operation, event] : [operation], writer: CLUSTERS });
}

function changed(cluster: KubeObject, { status, memberUid, finalizer }: ClusterChange): KubeObject {
  const { metadata } = cluster;
  const others = (metadata.finalizers ?? []).filter((name) => name !== CLUSTER_FINALIZER);
  const finalizers = finalizer === 'keep' ? [...others, CLUSTER_FINALIZER] : others;
  const annotations = memberUid ? { ...metadata.annotations, [MEMBER_UID_ANNOTATION]: memberUid } : metadata.annotations;
  return { ...cluster, metadata: { ...metadata, finalizers, ...(annotations ? { annotations } : {}) }, status };
}
