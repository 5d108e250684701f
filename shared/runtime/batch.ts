/**
 * The batch runner: between a batch of queue messages and reconcilers that see one key each. Here, and only here, failures are caught:
 * a message whose work failed is reported (Lambda's partial batch response) and comes back; its batch mates are acknowledged.
 */
import type { Clock, Log } from '../ports/system.ts';
import type { ReceivedMessage } from '../ports/work-queue.ts';
import { createLimit } from './concurrency.ts';
import { withDeadline } from './deadline.ts';
import { CONCURRENCY_MAX, RECONCILE_TIMEOUT_MS } from './limits.ts';
import type { WorkMessage } from './messages.ts';
import type { ReconcileResult } from './reconcile.ts';
import { identityOf, parseWork, type Sender } from './send.ts';

/** Takes a batch; `failed` are the ids of the messages that must come back. */
export type BatchHandler = (messages: readonly ReceivedMessage[]) => Promise<{ failed: string[] }>;

/** What a reconciler gets beside its message: a signal that ends with the deadline, and how often this delivery was tried. */
export type WorkContext = { signal: AbortSignal; receives: number; dedupeId: string };

export type BatchDeps = { sender: Sender; clock: Clock; log: Log };

/** `reconcile` answers undefined for work of a type that this function does not do. */
export type BatchOptions = {
  name: string;
  reconcile(work: WorkMessage, context: WorkContext): Promise<ReconcileResult | undefined>;
  concurrency?: number;
  timeoutMs?: number;
};

/** Makes the handler of one function. Groups run side by side, messages of one group in order; after a failure the rest of its group waits. */
export function createBatchHandler(deps: BatchDeps, options: BatchOptions): BatchHandler {
  const limit = createLimit(options.concurrency ?? CONCURRENCY_MAX);
  return async (messages) => {
    const groups = [...Map.groupBy(messages, (message) => message.groupId).values()];
    const failed = await Promise.all(groups.map((group) => limit.run(() => handleGroup(deps, options, group))));
    return { failed: failed.flat() };
  };
}

async function handleGroup(deps: BatchDeps, options: BatchOptions, group: readonly ReceivedMessage[]): Promise<string[]> {
  const works = group.map((message) => parseWork(message.body));
  for (const [index, message] of group.entries()) {
    const work = works[index];
    const next = works[index + 1];
    // Every worker re-reads, so of messages about one key the last says everything.
    if (work && next && identityOf(work) === identityOf(next)) continue;
    const handled = await handle(deps, options, message, work);
    if (!handled) return group.slice(index).map((rest) => rest.id);
  }
  return [];
}

async function handle(
  deps: BatchDeps,
  options: BatchOptions,
  message: ReceivedMessage,
  work: WorkMessage | undefined,
): Promise<boolean> {
  if (!work) {
    deps.log.error(`${options.name}: a message cannot be read and goes to the dead letters`, { id: message.id });
    return false;
  }
  try {
    const result = await withDeadline(deps.clock, options.timeoutMs ?? RECONCILE_TIMEOUT_MS, (signal) =>
      options.reconcile(work, { signal, receives: message.receives, dedupeId: message.dedupeId }),
    );
    if (!result) {
      deps.log.error(`${options.name}: does not do work of type ${work.type}`, { id: message.id });
      return false;
    }
    await settle(deps, options.name, message, work, result);
    return true;
  } catch (error) {
    deps.log.error(`${options.name}: ${identityOf(work)} failed and will be tried again`, {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      receives: message.receives,
    });
    return false;
  }
}

async function settle(
  deps: BatchDeps,
  name: string,
  message: ReceivedMessage,
  work: WorkMessage,
  result: ReconcileResult,
): Promise<void> {
  const subject = identityOf(work);
  if (result.type === 'terminal') {
    deps.log.warn(`${name}: ${subject}: ${result.reason}: ${result.message}`);
    return;
  }
  if (result.type === 'done') {
    deps.log.debug(`${name}: ${subject}: ${result.summary}`);
    return;
  }
  deps.log.debug(`${name}: ${subject}: again in ${result.delayMs} ms: ${result.reason}`);
  // The cause is this delivery, so that a second delivery of the same message does not start a second chain of retries.
  const retry = { work: { ...work, attempt: work.attempt + 1 }, cause: `after ${message.dedupeId}` };
  if (result.delayMs <= 0) await deps.sender.send([retry]);
  else await deps.sender.sendLater(retry, deps.clock.now() + result.delayMs);
}
