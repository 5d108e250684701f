/**
 * Taking an object back from its clusters: mark the FederatedObject, let the dispatchers delete the copies, and when no record is left, remove
 * the FederatedObject with its companions and let the source go. A member that does not answer holds up nothing: the dispatcher parks its record elsewhere.
 */
import type { ObjectRef } from '../../shared/apis/stored.ts';
import { INTERNAL_ORPHAN_ANNOTATION } from '../../shared/federation/keys.ts';
import { FEDERATE_FINALIZER } from '../../shared/federation/plan/keys.ts';
import { dispatchOwner } from '../../shared/federation/records.ts';
import { companionScopes } from '../../shared/federation/type-config.ts';
import { formatTime } from '../../shared/machinery/time.ts';
import type { StoreRecord, WriteOperation, WriteOutcome } from '../../shared/ports/object-store.ts';
import { type Loaded, refOf } from '../../shared/runtime/objects.ts';
import { deleteOperation, removeOperation, updateOperation } from '../../shared/runtime/operations.ts';
import { done, type ReconcileResult, requeueAfter } from '../../shared/runtime/reconcile.ts';
import { backoffMs } from '../../shared/runtime/retry.ts';
import { definition, SYNC_FINALIZER, tellOnce, write } from './commit.ts';
import type { SchedulerDeps } from './deps.ts';
import { dispatches } from './dispatches.ts';
import { leaderGone, scheduleFollowers } from './followers.ts';
import { CLUSTERS_NAMED_MAX, DEAD_MEMBER_WAIT_MS } from './limits.ts';
import type { Subject } from './subject.ts';

/** One step towards the object being gone everywhere. Safe to run at any time and any number of times. */
export async function reconcileRemoval(deps: SchedulerDeps, subject: Subject, attempt: number): Promise<ReconcileResult> {
  const { federated } = subject;
  if (!federated) return outcome(await releaseSource(deps, subject), attempt, 'nothing was placed');
  const now = deps.clock.now();
  const marked = await markFederated(deps, subject, federated, now);
  if (marked.type !== 'committed') return outcome(marked, attempt, '');
  const records = await deps.records.ofOwner(dispatchOwner(subject.federatedRef));
  if (records.length > 0) {
    const terminating = { ...federated.object, metadata: { ...federated.object.metadata, deletionTimestamp: 'set' } };
    await deps.sender.send(dispatches(subject.federatedRef, terminating, federated.stored.uid, records, []));
    const until = deadMembersUntil(federated, records, now);
    if (until === undefined) return done(`being removed from ${records.map((record) => record.cluster).join(', ')}`);
    if (until > now) {
      await tellWaiting(deps, subject, records, until);
      return requeueAfter(until - now, 'only members that do not answer still have a copy');
    }
  }
  const result = outcome(await finish(deps, subject), attempt, 'removed everywhere');
  const isWanted = subject.source && subject.source.object.metadata.deletionTimestamp === undefined;
  if (!isWanted || result.type !== 'done' || !subject.sourceRef) return result;
  await placeAgain(deps, subject.sourceRef, federated.stored.uid, attempt);
  return done('its FederatedObject was deleted, it is placed again');
}

/** Asks for the source, as the FederatedObject that this work names is gone; at once, and with pauses while another's finalizer still holds that. */
async function placeAgain(deps: SchedulerDeps, source: ObjectRef, uid: string, attempt: number): Promise<void> {
  const again = {
    work: { type: 'schedule', source: refOf(source), attempt: attempt + 1 },
    cause: `placed again ${uid}`,
  } as const;
  if (attempt === 0) return deps.sender.send([again]);
  return deps.sender.sendLater(again, deps.clock.now() + backoffMs(attempt, source.name));
}

/**
 * When the deletion stops waiting for members that do not answer (epoch ms): undefined while others are at work. Their records stay parked, and the
 * copies go when the members are back.
 */
function deadMembersUntil(federated: Loaded, records: readonly StoreRecord[], now: number): number | undefined {
  if (records.some((record) => record.parkedFor === undefined)) return undefined;
  // Marked just now: in whole seconds, as the mark that the next step reads.
  const markedAt = federated.object.metadata.deletionTimestamp ?? formatTime(now);
  return Date.parse(markedAt) + DEAD_MEMBER_WAIT_MS;
}

