/** Limits on how much runs at once. */

/** Runs tasks, at most `max` at a time, in the order in which they came. */
export type Limit = { run<T>(task: () => Promise<T>): Promise<T>; active(): number };

/** A limit of `max` tasks at a time. */
export function createLimit(max: number): Limit {
  let active = 0;
  const waiting: (() => void)[] = [];
  const leave = () => {
    active -= 1;
    waiting.shift()?.();
  };
  return {
    active: () => active,
    async run(task) {
      if (active >= max) await new Promise<void>((resolve) => waiting.push(resolve));
      active += 1;
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
}

/** One limit per key, made on first use and dropped when idle: `max` calls per cluster, however many clusters there are. */
export function createKeyedLimit(max: number): { run<T>(key: string, task: () => Promise<T>): Promise<T> } {
  const limits = new Map<string, { limit: Limit; users: number }>();
  return {
    async run(key, task) {
      const entry = limits.get(key) ?? { limit: createLimit(max), users: 0 };
      limits.set(key, entry);
      entry.users += 1;
      try {
        return await entry.limit.run(task);
      } finally {
        entry.users -= 1;
        if (entry.users === 0) limits.delete(key);
      }
    },
  };
}
