/** The slow pass: what a lost message, a crash or a long outage left behind is found by comparing, and sent again. A part of the objects per pass. */

import { fromStored, type ObjectRef, type StoredObject, storedScope } from '../../shared/apis/stored.ts';
import type { ClusterView } from '../../shared/federation/clusters/view.ts';
import { CLUSTER_PROPAGATION_POLICY_LABEL, PROPAGATION_POLICY_LABEL } from '../../shared/federation/policies/match.ts';
import { type DispatchRecord, dispatchOwner, parseDispatchOwner } from '../../shared/federation/records.ts';
import { placedClusters } from '../../shared/federation/status/context.ts';
import {
  decisionOf,
  type FederatedType,
  type FederatedTypes,
  federatedRef,
  SCOPES,
} from '../../shared/federation/type-config.ts';
import { parseJson } from '../../shared/machinery/codec/json.ts';
import type { Cursors, Records, WriteOperation } from '../../shared/ports/object-store.ts';
import type { Log } from '../../shared/ports/system.ts';
import type { ControlRouter } from '../../shared/runtime/control/router.ts';
import { EVENT_KEPT_MS } from '../../shared/runtime/events.ts';
import type { WorkMessage } from '../../shared/runtime/messages.ts';
import { listStored, listStoredAfter, refOf } from '../../shared/runtime/objects.ts';
import { removeOperation } from '../../shared/runtime/operations.ts';
import { done, type ReconcileResult } from '../../shared/runtime/reconcile.ts';
import type { ScopeCache } from '../../shared/runtime/scope-cache.ts';
import type { Outgoing, Sender } from '../../shared/runtime/send.ts';
import { type GarbageDeps, writeEach } from './garbage.ts';
import { EVENTS_PER_PASS, OBJECTS_PER_PASS, PARKED_PER_PASS, RESYNC_MS, STALE_WORK_MS } from './limits.ts';

export type PassDeps = GarbageDeps & {
  records: Pick<Records, 'ofOwner' | 'parkedFor'>;
  cursors: Cursors;
  clusters: ScopeCache<ReadonlyMap<string, ClusterView>>;
  types: ScopeCache<FederatedTypes>;
  sender: Sender;
  control: ControlRouter;
  log: Log;
};

const CURSOR = 'sweeper-pass';
const RESYNC_CURSOR = 'sweeper-resync';

/** One pass. Safe to run at any time, also twice at once. */
export async function reconcilePass(deps: PassDeps): Promise<ReconcileResult> {
  const expired = await removeExpiredEvents(deps);
  const parked = await resendParked(deps);
  const lost = await resendLost(deps);
  const looks = await resyncControllers(deps);
  return done(`${expired} events expired, ${parked} parked and ${lost} lost pieces of work sent again, ${looks} controls`);
}

const LAST_SEEN = /"(?:lastTimestamp|eventTime)":"([^"]+)"/g;

/** Events go through the normal write path, so that watches see them go. The time is read from the text: there are many, and few are due. */
async function removeExpiredEvents(deps: PassDeps): Promise<number> {
  const operations: WriteOperation[] = [];
  const before = deps.clock.now() - EVENT_KEPT_MS;
  for await (const stored of listStored(deps.objects, SCOPES.events)) {
    if (operations.length >= EVENTS_PER_PASS) break;
    if (lastSeen(stored) < before) operations.push(removeOperation({ stored, object: fromStored(stored) }));
  }
  await writeEach(deps, operations);
  return operations.length;
}

function lastSeen({ body }: StoredObject): number {
  const times = [...body.matchAll(LAST_SEEN)].map(([, time]) => Date.parse(time ?? ''));
  const created = Date.parse(/"creationTimestamp":"([^"]+)"/.exec(body)?.[1] ?? '');
  return Math.max(...[...times, created].filter((time) => !Number.isNaN(time)));
}

/** Now and then the controllers look at everything that is theirs: what a message that was lost for good left undone. Answers how many looks were asked for. */
async function resyncControllers(deps: PassDeps): Promise<number> {
  const turn = String(Math.floor(deps.clock.now() / RESYNC_MS));
  const last = await deps.cursors.load(RESYNC_CURSOR);
  if (last === turn) return 0;
  let count = 0;
  const scopes = new Set(
    deps
      .registry()
      .all()
      .filter(({ virtual }) => !virtual)
      .map(storedScope),
  );
  for (const scope of deps.control.resyncScopes) {
    if (!scopes.has(scope)) continue;
    const outgoing: Outgoing[] = [];
    for await (const stored of listStored(deps.objects, scope))
      for (const target of deps.control.resyncOf(stored))
        outgoing.push({ work: { type: 'control', ...target, attempt: 0 }, cause: `resync ${turn}` });
    await deps.sender.send(outgoing);
    count += outgoing.length;
  }
  await deps.cursors.store(RESYNC_CURSOR, turn, last);
  return count;
}

async function resendParked(deps: PassDeps): Promise<number> {
  let count = 0;
  for (const { name, ready } of (await deps.clusters.all()).values()) {
    if (!ready) continue;
    const outgoing: Outgoing[] = [];
    for (const { owner, version } of await deps.records.parkedFor(name, PARKED_PER_PASS)) {
      const federated = parseDispatchOwner(owner);
      if (federated)
        outgoing.push({ work: { type: 'dispatch', federated, cluster: name, attempt: 0 }, cause: `swept ${version}` });
    }
    await deps.sender.send(outgoing);
    count += outgoing.length;
  }
  return count;
}

