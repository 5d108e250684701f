/**
 * What to do next for one object on one cluster. Pure: the dispatcher asks, does the one call that is named, folds its outcome with
 * `afterCall`, and asks again where told to. Safe to repeat at any point: everything is compared with the record and the copy.
 */
import type { KubeObject } from '../../machinery/object.ts';
import {
  ADOPTED_ANNOTATION,
  DECISION_ANNOTATION,
  DRY_RUN_ANNOTATION,
  FEDERATED_UID_ANNOTATION,
  isUntouchedNamespace,
} from '../keys.ts';
import type { DispatchRecord, DispatchState } from '../records.ts';
import type { DispatchDecision, DispatchInput } from './actions.ts';
import { judgeCopy } from './adopt.ts';
import type { Desired } from './desired.ts';
import { disputeEndsAt, recentDrifts } from './drift.ts';
import { leftoverPatch } from './merge-maps.ts';
import { isAppliedByUs, ownedDigest, takenFields } from './ownership.ts';
import { decideRemoval } from './remove.ts';
import { needsCopy, withRetained } from './retain.ts';
import {
  copyIdentity,
  DRIFTS_MAX,
  isVoid,
  nextRecord,
  recordedDecision,
  WAIT_FOR_REMOVAL_MS,
  waitDelayMs,
} from './transitions.ts';

/** The next step. A record of another cluster of the same name (other uid) counts as none. */
export function decideDispatch(input: DispatchInput): DispatchDecision {
  const { target, cluster, wanted } = input;
  const record = isVoid(input) ? undefined : input.record;
  const known = { ...input, record };
  if (isUntouchedNamespace(target.group, target.kind, target.name))
    return wanted.type === 'absent' ? forget('every member keeps it') : settle(known, 'OK', 'every member has it');
  if (wanted.type === 'absent') return decideRemoval(known, wanted);
  if (wanted.type === 'broken') return refuse(known, wanted.state, wanted.message);
  if (cluster.terminating) return refuse(known, 'ClusterTerminating', `cluster ${cluster.name} is being removed`);
  if (!cluster.joined || !cluster.ready) return park(known, 'ClusterNotReady', `cluster ${cluster.name} is not ready`);
  return decidePresence(known, wanted.desired);
}

function decidePresence(input: DispatchInput, desired: Desired): DispatchDecision {
  const { record, decision, copy, cluster, federated, now } = input;
  if (record && recordedDecision(input) > decision) return nothing(`decision ${record.decision} is newer than ${decision}`);
  if (federated.annotations[DRY_RUN_ANNOTATION] === 'true' && !record?.member && !record?.hash) return nothing('dry run');
  const right = record?.member && record.hash === desired.hash ? record : undefined;
  const isDisputed = right?.state === 'OwnershipDispute';
  if (right && isDisputed && disputeEndsAt(right) > now) {
    const delayMs = disputeEndsAt(right) - now;
    return { next: { type: 'dispute', reason: right.message ?? 'others keep changing our fields', delayMs } };
  }
  if (right && !isDisputed && copy.type === 'unknown') return settle(input, 'OK', 'the copy is as decided');
  if (!cluster.accepting) return park(input, 'Parked', `cluster ${cluster.name} takes no calls at present`);
  if (copy.type === 'absent') return create(input, desired, right);
  if (copy.type === 'present') return decideCopy(input, desired, copy.object, right);
  if (!record?.member || record.hash === '' || isDisputed || needsCopy(desired, federated.annotations))
    return { next: { type: 'read', reason: 'the copy is not known' } };
  // What was true of the version last seen is true now, or the precondition fails and the copy is read.
  const { uid, resourceVersion } = record.member;
  return {
    next: { type: 'apply', object: withPreconditions(desired.object, { uid, resourceVersion }), reason: 'content changed' },
  };
}

/** `lost`: the record that says the copy was right, so that somebody else has deleted it since. */
function create(input: DispatchInput, desired: Desired, lost: DispatchRecord | undefined): DispatchDecision {
  const object = withRetained(desired, undefined);
  if (!lost) return { next: { type: 'create', object, reason: 'the copy is absent' } };
  return putBack(input, lost, `the copy was deleted in cluster ${input.cluster.name} by somebody else`, {
    type: 'create',
    object,
    reason: 'the copy was deleted by somebody else',
  });
}

