/** Status of a FederatedObject from its dispatch records. Shapes and write rule of KubeAdmiral. */
import { deepEqual } from '../../machinery/equality.ts';
import type { Condition, JsonObject, KubeObject } from '../../machinery/object.ts';
import { formatTime } from '../../machinery/time.ts';
import type { DispatchRecord } from '../records.ts';
import { decisionOfFederated, objectsIn, placedClusters } from './context.ts';

/** `Propagated` is False for this reason while any cluster is not OK. */
const CHECK_CLUSTERS = 'CheckClusters';
/** Clusters whose trouble is told in the condition. */
const CLUSTERS_NAMED_MAX = 8;

/** The record of one cluster. */
export type ClusterRecord = { cluster: string; record: DispatchRecord };

/** The plan's `Scheduled` condition, without its times. */
export type ScheduledCondition = { status: 'True' | 'False'; reason: string; message: string };

type Input = {
  federated: KubeObject;
  records: readonly ClusterRecord[];
  /** Absent: the condition stays as it is. */
  scheduled?: ScheduledCondition;
  /** Epoch ms. */
  now: number;
};

/** The new status, and whether writing it would change anything. `syncedGeneration` follows once every placed cluster was handled for the present decision. */
export function federatedStatus({ federated, records, scheduled, now }: Input): { status: JsonObject; changed: boolean } {
  const current = (federated.status ?? {}) as JsonObject;
  const isHandled = isRoundDone(federated, records);
  const updated = updatedStatus(current, {
    generation: isHandled ? (federated.metadata.generation ?? 0) : Number(current.syncedGeneration ?? 0),
    reason: '',
    statusByCluster: new Map(records.map(({ cluster, record }) => [cluster, record.state])),
    generationByCluster: new Map(records.map(({ cluster, record }) => [cluster, record.member?.generation ?? 0])),
    messageByCluster: new Map(records.flatMap(({ cluster, record }) => (record.message ? [[cluster, record.message]] : []))),
    resourcesUpdated: false,
    now,
  });
  if (!scheduled) return updated;
  const status = withScheduled(updated.status, scheduled, now);
  return { status, changed: updated.changed || !deepEqual(status, updated.status) };
}

/** What one round of dispatch found. */
export type Round = {
  generation: number;
  /** Why the round could not be finished; empty when it was. */
  reason: string;
  statusByCluster: ReadonlyMap<string, string>;
  generationByCluster: ReadonlyMap<string, number>;
  /** Ours: what is wrong there, for people. Not part of the compatible shape, so it goes into the condition's message. */
  messageByCluster?: ReadonlyMap<string, string>;
  /** Something was really written to a member. */
  resourcesUpdated: boolean;
  now: number;
};

/** Writes a round into a status. `lastUpdateTime` of `Propagated` moves when the clusters changed or something was written, `lastTransitionTime` with its status. */
export function updatedStatus(current: JsonObject, round: Round): { status: JsonObject; changed: boolean } {
  const clusters = [...round.statusByCluster]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([cluster, status]) => ({ cluster, status, lastObservedGeneration: round.generationByCluster.get(cluster) ?? 0 }));
  const before = objectsIn(current.clusters).map(({ cluster, status, lastObservedGeneration = 0 }) => ({
    cluster,
    status,
    lastObservedGeneration,
  }));
  const clustersChanged = !deepEqual(before, clusters);
  const { condition, changed } = propagated(current, round, clustersChanged || round.resourcesUpdated);
  const others = objectsIn(current.conditions).filter(({ type }) => type !== 'Propagated');
  const status: JsonObject = { ...current, syncedGeneration: round.generation, conditions: [condition, ...others], clusters };
  return { status, changed: changed || clustersChanged || Number(current.syncedGeneration ?? 0) !== round.generation };
}

function propagated(current: JsonObject, round: Round, isUpdate: boolean): { condition: JsonObject; changed: boolean } {
  const isFine = [...round.statusByCluster.values()].every((status) => status === 'OK');
  const reason = round.reason || (isFine ? '' : CHECK_CLUSTERS);
  const status: Condition['status'] = reason === '' ? 'True' : 'False';
  const now = formatTime(round.now);
  const before = objectsIn(current.conditions).find(({ type }) => type === 'Propagated');
  const said = troubleText([...(round.messageByCluster ?? [])].sort());
  const isSame = before?.status === status && (before.reason ?? '') === reason && (before.message ?? '') === said;
  const condition: JsonObject = {
    type: 'Propagated',
    status,
    lastUpdateTime: isUpdate || !before?.lastUpdateTime ? now : before.lastUpdateTime,
    lastTransitionTime: before?.status === status && before.lastTransitionTime ? before.lastTransitionTime : now,
    reason,
    ...(said === '' ? {} : { message: said }),
  };
  return { condition, changed: isUpdate || !isSame };
}

/** `us-1: no room; us-2: no room and 7 more clusters`: people read the first few, and the condition of 500 clusters must stay one. */
function troubleText(messages: readonly (readonly [cluster: string, text: string])[]): string {
  const named = messages.slice(0, CLUSTERS_NAMED_MAX).map(([cluster, text]) => `${cluster}: ${text}`);
  const rest = messages.length - named.length;
  return rest > 0 ? `${named.join('; ')} and ${rest} more clusters` : named.join('; ');
}

function withScheduled(status: JsonObject, { status: value, reason, message }: ScheduledCondition, now: number): JsonObject {
  const conditions = objectsIn(status.conditions);
  const before = conditions.find(({ type }) => type === 'Scheduled');
  if (before?.status === value && before.reason === reason && (before.message ?? '') === message) return status;
  const lastTransitionTime = before?.status === value ? (before.lastTransitionTime ?? formatTime(now)) : formatTime(now);
  const scheduled = { type: 'Scheduled', status: value, lastUpdateTime: formatTime(now), lastTransitionTime, reason, message };
  return { ...status, conditions: [...conditions.filter(({ type }) => type !== 'Scheduled'), scheduled] };
}

function isRoundDone(federated: KubeObject, records: readonly ClusterRecord[]): boolean {
  const decision = decisionOfFederated(federated);
  const byCluster = new Map(records.map(({ cluster, record }) => [cluster, record]));
  return [...placedClusters(federated)].every((cluster) => {
    const record = byCluster.get(cluster);
    return record !== undefined && record.state !== 'PendingCreate' && record.decision >= decision;
  });
}
