/** How often one object's status may be written: a few times at once, then once a second. */
import type { Clock } from '../../shared/ports/system.ts';
import { OBJECTS_REMEMBERED, SETTLED_WRITES_AHEAD, WRITE_EVERY_MS, WRITES_AT_ONCE } from './limits.ts';

export type Throttle = {
  /** Milliseconds until the object may be written; 0: now. One that has come to rest may run ahead of its rate by a few writes. */
  waitMs(key: string, state: 'moving' | 'settled'): number;
  /** Notes a write. */
  wrote(key: string): void;
};

/** A token bucket per object, of one process. */
export function createThrottle(clock: Pick<Clock, 'now'>): Throttle {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const current = (key: string): number => {
    const bucket = buckets.get(key);
    if (!bucket) return WRITES_AT_ONCE;
    return Math.min(WRITES_AT_ONCE, bucket.tokens + (clock.now() - bucket.at) / WRITE_EVERY_MS);
  };
  return {
    waitMs(key, state) {
      const tokens = current(key) + (state === 'settled' ? SETTLED_WRITES_AHEAD : 0);
      return tokens >= 1 ? 0 : Math.ceil((1 - tokens) * WRITE_EVERY_MS);
    },
    wrote(key) {
      const tokens = current(key) - 1;
      buckets.delete(key);
      buckets.set(key, { tokens, at: clock.now() });
      const [oldest] = buckets.keys();
      if (buckets.size > OBJECTS_REMEMBERED && oldest !== undefined) buckets.delete(oldest);
    },
  };
}
