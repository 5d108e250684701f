/** Clocks: the machine's, and one that tests move by hand. */
import type { Clock } from '../../ports/system.ts';

/** Longest delay that a Node timer takes; longer ones would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The machine's wall clock. A sleep ends early, without an error, when its signal aborts. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, Math.min(Math.max(0, ms), TIMER_MS_MAX));
        signal?.addEventListener('abort', end, { once: true });
      }),
  };
}

/** A clock that stands still until told. */
export type FakeClock = Clock & {
  /** Moves time forward, waking sleepers in the order of their time, each with time to run before the next. */
  advance(ms: number): Promise<void>;
  /** How many sleep now. */
  sleepers(): number;
};

type Sleeper = { at: number; wake(): void };

/** Starts at `start` (epoch ms). */
export function fakeClock(start: number): FakeClock {
  const sleepers = new Set<Sleeper>();
  let now = start;
  const earliest = (limit: number) => {
    const due = [...sleepers].filter(({ at }) => at <= limit);
    return due.reduce<Sleeper | undefined>((first, sleeper) => (!first || sleeper.at < first.at ? sleeper : first), undefined);
  };
  return {
    now: () => now,
    sleepers: () => sleepers.size,
    sleep(ms, signal) {
      if (signal?.aborted || ms <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper = { at: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    async advance(ms) {
      const end = now + ms;
      for (let next = earliest(end); next; next = earliest(end)) {
        now = Math.max(now, next.at);
        next.wake();
        await turn();
      }
      now = end;
      await turn();
    },
  };
}

/** Long enough for a continuation that commits to the store and goes to sleep again. */
async function turn(): Promise<void> {
  for (let i = 0; i < 3; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
