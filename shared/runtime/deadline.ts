/** A bound on how long one piece of work may take. */
import type { Clock } from '../ports/system.ts';

/** The work did not end in time; it was told so through its signal and must write nothing more. */
export class DeadlineError extends Error {
  readonly timeoutMs: number;
  constructor(timeoutMs: number) {
    super(`not done within ${timeoutMs} ms`);
    this.name = 'DeadlineError';
    this.timeoutMs = timeoutMs;
  }
}

/** Runs `work`; rejects with DeadlineError after `timeoutMs` and aborts its signal. The timer ends with the work. */
export async function withDeadline<T>(clock: Clock, timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const working = new AbortController();
  const waiting = new AbortController();
  const timer = clock.sleep(timeoutMs, waiting.signal).then(() => 'late' as const);
  const running = work(working.signal);
  try {
    const first = await Promise.race([running.then((value) => ({ value })), timer]);
    if (first !== 'late') return first.value;
    working.abort(new DeadlineError(timeoutMs));
    // What the abandoned work still throws concerns nobody.
    running.catch(() => undefined);
    throw new DeadlineError(timeoutMs);
  } finally {
    // A plain reason: without one, every call would build a DOMException with its stack.
    waiting.abort('ended');
  }
}
