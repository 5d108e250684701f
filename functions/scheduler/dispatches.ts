/** Which clusters must hear of a FederatedObject: found by comparing it with the dispatch records, so that a repeat sends again what was lost. */
import type { ObjectRef } from '../../shared/apis/stored.ts';
import { DRY_RUN_ANNOTATION } from '../../shared/federation/keys.ts';
import { type DispatchRecord, dispatchOwner } from '../../shared/federation/records.ts';
import type { ClusterFacts } from '../../shared/federation/snapshot.ts';
import { placedClusters } from '../../shared/federation/status/context.ts';
import { decisionOf } from '../../shared/federation/type-config.ts';
import { parseJson } from '../../shared/machinery/codec/json.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import type { RecordWrite, StoreRecord } from '../../shared/ports/object-store.ts';
import { refOf } from '../../shared/runtime/objects.ts';
import type { Outgoing } from '../../shared/runtime/send.ts';

/** True: schedule, but send nothing as long as nothing was sent. */
export function isDryRun(federated: KubeObject, records: readonly StoreRecord[]): boolean {
  return federated.metadata.annotations?.[DRY_RUN_ANNOTATION] === 'true' && records.length === 0;
}

/** `PendingCreate` for placed clusters without a record: rides in the decision's transaction, so that a later deletion knows where to look. */
export function pendingCreates(
  ref: ObjectRef,
  federated: KubeObject,
  records: readonly StoreRecord[],
  now: number,
): RecordWrite[] {
  const known = new Set(records.map((record) => record.cluster));
  const pending: DispatchRecord = { state: 'PendingCreate', decision: 0, hash: '', clusterUid: '', attempts: 0, changedAt: now };
  const body = JSON.stringify(pending);
  return [...placedClusters(federated)]
    .sort()
    .filter((cluster) => !known.has(cluster))
    .map((cluster) => ({ owner: dispatchOwner(ref), cluster, body, expected: 0 }));
}

/** States in which no timer tries again: only a change by somebody helps, and this may be it. */
const REFUSED = new Set([
  'AlreadyExists',
  'ManagedLabelFalse',
  'ComputeResourceFailed',
  'ApplyOverridesFailed',
  'ClusterTerminating',
]);

/** Messages to the clusters whose record does not show the present decision, and to those that are to lose their copy. `clusters`: as they are now. */
export function dispatches(
  ref: ObjectRef,
  federated: KubeObject,
  uid: string,
  records: readonly StoreRecord[],
  clusters: readonly ClusterFacts[],
): Outgoing[] {
  const decision = decisionOf(federated);
  const isTerminating = federated.metadata.deletionTimestamp !== undefined;
  const placed = isTerminating ? new Set<string>() : placedClusters(federated);
  const memberUids = new Map(clusters.map(({ name, memberUid = '' }) => [name, memberUid]));
  const recordByCluster = new Map(records.map((record) => [record.cluster, record]));
  const outgoing: Outgoing[] = [];
  for (const cluster of [...new Set([...placed, ...recordByCluster.keys()])].sort()) {
    const stored = recordByCluster.get(cluster);
    const cause = placed.has(cluster)
      ? behindCause(stored, decision, uid, memberUids.get(cluster) ?? '')
      : `removal ${uid} ${decision} ${stored?.version ?? 0}`;
    if (cause) outgoing.push({ work: { type: 'dispatch', federated: refOf(ref), cluster, attempt: 0 }, cause });
  }
  return outgoing;
}

/** Why a placed cluster must hear; undefined when it need not. */
function behindCause(stored: StoreRecord | undefined, decision: number, uid: string, memberUid: string): string | undefined {
  const record = stored && (parseJson(stored.body) as unknown as DispatchRecord);
  if (!record || record.decision !== decision || (record.federatedUid ?? uid) !== uid) return `decision ${uid} ${decision}`;
  // Sent to another cluster that had this name: nothing of it is here.
  if (memberUid !== '' && record.clusterUid !== '' && record.clusterUid !== memberUid)
    return `member ${memberUid} ${uid} ${decision}`;
  return REFUSED.has(record.state) ? `refused ${uid} ${decision} ${stored?.version ?? 0}` : undefined;
}
