/** Brings one cluster's copy of one object to what its decision says: load, decide, call, record, emit. Safe to run twice. */
import type { DispatchInput } from '../../shared/federation/dispatch/actions.ts';
import type { DispatchRecord } from '../../shared/federation/records.ts';
import { observedOf } from '../../shared/federation/status/observed.ts';
import type { DispatchMessage } from '../../shared/runtime/messages.ts';
import { done, type ReconcileResult, terminal } from '../../shared/runtime/reconcile.ts';
import type { DispatcherDeps } from './deps.ts';
import { inputOf, type Job, loadJob } from './load.ts';
import { playRound, type RoundEnd } from './round.ts';
import { type Again, saveRecord, sendAgain, sendProbe, sendRemoved, sendStatus } from './save.ts';
import { tellTrouble } from './tell.ts';

/** Handles one dispatch message. */
export async function reconcileDispatch(deps: DispatcherDeps, message: DispatchMessage): Promise<ReconcileResult> {
  const end = deps.recordWriter.begin();
  try {
    const job = await loadJob(deps, message.federated, message.cluster); //    1 load
    const { cluster } = job;
    if (!cluster) return await leave(deps, job, message.cluster);
    if (isUnknown(job)) return done('its kind is not federated at present: what is there stays as it is');
    const input = await inputOf(deps, job, cluster);
    if (!input) return await leave(deps, job, message.cluster);
    const retryAt = plannedRetry(job, input);
    if (retryAt !== undefined) {
      // Who died between the record and the timer is the reason to set the timer again; one that is set already is the same one.
      await sendAgain(deps, message.federated, cluster.name, { pace: 'retry', at: retryAt });
      return done('its next attempt is on its way');
    }
    const member = await deps.members.connect(cluster.object);
    if (member.type === 'invalid')
      return terminal('NoConnection', `${message.federated.name} on ${cluster.name}: ${member.message}`);
    const { isSuspect } = suspicion(job.record);
    const round = await playRound(deps, member.client, input, { isSuspect }); //   2 decide, call
    return await settle(deps, job, message, round); //                             3 record, emit, acknowledge
  } finally {
    end();
  }
}

/** Without its FederatedTypeConfig, or with a template that is none of its kind, nobody knows what is wanted; that is no reason to remove anything. */
function isUnknown({ federated, type }: Job): boolean {
  return federated !== undefined && type === undefined && federated.object.metadata.deletionTimestamp === undefined;
}

/** Failed work has one chain of retries, and the record says when it goes on. A message that brings nothing new leaves the work to that chain. */
function plannedRetry({ record, stored, cluster }: Job, input: DispatchInput): number | undefined {
  if (record?.retryAt === undefined || record.retryAt <= input.now || stored?.parkedFor) return undefined;
  if (input.wanted.type !== 'present' || record.clusterUid !== cluster?.memberUid) return undefined;
  return record.federatedUid === input.federated.uid && record.decision === input.decision ? record.retryAt : undefined;
}

/** What the member reported last does not fit what was accepted: somebody took a field of ours, or deleted the copy. */
function suspicion(record: DispatchRecord | undefined): { isSuspect: boolean } {
  const observed = record?.observed;
  if (!record || !observed || record.state !== 'OK') return { isSuspect: false };
  const isTaken = observed.owned !== undefined && record.owned !== undefined && observed.owned !== record.owned;
  return { isSuspect: isTaken || observed.gone === true };
}

/** The cluster is gone, or nothing says where a copy would lie: what is left is the record. */
async function leave(deps: DispatcherDeps, job: Job, cluster: string): Promise<ReconcileResult> {
  if (!job.stored) return done('nothing to do');
  await saveRecord(deps, job, cluster, null, { parked: false });
  await sendStatus(deps, job);
  await sendRemoved(deps, job, cluster);
  return done('the cluster is gone');
}

/** What the member answered to the write is what its watch will show first: stored now, it needs no second write. */
function withFirstReport({ record, copy }: RoundEnd, { type }: Job, now: number): DispatchRecord | null {
  if (!record) return null;
  if (!copy || !type || record.state !== 'OK') return record;
  return { ...record, observed: observedOf(type.object, copy, now, record.retained ?? []) };
}

/** The record with the time of its next attempt, so that a timer that was lost is missed. */
function withRetry(record: DispatchRecord | null, again: Again | undefined): DispatchRecord | null {
  if (!record) return null;
  const { retryAt: _retryAt, ...kept } = record;
  return again?.pace === 'retry' ? { ...kept, retryAt: again.at } : kept;
}

function againOf(end: RoundEnd['end'], now: number): Again | undefined {
  if (end.type !== 'later') return undefined;
  return end.pace === 'retry' ? { pace: 'retry', at: now + end.delayMs } : { pace: 'poll', delayMs: end.delayMs };
}

async function settle(deps: DispatcherDeps, job: Job, message: DispatchMessage, round: RoundEnd): Promise<ReconcileResult> {
  const { end } = round;
  const now = deps.clock.now();
  const isParked =
    end.type === 'rest'
      ? end.rest.type === 'park'
      : end.type === 'later' && end.unreachable && !deps.breakers.isAccepting(message.cluster);
  const again = isParked ? undefined : againOf(end, now);
  const record = withRetry(withFirstReport(round, job, now), again);
  const isWritten = record || job.stored ? await saveRecord(deps, job, message.cluster, record, { parked: isParked }) : false;
  if (end.type === 'later' && end.silent) await sendProbe(deps, message.cluster);
  if (isWritten) await tellTrouble(deps, job, message.cluster, record);
  if (record?.hash && job.type) deps.onManaged?.(message.cluster, job.type);
  if (isWritten && job.federated) await sendStatus(deps, job);
  const isTerminating = job.federated?.object.metadata.deletionTimestamp !== undefined;
  if (isTerminating && (!record || isParked)) await sendRemoved(deps, job, message.cluster);
  if (end.type === 'settled') return done(end.summary);
  if (again) await sendAgain(deps, message.federated, message.cluster, again);
  if (end.type === 'later') return done(`${isParked ? 'parked' : `again in ${end.delayMs} ms`}: ${end.reason}`);
  return done(end.rest.reason);
}
