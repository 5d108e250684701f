/** Limits on how much runs at once. */
import type { Clock } from '../ports/system.ts';

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

/** What a keyed limit answers: the task's value, or `slow`: the key is full of tasks that take long, and the task was not begun. */
export type KeyedOutcome<T> = { type: 'done'; value: T } | { type: 'slow' };

export type KeyedLimit = { run<T>(key: string, task: () => Promise<T>): Promise<KeyedOutcome<T>> };

/** `running`: when each task got its place. `waiting`: who takes the next place, or undefined for none. */
type Lane = { running: Map<symbol, number>; waiting: Set<(place: symbol | undefined) => void>; isSlow: boolean };

/**
 * One limit per key: `max` calls per cluster, however many clusters there are. Who waits for a key holds a place that others could use, so nobody waits
 * longer than `slowMs`; and a key whose tasks take longer than that gets `slowMax` places until one was quick again.
 */
export function createKeyedLimit(
  max: number,
  { clock, slowMs, slowMax }: { clock: Clock; slowMs: number; slowMax: number },
): KeyedLimit {
  const lanes = new Map<string, Lane>();
  const isStuck = ({ running }: Lane): boolean => {
    // A Map keeps insertion order: the first is the one that began longest ago.
    const [oldest] = running.values();
    return oldest !== undefined && clock.now() - oldest > slowMs;
  };
  const take = (lane: Lane): symbol | undefined => {
    if (lane.running.size >= (lane.isSlow || isStuck(lane) ? slowMax : max)) return undefined;
    const place = Symbol();
    lane.running.set(place, clock.now());
    return place;
  };
  const wait = async (lane: Lane): Promise<symbol | undefined> => {
    if (isStuck(lane)) return undefined;
    const { promise, resolve } = Promise.withResolvers<symbol | undefined>();
    const served = new AbortController();
    lane.waiting.add(resolve);
    void clock.sleep(slowMs, served.signal).then(() => lane.waiting.delete(resolve) && resolve(undefined));
    const place = await promise;
    served.abort('served');
    return place;
  };
  const leave = (key: string, lane: Lane, place: symbol): void => {
    lane.isSlow = clock.now() - (lane.running.get(place) ?? 0) > slowMs;
    lane.running.delete(place);
    for (const resolve of lane.waiting) {
      const next = take(lane);
      if (!next) break;
      lane.waiting.delete(resolve);
      resolve(next);
    }
    // What is known of a slow key is kept until it is quick again.
    if (lane.running.size === 0 && !lane.isSlow) lanes.delete(key);
  };
  return {
    async run(key, task) {
      const lane: Lane = lanes.get(key) ?? { running: new Map(), waiting: new Set(), isSlow: false };
      lanes.set(key, lane);
      const place = take(lane) ?? (await wait(lane));
      if (!place) return { type: 'slow' };
      try {
        return { type: 'done', value: await task() };
      } finally {
        leave(key, lane, place);
      }
    },
  };
}
