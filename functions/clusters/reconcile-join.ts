/** Joining one cluster: from a Secret to conditions that say that it is ours, or exactly why not. */
import type { ClusterView } from '../../shared/federation/clusters/view.ts';
import { SYSTEM_NAMESPACE } from '../../shared/federation/keys.ts';
import { SCOPES } from '../../shared/federation/type-config.ts';
import type { Condition, JsonObject } from '../../shared/machinery/object.ts';
import type { MemberClient } from '../../shared/ports/member-client.ts';
import type { WorkerEvent } from '../../shared/runtime/events.ts';
import type { Loaded } from '../../shared/runtime/objects.ts';
import { updateOperation } from '../../shared/runtime/operations.ts';
import { done, type ReconcileResult, requeueAfter } from '../../shared/runtime/reconcile.ts';
import { backoffMs } from '../../shared/runtime/retry.ts';
import type { ClustersDeps } from './deps.ts';
import { withCondition } from './health.ts';
import { heldMessage, joinMember } from './join.ts';
import { LATE_JOIN_EVERY_MS } from './limits.ts';
import { type ClusterMemo, saveMemo } from './memo.ts';
import { serviceAccountToken } from './service-account.ts';
import { CLUSTERS, writeCluster } from './write.ts';

/** `client`: joined, go on. `result`: this turn ends here. */
export type JoinStep = { type: 'client'; client: MemberClient } | { type: 'result'; result: ReconcileResult };

type Said = { status: 'True' | 'False'; reason: string; message: string; performed: boolean; memberUid?: string };

/** Joins when that is still to be done. */
export async function reconcileJoin(
  deps: ClustersDeps,
  cluster: Loaded,
  view: ClusterView,
  memo: ClusterMemo,
  attempt: number,
): Promise<JoinStep> {
  if (view.joined) {
    const access = await deps.members.connect(view.object);
    if (access.type === 'ok') return { type: 'client', client: access.client };
    return { type: 'result', result: await notConnectable(deps, cluster, view, access.message, attempt) };
  }
  const now = deps.clock.now();
  const isLate = isJoinLate(cluster, now, deps.times.joinTimeoutMs);
  if (isLate && now - memo.joinTriedAt < LATE_JOIN_EVERY_MS) return { type: 'result', result: done('tried a moment ago') };
  const said = await tryJoin(deps, cluster, view);
  const reason = said.status === 'False' && isLate && said.reason !== 'ClusterUnjoinable' ? 'JoinTimeoutExceeded' : said.reason;
  const result = await publish(deps, cluster, view, { ...said, reason }, attempt);
  await saveMemo(deps.records, view.name, { ...memo, joinTriedAt: now }, memo);
  if (said.status === 'True' && result.type === 'done') {
    deps.onCluster?.({ cluster: view.name, type: 'joined', message: said.message });
    // The first look follows at once, on what was just stored.
    return { type: 'result', result: requeueAfter(0, 'joined') };
  }
  return { type: 'result', result };
}

/** How long a cluster has not been joined: since it was created, or since it was last joined. */
function isJoinLate(cluster: Loaded, now: number, timeoutMs: number): boolean {
  const conditions = (cluster.object.status?.conditions ?? []) as Condition[];
  const joined = conditions.find(({ type }) => type === 'Joined');
  const since = Date.parse(joined?.lastTransitionTime ?? cluster.object.metadata.creationTimestamp ?? '');
  return now - since > timeoutMs;
}

async function tryJoin(deps: ClustersDeps, cluster: Loaded, view: ClusterView): Promise<Said> {
  const failed = (reason: string, message: string, performed = false): Said => ({ status: 'False', reason, message, performed });
  const access = await deps.bootstrapMembers.connect(view.object);
  if (access.type === 'invalid') return failed('TokenNotObtained', access.message);
  const { uid } = cluster.stored;
  const joined = await joinMember(access.client, uid);
  if (joined.type === 'held') {
    const { holder } = joined;
    return failed('ClusterUnjoinable', heldMessage({ name: view.name, uid }, holder, await nameOfCluster(deps, holder)));
  }
  if (joined.type === 'failed') return failed(joined.reason, joined.message, joined.performed);
  if (view.object.spec?.useServiceAccount === true) {
    const account = await serviceAccountToken(access.client, await deps.types.all());
    if (account.type === 'pending') return failed('TokenNotObtained', 'the member has not made the token yet', true);
    if (account.type === 'failed') return failed('TokenNotObtained', account.message, true);
    const kept = await keepToken(deps, view, account.token);
    if (!kept) return failed('TokenNotObtained', 'its Secret changed while the token was stored', true);
  }
  return { status: 'True', reason: 'ClusterJoined', message: 'Cluster is joined', performed: true, memberUid: joined.memberUid };
}

