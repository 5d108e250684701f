/**
 * The relay: reads the log of all scopes from where it stopped, and sends the work that follows. The cursor moves after the sending, so what a
 * crash interrupts is sent again; deduplication ids carry the cause, so that most repeats are dropped by the queue.
 */
import type { FeedEntry, Lanes } from '../../shared/ports/object-store.ts';
import { SEND_MESSAGES_MAX } from '../../shared/runtime/limits.ts';
import type { Outgoing } from '../../shared/runtime/send.ts';
import { workOf } from './changes.ts';
import type { AfterSend } from './clusters.ts';
import type { RelayDeps } from './deps.ts';
import { ENTRIES_PER_READ, FAILED_ROUND_PAUSE_MS, READ_AT_LEAST_EVERY_MS } from './limits.ts';

export type { RelayDeps } from './deps.ts';

const CURSOR = 'relay';

/** Handles one batch of log entries (on AWS: of the table's stream). Rejects when nothing more can be sent: the batch comes again. */
export function createRelayHandler(deps: RelayDeps): (entries: readonly FeedEntry[]) => Promise<void> {
  return async (entries) => {
    const types = await deps.types.all();
    const afterSend: AfterSend[] = [];
    let outgoing: Outgoing[] = [];
    for (const entry of entries)
      for await (const item of workOf(deps, types, entry)) {
        if ('afterSend' in item) afterSend.push(item);
        else outgoing.push(item);
        if (outgoing.length < SEND_MESSAGES_MAX) continue;
        await deps.sender.send(outgoing);
        outgoing = [];
      }
    await deps.sender.send(outgoing);
    for (const item of afterSend) await item.afterSend();
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

/** Relays until `signal` aborts, woken by commits. Never rejects: a failed round is logged and repeated. */
export async function runRelay(deps: RelayDeps, options: { lanes: Pick<Lanes, 'onCommit'>; signal: AbortSignal }): Promise<void> {
  const { signal } = options;
  let wake = new AbortController();
  let isBehind = true;
  const stopListening = options.lanes.onCommit(() => {
    isBehind = true;
    wake.abort();
  });
  while (!signal.aborted) {
    isBehind = false;
    wake = new AbortController();
    try {
      const count = await relayOnce(deps);
      if (count > 0 || isBehind) continue;
      await deps.clock.sleep(READ_AT_LEAST_EVERY_MS, AbortSignal.any([wake.signal, signal]));
    } catch (error) {
      deps.log.error('relay: a round failed and is repeated', { error: error instanceof Error ? error.stack : String(error) });
      await deps.clock.sleep(FAILED_ROUND_PAUSE_MS, signal);
    }
  }
  stopListening();
}
