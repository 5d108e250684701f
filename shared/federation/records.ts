/** The per-(object, cluster) records that workers keep beside the log, as JSON bodies of ports' StoreRecord. */
import type { JsonObject } from '../machinery/object.ts';

/** Record owner of a FederatedObject's dispatch state: its scope, namespace and name. */
export function dispatchOwner(ref: { scope: string; namespace: string; name: string }): string {
  return `D#${ref.scope}#${ref.namespace}#${ref.name}`;
}

/** The FederatedObject of a record owner that `dispatchOwner` made; undefined for other owners. */
export function parseDispatchOwner(owner: string): { scope: string; namespace: string; name: string } | undefined {
  const [mark, scope, namespace, name] = owner.split('#');
  if (mark !== 'D' || scope === undefined || namespace === undefined || name === undefined) return undefined;
  return { scope, namespace, name };
}

/** Record owner under which the leaders of a follower are kept (`cluster` of the record is the leader's own key). */
export function followerOwner(ref: { group: string; kind: string; namespace: string; name: string }): string {
  return `F#${ref.group}/${ref.kind}#${ref.namespace}#${ref.name}`;
}

/** States of a dispatch: KubeAdmiral's propagation status values, and ours for work that waits for a member. */
export type DispatchState =
  | 'OK'
  | 'PendingCreate'
  | 'WaitingForRemoval'
  | 'ClusterNotReady'
  | 'ClusterTerminating'
  | 'ComputeResourceFailed'
  | 'ApplyOverridesFailed'
  | 'CreationFailed'
  | 'UpdateFailed'
  | 'DeletionFailed'
  | 'LabelRemovalFailed'
  | 'RetrievalFailed'
  | 'AlreadyExists'
  | 'ManagedLabelFalse'
  | 'CreationTimedOut'
  | 'UpdateTimedOut'
  | 'DeletionTimedOut'
  | 'Parked'
  | 'OwnershipDispute';

/** What is known of one object on one cluster. Times are epoch ms. */
export type DispatchRecord = {
  state: DispatchState;
  /** Number of the decision that was last sent. */
  decision: number;
  /** Hash of the desired object that was last accepted; empty when none was. */
  hash: string;
  /** Identity of the member's copy as last seen; absent when there is none. */
  member?: { uid: string; resourceVersion: string; generation: number };
  /** uid of the cluster's kube-system namespace that this record speaks of: another uid is another cluster, and the record is void. */
  clusterUid: string;
  /** uid of the FederatedObject that `decision` is of: numbers of another life of the same name are not compared. */
  federatedUid?: string;
  /** uid of the FederatedObject that the copy was last accepted from, where that is an earlier life of this one. */
  formerUid?: string;
  /** What was sent where: enough to delete the copy when the FederatedObject is long gone. */
  target?: { group: string; version: string; resource: string; namespace: string; name: string };
  /** Digest of the fields that the member counted as ours after the last apply; another digest later means that somebody took one (drift). */
  owned?: string;
  /** Dotted paths that do not count in `owned`, because members decide them (`retain-replicas`). Absent: none. */
  retained?: string[];
  message?: string;
  attempts: number;
  /** What the FederatedObject said of leaving copies behind (`all`, `adopted`), for a removal that outlives it. */
  orphan?: string;
  /** When an attempt that failed, or a dispute, is taken up again: a timer is set for it. Absent: nothing waits for a time. */
  retryAt?: number;
  changedAt: number;
  /** Times within the last 10 minutes at which foreign changes of our fields were put back. */
  drifts?: number[];
  /** What the member reports: the kind's collected fields and its status, with the time they were seen. */
  observed?: {
    at: number;
    status?: JsonObject;
    collected?: JsonObject;
    /** Fields that the kind's type asks for and the copy lacks, sorted. */
    missing?: string[];
    generation?: number /** decision number found on the copy */;
    decision?: number;
    /** As `owned` of the record, seen now: another value asks for a look at the copy. */
    owned?: string;
    /** The copy was deleted on the member. */
    gone?: boolean;
  };
};
