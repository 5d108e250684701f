/** Stores observations: gathered for a moment, then one store write for all of them, then the messages that follow. */
import type { ClusterView } from '../../shared/federation/clusters/view.ts';
import type { DispatchRecord } from '../../shared/federation/records.ts';
import { parseJson, stringifyJson } from '../../shared/machinery/codec/json.ts';
import type { JsonObject } from '../../shared/machinery/object.ts';
import type { Records, RecordWrite } from '../../shared/ports/object-store.ts';
import type { Clock, Log } from '../../shared/ports/system.ts';
import type { ScopeCache } from '../../shared/runtime/scope-cache.ts';
import type { Outgoing, Sender } from '../../shared/runtime/send.ts';
import {
  OBSERVATIONS_PER_WRITE,
  OBSERVE_GATHER_MS,
  OBSERVE_MOVING_GATHER_MS,
  STATUS_AFTER_OBSERVATION_MS,
  STORE_AGAIN_MS,
} from './limits.ts';
import { federatedRefOf, fold, isAtRest, type Observation, ownerOf, strayRecord } from './observe.ts';

export type ReporterDeps = {
  records: Pick<Records, 'get' | 'write'>;
  clusters: ScopeCache<ReadonlyMap<string, ClusterView>>;
  sender: Sender;
  clock: Clock;
  log: Log;
};

export type Reporter = {
  /** Takes an observation; of several about one copy the last counts. */
  report(observation: Observation): void;
  /** Resolves when everything reported so far is stored and sent, or could not be; nothing is tried again then. */
  close(): Promise<void>;
};

/** What waits to be stored, by copy; `due` in epoch ms. */
type Waiting = Map<string, { observation: Observation; due: number }>;

/** A reporter for one process. */
export function createReporter(deps: ReporterDeps): Reporter {
  const waiting: Waiting = new Map();
  const closing = new AbortController();
  let sooner = new AbortController();
  let wakeAt = Number.POSITIVE_INFINITY;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    while (waiting.size > 0) {
      wakeAt = closing.signal.aborted ? 0 : earliest(waiting);
      if (wakeAt > deps.clock.now()) {
        sooner = new AbortController();
        await deps.clock.sleep(wakeAt - deps.clock.now(), AbortSignal.any([sooner.signal, closing.signal]));
        continue;
      }
      const batch = takeDue(waiting, closing.signal.aborted ? Number.POSITIVE_INFINITY : deps.clock.now());
      // Nobody shows them again: what could not be stored waits for the next turn.
      const again = await storeBatch(deps, batch).catch((error: unknown) => {
        keep(batch);
        throw error;
      });
      keep(again);
    }
  };
  /** What was stale or not stored is folded anew, unless something newer came meanwhile. */
  const keep = (observations: readonly Observation[]): void => {
    for (const observation of observations)
      if (!waiting.has(keyOf(observation))) waiting.set(keyOf(observation), { observation, due: deps.clock.now() });
  };
  const start = (): void => {
    running ??= run()
      .catch((error: unknown) => {
        deps.log.error('observations were not stored, and are tried again', { error: String(error) });
        return deps.clock.sleep(STORE_AGAIN_MS, closing.signal);
      })
      .finally(() => {
        running = undefined;
        if (waiting.size > 0 && !closing.signal.aborted) start();
      });
  };
  return {
    report(observation) {
      const key = keyOf(observation);
      const gatherMs = isAtRest(observation) ? OBSERVE_GATHER_MS : OBSERVE_MOVING_GATHER_MS;
      const due = Math.min(waiting.get(key)?.due ?? Number.POSITIVE_INFINITY, deps.clock.now() + gatherMs);
      waiting.set(key, { observation, due });
      if (due < wakeAt) sooner.abort('something is due sooner');
      start();
    },
    async close() {
      closing.abort('closing');
      await running;
    },
  };
}

function earliest(waiting: Waiting): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { due } of waiting.values()) first = Math.min(first, due);
  return first;
}

