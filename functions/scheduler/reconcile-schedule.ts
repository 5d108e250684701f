/** Places one source object: load, snapshot, decide, commit, emit. Safe to run twice: it re-reads everything and commits by compare-and-set. */
import { SYSTEM_NAMESPACE } from '../../shared/federation/keys.ts';
import { plan } from '../../shared/federation/plan.ts';
import { dispatchOwner } from '../../shared/federation/records.ts';
import type { Plan } from '../../shared/federation/snapshot.ts';
import { decisionOf } from '../../shared/federation/type-config.ts';
import type { ScheduleMessage } from '../../shared/runtime/messages.ts';
import { refOf } from '../../shared/runtime/objects.ts';
import { done, type ReconcileResult, requeueAfter } from '../../shared/runtime/reconcile.ts';
import { backoffMs } from '../../shared/runtime/retry.ts';
import type { Outgoing } from '../../shared/runtime/send.ts';
import { type Committed, commitPlan, commitWaiting, tellOnce } from './commit.ts';
import type { SchedulerDeps } from './deps.ts';
import { dispatches, isDryRun, pendingCreates } from './dispatches.ts';
import { scheduleFollowers } from './followers.ts';
import { reconcileRemoval } from './removal.ts';
import { reserve } from './reserve.ts';
import { takeSnapshot } from './snapshot.ts';
import { loadSubject, type Subject } from './subject.ts';

type Planned = Extract<Plan, { type: 'planned' }>;

/** Handles one schedule message. */
export async function reconcileSchedule(deps: SchedulerDeps, message: ScheduleMessage): Promise<ReconcileResult> {
  if (message.source.namespace === SYSTEM_NAMESPACE) return done('the system namespace is not federated');
  const subject = await loadSubject(deps, message.source); //                          1 load
  if (!subject) return done('nothing to place');
  const { source, federated } = subject;
  const isLeaving = federated && federated.object.metadata.deletionTimestamp !== undefined;
  if (!subject.sourceRef && federated && !isLeaving) return sendHandMade(deps, subject, federated.object, federated.stored.uid);
  if (!source || isLeaving || source.object.metadata.deletionTimestamp !== undefined)
    return reconcileRemoval(deps, subject, message.attempt);
  const taken = await takeSnapshot(deps, subject, source, dispatchOwner(subject.federatedRef)); // 2 snapshot
  const startedAt = deps.clock.now();
  const decided = plan(taken.snapshot, startedAt); //                                   3 decide (pure)
  if (decided.type === 'notFederated') return done(decided.reason);
  if (decided.type === 'unselected') {
    await tellOnce(deps, source.object, decided.events);
    return done(decided.reason);
  }
  if (decided.type === 'waiting') {
    const outcome = await commitWaiting(deps, subject, decided.federated);
    return outcome.type === 'committed' ? done(`waits: ${decided.reason}`) : again(message, 'something changed meanwhile');
  }
  const decideMs = deps.clock.now() - startedAt;
  const committed = await commitPlan(deps, subject, source, taken, decided); //         4 commit
  if (committed.type === 'busy') return requeueAfter(committed.retryAfterSeconds * 1000, 'the store is busy');
  if (committed.type === 'conflict') return again(message, 'something changed meanwhile');
  if (committed.changed) {
    reserve(deps, subject, taken.snapshot, decided);
    // A decision that was only explained anew sends nothing: nobody would ever report it placed.
    if (!federated || decisionOf(federated.object) !== decided.decisionNumber)
      deps.onPlaced?.({ source: refOf(source.stored), summary: decided.summary, decideMs });
  }
  await emit(deps, subject, decided, committed); //                                     5 emit: by comparing with records
  return done(decided.summary); //                                                      6 acknowledge
}

async function emit(
  deps: SchedulerDeps,
  subject: Subject,
  decided: Planned,
  committed: Extract<Committed, { type: 'committed' }>,
): Promise<void> {
  const { federatedRef: ref } = subject;
  const { uid, federated, records, followers } = committed;
  const cause = `decision ${uid} ${decided.decisionNumber}`;
  const outgoing: Outgoing[] = isDryRun(federated, records)
    ? []
    : dispatches(ref, federated, uid, records, await deps.clusters.all());
  // Nobody will report: the status has to say so itself.
  if (records.length === 0) outgoing.push({ work: { type: 'status', federated: refOf(ref), attempt: 0 }, cause });
  if (followers.affected.length > 0)
    outgoing.push(...scheduleFollowers(await deps.types.all(), followers.affected, `leader ${cause} ${followers.cause}`));
  await deps.sender.send(outgoing);
  if (followers.afterSend.length > 0) await deps.records.write(followers.afterSend);
  if (decided.again === undefined || !subject.sourceRef) return;
  const later: Outgoing = {
    work: { type: 'schedule', source: refOf(subject.sourceRef), attempt: 0 },
    cause: `at ${decided.again}`,
  };
  await deps.sender.sendLater(later, decided.again);
}

/** A FederatedObject that a user wrote: its placements and overrides are taken as they stand. */
async function sendHandMade(
  deps: SchedulerDeps,
  { federatedRef: ref }: Subject,
  federated: Planned['federated'],
  uid: string,
): Promise<ReconcileResult> {
  const owner = dispatchOwner(ref);
  const known = await deps.records.ofOwner(owner);
  if (isDryRun(federated, known)) return done('dry run');
  await deps.records.write(pendingCreates(ref, federated, known, deps.clock.now()));
  await deps.sender.send(dispatches(ref, federated, uid, await deps.records.ofOwner(owner), await deps.clusters.all()));
  return done('sent as it was written');
}

function again({ attempt, source }: ScheduleMessage, reason: string): ReconcileResult {
  return requeueAfter(attempt === 0 ? 0 : backoffMs(attempt, source.name, { baseMs: 20, maxMs: 5_000 }), reason);
}
