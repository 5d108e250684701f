/** Looks after one member cluster: join it, see how it is, and let it go. Safe to run twice and at any pace. */
import { type ClusterView, clusterView } from '../../shared/federation/clusters/view.ts';
import { SCOPES } from '../../shared/federation/type-config.ts';
import type { Condition, JsonObject } from '../../shared/machinery/object.ts';
import { formatTime } from '../../shared/machinery/time.ts';
import type { MemberClient } from '../../shared/ports/member-client.ts';
import type { WorkerEvent } from '../../shared/runtime/events.ts';
import type { ClusterMessage } from '../../shared/runtime/messages.ts';
import type { Loaded } from '../../shared/runtime/objects.ts';
import { done, type ReconcileResult, requeueAfter } from '../../shared/runtime/reconcile.ts';
import { backoffMs } from '../../shared/runtime/retry.ts';
import { collectReport, type Report } from './collect.ts';
import type { ClustersDeps } from './deps.ts';
import { damp, probeOf, refreshSeen, withCondition, withProbe } from './health.ts';
import { namespaceRef } from './join.ts';
import { PARKED_PER_ROUND, SEEN_EVERY_MS, UNPARK_EVERY_MS } from './limits.ts';
import { type ClusterMemo, dropMemo, loadMemo, type ProbeTimes, saveMemo } from './memo.ts';
import { reconcileJoin } from './reconcile-join.ts';
import { reconcileUnjoin } from './unjoin.ts';
import { unpark } from './unpark.ts';
import { writeCluster } from './write.ts';

/** Handles one cluster message. `times` lives as long as the process. */
export async function reconcileCluster(
  deps: ClustersDeps,
  times: Map<string, ProbeTimes>,
  message: ClusterMessage,
): Promise<ReconcileResult> {
  const cluster = await deps.reader.get({ scope: SCOPES.clusters, namespace: '', name: message.cluster });
  if (!cluster) return forget(deps, times, message.cluster);
  const view = clusterView(cluster.object);
  if (view.terminating) {
    const left = await reconcileUnjoin(deps, cluster, view, message.attempt);
    // Our own write removed it, so that nobody else tells.
    const isGone = left.type === 'done' && !(await deps.reader.get(cluster.stored));
    return isGone ? forget(deps, times, view.name) : left;
  }
  const memo = await loadMemo(deps.records, view.name);
  const joined = await reconcileJoin(deps, cluster, view, memo, message.attempt);
  if (joined.type === 'result') return joined.result;
  const own = times.get(view.name) ?? { capacityAt: 0, capacityTookMs: 0, discoveredAt: 0 };
  times.set(view.name, own);
  return probe(deps, { cluster, view, memo, times: own, client: joined.client }, message.attempt);
}

async function forget(deps: ClustersDeps, times: Map<string, ProbeTimes>, name: string): Promise<ReconcileResult> {
  times.delete(name);
  await Promise.all([deps.members.forget(name), deps.bootstrapMembers.forget(name)]);
  await dropMemo(deps.records, name);
  // What was to be removed there when it is back: nobody will ask for it any more, and the dispatcher drops the records of a cluster that is gone.
  const parked = await unpark(deps, name);
  if (parked === PARKED_PER_ROUND) return requeueAfter(UNPARK_EVERY_MS, 'more records to drop');
  deps.onCluster?.({ cluster: name, type: 'gone', message: 'removed' });
  return done('gone');
}

type Subject = { cluster: Loaded; view: ClusterView; memo: ClusterMemo; times: ProbeTimes; client: MemberClient };