/** The FederatedCluster of this control plane with a uid. */
async function nameOfCluster(deps: ClustersDeps, uid: string | undefined): Promise<string | undefined> {
  if (uid === undefined) return undefined;
  for (const { name, object } of (await deps.clusters.all()).values()) if (object.metadata.uid === uid) return name;
  return undefined;
}

async function keepToken(deps: ClustersDeps, view: ClusterView, token: string): Promise<boolean> {
  const name = String(view.object.spec?.secretRef?.name ?? '');
  const secret = await deps.reader.get({ scope: SCOPES.secrets, namespace: SYSTEM_NAMESPACE, name });
  const definition = deps.registry().byScope(SCOPES.secrets);
  if (!secret || !definition) return false;
  const data = { ...secret.object.data, 'service-account-token-data': Buffer.from(token, 'utf8').toString('base64') };
  const operation = updateOperation(definition, secret, { ...secret.object, data }, { now: deps.clock.now() });
  if (!operation) return true;
  return (await deps.objects.write({ operations: [operation], writer: CLUSTERS })).type === 'committed';
}

async function publish(
  deps: ClustersDeps,
  cluster: Loaded,
  view: ClusterView,
  said: Said,
  attempt: number,
): Promise<ReconcileResult> {
  const { status: value, reason, message, performed, memberUid } = said;
  const before = (cluster.object.status ?? {}) as JsonObject;
  const conditions = (before.conditions ?? []) as unknown as Condition[];
  const known = conditions.find(({ type }) => type === 'Joined');
  const isSame = known?.status === value && known.reason === reason && known.message === message;
  const now = deps.clock.now();
  const next = isSame ? conditions : withCondition(conditions, { type: 'Joined', status: value, reason, message }, now, now);
  const joinPerformed = performed || before.joinPerformed === true;
  const status: JsonObject = { ...before, conditions: next as never, joinPerformed };
  const event = isSame ? undefined : joinEvent(value, reason, message);
  const outcome = await writeCluster(deps, cluster, {
    status,
    ...(memberUid ? { memberUid } : {}),
    finalizer: 'keep',
    ...(event ? { event } : {}),
  });
  if (outcome.type !== 'committed') return requeueAfter(backoffMs(attempt, view.name), 'the cluster changed meanwhile');
  // Tried again with the next tick: a chain of its own per tick would only add up.
  return value === 'True' ? done('joined') : done(`${reason}: ${message}`);
}

function joinEvent(value: string, reason: string, message: string): WorkerEvent {
  if (value === 'True') return { type: 'Normal', reason: 'JoinClusterSuccess', message };
  const known = reason === 'ClusterUnjoinable' || reason === 'JoinTimeoutExceeded';
  const eventReason = reason === 'JoinTimeoutExceeded' ? 'JoinClusterTimeoutExceeded' : reason;
  return { type: 'Warning', reason: known ? eventReason : 'JoinClusterError', message };
}

/** Joined, but its Secret is gone or broken: said in the conditions, nothing else changes. */
async function notConnectable(
  deps: ClustersDeps,
  cluster: Loaded,
  view: ClusterView,
  message: string,
  attempt: number,
): Promise<ReconcileResult> {
  const now = deps.clock.now();
  const before = (cluster.object.status ?? {}) as JsonObject;
  const conditions = (before.conditions ?? []) as unknown as Condition[];
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'False' && ready.message === message) return done('its credentials are still missing');
  const wanted = { type: 'Ready', status: 'False', reason: 'TokenNotObtained', message } as const;
  const status: JsonObject = { ...before, conditions: withCondition(conditions, wanted, now, now) as never };
  const event: WorkerEvent = { type: 'Warning', reason: 'TokenNotObtained', message };
  const outcome = await writeCluster(deps, cluster, { status, finalizer: 'keep', event });
  return outcome.type === 'committed'
    ? done(message)
    : requeueAfter(backoffMs(attempt, view.name), 'the cluster changed meanwhile');
}
