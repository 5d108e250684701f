/** Pauses between attempts: exponential, with a jitter that depends on the work and the attempt only, so that a replay gives the same times. */
import { fnv1a_32 } from '../machinery/fnv.ts';
import { BACKOFF_BASE_MS, BACKOFF_MAX_MS } from './limits.ts';

/**
 * Milliseconds before attempt number `attempt + 1` (attempts count from 0): base * 2^attempt, at most `maxMs`, less up to a quarter.
 * `key` spreads work that failed at the same moment.
 */
export function backoffMs(attempt: number, key: string, limits: { baseMs?: number; maxMs?: number } = {}): number {
  const base = limits.baseMs ?? BACKOFF_BASE_MS;
  const ceiling = limits.maxMs ?? BACKOFF_MAX_MS;
  const full = Math.min(ceiling, base * 2 ** Math.min(Math.max(attempt, 0), 30));
  const jitter = (fnv1a_32(`${key}/${attempt}`) % 1000) / 1000;
  return Math.round(full * (1 - jitter / 4));
}