async function probe(deps: ClustersDeps, subject: Subject, attempt: number): Promise<ReconcileResult> {
  const { cluster, view, memo, client } = subject;
  const health = probeOf(await client.health());
  const system = health.ready === 'True' ? await client.get(namespaceRef('kube-system')) : undefined;
  const memberUid = system?.type === 'ok' ? system.value.metadata.uid : undefined;
  if (memberUid && view.memberUid && memberUid !== view.memberUid) return newMember(deps, cluster, view, memberUid, attempt);
  const report: Report = health.ready === 'True' ? await collectReport(deps, client, subject.times) : {};
  const observed = report.trouble ? { ...health, ready: 'False' as const, ...report.trouble } : health;
  const now = deps.clock.now();
  const seenAt = health.offline === 'True' ? memo.seenAt : now;
  const conditions = (cluster.object.status?.conditions ?? []) as Condition[];
  const damped = damp(
    conditions.find(({ type }) => type === 'Ready'),
    observed,
    memo.pending,
    now,
    deps.times,
  );
  const said = damped.publish && { ...damped.publish, message: withSeen(damped.publish, seenAt) };
  const nextConditions = said
    ? withProbe(conditions, said, now, seenAt || now)
    : refreshed(conditions, health.offline === 'True', now);
  const status = withReport({ ...(cluster.object.status as JsonObject), conditions: nextConditions as never }, report);
  const event = said && healthEvent(view, said);
  const outcome = await writeCluster(deps, cluster, {
    status,
    ...(memberUid ? { memberUid } : {}),
    finalizer: 'keep',
    ...(event ? { event } : {}),
  });
  if (outcome.type !== 'committed') return requeueAfter(backoffMs(attempt, view.name), 'the cluster changed meanwhile');
  await saveMemo(deps.records, view.name, nextMemo(memo, seenAt, damped.pending), memo);
  if (said) tell(deps, view.name, said);
  const isPublishedReady = said ? said.ready === 'True' : view.ready;
  const resent = isPublishedReady && health.ready === 'True' ? await unpark(deps, view.name) : 0;
  return done(resent > 0 ? `${observed.reason}, ${resent} parked records sent again` : observed.reason);
}

/** The same name and endpoint, another cluster: what was known of the old one is void, and everything is sent anew. */
async function newMember(
  deps: ClustersDeps,
  cluster: Loaded,
  view: ClusterView,
  memberUid: string,
  attempt: number,
): Promise<ReconcileResult> {
  const now = deps.clock.now();
  const reason = 'MemberReplaced';
  const message = `another cluster answers under this name: its kube-system has uid ${memberUid}, it was ${view.memberUid}`;
  const conditions = withCondition(
    (cluster.object.status?.conditions ?? []) as Condition[],
    { type: 'Joined', status: 'False', reason, message },
    now,
    now,
  );
  const status = { ...(cluster.object.status as JsonObject), conditions: conditions as never, joinPerformed: false };
  const outcome = await writeCluster(deps, cluster, {
    status,
    memberUid,
    finalizer: 'keep',
    event: { type: 'Warning', reason, message },
  });
  if (outcome.type !== 'committed') return requeueAfter(backoffMs(attempt, view.name), 'the cluster changed meanwhile');
  // The log tells the scheduler, which finds records of another member and sends everything anew.
  return requeueAfter(0, 'joining the new member');
}

function refreshed(conditions: readonly Condition[], isOffline: boolean, now: number): Condition[] {
  return isOffline ? [...conditions] : refreshSeen(conditions, now, SEEN_EVERY_MS);
}

function withReport(status: JsonObject, report: Report): JsonObject {
  return {
    ...status,
    ...(report.resources ? { resources: report.resources } : {}),
    ...(report.apiResourceTypes ? { apiResourceTypes: report.apiResourceTypes } : {}),
  };
}

function nextMemo(memo: ClusterMemo, seenAt: number, pending: ClusterMemo['pending']): ClusterMemo {
  const { pending: _old, ...rest } = memo;
  return { ...rest, seenAt, ...(pending ? { pending } : {}) };
}

function withSeen({ offline, message }: { offline: string; message: string }, seenAt: number): string {
  return offline === 'True' && seenAt > 0 ? `no answer since ${formatTime(seenAt)}: ${message}` : message;
}

function healthEvent(view: ClusterView, said: { ready: string; reason: string; message: string }): WorkerEvent | undefined {
  if (said.ready === 'True' && view.ready) return undefined;
  return { type: said.ready === 'True' ? 'Normal' : 'Warning', reason: said.reason, message: said.message };
}

function tell(deps: ClustersDeps, cluster: string, said: { ready: string; message: string }): void {
  deps.onCluster?.({ cluster, type: said.ready === 'True' ? 'ready' : 'offline', message: said.message });
}
