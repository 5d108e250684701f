/** Stores the record of a round, and tells what follows from it. */
import type { ObjectRef } from '../../shared/apis/stored.ts';
import { type DispatchRecord, dispatchOwner } from '../../shared/federation/records.ts';
import { parseJson, stringifyJson } from '../../shared/machinery/codec/json.ts';
import type { JsonObject } from '../../shared/machinery/object.ts';
import type { StoreRecord } from '../../shared/ports/object-store.ts';
import { refOf } from '../../shared/runtime/objects.ts';
import type { DispatcherDeps } from './deps.ts';
import { PROBE_ASKED_EVERY_MS, RECORD_TRIES, STATUS_AFTER_DISPATCH_MS } from './limits.ts';
import type { Job } from './load.ts';

/**
 * Writes the record by compare-and-set; what the member reported meanwhile is kept, for the reports are another writer's part. `parked`: the
 * record waits for its cluster's return. Answers whether anything was written.
 */
export async function saveRecord(
  deps: DispatcherDeps,
  job: Job,
  cluster: string,
  record: DispatchRecord | null,
  { parked }: { parked: boolean },
): Promise<boolean> {
  let { stored } = job;
  for (let tries = 0; tries < RECORD_TRIES; tries += 1) {
    const body = record && stringifyJson(withReports(record, job, stored) as unknown as JsonObject);
    const isSame = body === (stored?.body ?? null) && parked === (stored?.parkedFor !== undefined);
    if (isSame) return false;
    const written = await deps.recordWriter.write({
      owner: job.owner,
      cluster,
      body,
      expected: stored?.version ?? 0,
      ...(parked ? { parkedFor: cluster } : {}),
    });
    if (written) return true;
    stored = await deps.records.get(job.owner, cluster);
  }
  throw new Error(`the record of ${dispatchOwner(job.ref)} on ${cluster} keeps changing`);
}

/** What came in while the round was under way is newer than what the round saw. A report that the old copy is gone says nothing about a new one. */
function withReports(record: DispatchRecord, job: Job, stored: StoreRecord | undefined): DispatchRecord {
  const isFirstTry = stored?.version === job.stored?.version;
  if (!stored || isFirstTry) return record.observed?.gone && record.state === 'OK' ? withoutReport(record) : record;
  const { observed } = parseJson(stored.body) as unknown as DispatchRecord;
  return observed && !(observed.gone && record.state === 'OK') ? { ...record, observed } : record;
}

function withoutReport({ observed: _observed, ...record }: DispatchRecord): DispatchRecord {
  return record;
}

/** About `delayMs` from now, on a grid of that width: those who ask within the same stretch get the same moment, so that their messages are one. */
function onGrid(now: number, delayMs: number): number {
  return Math.ceil((now + delayMs / 2) / delayMs) * delayMs;
}

/**
 * The next look at this copy. One chain of timers however many messages ask for it: the id says when, and nothing of who asked. A message that
 * comes again after a crash sets the same timer again.
 */
export async function sendAgain(deps: DispatcherDeps, federated: ObjectRef, cluster: string, again: Again): Promise<void> {
  const at = again.pace === 'retry' ? again.at : onGrid(deps.clock.now(), again.delayMs);
  const work = { type: 'dispatch', federated, cluster, attempt: 0 } as const;
  await deps.sender.sendLater({ work, cause: `again ${at}` }, at);
}

/** `retry`: at the moment that the record names (epoch ms). `poll`: in about `delayMs`. */
export type Again = { pace: 'retry'; at: number } | { pace: 'poll'; delayMs: number };

/** The fold into the object's status; messages of the same quarter second are one. */
export async function sendStatus(deps: DispatcherDeps, job: Job): Promise<void> {
  const at = onGrid(deps.clock.now(), STATUS_AFTER_DISPATCH_MS);
  await deps.sender.sendLater({ work: { type: 'status', federated: refOf(job.ref), attempt: 0 }, cause: `dispatch ${at}` }, at);
}

/** A look at a cluster that did not answer, so that new work is placed elsewhere soon. However much work meets the silence, one look per stretch of time. */
export async function sendProbe(deps: Pick<DispatcherDeps, 'clock' | 'sender'>, cluster: string): Promise<void> {
  const stretch = Math.floor(deps.clock.now() / PROBE_ASKED_EVERY_MS);
  await deps.sender.send([{ work: { type: 'cluster', cluster, attempt: 0 }, cause: `silent ${stretch}` }]);
}

/** When the last copy of an object that is being deleted is gone, the scheduler ends the deletion. */
export async function sendRemoved(deps: DispatcherDeps, job: Job, cluster: string): Promise<void> {
  if (!job.federated) return;
  const left = (await deps.records.ofOwner(job.owner)).filter((record) => record.cluster !== cluster && !record.parkedFor);
  if (left.length > 0) return;
  const cause = `removed ${job.federated.stored.uid} ${cluster} ${job.stored?.version ?? 0}`;
  await deps.sender.send([{ work: { type: 'schedule', source: refOf(job.ref), attempt: 0 }, cause }]);
}
