/** Leaving: copies go where that was asked for, then our traces in the member, then the FederatedCluster. A dead member holds nothing up. */
import type { ClusterView } from '../../shared/federation/clusters/view.ts';
import { MANAGED_LABEL, SYSTEM_NAMESPACE } from '../../shared/federation/keys.ts';
import type { JsonObject } from '../../shared/machinery/object.ts';
import type { MemberClient } from '../../shared/ports/member-client.ts';
import type { Loaded } from '../../shared/runtime/objects.ts';
import { done, type ReconcileResult, requeueAfter } from '../../shared/runtime/reconcile.ts';
import { backoffMs } from '../../shared/runtime/retry.ts';
import type { ClustersDeps } from './deps.ts';
import { CLUSTER_UID_ANNOTATION, namespaceRef } from './join.ts';
import { UNJOIN_DEADLINE_MS } from './limits.ts';
import { writeCluster } from './write.ts';

type Step = { type: 'done' } | { type: 'wait'; reason: string };

/** One step of leaving. */
export async function reconcileUnjoin(
  deps: ClustersDeps,
  cluster: Loaded,
  view: ClusterView,
  attempt: number,
): Promise<ReconcileResult> {
  const step = await clearMember(deps, cluster, view);
  const deletedAt = Date.parse(cluster.object.metadata.deletionTimestamp ?? '');
  const isLate = deps.clock.now() - deletedAt > UNJOIN_DEADLINE_MS;
  if (step.type === 'wait' && !isLate) return requeueAfter(backoffMs(attempt, view.name, { maxMs: 5_000 }), step.reason);
  const status = (cluster.object.status ?? {}) as JsonObject;
  const outcome = await writeCluster(deps, cluster, { status, finalizer: 'remove' });
  if (outcome.type !== 'committed') return requeueAfter(backoffMs(attempt, view.name), 'the cluster changed meanwhile');
  if (step.type === 'wait') deps.log.warn(`cluster ${view.name} was removed without clearing its member: ${step.reason}`);
  await deps.members.forget(view.name);
  return done('left');
}

async function clearMember(deps: ClustersDeps, cluster: Loaded, view: ClusterView): Promise<Step> {
  if (cluster.object.status?.joinPerformed !== true) return { type: 'done' };
  const access = await deps.bootstrapMembers.connect(view.object);
  if (access.type === 'invalid') return { type: 'wait', reason: access.message };
  if (view.cascading) {
    const cleared = await removeCopies(deps, access.client);
    if (cleared.type === 'wait') return cleared;
  }
  return removeGuard(access.client, cluster.stored.uid);
}

/** Deletes what carries our label; waits until nothing does. */
async function removeCopies(deps: ClustersDeps, client: MemberClient): Promise<Step> {
  const left: string[] = [];
  for (const { type } of (await deps.types.all()).all) {
    const resource = { group: type.group, version: type.version, resource: type.pluralName };
    const copies = await client.list(resource, { labelSelector: `${MANAGED_LABEL}=true`, metadataOnly: true });
    if (copies.type === 'notFound') continue;
    if (copies.type !== 'ok') return { type: 'wait', reason: copies.message };
    if (copies.value.items.length > 0) left.push(`${copies.value.items.length} ${type.pluralName}`);
    for (const { metadata } of copies.value.items) {
      if (metadata.deletionTimestamp || !metadata.uid) continue;
      const ref = { ...resource, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
      await client.delete(ref, { uid: metadata.uid });
    }
  }
  return left.length === 0 ? { type: 'done' } : { type: 'wait', reason: `still there: ${left.join(', ')}` };
}

/** The guard namespace goes only if it names us. */
async function removeGuard(client: MemberClient, clusterUid: string): Promise<Step> {
  const guard = await client.get(namespaceRef(SYSTEM_NAMESPACE));
  if (guard.type === 'notFound') return { type: 'done' };
  if (guard.type !== 'ok') return { type: 'wait', reason: guard.message };
  if (guard.value.metadata.annotations?.[CLUSTER_UID_ANNOTATION] !== clusterUid) return { type: 'done' };
  const { uid } = guard.value.metadata;
  const removed = await client.delete(namespaceRef(SYSTEM_NAMESPACE), uid ? { uid } : {});
  if (removed.type === 'ok' || removed.type === 'notFound') return { type: 'done' };
  return { type: 'wait', reason: removed.message };
}