/** Walks on from where the last pass stopped, over FederatedObjects and sources; at the end it starts again. */
async function resendLost(deps: PassDeps): Promise<number> {
  const from = await deps.cursors.load(CURSOR);
  const now = deps.clock.now();
  const { byScope } = await deps.types.all();
  const [defaulted, clusters] = await Promise.all([defaultedNamespaces(deps), deps.clusters.all()]);
  const outgoing: Outgoing[] = [];
  let seen = 0;
  let last = '';
  const start = parseCursor(from);
  // In the order of the keys that the cursor holds.
  for (const scope of [SCOPES.clusterFederated, SCOPES.federated, ...byScope.keys()].sort()) {
    if (scope < start.scope || seen === OBJECTS_PER_PASS) continue;
    const type = byScope.get(scope);
    const rest = scope === start.scope ? listStoredAfter(deps.objects, start) : listStored(deps.objects, scope);
    for await (const stored of rest) {
      if (seen === OBJECTS_PER_PASS) break;
      seen += 1;
      last = `${scope}#${stored.namespace}#${stored.name}`;
      const lost = type ? await unplaced(deps, type, stored, defaulted) : await lostWork(deps, clusters, stored, now);
      const cause = `swept ${Math.floor(now / STALE_WORK_MS)}`;
      outgoing.push(...lost.map((work) => ({ work, cause })));
    }
  }
  await deps.sender.send(outgoing);
  // A pass that reached the end begins anew.
  await deps.cursors.store(CURSOR, seen === OBJECTS_PER_PASS ? last : '', from);
  return outgoing.length;
}

/** The object that the last pass ended with; empty: it came to the end. */
function parseCursor(cursor: string): ObjectRef {
  const [scope = '', namespace = '', ...name] = cursor.split('#');
  return { scope, namespace, name: name.join('#') };
}

const namesPolicy = ({ labels }: StoredObject): boolean =>
  labels[PROPAGATION_POLICY_LABEL] !== undefined || labels[CLUSTER_PROPAGATION_POLICY_LABEL] !== undefined;

/** Namespaces whose labels place the objects in them. */
async function defaultedNamespaces(deps: PassDeps): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const namespace of listStored(deps.objects, SCOPES.namespaces))
    if (namesPolicy(namespace)) names.add(namespace.name);
  return names;
}

/** A source that names a policy, by itself or by its namespace, and was never looked at. */
async function unplaced(
  deps: PassDeps,
  type: FederatedType,
  stored: StoredObject,
  defaulted: ReadonlySet<string>,
): Promise<WorkMessage[]> {
  if (!namesPolicy(stored) && !defaulted.has(stored.namespace)) return [];
  const federated = await deps.objects.get(federatedRef(type, stored));
  return federated ? [] : [{ type: 'schedule', source: refOf(stored), attempt: 0 }];
}

/** The scheduler sends again what it finds unsent, and the status function folds what it finds unfolded; asking them needs no knowledge of what that is. */
async function lostWork(
  deps: PassDeps,
  clusters: ReadonlyMap<string, ClusterView>,
  stored: StoredObject,
  now: number,
): Promise<WorkMessage[]> {
  const federated = fromStored(stored);
  const ref = refOf(stored);
  const schedule: WorkMessage = { type: 'schedule', source: ref, attempt: 0 };
  if (federated.metadata.deletionTimestamp !== undefined) return [schedule];
  const decision = decisionOf(federated);
  const placed = placedClusters(federated);
  const stateByCluster = new Map<string, string>();
  const overdue: WorkMessage[] = [];
  for (const { cluster, body, parkedFor } of await deps.records.ofOwner(dispatchOwner(ref))) {
    const record = parseJson(body) as unknown as DispatchRecord;
    const isBehind = record.decision < decision || isOfAnother(record, clusters.get(cluster));
    if (!parkedFor && (isStale(record, now) || (placed.has(cluster) && isBehind))) return [schedule];
    if (!parkedFor && isOverdue(record, now)) overdue.push({ type: 'dispatch', federated: ref, cluster, attempt: 0 });
    stateByCluster.set(cluster, record.state);
  }
  if (overdue.length > 0) return overdue;
  if ([...placed].some((cluster) => !stateByCluster.has(cluster))) return [schedule];
  const told = (federated.status?.clusters ?? []) as { cluster?: string; status?: string }[];
  const isTold =
    told.length === stateByCluster.size && told.every(({ cluster = '', status }) => stateByCluster.get(cluster) === status);
  return isTold ? [] : [{ type: 'status', federated: ref, attempt: 0 }];
}

/** It speaks of another cluster that had the name. */
function isOfAnother({ clusterUid }: DispatchRecord, cluster: ClusterView | undefined): boolean {
  return clusterUid !== '' && cluster !== undefined && cluster.memberUid !== '' && cluster.memberUid !== clusterUid;
}

/** The timer of its next attempt was lost. */
function isOverdue({ retryAt }: DispatchRecord, now: number): boolean {
  return retryAt !== undefined && now - retryAt > STALE_WORK_MS;
}

function isStale({ state, changedAt }: DispatchRecord, now: number): boolean {
  return (state === 'PendingCreate' || state === 'WaitingForRemoval') && now - changedAt > STALE_WORK_MS;
}
