/** A level-triggered work queue: a key waits at most once, is worked on once at a time, and comes back later when it fails. */

export type KeyQueue = {
  add(key: string): void;
  /** Adds the key at `at` (epoch ms), or earlier if it is wanted earlier. */
  addAt(key: string, at: number): void;
  /** Resolves when nothing waits or runs (timers aside). */
  idle(): Promise<void>;
  close(): Promise<void>;
};

type Deps = {
  work(key: string): Promise<void>;
  onError(key: string, error: unknown): void;
  now(): number;
  /** Keys worked on at the same time. */
  concurrency: number;
};

const BACKOFF_FIRST_MS = 50;
const BACKOFF_MAX_MS = 10_000;

export function createKeyQueue(deps: Deps): KeyQueue {
  const waiting = new Set<string>();
  const running = new Set<string>();
  const again = new Set<string>();
  const idleWaiters: (() => void)[] = [];
  let closed = false;
  let pumping = false;

  const add = (key: string) => {
    if (closed) return;
    if (running.has(key)) again.add(key);
    else waiting.add(key);
    wake();
  };
  const wake = () => {
    if (pumping) return;
    pumping = true;
    setImmediate(pump);
  };
  const timers = createTimers(deps.now, add);
  const work = guarded(deps, timers.set);
  const pump = () => {
    pumping = false;
    for (const key of waiting) {
      if (running.size >= deps.concurrency) return;
      waiting.delete(key);
      running.add(key);
      void work(key).then(() => {
        running.delete(key);
        if (again.delete(key)) waiting.add(key);
        pump();
      });
    }
    if (waiting.size === 0 && running.size === 0) for (const resolve of idleWaiters.splice(0)) resolve();
  };
  const idle = () =>
    new Promise<void>((resolve) => {
      idleWaiters.push(resolve);
      wake();
    });
  return {
    add,
    addAt: (key, at) => (closed ? undefined : timers.set(key, at)),
    idle,
    close: async () => {
      closed = true;
      timers.clear();
      waiting.clear();
      again.clear();
      if (running.size > 0) await idle();
      timers.clear();
    },
  };
}

/** The work on one key, which never rejects: a failure is told, and the key comes back later and later. */
function guarded(deps: Deps, retryAt: (key: string, at: number) => void): (key: string) => Promise<void> {
  const failures = new Map<string, number>();
  return async (key) => {
    try {
      await deps.work(key);
      failures.delete(key);
    } catch (error) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      deps.onError(key, error);
      retryAt(key, deps.now() + Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** count));
    }
  };
}

/** One timer per key: the earliest that was asked for. */
function createTimers(now: () => number, fire: (key: string) => void) {
  const timers = new Map<string, { at: number; timer: NodeJS.Timeout }>();
  return {
    set(key: string, at: number): void {
      const present = timers.get(key);
      if (present && present.at <= at) return;
      if (present) clearTimeout(present.timer);
      const act = () => {
        timers.delete(key);
        fire(key);
      };
      const timer = setTimeout(act, Math.max(0, at - now()));
      timer.unref();
      timers.set(key, { at, timer });
    },
    clear(): void {
      for (const { timer } of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
