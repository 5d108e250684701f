/** The values that the dispatch state machine takes and gives. */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import type { DispatchRecord, DispatchState } from '../records.ts';
import type { Desired } from './desired.ts';

/** What the cluster is to have. `absent`: `replacementReady` says that another cluster runs a healthy copy, or that none is needed. */
export type Wanted =
  | { type: 'present'; desired: Desired }
  /** Selected, but there is no object to send (overrides that do not apply). */
  | { type: 'broken'; state: DispatchState; message: string }
  /** `deleted`: the user deleted the object (or asked to clear the cluster): at once. `deselected`: placed elsewhere now: not before a replacement is ready. */
  | { type: 'absent'; why: 'deleted' | 'deselected'; replacementReady: boolean };

/** Calls in one round; a round that needs more is asked again later. */
export const ROUND_STEPS_MAX = 6;

/** What was read of the member's copy. */
export type Copy = { type: 'unknown' } | { type: 'absent' } | { type: 'present'; object: KubeObject };

/** What dispatch needs to know of the cluster. */
export type DispatchCluster = {
  name: string;
  /** uid of its kube-system namespace; empty when it is not known. */
  uid: string;
  joined: boolean;
  ready: boolean;
  terminating: boolean;
  /** Copies are removed when the cluster leaves (`cascading-delete`). */
  cascading: boolean;
  /** False: its breaker is open, or its limit of calls is reached. */
  accepting: boolean;
};

export type DispatchInput = {
  /** The object on the member. `resource` is the lower-case plural. */
  target: { group: string; version: string; kind: string; resource: string; namespace: string; name: string };
  federated: { uid: string; annotations: Readonly<Record<string, string>> };
  cluster: DispatchCluster;
  /** Number of the decision that is carried out. */
  decision: number;
  wanted: Wanted;
  record: DispatchRecord | undefined;
  copy: Copy;
  /** Epoch ms. */
  now: number;
};

/** A call to make. `reason` is for logs. */
export type DispatchCall =
  | { type: 'read'; reason: string }
  /** Server-side apply without force: the object is thought to be absent. */
  | { type: 'create'; object: KubeObject; reason: string }
  /** Server-side apply with force. The object carries uid and resourceVersion of the copy that was seen. */
  | { type: 'apply'; object: KubeObject; reason: string }
  /** Merge patch of metadata, then decide again. */
  | { type: 'patch'; patch: JsonObject; reason: string }
  | { type: 'delete'; preconditions: { uid?: string; resourceVersion?: string }; reason: string }
  /** Merge patch that takes our marks off; the copy stays. */
  | { type: 'orphan'; patch: JsonObject; reason: string };

/** No call now. */
export type DispatchRest =
  /** The copy is as it should be, or a newer decision is on its way. */
  | { type: 'nothing'; reason: string }
  /** Nothing is left on the member: the record goes. */
  | { type: 'forget'; reason: string }
  /** The member cannot be asked: sent again when it can. */
  | { type: 'park'; reason: string }
  /** Not allowed; only a change by somebody helps. */
  | { type: 'refuse'; reason: string }
  /** Something must end first: ask again after `delayMs`. */
  | { type: 'wait'; reason: string; delayMs: number }
  /** Others keep changing our fields: ask again after `delayMs`. */
  | { type: 'dispute'; reason: string; delayMs: number };

/**
 * `record` present: the new state of the record. It goes into the next step of the same round, and is stored when the round rests
 * (one write per round: a round that dies is played again from the stored one). Absent: unchanged; `forget` removes it.
 */
export type DispatchDecision = { next: DispatchCall | DispatchRest; record?: DispatchRecord };

/** What a call gave. The same shape as the member port's results. */
export type CallOutcome =
  | { type: 'ok'; value: KubeObject | undefined }
  | { type: 'notFound'; message: string; container: boolean }
  | { type: 'conflict'; message: string; managers: readonly string[] }
  | { type: 'rejected'; code: number; reason: string; message: string }
  | { type: 'unreachable'; reason: string; message: string };

/**
 * What follows from a call. `record` as in DispatchDecision (null: removed).
 * - `decide`: ask the state machine again, now, with this copy. A dispatcher bounds the steps of a round (`ROUND_STEPS_MAX`)
 * - `later`: ask again after `delayMs`
 * - `settled`: finished
 */
export type CallEffect = {
  record?: DispatchRecord | null;
  next:
    | { type: 'decide'; copy: Copy }
    | { type: 'later'; delayMs: number; reason: string }
    | { type: 'settled'; summary: string };
};
