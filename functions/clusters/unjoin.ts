/** Leaving: copies go where that was asked for, then our traces in the member, then the FederatedCluster. A dead member holds nothing up. */
import type { ClusterView } from '../../shared/federation/clusters/view.ts';
import { isLeftBehind, orphanMode } from '../../shared/federation/dispatch/adopt.ts';
import { unmarkPatch } from '../../shared/federation/dispatch/remove.ts';
import { MANAGED_LABEL, SYSTEM_NAMESPACE } from '../../shared/federation/keys.ts';
import type { FederatedType } from '../../shared/federation/type-config.ts';
import type { JsonObject, KubeObject } from '../../shared/machinery/object.ts';
import type { MemberClient } from '../../shared/ports/member-client.ts';
import { createLimit } from '../../shared/runtime/concurrency.ts';
import type { Loaded } from '../../shared/runtime/objects.ts';
import { done, type ReconcileResult, requeueAfter } from '../../shared/runtime/reconcile.ts';
import { backoffMs } from '../../shared/runtime/retry.ts';
import type { ClustersDeps } from './deps.ts';
import { CLUSTER_UID_ANNOTATION, namespaceRef } from './join.ts';
import { CLEAR_DEADLINE_MS, REMOVALS_AT_ONCE, UNJOIN_DEADLINE_MS } from './limits.ts';
import { federatedRefOf } from './observe.ts';
import { writeCluster } from './write.ts';

/** `silent`: the member does not answer, or not as we need it. `clearing`: it answers, and copies are still on their way out. */
type Step = { type: 'done' } | { type: 'silent' | 'clearing'; reason: string };

/** One step of leaving. */
export async function reconcileUnjoin(
  deps: ClustersDeps,
  cluster: Loaded,
  view: ClusterView,
  attempt: number,
): Promise<ReconcileResult> {
  const step = await clearMember(deps, cluster, view);
  const deletedAt = Date.parse(cluster.object.metadata.deletionTimestamp ?? '');
  const deadlineMs = step.type === 'clearing' ? CLEAR_DEADLINE_MS : UNJOIN_DEADLINE_MS;
  const isLate = deps.clock.now() - deletedAt > deadlineMs;
  if (step.type !== 'done' && !isLate) return requeueAfter(backoffMs(attempt, view.name, { maxMs: 5_000 }), step.reason);
  const status = (cluster.object.status ?? {}) as JsonObject;
  const outcome = await writeCluster(deps, cluster, { status, finalizer: 'remove' });
  if (outcome.type !== 'committed') return requeueAfter(backoffMs(attempt, view.name), 'the cluster changed meanwhile');
  if (step.type !== 'done') deps.log.warn(`cluster ${view.name} was removed without clearing its member: ${step.reason}`);
  await deps.members.forget(view.name);
  return done('left');
}

async function clearMember(deps: ClustersDeps, cluster: Loaded, view: ClusterView): Promise<Step> {
  if (cluster.object.status?.joinPerformed !== true) return { type: 'done' };
  const access = await deps.bootstrapMembers.connect(view.object);
  if (access.type === 'invalid') return { type: 'silent', reason: access.message };
  if (view.cascading) {
    const cleared = await removeCopies(deps, access.client);
    if (cleared.type !== 'done') return cleared;
  }
  return removeGuard(access.client, cluster.stored.uid);
}

/** Deletes what carries our label, or takes the label off where it is to stay; waits until nothing carries it. */
async function removeCopies(deps: ClustersDeps, client: MemberClient): Promise<Step> {
  const left: string[] = [];
  const limit = createLimit(REMOVALS_AT_ONCE);
  for (const federatedType of (await deps.types.all()).all) {
    const { type } = federatedType;
    const resource = { group: type.group, version: type.version, resource: type.pluralName };
    const copies = await client.list(resource, { labelSelector: `${MANAGED_LABEL}=true`, metadataOnly: true });
    if (copies.type === 'notFound') continue;
    if (copies.type !== 'ok') return { type: 'silent', reason: copies.message };
    if (copies.value.items.length > 0) left.push(`${copies.value.items.length} ${type.pluralName}`);
    await Promise.all(copies.value.items.map((copy) => limit.run(() => removeCopy(deps, client, federatedType, copy))));
  }
  return left.length === 0 ? { type: 'done' } : { type: 'clearing', reason: `still there: ${left.join(', ')}` };
}

/** As when the copy is no longer wanted there: one that its FederatedObject leaves behind stays. What fails is tried again with the next step. */
async function removeCopy(deps: ClustersDeps, client: MemberClient, type: FederatedType, listed: KubeObject): Promise<void> {
  const { metadata } = listed;
  if (metadata.deletionTimestamp || !metadata.uid) return;
  const { group, version, kind, pluralName } = type.type;
  const ref = { group, version, resource: pluralName, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  const copy = { ...listed, kind };
  const federated = await deps.reader.get(federatedRefOf({ type, copy }));
  const { uid, resourceVersion = '' } = metadata;
  if (isLeftBehind(copy, orphanMode(federated?.object.metadata.annotations ?? {})))
    await client.patch(ref, unmarkPatch({ uid, resourceVersion }));
  else await client.delete(ref, { uid });
}

/** The guard namespace goes only if it names us. */
async function removeGuard(client: MemberClient, clusterUid: string): Promise<Step> {
  const guard = await client.get(namespaceRef(SYSTEM_NAMESPACE));
  if (guard.type === 'notFound') return { type: 'done' };
  if (guard.type !== 'ok') return { type: 'silent', reason: guard.message };
  if (guard.value.metadata.annotations?.[CLUSTER_UID_ANNOTATION] !== clusterUid) return { type: 'done' };
  const { uid } = guard.value.metadata;
  const removed = await client.delete(namespaceRef(SYSTEM_NAMESPACE), uid ? { uid } : {});
  if (removed.type === 'ok' || removed.type === 'notFound') return { type: 'done' };
  return { type: 'silent', reason: removed.message };
}