/** Takes what is due, and with it whatever waits about the same objects: their clusters share one write and one fold. */
function takeDue(waiting: Waiting, now: number): Observation[] {
  const owners = new Set<string>();
  for (const { observation, due } of waiting.values()) if (due <= now) owners.add(ownerOf(observation));
  const taken: Observation[] = [];
  for (const [key, { observation }] of waiting) {
    if (taken.length >= OBSERVATIONS_PER_WRITE) break;
    if (!owners.has(ownerOf(observation))) continue;
    taken.push(observation);
    waiting.delete(key);
  }
  return taken;
}

function keyOf({ cluster, type, copy }: Observation): string {
  return `${cluster}/${type.name}/${copy.metadata.namespace ?? ''}/${copy.metadata.name ?? ''}`;
}

/** Answers the observations whose record changed under way. */
async function storeBatch(deps: ReporterDeps, batch: readonly Observation[]): Promise<Observation[]> {
  const clusters = await deps.clusters.all();
  const writes: { write: RecordWrite; observation: Observation }[] = [];
  const outgoing: Outgoing[] = [];
  for (const observation of batch) {
    const prepared = await prepare(deps, observation, clusters.get(observation.cluster)?.memberUid ?? '');
    if (!prepared) continue;
    writes.push({ write: prepared.write, observation });
    outgoing.push(...prepared.outgoing);
  }
  if (writes.length === 0) return [];
  const { stale } = await deps.records.write(writes.map(({ write }) => write));
  // Messages to those that were stale find nothing new and do no harm.
  // Always ahead: a message of this very millisecond may have been handled before the next batch is stored, and would swallow that batch's message.
  const at = (Math.floor(deps.clock.now() / STATUS_AFTER_OBSERVATION_MS) + 1) * STATUS_AFTER_OBSERVATION_MS;
  const status = outgoing.filter(({ work }) => work.type === 'status');
  await deps.sender.send(outgoing.filter(({ work }) => work.type !== 'status'));
  await Promise.all(status.map(({ work }) => deps.sender.sendLater({ work, cause: `report ${at}` }, at)));
  const lost = new Set(stale.map(({ owner, cluster }) => `${owner}\n${cluster}`));
  return writes.filter(({ write }) => lost.has(`${write.owner}\n${write.cluster}`)).map(({ observation }) => observation);
}

async function prepare(
  deps: ReporterDeps,
  observation: Observation,
  memberUid: string,
): Promise<{ write: RecordWrite; outgoing: Outgoing[] } | undefined> {
  const owner = ownerOf(observation);
  const { cluster, copy, gone } = observation;
  const federated = federatedRefOf(observation);
  const stored = await deps.records.get(owner, cluster);
  const look = `seen ${cluster} ${copy.metadata.uid ?? ''} ${copy.metadata.resourceVersion ?? ''}${gone ? ' gone' : ''}`;
  const dispatch: Outgoing = { work: { type: 'dispatch', federated, cluster, attempt: 0 }, cause: look };
  if (!stored) {
    if (gone) return undefined;
    const body = stringifyJson(strayRecord(observation, memberUid, deps.clock.now()) as unknown as JsonObject);
    return { write: { owner, cluster, body, expected: 0 }, outgoing: [dispatch] };
  }
  const folded = fold(parseJson(stored.body) as unknown as DispatchRecord, observation, deps.clock.now());
  if (folded.type === 'unchanged') return undefined;
  const body = stringifyJson(folded.record as unknown as JsonObject);
  const write: RecordWrite = {
    owner,
    cluster,
    body,
    expected: stored.version,
    ...(stored.parkedFor ? { parkedFor: stored.parkedFor } : {}),
  };
  const status: Outgoing = { work: { type: 'status', federated, attempt: 0 }, cause: '' };
  return { write, outgoing: [...(folded.suspect ? [dispatch] : []), ...(folded.reported ? [status] : [])] };
}