/** Whoever deletes the source and waits is told for whom. The text is the same at every step, so that it is one event. */
async function tellWaiting(
  deps: SchedulerDeps,
  { source }: Subject,
  records: readonly StoreRecord[],
  until: number,
): Promise<void> {
  if (source?.object.metadata.deletionTimestamp === undefined) return;
  const names = records.map(({ cluster }) => cluster).sort();
  const rest = names.length > CLUSTERS_NAMED_MAX ? ` and ${names.length - CLUSTERS_NAMED_MAX} more` : '';
  const message =
    `the deletion waits until ${formatTime(until)} for clusters that do not answer: ${names.slice(0, CLUSTERS_NAMED_MAX).join(', ')}${rest}. ` +
    'Then it ends without them, and the copies there are deleted when they are back.';
  await tellOnce(deps, source.object, [{ type: 'Warning', reason: 'DeletionWaits', message }]);
}

/** Sets the deletion mark; the finalizer makes it a mark and not a removal. */
async function markFederated(deps: SchedulerDeps, subject: Subject, federated: Loaded, now: number): Promise<WriteOutcome> {
  const { metadata } = federated.object;
  if (metadata.deletionTimestamp !== undefined) return { type: 'committed', resourceVersions: [] };
  const finalizers = [...new Set([...(metadata.finalizers ?? []), SYNC_FINALIZER])];
  const annotations = isOrphaning(subject)
    ? { ...metadata.annotations, [INTERNAL_ORPHAN_ANNOTATION]: 'all' }
    : metadata.annotations;
  const kept = { ...metadata, finalizers, ...(annotations ? { annotations } : {}) };
  const guarded = { stored: federated.stored, object: { ...federated.object, metadata: kept } };
  const operation = deleteOperation(definition(deps, subject.federatedRef.scope), guarded, { now });
  return write(deps, operation ? [operation] : [], []);
}

/** `kubectl delete --cascade=orphan`: the finalizer says so until garbage collection is through, its annotation afterwards. */
function isOrphaning({ source }: Subject): boolean {
  const { finalizers = [], annotations = {} } = source?.object.metadata ?? {};
  return finalizers.includes('orphan') || annotations[INTERNAL_ORPHAN_ANNOTATION] === 'all';
}

/** Companions first, FederatedObject and source last and together: a crash in between finds the FederatedObject and goes on. */
async function finish(deps: SchedulerDeps, subject: Subject): Promise<WriteOutcome> {
  const scopes = companionScopes(subject.federatedRef);
  const companions: WriteOperation[] = [];
  for (const scope of [scopes.decision, scopes.collected, scopes.version]) {
    const companion = await deps.reader.get({ ...subject.federatedRef, scope });
    if (companion) companions.push(removeOperation(companion));
  }
  const removed = await write(deps, companions, []);
  if (removed.type !== 'committed') return removed;
  return releaseSource(deps, subject);
}

/** Removes the FederatedObject, our finalizer from the source, and the source's claims on followers. */
async function releaseSource(deps: SchedulerDeps, subject: Subject): Promise<WriteOutcome> {
  const { source, sourceRef, federated } = subject;
  const operations: WriteOperation[] = [];
  if (federated) operations.push(...withoutSyncFinalizer(deps, subject.federatedRef, federated));
  if (source && source.object.metadata.deletionTimestamp !== undefined) {
    const finalizers = (source.object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== FEDERATE_FINALIZER);
    const object = { ...source.object, metadata: { ...source.object.metadata, finalizers } };
    const operation = updateOperation(definition(deps, source.stored.scope), source, object, { now: deps.clock.now() });
    if (operation) operations.push(operation);
  }
  const gone = sourceRef ? await leaderGone(deps.records, sourceRef) : { affected: [], records: [] };
  // Told before the write: a leader that is marked as deleted leads nobody already, and after the write nobody would know whom to tell.
  const cause = `leader gone ${federated?.stored.uid ?? source?.stored.uid ?? ''}`;
  await deps.sender.send(scheduleFollowers(await deps.types.all(), gone.affected, cause));
  return write(deps, operations, gone.records);
}

/** Removal, unless somebody else's finalizer is on it too. */
function withoutSyncFinalizer(deps: SchedulerDeps, ref: ObjectRef, federated: Loaded): WriteOperation[] {
  const finalizers = (federated.object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== SYNC_FINALIZER);
  const object = { ...federated.object, metadata: { ...federated.object.metadata, finalizers } };
  const operation = updateOperation(definition(deps, ref.scope), federated, object, { now: deps.clock.now() });
  return operation ? [operation] : [];
}

function outcome(written: WriteOutcome, attempt: number, summary: string): ReconcileResult {
  if (written.type === 'committed') return done(summary);
  if (written.type === 'busy') return requeueAfter(written.retryAfterSeconds * 1000, 'the store is busy');
  return requeueAfter(attempt === 0 ? 0 : backoffMs(attempt, summary), 'something changed meanwhile');
}
