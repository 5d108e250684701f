/** The shape of a SchedulingDecision's `spec`: everything that a placement was decided from, and why each cluster has what it has. */
import type { FollowRef, Placement, ResourceAmounts, SourceType } from '../snapshot.ts';
import type { Triggers } from './triggers.ts';

/** A filter that refused a cluster. Filters that are not listed accepted it. */
export type Rejection = { filter: string; reason: string };

/**
 * - `Selected`: runs the object; - `Kept`: runs it although it could not be chosen anew; - `NotSelected`: passed all filters, but others
 * were chosen, or nothing was left for it; - `Rejected`: a filter refused it.
 */
export type Verdict = 'Selected' | 'Kept' | 'NotSelected' | 'Rejected';

/** One cluster. `replicas` and `before`: absent = not placed, null = the template's own count. */
export type ClusterDecision = {
  cluster: string;
  verdict: Verdict;
  replicas?: number | null;
  before?: number | null;
  /** One sentence. */
  why: string;
  rejections?: Rejection[];
  /** Score plugin -> [raw, normalised, weighted]. */
  scores?: Record<string, [number, number, number]>;
  /** Sum of the weighted scores. */
  score?: number;
  /** Weight of the division, as used, and the exact share of the replicas, to a tenth. */
  weight?: number;
  share?: number;
  /** Free on the cluster after reservations: millicores and bytes. */
  free?: { cpuMilli: number; memoryBytes: number };
  /** How many more replicas fit there; absent where a replica asks for nothing. */
  fits?: number;
};

/** How an attempt ended. `reason` is one word, as in a condition. */
export type Outcome = { status: 'True' | 'False'; reason: string; message: string };

/** An attempt that ended otherwise than the one before it. */
export type Attempt = { at: string; decision: number; reason: string; summary: string };

/** `spec` of a (Cluster)SchedulingDecision. */
export type DecisionSpec = {
  /** Rises when anything that is sent to a cluster changes. */
  decision: number;
  source: SourceType & { namespace: string; name: string; generation: number };
  scheduled: Outcome;
  /** `9 -> eu-1 2  us-1 6  ap-1 1`. */
  summary: string;
  policy?: { kind: string; name: string };
  profile?: string;
  mode?: 'Duplicate' | 'Divide';
  strategy?: string;
  /** What the source asks for; absent for kinds without replicas. */
  replicas?: number;
  maxClusters?: number;
  /** Where the weights came from, and the resource that dynamic ones count. */
  weights?: { source: 'placement' | 'dynamic'; resource?: string };
  placements: Placement[];
  /** Leaders that bring the object to further clusters. */
  follows?: { leader: FollowRef; clusters: string[] }[];
  /** Every FederatedCluster, once. */
  clusters: ClusterDecision[];
  plugins?: { filters: string[]; scores: { name: string; weight: number }[]; selects: string[]; replicas?: string };
  /** What a person should know beside: unknown clusters, annotations that were passed over. */
  notes?: string[];
  /** Differences that the policy holds back (`rescheduleWhen`). */
  deferred?: string;
  /** What the attempt saw: the next one compares. */
  triggers?: Triggers;
  /** What one replica asks for. */
  request?: ResourceAmounts;
  /** Epoch ms at which an eviction ends. */
  again?: number;
  decidedAt: string;
  /** Newest first, at most 10. */
  attempts: Attempt[];
};
