/** Folds the outcome of a dispatch call into the record, and says what comes next. */
import type { KubeObject } from '../../machinery/object.ts';
import type { DispatchRecord, DispatchState } from '../records.ts';
import type { CallEffect, CallOutcome, DispatchCall, DispatchInput } from './actions.ts';
import { ownedDigest } from './ownership.ts';
import { containerDelayMs, copyIdentity, nextRecord, rejectedDelayMs, retryDelayMs, WAIT_FOR_REMOVAL_MS } from './transitions.ts';

type Failure = Exclude<CallOutcome, { type: 'ok' }>;

const READ_AGAIN: CallEffect = { next: { type: 'decide', copy: { type: 'unknown' } } };

/** `input` is what the call was decided from (with the record as stored since). */
export function afterCall(input: DispatchInput, call: DispatchCall, outcome: CallOutcome): CallEffect {
  if (outcome.type === 'ok') return afterSuccess(input, call, outcome.value);
  if (outcome.type === 'conflict') return afterConflict(input, call, outcome);
  if (outcome.type === 'notFound' && !outcome.container) return afterAbsence(input, call);
  // A namespace or kind that is gone took the copy with it.
  if (outcome.type === 'notFound' && (call.type === 'delete' || call.type === 'orphan'))
    return { record: null, next: { type: 'settled', summary: 'gone' } };
  if (outcome.type === 'notFound' && call.type === 'read') return { next: { type: 'decide', copy: { type: 'absent' } } };
  return afterFailure(input, call, outcome);
}

function afterSuccess(input: DispatchInput, call: DispatchCall, value: KubeObject | undefined): CallEffect {
  if (call.type === 'orphan') return { record: null, next: { type: 'settled', summary: 'left behind' } };
  if (call.type === 'delete') {
    // Without a hash, a cluster that is selected again meanwhile is not taken for one that has its copy.
    const record = { ...nextRecord(input, 'WaitingForRemoval', undefined), hash: '', attempts: 0 };
    return { record, next: { type: 'later', delayMs: WAIT_FOR_REMOVAL_MS, reason: 'being deleted' } };
  }
  const copy = value ? ({ type: 'present', object: value } as const) : ({ type: 'unknown' } as const);
  if (call.type === 'read' || call.type === 'patch' || !value) return { next: { type: 'decide', copy } };
  return {
    record: acceptedRecord(input, value),
    next: { type: 'settled', summary: call.type === 'create' ? 'created' : 'updated' },
  };
}

/** The copy is what was wanted. */
function acceptedRecord(input: DispatchInput, copy: KubeObject): DispatchRecord {
  const { owned: _owned, retained: _retained, formerUid: _formerUid, ...record } = nextRecord(input, 'OK', undefined);
  const desired = input.wanted.type === 'present' ? input.wanted.desired : undefined;
  const retained = (desired?.retained ?? []).map(({ path }) => path);
  const owned = ownedDigest(copy, retained);
  return {
    ...record,
    hash: desired?.hash ?? '',
    member: copyIdentity(copy),
    attempts: 0,
    ...(owned === undefined ? {} : { owned }),
    ...(retained.length === 0 ? {} : { retained }),
  };
}

/** Somebody was faster: look, and decide again. Only an apply without force can meet a foreign owner; the look finds that owner's object. */
function afterConflict(
  input: DispatchInput,
  call: DispatchCall,
  outcome: Extract<CallOutcome, { type: 'conflict' }>,
): CallEffect {
  if (call.type !== 'create') return withoutMember(input, READ_AGAIN);
  const owners = outcome.managers.length > 0 ? outcome.managers.join(', ') : 'somebody else';
  const message = `an object of this name was made in cluster ${input.cluster.name} by ${owners}: ${outcome.message}`;
  return { record: failedRecord(input, 'AlreadyExists', message), next: { type: 'decide', copy: { type: 'unknown' } } };
}

/** The version that the record names is not there any more: without it the machine reads. */
function withoutMember({ record }: DispatchInput, effect: CallEffect): CallEffect {
  if (!record?.member) return effect;
  const { member: _member, ...rest } = record;
  return { ...effect, record: rest };
}

function afterAbsence(input: DispatchInput, call: DispatchCall): CallEffect {
  if (call.type === 'delete' || call.type === 'orphan') return { record: null, next: { type: 'settled', summary: 'gone' } };
  return withoutMember(input, { next: { type: 'decide', copy: { type: 'absent' } } });
}

function afterFailure(input: DispatchInput, call: DispatchCall, failure: Failure): CallEffect {
  const isTimeout = failure.type === 'unreachable' && failure.reason === 'timeout';
  const failed = failedRecord(input, failedState(call, isTimeout), failure.message);
  // A write without an answer may have happened, and so may one that failed inside: nobody knows what stands there.
  const isUnknown = failure.type === 'unreachable' || (failure.type === 'rejected' && failure.code >= 500);
  const record = isUnknown && call.type !== 'read' ? { ...failed, hash: '' } : failed;
  const isContent = failure.type === 'rejected' && failure.code >= 400 && failure.code < 500 && failure.code !== 429;
  // A namespace that is missing is on its way by itself.
  const isContainer = failure.type === 'notFound';
  const delayMs = isContent
    ? rejectedDelayMs(record.attempts)
    : isContainer
      ? containerDelayMs(record.attempts)
      : retryDelayMs(record.attempts);
  return { record, next: { type: 'later', delayMs, reason: failure.message } };
}

function failedRecord(input: DispatchInput, state: DispatchState, message: string): DispatchRecord {
  return { ...nextRecord(input, state, message), attempts: (input.record?.attempts ?? 0) + 1 };
}

const FAILED_STATES: Readonly<Record<DispatchCall['type'], DispatchState>> = {
  read: 'RetrievalFailed',
  create: 'CreationFailed',
  apply: 'UpdateFailed',
  patch: 'UpdateFailed',
  delete: 'DeletionFailed',
  orphan: 'LabelRemovalFailed',
};

const TIMED_OUT_STATES: Readonly<Partial<Record<DispatchCall['type'], DispatchState>>> = {
  create: 'CreationTimedOut',
  apply: 'UpdateTimedOut',
  delete: 'DeletionTimedOut',
};

function failedState(call: DispatchCall, isTimeout: boolean): DispatchState {
  return (isTimeout ? TIMED_OUT_STATES[call.type] : undefined) ?? FAILED_STATES[call.type];
}
