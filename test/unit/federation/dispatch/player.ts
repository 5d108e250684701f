/** Plays rounds as a dispatcher does: decide, call, fold, decide again. */
import type {
  CallOutcome,
  Copy,
  DispatchCall,
  DispatchInput,
  DispatchRest,
} from '../../../../shared/federation/dispatch/actions.ts';
import { ROUND_STEPS_MAX } from '../../../../shared/federation/dispatch/actions.ts';
import { afterCall } from '../../../../shared/federation/dispatch/after-call.ts';
import { decideDispatch } from '../../../../shared/federation/dispatch/decide.ts';
import type { DispatchRecord } from '../../../../shared/federation/records.ts';

export type Round = {
  record: DispatchRecord | undefined;
  calls: DispatchCall['type'][];
  rest: DispatchRest | { type: 'settled' | 'later' | 'steps'; reason: string };
};

/** `call` performs a call; it may throw to crash the dispatcher in the middle of a round. */
export function playRound(input: DispatchInput, call: (call: DispatchCall) => CallOutcome): Round {
  let { record, copy }: { record: DispatchRecord | undefined; copy: Copy } = input;
  const calls: DispatchCall['type'][] = [];
  for (let step = 0; step < ROUND_STEPS_MAX; step++) {
    const now = { ...input, record, copy };
    const decision = decideDispatch(now);
    record = decision.record ?? record;
    const { next } = decision;
    if (!isCall(next)) return { record: next.type === 'forget' ? undefined : record, calls, rest: next };
    calls.push(next.type);
    const effect = afterCall({ ...now, record }, next, call(next));
    if (effect.record !== undefined) record = effect.record ?? undefined;
    if (effect.next.type === 'settled') return { record, calls, rest: { type: 'settled', reason: effect.next.summary } };
    if (effect.next.type === 'later') return { record, calls, rest: { type: 'later', reason: effect.next.reason } };
    copy = effect.next.copy;
  }
  return { record, calls, rest: { type: 'steps', reason: 'too many steps' } };
}

function isCall(next: DispatchCall | DispatchRest): next is DispatchCall {
  return ['read', 'create', 'apply', 'patch', 'delete', 'orphan'].includes(next.type);
}
