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

/** How a round ended. `record` null: nothing is left on the member. `called`: the member was spoken to. */
export type RoundEnd = {
  record: DispatchRecord | null | undefined;
  called: boolean;
  /** The copy as the member answered a write: its first report. */
  copy?: KubeObject;
  end:
    | { type: 'rest'; rest: Exclude<DispatchRest, { type: 'wait' | 'dispute' }> }
    | { type: 'settled'; summary: string }
    | { type: 'later'; delayMs: number; reason: string; unreachable: boolean };
};

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
  let called = false;
  let isLooking = isSuspect;
  let { accepting } = input.cluster;
  for (let step = 0; step < ROUND_STEPS_MAX; step += 1) {
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
    if (!isCall(decision.next)) return { ...restEnd(decision.next, record), called };
    if (deps.breakers.ask(input.cluster.name).type === 'open') {
      accepting = false;
      continue;
    }
    const outcome = await makeCall(client, input.target, decision.next);
    called = true;
    noteOutcome(deps.breakers, input.cluster.name, outcome);
    const effect = afterCall({ ...now, record: record ?? undefined }, decision.next, outcome);
    if (effect.record !== undefined) record = effect.record;
    if (effect.next.type === 'decide') copy = effect.next.copy;
    else if (effect.next.type === 'settled') return { record, called, end: effect.next, ...writtenCopy(outcome) };
    else return { record, called, end: { ...effect.next, unreachable: outcome.type === 'unreachable' } };
  }
  return { record, called, end: { type: 'later', delayMs: 1000, reason: 'the round took too many steps', unreachable: false } };
}

function writtenCopy(outcome: CallOutcome): { copy?: KubeObject } {
  return outcome.type === 'ok' && outcome.value ? { copy: outcome.value } : {};
}

const LOOK: DispatchDecision = { next: { type: 'read', reason: 'the member reported a change that is not ours' } };

function isCall(next: DispatchCall | DispatchRest): next is DispatchCall {
  return ['read', 'create', 'apply', 'patch', 'delete', 'orphan'].includes(next.type);
}

function restEnd(rest: DispatchRest, record: DispatchRecord | null | undefined): Omit<RoundEnd, 'called'> {
  if (rest.type === 'forget') return { record: null, end: { type: 'rest', rest } };
  if (rest.type === 'wait' || rest.type === 'dispute')
    return { record, end: { type: 'later', delayMs: rest.delayMs, reason: rest.reason, unreachable: false } };
  return { record, end: { type: 'rest', rest } };
}

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
