/**
 * The relay: reads the log of all scopes from where it stopped, and sends the work that follows. The cursor moves after the sending, so what a
 * crash interrupts is sent again; deduplication ids carry the cause, so that most repeats are dropped by the queue.
 */
import type { FeedEntry, Lanes } from '../../shared/ports/object-store.ts';
import { SEND_MESSAGES_MAX } from '../../shared/runtime/limits.ts';
import type { Outgoing } from '../../shared/runtime/send.ts';
import { workOf } from './changes.ts';
import type { ClusterChange } from './clusters.ts';
import type { RelayDeps } from './deps.ts';
import { allFederated } from './fan-out.ts';
import { ENTRIES_PER_READ, FAILED_ROUND_PAUSE_MS, READ_AT_LEAST_EVERY_MS, STORE_CURSOR_EVERY_MS } from './limits.ts';

export type { RelayDeps } from './deps.ts';

const CURSOR = 'relay';

/** Handles one batch of log entries (on AWS: of the table's stream). Rejects when nothing more can be sent: the batch comes again. */
export function createRelayHandler(deps: RelayDeps): (entries: readonly FeedEntry[]) => Promise<void> {
  return async (entries) => {
    const types = await deps.types.all();
    const changes: ClusterChange[] = [];
    let outgoing: Outgoing[] = [];
    const push = async (item: Outgoing): Promise<void> => {
      outgoing.push(item);
      if (outgoing.length < SEND_MESSAGES_MAX) return;
      const full = outgoing;
      outgoing = [];
      await deps.sender.send(full);
    };
    for (const entry of entries)
      for await (const item of workOf(deps, types, entry)) {
        if ('changedCluster' in item) changes.push(item);
        else await push(item);
      }
    const last = changes.at(-1);
    const changed = [...new Set(changes.map(({ changedCluster }) => changedCluster))];
    if (last) for await (const item of allFederated(deps, changed, last.cause)) await push(item);
    await deps.sender.send(outgoing);
    for (const { afterSend } of changes) await afterSend();
  };
}

/** Reads the log once from the stored cursor. Answers how many entries there were: 0 means that the relay has caught up. */
export async function relayOnce(deps: RelayDeps): Promise<number> {
  const from = await deps.cursors.load(CURSOR);
  const { entries, cursor } = await deps.feed.read(from, ENTRIES_PER_READ);
  if (entries.length > 0) await createRelayHandler(deps)(entries);
  if (cursor !== from) await deps.cursors.store(CURSOR, cursor, from);
  return entries.length;
}

/** Where a long-lived relay stands: `stored` is what the store knows, which may lag by a second. */
type Position = { at: string; stored: string; storedAt: number };

export type RelayOptions = {
  lanes: Pick<Lanes, 'onCommit'>;
  signal: AbortSignal;
  /** Hears that nothing is left to relay, each time: before the first time the log must not be compacted, for what compaction drops is never delivered. */
  onCaughtUp?(): void;
};

/**
 * Relays until `signal` aborts, woken by commits. The cursor is stored once a second and at the end: what a crash makes it read again is
 * sent again, and mostly dropped as repeats. Never rejects: a failed round is logged and repeated from the stored cursor.
 */
export async function runRelay(deps: RelayDeps, options: RelayOptions): Promise<void> {
  const { signal } = options;
  const handle = createRelayHandler(deps);
  let wake = new AbortController();
  let isBehind = true;
  let position: Position | undefined;
  const stopListening = options.lanes.onCommit(() => {
    isBehind = true;
    wake.abort('committed');
  });
  while (!signal.aborted) {
    isBehind = false;
    wake = new AbortController();
    try {
      position ??= await loadPosition(deps);
      const { entries, cursor } = await deps.feed.read(position.at, ENTRIES_PER_READ);
      if (entries.length > 0) await handle(entries);
      position.at = cursor;
      await keepPosition(deps, position, STORE_CURSOR_EVERY_MS);
      if (entries.length === 0) options.onCaughtUp?.();
      if (entries.length === 0 && !isBehind) await idle(deps, position, wake.signal, signal);
    } catch (error) {
      position = undefined;
      deps.log.error('relay: a round failed and is repeated', { error: error instanceof Error ? error.stack : String(error) });
      await deps.clock.sleep(FAILED_ROUND_PAUSE_MS, signal);
    }
  }
  stopListening();
  if (position) await keepPosition(deps, position, 0);
}

/** Waits for a commit; what was read is stored before a long wait. */
async function idle(deps: RelayDeps, position: Position, woken: AbortSignal, signal: AbortSignal): Promise<void> {
  const either = AbortSignal.any([woken, signal]);
  await deps.clock.sleep(STORE_CURSOR_EVERY_MS, either);
  if (either.aborted) return;
  await keepPosition(deps, position, 0);
  await deps.clock.sleep(READ_AT_LEAST_EVERY_MS, either);
}

async function loadPosition({ cursors, clock }: RelayDeps): Promise<Position> {
  const stored = await cursors.load(CURSOR);
  return { at: stored, stored, storedAt: clock.now() };
}

async function keepPosition({ cursors, clock }: RelayDeps, position: Position, everyMs: number): Promise<void> {
  if (position.at === position.stored || clock.now() - position.storedAt < everyMs) return;
  const isOurs = await cursors.store(CURSOR, position.at, position.stored);
  if (!isOurs) throw new Error('another relay moved the cursor');
  position.stored = position.at;
  position.storedAt = clock.now();
}
