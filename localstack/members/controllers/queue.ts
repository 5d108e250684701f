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
  const timers = new Map<string, { at: number; timer: NodeJS.Timeout }>();
  const failures = new Map<string, number>();
  const idleWaiters: (() => void)[] = [];
  let closed = false;
  let pumping = false;

  const addAt = (key: string, at: number) => {
    const present = timers.get(key);
    if (closed || (present && present.at <= at)) return;
    if (present) clearTimeout(present.timer);
    const timer = setTimeout(
      () => {
        timers.delete(key);
        add(key);
      },
      Math.max(0, at - deps.now()),
    );
    timer.unref();
    timers.set(key, { at, timer });
  };
  const add = (key: string) => {
    if (closed) return;
    if (running.has(key)) again.add(key);
    else waiting.add(key);
    if (pumping) return;
    pumping = true;
    setImmediate(pump);
  };
  const pump = () => {
    pumping = false;
    for (const key of waiting) {
      if (running.size >= deps.concurrency) return;
      waiting.delete(key);
      running.add(key);
      void runOne(key);
    }
    if (waiting.size === 0 && running.size === 0) for (const resolve of idleWaiters.splice(0)) resolve();
  };
  const runOne = async (key: string) => {
    try {
      await deps.work(key);
      failures.delete(key);
    } catch (error) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      deps.onError(key, error);
      addAt(key, deps.now() + Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** count));
    }
    running.delete(key);
    if (again.delete(key)) waiting.add(key);
    pump();
  };
  const idle = () =>
    new Promise<void>((resolve) => {
      idleWaiters.push(resolve);
      setImmediate(pump);
    });
  return {
    add,
    addAt,
    idle,
    close: async () => {
      closed = true;
      for (const { timer } of timers.values()) clearTimeout(timer);
      timers.clear();
      waiting.clear();
      again.clear();
      if (running.size > 0) await idle();
    },
  };
}