function decideCopy(
  input: DispatchInput,
  desired: Desired,
  copy: KubeObject,
  right: DispatchRecord | undefined,
): DispatchDecision {
  const { cluster, federated, record } = input;
  if (copy.metadata.deletionTimestamp) {
    const message = `the old copy in cluster ${cluster.name} is still being deleted`;
    const waiting = nextRecord(input, 'WaitingForRemoval', message);
    const delayMs = waitDelayMs(waiting.changedAt, input.now, WAIT_FOR_REMOVAL_MS);
    return { next: { type: 'wait', reason: message, delayMs }, record: waiting };
  }
  const judged = judgeCopy(copy, { annotations: federated.annotations, cluster: cluster.name, lastUid: record?.member?.uid });
  if (judged.type === 'refuse') return refuseCopy(input, judged.state, judged.message);
  const carried = decisionOn(copy, federated.uid);
  if (carried > input.decision) return nothing(`the copy carries decision ${carried}, which is newer than ${input.decision}`);
  const preconditions = { uid: copy.metadata.uid ?? '', resourceVersion: copy.metadata.resourceVersion ?? '' };
  const object = withPreconditions(withRetained(desired, copy), preconditions);
  if (judged.type === 'adopt') return { next: { type: 'apply', object: asAdopted(object), reason: 'adopting' } };
  const isOlder = (copy.metadata.generation ?? 0) < (right?.member?.generation ?? 0);
  // An older generation than was seen: the member was restored from a backup.
  if (right && !judged.replaced && !isOlder) return decideDrift(input, { desired, copy, right, object });
  const patch = isAppliedByUs(copy) ? undefined : leftoverPatch(object, copy);
  if (patch)
    return {
      next: {
        type: 'patch',
        patch: withVersion(patch, preconditions),
        reason: 'removing what is left of an earlier control plane',
      },
    };
  return { next: { type: 'apply', object, reason: judged.replaced ? 'another object took its place' : 'content changed' } };
}

type Drift = { desired: Desired; copy: KubeObject; right: DispatchRecord; object: KubeObject };

/** The content is what was accepted: it is right, unless somebody took fields of ours since. */
function decideDrift(input: DispatchInput, { desired, copy, right, object }: Drift): DispatchDecision {
  const digest = ownedDigest(
    copy,
    desired.retained.map(({ path }) => path),
  );
  if (right.owned === undefined || digest === right.owned) return settleOnCopy(input, right, copy);
  const { paths, managers } = takenFields(object, copy);
  const what = paths.length > 0 ? paths.join(', ') : 'fields of ours';
  const who = managers.length > 0 ? managers.join(', ') : 'somebody else';
  const message = `${what} changed in cluster ${input.cluster.name} by ${who}`;
  return putBack(input, { ...right, member: copyIdentity(copy) }, message, {
    type: 'apply',
    object,
    reason: `put back: ${message}`,
  });
}

/** Remembers the version that was found right. */
function settleOnCopy(input: DispatchInput, right: DispatchRecord, copy: KubeObject): DispatchDecision {
  const settled = settle(input, 'OK', 'the copy is as decided');
  const seen = copyIdentity(copy);
  const isKnown = right.member?.resourceVersion === seen.resourceVersion;
  return isKnown ? settled : { ...settled, record: { ...(settled.record ?? right), member: seen } };
}

/** At most three times in ten minutes; then it is a dispute, until the oldest of them is ten minutes ago. */
function putBack(
  input: DispatchInput,
  record: DispatchRecord,
  message: string,
  call: { type: 'apply' | 'create'; object: KubeObject; reason: string },
): DispatchDecision {
  const drifts = recentDrifts(record, input.now);
  if (drifts.length < DRIFTS_MAX) return { next: call, record: { ...record, drifts: [...drifts, input.now] } };
  const disputed: DispatchRecord = { ...record, state: 'OwnershipDispute', message, drifts, changedAt: input.now };
  return { next: { type: 'dispute', reason: message, delayMs: disputeEndsAt(disputed) - input.now }, record: disputed };
}

/** Number of the decision that a copy carries, 0 when it carries none of this life of the FederatedObject. */
export function decisionOn(copy: KubeObject, federatedUid: string): number {
  const annotations = copy.metadata.annotations ?? {};
  if ((annotations[FEDERATED_UID_ANNOTATION] ?? federatedUid) !== federatedUid) return 0;
  const number = Number(annotations[DECISION_ANNOTATION] ?? 0);
  return Number.isSafeInteger(number) ? number : 0;
}

function asAdopted(object: KubeObject): KubeObject {
  const annotations = { ...object.metadata.annotations, [ADOPTED_ANNOTATION]: 'true' };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function withPreconditions(object: KubeObject, { uid, resourceVersion }: { uid: string; resourceVersion: string }): KubeObject {
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion } };
}

function withVersion<T extends { metadata?: unknown }>(patch: T, preconditions: { uid: string; resourceVersion: string }): T {
  return { ...patch, metadata: { ...(patch.metadata as object), ...preconditions } };
}

function nothing(reason: string): DispatchDecision {
  return { next: { type: 'nothing', reason } };
}

function forget(reason: string): DispatchDecision {
  return { next: { type: 'forget', reason } };
}

function settle(input: DispatchInput, state: DispatchState, reason: string): DispatchDecision {
  const record = nextRecord(input, state, undefined);
  return record === input.record ? nothing(reason) : { next: { type: 'nothing', reason }, record };
}

function refuse(input: DispatchInput, state: DispatchState, message: string): DispatchDecision {
  return { next: { type: 'refuse', reason: message }, record: nextRecord(input, state, message) };
}

/** What stands there is not what was sent, whatever was accepted before. */
function refuseCopy(input: DispatchInput, state: DispatchState, message: string): DispatchDecision {
  const refused = nextRecord(input, state, message);
  return { next: { type: 'refuse', reason: message }, record: refused.hash === '' ? refused : { ...refused, hash: '' } };
}

function park(input: DispatchInput, state: DispatchState, message: string): DispatchDecision {
  return { next: { type: 'park', reason: message }, record: nextRecord(input, state, message) };
}
