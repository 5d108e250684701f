/** The receive loop of a long-lived process: what Lambda's event source mapping does on AWS. */
import type { Clock, Log } from '../ports/system.ts';
import type { ReceivedMessage, WorkQueue } from '../ports/work-queue.ts';
import type { BatchHandler } from './batch.ts';
import {
  ACKNOWLEDGE_GATHER_MS,
  ACKNOWLEDGE_MAX,
  CONCURRENCY_MAX,
  RECEIVE_MESSAGES_MAX,
  RECEIVE_WAIT_MS,
  VISIBILITY_MS,
} from './limits.ts';
import type { QueueName } from './messages.ts';
import { backoffMs } from './retry.ts';

export type WorkersOptions = {
  queue: Pick<WorkQueue, 'receive' | 'acknowledge' | 'release'>;
  name: QueueName;
  handler: BatchHandler;
  /** Messages in flight at most. */
  concurrency?: number;
  visibilityMs?: number;
  waitMs?: number;
  signal: AbortSignal;
  clock: Clock;
  log: Log;
};

/**
 * Receives and handles until `signal` aborts, then waits for what is in flight. Every group of a receive is handled and acknowledged by
 * itself, so a slow one holds nobody up. Never rejects: a queue that fails is logged and asked again.
 */
export async function runWorkers(options: WorkersOptions): Promise<void> {
  const { signal, concurrency = CONCURRENCY_MAX } = options;
  const acknowledger = createAcknowledger(options);
  const running = new Set<Promise<void>>();
  let busy = 0;
  let freed = Promise.withResolvers<void>();
  while (!signal.aborted) {
    if (busy >= concurrency) {
      freed = Promise.withResolvers<void>();
      await freed.promise;
      continue;
    }
    const messages = await receive(options, Math.min(RECEIVE_MESSAGES_MAX, concurrency - busy));
    for (const group of Map.groupBy(messages, (message) => message.groupId).values()) {
      busy += group.length;
      const handling = handle(options, group).finally(() => {
        busy -= group.length;
        freed.resolve();
      });
      const work = handling.then((failed) => settle(options, acknowledger, group, failed)).finally(() => running.delete(work));
      running.add(work);
    }
  }
  await Promise.all(running);
}

async function receive(options: WorkersOptions, max: number): Promise<readonly ReceivedMessage[]> {
  const { queue, name, signal, clock, log } = options;
  try {
    return await queue.receive({
      queue: name,
      max,
      visibilityMs: options.visibilityMs ?? VISIBILITY_MS,
      waitMs: options.waitMs ?? RECEIVE_WAIT_MS,
      signal,
    });
  } catch (error) {
    if (signal.aborted) return [];
    log.error(`${name}: the queue cannot be read, asking again in 1 s`, { error: String(error) });
    await clock.sleep(1000, signal);
    return [];
  }
}

/** Takes handled messages, and acknowledges those of a few milliseconds together; resolves when that is done. */
type Acknowledger = { acknowledge(messages: readonly ReceivedMessage[]): Promise<void> };

function createAcknowledger({ queue, clock }: WorkersOptions): Acknowledger {
  let waiting: ReceivedMessage[] = [];
  let flushing: Promise<void> | undefined;
  let full = new AbortController();
  const flush = async (signal: AbortSignal): Promise<void> => {
    await clock.sleep(ACKNOWLEDGE_GATHER_MS, signal);
    const batch = waiting;
    waiting = [];
    flushing = undefined;
    full = new AbortController();
    await queue.acknowledge(batch);
  };
  return {
    acknowledge(messages) {
      waiting.push(...messages);
      flushing ??= flush(full.signal);
      if (waiting.length >= ACKNOWLEDGE_MAX) full.abort('full');
      return flushing;
    },
  };
}

/** Acknowledges what was handled, and lets the rest come back after a pause. Never rejects. */
async function settle(
  { queue, name, log }: WorkersOptions,
  { acknowledge }: Acknowledger,
  group: readonly ReceivedMessage[],
  failed: ReadonlySet<string>,
): Promise<void> {
  try {
    const handled = group.filter((message) => !failed.has(message.id));
    const again = group.filter((message) => failed.has(message.id));
    if (handled.length > 0) await acknowledge(handled);
    const first = again[0];
    if (first) await queue.release(again, backoffMs(first.receives - 1, first.groupId));
  } catch (error) {
    // Neither acknowledged nor released: visible again after the visibility timeout.
    log.error(`${name}: the queue did not take an acknowledgement`, { error: String(error) });
  }
}

/** Ids of the messages that failed. A handler that fails as a whole failed for all of them. */
async function handle(options: WorkersOptions, group: readonly ReceivedMessage[]): Promise<ReadonlySet<string>> {
  try {
    return new Set((await options.handler(group)).failed);
  } catch (error) {
    options.log.error(`${options.name}: the handler failed`, { error: error instanceof Error ? error.stack : String(error) });
    return new Set(group.map((message) => message.id));
  }
}
