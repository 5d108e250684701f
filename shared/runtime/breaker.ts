/** Circuit breakers, one per member cluster: after three failures in a row nothing is tried for a while, then one call at a time. */
import type { Clock } from '../ports/system.ts';

/** Failures in a row that open a breaker. */
export const BREAKER_FAILURES = 3;
/** How long it stays open the first time, and at most; each failed trial doubles it. Milliseconds. */
export const BREAKER_OPEN_MS = 30_000;
export const BREAKER_OPEN_MAX_MS = 300_000;

/** `closed`: go on. `open`: do not call before `until` (epoch ms). `trial`: this caller may try, alone. */
export type Admission = { type: 'closed' } | { type: 'open'; until: number } | { type: 'trial' };

export type Breakers = {
  /** Would a call be let through now? Reserves nothing. */
  isAccepting(key: string): boolean;
  /** Asks to call. After `trial` the caller must report success or failure. */
  ask(key: string): Admission;
  success(key: string): void;
  failure(key: string): void;
  /** The member answered somebody else: calls may go on. True when the breaker was not closed. */
  reset(key: string): boolean;
};

type State = { failures: number; openMs: number; until: number; trialUntil: number };

/** Breakers of one process. Another process learns by its own three failures. */
export function createBreakers(clock: Clock): Breakers {
  const states = new Map<string, State>();
  const look = (key: string): Admission => {
    const state = states.get(key);
    if (!state || state.failures < BREAKER_FAILURES) return { type: 'closed' };
    const closedUntil = Math.max(state.until, state.trialUntil);
    return clock.now() < closedUntil ? { type: 'open', until: closedUntil } : { type: 'trial' };
  };
  return {
    isAccepting: (key) => look(key).type !== 'open',
    ask(key) {
      const admission = look(key);
      const state = states.get(key);
      // A trial whose caller dies without a word frees the place again.
      if (admission.type === 'trial' && state) state.trialUntil = clock.now() + BREAKER_OPEN_MS;
      return admission;
    },
    success(key) {
      states.delete(key);
    },
    failure(key) {
      const state = states.get(key) ?? { failures: 0, openMs: BREAKER_OPEN_MS / 2, until: 0, trialUntil: 0 };
      const now = clock.now();
      state.failures += 1;
      // Calls that were under way when it opened fail too; they say nothing new.
      if (state.failures >= BREAKER_FAILURES && now >= state.until) {
        state.openMs = Math.min(state.openMs * 2, BREAKER_OPEN_MAX_MS);
        state.until = now + state.openMs;
        state.trialUntil = 0;
      }
      states.set(key, state);
    },
    reset: (key) => {
      const state = states.get(key);
      states.delete(key);
      return state !== undefined && state.failures >= BREAKER_FAILURES;
    },
  };
}
