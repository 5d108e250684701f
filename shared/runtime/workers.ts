/** The receive loop of a long-lived process: what Lambda's event source mapping does on AWS. */
import type { Clock, Log } from '../ports/system.ts';
import type { ReceivedMessage, WorkQueue } from '../ports/work-queue.ts';
import type { BatchHandler } from './batch.ts';
import { CONCURRENCY_MAX, RECEIVE_MESSAGES_MAX, RECEIVE_WAIT_MS, VISIBILITY_MS } from './limits.ts';
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
  const running = new Set<Promise<void>>();
  let busy = 0;
  while (!signal.aborted) {
    if (busy >= concurrency) {
      await Promise.race(running);
      continue;
    }
    const messages = await receive(options, Math.min(RECEIVE_MESSAGES_MAX, concurrency - busy));
    for (const group of Map.groupBy(messages, (message) => message.groupId).values()) {
      busy += group.length;
      const work = handleGroup(options, group).finally(() => {
        busy -= group.length;
        running.delete(work);
      });
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

async function handleGroup(options: WorkersOptions, group: readonly ReceivedMessage[]): Promise<void> {
  const { queue, name, log } = options;
  try {
    const failed = new Set(await handlerFailures(options, group));
    const handled = group.filter((message) => !failed.has(message.id));
    const again = group.filter((message) => failed.has(message.id));
    if (handled.length > 0) await queue.acknowledge(handled);
    const first = again[0];
    if (first) await queue.release(again, backoffMs(first.receives - 1, first.groupId));
  } catch (error) {
    // Neither acknowledged nor released: visible again after the visibility timeout.
    log.error(`${name}: the queue did not take an acknowledgement`, { error: String(error) });
  }
}

async function handlerFailures(options: WorkersOptions, group: readonly ReceivedMessage[]): Promise<readonly string[]> {
  try {
    return (await options.handler(group)).failed;
  } catch (error) {
    options.log.error(`${options.name}: the handler failed`, { error: error instanceof Error ? error.stack : String(error) });
    return group.map((message) => message.id);
  }
}
