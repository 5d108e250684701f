/**
 * The values that `plan(snapshot, now)` is made of and gives: everything a placement depends on, and everything that follows from it.
 * Pure data: same input, same bytes. The scheduler function loads the snapshot and commits the plan in one transaction.
 */
import type { JsonValue, KubeObject } from '../machinery/object.ts';

/** A kind's names, as its FederatedTypeConfig gives them. */
export type SourceType = { group: string; version: string; kind: string; pluralName: string; scope: 'Namespaced' | 'Cluster' };

/** Amounts by resource name; cpu in millicores, everything else in the base unit (bytes, pieces). Negative available is possible. */
export type ResourceAmounts = Record<string, number>;

/** What scheduling knows of one member cluster. Made once per FederatedCluster version by `clusterFacts`. */
export type ClusterFacts = {
  name: string;
  uid: string;
  /** uid of its kube-system namespace, when it is known: another one is another cluster, and what was sent to the old one does not count. */
  memberUid?: string;
  resourceVersion: string;
  labels: Record<string, string>;
  taints: readonly { key: string; value?: string; effect: string }[];
  joined: boolean;
  ready: boolean;
  terminating: boolean;
  allocatable: ResourceAmounts;
  available: ResourceAmounts;
  /** `group/version/kind` of everything served; the core group is empty: `/v1/Pod`. */
  apiResources: ReadonlySet<string>;
  /** FNV-1 of labels, taints and API list: what a later plan compares to see whether they changed. */
  hashes: { labels: number; taints: number; apiResources: number };
};

/** A reference to an object that goes where its leader goes, or to such a leader. */
export type FollowRef = { group: string; kind: string; namespace: string; name: string };

/** A leader of the planned object, with where it is placed now. */
export type LeaderPlacement = { ref: FollowRef; clusters: readonly string[] };

export type PlanSnapshot = {
  source: KubeObject;
  type: SourceType;
  /** The FederatedTypeConfig object. */
  typeConfig: KubeObject;
  /** Labels of the source's Namespace: the default policy labels. */
  namespaceLabels: Record<string, string>;
  /** Present (Cluster)FederatedObject, absent before the first plan. */
  federated?: KubeObject;
  /** Present SchedulingDecision. */
  previous?: KubeObject;
  /** The propagation policy that the labels name: `object` absent means that it does not exist (yet). Undefined: no label names any. */
  policy?: { kind: 'PropagationPolicy' | 'ClusterPropagationPolicy'; name: string; object?: KubeObject };
  profile?: { name: string; object?: KubeObject };
  /** Cluster override policy first, then the namespaced one. */
  overridePolicies: readonly { kind: 'OverridePolicy' | 'ClusterOverridePolicy'; name: string; object?: KubeObject }[];
  /** Every FederatedCluster, by name. */
  clusters: readonly ClusterFacts[];
  /** Objects that this one follows. */
  leaders: readonly LeaderPlacement[];
  /** Placed but not yet reported: subtracted from `available`, by cluster. */
  reservations: ReadonlyMap<string, ResourceAmounts>;
  /** Answers of webhook plugins, prefetched by the shell: none in the default profile. */
  webhooks?: JsonValue;
};

export type Placement = {
  cluster: string /** null: the template's own count (Duplicate, or no replicas). */;
  replicas: number | null;
};

/** JSON patch operations that make one cluster's copy from the template. */
export type ClusterOverride = { cluster: string; patches: readonly { op: string; path: string; value?: JsonValue }[] };

export type PlanEvent = { type: 'Normal' | 'Warning'; reason: string; message: string };

export type Plan =
  /** The kind is not federated, or the object opts out: nothing is to be kept for it. */
  | { type: 'notFederated'; reason: string }
  /** Neither a policy nor a leader brings it anywhere: nothing is to be stored for it. `events` say what is missing, once. */
  | { type: 'unselected'; reason: string; events: readonly PlanEvent[] }
  /** A controller that is not ours is to act first. `federated` is to be stored for it (its pending list is not empty), but nothing is to be sent. */
  | { type: 'waiting'; reason: string; federated: KubeObject }
  | {
      type: 'planned';
      /** Complete desired (Cluster)FederatedObject without uid, resourceVersion, generation and status. */
      federated: KubeObject;
      /** Complete desired SchedulingDecision likewise; its `decision` number is one above the previous when anything that is sent changed. */
      decision: KubeObject;
      decisionNumber: number;
      /** The `Scheduled` condition of the FederatedObject, without its times. */
      scheduled: { status: 'True' | 'False'; reason: string; message: string };
      placements: readonly Placement[];
      /** Annotations and finalizers that the source is to have (feedback): only those of ours, null removes. */
      feedback: { annotations: Record<string, string | null>; finalizer: string };
      /** Objects that follow this one. */
      followers: readonly FollowRef[];
      events: readonly PlanEvent[];
      /** Ask again at this time (epoch ms): an eviction or a reservation expires. */
      again?: number;
      /** One line for the log and the terminal: `9 -> eu-1 2  us-1 6  ap-1 1`. */
      summary: string;
    };
