/** The WorkQueue port over the queue's tables: waiting, waking, and group commit with the store's own writes. */

import type { Clock } from '../../../ports/system.ts';
import type { Message, ReceivedMessage, WorkQueue } from '../../../ports/work-queue.ts';
import { type Committer, closedError } from '../committer.ts';
import type { QueueTable } from './table.ts';
import { validateDelay, validateMessage, validateQueue, validateReceive } from './validate.ts';

/** What the port needs. */
export type QueueDeps = {
  table: QueueTable;
  committer: Committer;
  clock: Clock;
  /** Counts transactions that changed the queue. */
  onWritten(): void;
};

type ReceiveOptions = Parameters<WorkQueue['receive']>[0];

/** `close` ends waiting receivers with no messages. */
export function createWorkQueue(deps: QueueDeps): { queue: WorkQueue; close(): void } {
  const { table, committer, clock } = deps;
  const waiters = createWaiters();
  /** Queue work alone never waits for the disk: see docs/storage.md, "What is flushed". */
  const submit = <T>(run: () => T, committed: (result: T) => void) => committer.submit({ durable: false, run, committed });

  const send = async (messages: readonly Message[]) => {
    for (const message of messages) validateMessage(message);
    if (messages.length === 0) return;
    const run = () => table.append(messages, clock.now());
    await submit(run, (fresh) => {
      if (fresh > 0) deps.onWritten();
      for (const name of new Set(messages.map(({ queue }) => queue))) waiters.wake(name);
    });
  };
  const queue: WorkQueue = {
    send,
    async sendLater(message, at) {
      if (at <= clock.now()) return send([message]);
      validateMessage(message);
      await submit(
        () => table.addTimer(message, at),
        () => {
          deps.onWritten();
          waiters.wake(message.queue);
        },
      );
    },
    receive: (options) => receive(deps, waiters, options),
    async acknowledge(messages) {
      if (messages.length === 0) return;
      const run = () => table.remove(messages, clock.now());
      await submit(run, (removed) => {
        if (removed > 0) deps.onWritten();
        wakeAll(waiters, messages);
      });
    },
    async release(messages, delayMs) {
      validateDelay(delayMs);
      const now = clock.now();
      for (const { queue: name, receipt } of messages) {
        const flight = table.state(name).flight(receipt, now);
        if (!flight) continue;
        if (delayMs === 0) table.state(name).land(flight, true);
        else table.state(name).extend(flight, now + delayMs);
      }
      wakeAll(waiters, messages);
    },
    async deadLetters(name, limit) {
      validateQueue(name);
      return table.deadLetters(name, limit);
    },
    async depth(name) {
      validateQueue(name);
      return table.state(name).size();
    },
  };
  return { queue, close: waiters.close };
}

function wakeAll(waiters: Waiters, messages: readonly ReceivedMessage[]): void {
  for (const name of new Set(messages.map(({ queue }) => queue))) waiters.wake(name);
}

async function receive(deps: QueueDeps, waiters: Waiters, options: ReceiveOptions): Promise<readonly ReceivedMessage[]> {
  validateReceive(options);
  const { table, committer, clock } = deps;
  // An empty answer here would make a receive loop spin.
  if (committer.isClosed()) throw closedError();
  const { queue, signal } = options;
  const end = clock.now() + options.waitMs;
  while (!signal?.aborted && !waiters.isClosed()) {
    const now = clock.now();
    const wakeAt = Math.min(table.state(queue).nextDeadline(), table.nextDue(queue));
    if (wakeAt <= now || table.state(queue).isReady(now)) {
      const received = await committer.submit({ durable: false, run: () => deliver(deps, options) });
      if (received.length === 0) continue;
      deps.onWritten();
      return received;
    }
    if (now >= end) break;
    await waiters.wait(queue, (stop) => clock.sleep(Math.min(wakeAt, end) - now, stop), signal);
  }
  return [];
}

function deliver({ table, clock }: QueueDeps, { queue, max, visibilityMs }: ReceiveOptions): ReceivedMessage[] {
  const now = clock.now();
  table.fireTimers(queue, now);
  return table.deliver({ queue, max, until: now + visibilityMs, now });
}

/** Receivers that wait, by queue. */
type Waiters = {
  /** Resolves when woken, when the sleep ends, or when the signal aborts. */
  wait(queue: string, sleep: (stop: AbortSignal) => Promise<void>, signal: AbortSignal | undefined): Promise<void>;
  wake(queue: string): void;
  close(): void;
  isClosed(): boolean;
};

function createWaiters(): Waiters {
  const byQueue = new Map<string, Set<AbortController>>();
  let closed = false;
  const wake = (queue: string) => {
    for (const waiter of byQueue.get(queue) ?? []) waiter.abort();
  };
  return {
    wake,
    isClosed: () => closed,
    close() {
      closed = true;
      for (const queue of byQueue.keys()) wake(queue);
    },
    async wait(queue, sleep, signal) {
      const waiter = new AbortController();
      const stop = () => waiter.abort();
      const waiters = byQueue.get(queue) ?? new Set();
      byQueue.set(queue, waiters);
      waiters.add(waiter);
      signal?.addEventListener('abort', stop, { once: true });
      try {
        await sleep(waiter.signal);
      } finally {
        waiters.delete(waiter);
        signal?.removeEventListener('abort', stop);
      }
    },
  };
}
