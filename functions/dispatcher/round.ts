/** One round of calls for one object on one cluster: the state machine says what, this makes the call and folds the outcome back. */
import type {
  CallOutcome,
  Copy,
  DispatchCall,
  DispatchDecision,
  DispatchInput,
  DispatchRest,
} from '../../shared/federation/dispatch/actions.ts';
import { ROUND_STEPS_MAX } from '../../shared/federation/dispatch/actions.ts';
import { afterCall } from '../../shared/federation/dispatch/after-call.ts';
import { decideDispatch } from '../../shared/federation/dispatch/decide.ts';
import type { DispatchRecord } from '../../shared/federation/records.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import type { MemberClient, MemberRef } from '../../shared/ports/member-client.ts';
import type { Breakers } from '../../shared/runtime/breaker.ts';
import { ROUND_MS_MAX } from './limits.ts';

/** How a round ended. `record` null: nothing is left on the member. */
export type RoundEnd = {
  record: DispatchRecord | null | undefined;
  /** The copy as the member answered a write: its first report. */
  copy?: KubeObject;
  end:
    | { type: 'rest'; rest: Exclude<DispatchRest, { type: 'wait' | 'dispute' }> }
    | { type: 'settled'; summary: string }
    /**
     * `retry`: after exactly this time; the record keeps it. `poll`: about then; looks of the same moment are one. `silent`: there was no answer
     * of its API at all, while something `unreachable` may also have answered that it is overloaded or does not know us.
     */
    | { type: 'later'; pace: 'retry' | 'poll'; delayMs: number; reason: string; unreachable: boolean; silent: boolean };
};

/** Pause after a round that was cut short. */
const ROUND_AGAIN_MS = 1_000;

export type RoundDeps = { breakers: Breakers; clock: { now(): number } };

/** `isSuspect`: what the member reported last does not fit the record, so that the copy is looked at before anything is decided. */
export async function playRound(
  deps: RoundDeps,
  client: MemberClient,
  input: DispatchInput,
  { isSuspect }: { isSuspect: boolean },
): Promise<RoundEnd> {
  let record: DispatchRecord | null | undefined = input.record;
  let copy: Copy = input.copy;
  let isLooking = isSuspect;
  let { accepting } = input.cluster;
  const startedAt = deps.clock.now();
  for (let step = 0; step < ROUND_STEPS_MAX; step += 1) {
    // A member that answers slowly must not take the round past its deadline: what was done so far would not be recorded.
    if (deps.clock.now() - startedAt > ROUND_MS_MAX)
      return { record, end: later('poll', ROUND_AGAIN_MS, 'the member answers too slowly to finish now') };
    const now: DispatchInput = {
      ...input,
      cluster: { ...input.cluster, accepting },
      record: record ?? undefined,
      copy,
      now: deps.clock.now(),
    };
    const decision: DispatchDecision = isLooking && accepting ? LOOK : decideDispatch(now);
    isLooking = false;
    if (decision.record) record = decision.record;
    if (!isCall(decision.next)) return restEnd(decision.next, record);
    if (deps.breakers.ask(input.cluster.name).type === 'open') {
      accepting = false;
      continue;
    }
    const outcome = await makeCall(client, input.target, decision.next);
    noteOutcome(deps.breakers, input.cluster.name, outcome);
    const effect = afterCall({ ...now, record: record ?? undefined }, decision.next, outcome);
    if (effect.record !== undefined) record = effect.record;
    if (effect.next.type === 'decide') copy = effect.next.copy;
    else if (effect.next.type === 'settled') return { record, end: effect.next, ...writtenCopy(outcome) };
    else {
      const pace = outcome.type === 'ok' ? 'poll' : 'retry';
      return { record, end: { ...effect.next, pace, unreachable: outcome.type === 'unreachable', silent: isSilent(outcome) } };
    }
  }
  return { record, end: later('poll', ROUND_AGAIN_MS, 'the round took too many steps') };
}

function writtenCopy(outcome: CallOutcome): { copy?: KubeObject } {
  return outcome.type === 'ok' && outcome.value ? { copy: outcome.value } : {};
}

const LOOK: DispatchDecision = { next: { type: 'read', reason: 'the member reported a change that is not ours' } };

function isCall(next: DispatchCall | DispatchRest): next is DispatchCall {
  return ['read', 'create', 'apply', 'patch', 'delete', 'orphan'].includes(next.type);
}

function restEnd(rest: DispatchRest, record: DispatchRecord | null | undefined): RoundEnd {
  if (rest.type === 'forget') return { record: null, end: { type: 'rest', rest } };
  if (rest.type === 'wait') return { record, end: later('poll', rest.delayMs, rest.reason) };
  if (rest.type === 'dispute') return { record, end: later('retry', rest.delayMs, rest.reason) };
  return { record, end: { type: 'rest', rest } };
}

function later(pace: 'retry' | 'poll', delayMs: number, reason: string): RoundEnd['end'] {
  return { type: 'later', pace, delayMs, reason, unreachable: false, silent: false };
}

/** No connection, or one that gave no answer. */
function isSilent(outcome: CallOutcome): boolean {
  return outcome.type === 'unreachable' && !ANSWERS.has(outcome.reason);
}

/** Ways to be unreachable that are answers. */
const ANSWERS: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'overloaded']);

async function makeCall(client: MemberClient, target: DispatchInput['target'], call: DispatchCall): Promise<CallOutcome> {
  const { group, version, resource, namespace, name } = target;
  const ref: MemberRef = { group, version, resource, namespace, name };
  switch (call.type) {
    case 'read':
      return client.get(ref);
    case 'create':
      return client.apply(ref, call.object, { force: false });
    case 'apply':
      return client.apply(ref, call.object, { force: true });
    case 'patch':
    case 'orphan':
      return client.patch(ref, call.patch);
    case 'delete':
      return client.delete(ref, call.preconditions);
  }
}

/** Any answer at all shows that the member is there. */
function noteOutcome(breakers: Breakers, cluster: string, outcome: CallOutcome): void {
  if (outcome.type === 'unreachable') breakers.failure(cluster);
  else breakers.success(cluster);
}
