/** How dispatch records change. */
import type { KubeObject } from '../../machinery/object.ts';
import type { DispatchRecord, DispatchState } from '../records.ts';
import type { DispatchInput } from './actions.ts';

/** Foreign changes that are put back within the window of `drift.ts`. */
export const DRIFTS_MAX = 3;
/** Between two looks at a copy that is being deleted. */
export const WAIT_FOR_REMOVAL_MS = 2_000;
const RETRY_FIRST_MS = 1_000;
const CONTAINER_FIRST_MS = 250;
const RETRY_MAX_MS = 60_000;
/** What a member refuses for its content seldom changes by waiting. */
const REJECTED_FIRST_MS = 5_000;
const REJECTED_MAX_MS = 300_000;

/** Delay before the next attempt, `attempts` counted from 1: doubling, from 1 s to 1 min. */
export function retryDelayMs(attempts: number): number {
  return Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(attempts - 1, 16));
}

/** Likewise where the namespace or kind is missing: from 250 ms. */
export function containerDelayMs(attempts: number): number {
  return Math.min(RETRY_MAX_MS, CONTAINER_FIRST_MS * 2 ** Math.min(attempts - 1, 16));
}

/** Likewise after a refusal by content: from 5 s to 5 min. */
export function rejectedDelayMs(attempts: number): number {
  return Math.min(REJECTED_MAX_MS, REJECTED_FIRST_MS * 2 ** Math.min(attempts - 1, 16));
}

/** Doublings of the pause between two looks at something that does not end by itself. */
const WAIT_DOUBLINGS_MAX = 5;

/** Delay before the next look at what has been waited for since `since`: `firstMs` at first, a quarter of the time waited later on, at most 32 times `firstMs`. */
export function waitDelayMs(since: number, now: number, firstMs: number): number {
  const doublings = Math.floor(Math.log2(Math.max(1, (now - since) / (4 * firstMs))));
  return firstMs * 2 ** Math.min(doublings, WAIT_DOUBLINGS_MAX);
}

/** True when the record speaks of another cluster that had this name: nothing in it holds for this one. */
export function isVoid({ record, cluster }: Pick<DispatchInput, 'record' | 'cluster'>): boolean {
  return record !== undefined && cluster.uid !== '' && record.clusterUid !== '' && record.clusterUid !== cluster.uid;
}

/** Identity of a copy as records keep it. */
export function copyIdentity(copy: KubeObject): { uid: string; resourceVersion: string; generation: number } {
  const { uid = '', resourceVersion = '', generation = 0 } = copy.metadata;
  return { uid, resourceVersion, generation };
}

/** Number of the decision that the record speaks of; 0 when it is of an earlier life of the FederatedObject, whose numbers mean nothing now. */
export function recordedDecision({ record, federated }: DispatchInput): number {
  if (!record) return 0;
  const isOtherLife = (record.federatedUid ?? '') !== '' && federated.uid !== '' && record.federatedUid !== federated.uid;
  return isOtherLife ? 0 : record.decision;
}

/**
 * The record in another state, of the decision at hand. What was last accepted and seen stays. The very same record when nothing
 * changes, so that callers need not write it; `changedAt` moves with state and message only.
 */
export function nextRecord(input: DispatchInput, state: DispatchState, message: string | undefined): DispatchRecord {
  const { cluster, federated, target, now } = input;
  const record = isVoid(input) ? undefined : input.record;
  const decision = Math.max(input.decision, recordedDecision({ ...input, record }));
  const clusterUid = cluster.uid || (record?.clusterUid ?? '');
  const federatedUid = federated.uid || (record?.federatedUid ?? '');
  const isSame = record?.state === state && record.message === message;
  if (isSame && record.decision === decision && record.clusterUid === clusterUid && record.federatedUid === federatedUid)
    return record;
  // The copy is still the earlier life's, until one of this life is accepted.
  const isNewLife = record?.member !== undefined && record.federatedUid !== undefined && record.federatedUid !== federatedUid;
  const formerUid = isNewLife ? record.federatedUid : record?.formerUid;
  const { message: _message, ...kept } = record ?? { hash: '', attempts: 0, message };
  const { group, version, resource, namespace, name } = target;
  return {
    ...kept,
    state,
    decision,
    clusterUid,
    federatedUid,
    ...(formerUid === undefined ? {} : { formerUid }),
    target: { group, version, resource, namespace, name },
    ...(message === undefined ? {} : { message }),
    changedAt: isSame ? record.changedAt : now,
  };
}
