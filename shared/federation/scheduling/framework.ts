/**
 * The scheduling framework: Filter -> Score -> Select -> Replicas. Plugins are small objects; this file is what they are written against.
 * Every plugin's answer is kept, for clusters that win and for those that lose.
 */
import type { JsonObject } from '../../machinery/object.ts';
import type { ClusterFacts } from '../snapshot.ts';
import type { SchedulingUnit } from './unit.ts';

/** What a filter says of one cluster. `failed`: the plugin could not decide (a webhook); that is no rejection. */
export type FilterResult = { type: 'accept' } | { type: 'reject'; reason: string } | { type: 'failed'; reason: string };

/** Given to filters and scores. */
export type PluginContext = {
  unit: SchedulingUnit;
  cluster: ClusterFacts;
  /** True when the unit runs on this cluster now. */
  placed: boolean;
  /** Epoch ms. */
  now: number;
  /** `pluginConfig` of the profile; empty when there is none. */
  args: JsonObject;
};

/**
 * `evicts` says what a rejection means for work that runs on the cluster: `always` it goes (a taint, a deletion, a migration: somebody
 * declared it), `whileOthersFit` it goes when another cluster takes the object (a policy was edited), `never` it stays.
 */
export type FilterPlugin = {
  name: string;
  evicts: 'always' | 'whileOthersFit' | 'never';
  filter(context: PluginContext): FilterResult;
};

/** `normalise`: raw values are scaled to 0..100 over all clusters of the attempt, `descending` turned around. Absent: they are 0..100 already. */
export type ScorePlugin = { name: string; normalise?: 'ascending' | 'descending'; score(context: PluginContext): number };

/** A cluster that passed the filters, with its summed score. */
export type ScoredCluster = { cluster: ClusterFacts; score: number };

export type SelectResult = { type: 'ok'; clusters: ScoredCluster[] } | { type: 'unschedulable'; reason: string };

/** Orders or cuts the list. */
export type SelectPlugin = { name: string; select(unit: SchedulingUnit, clusters: readonly ScoredCluster[]): SelectResult };

/** Replicas per cluster in the order given; `weights` as they were used; `notes` say why a count is not the cluster's share. */
export type DividedReplicas = {
  type: 'ok';
  replicas: number[];
  weights?: { source: 'placement' | 'dynamic'; resource?: string; values: readonly number[] };
  notes: (string | undefined)[];
};
export type ReplicasResult = DividedReplicas | { type: 'invalid'; message: string };

/** Divides the unit's replicas over the selected clusters. `held`: clusters that keep what they run and get nothing new, with the reason. */
export type ReplicasPlugin = {
  name: string;
  divide(
    unit: SchedulingUnit,
    clusters: readonly ClusterFacts[],
    args: JsonObject,
    held?: ReadonlyMap<string, string>,
  ): ReplicasResult;
};

/** The plugins of an attempt, in order. */
export type Profile = {
  name: string;
  filters: readonly FilterPlugin[];
  scores: readonly { plugin: ScorePlugin; weight: number }[];
  selects: readonly SelectPlugin[];
  replicas: { Spread: ReplicasPlugin; Binpack: ReplicasPlugin };
  args: Readonly<Record<string, JsonObject>>;
};

const ACCEPTED: FilterResult = { type: 'accept' };

export function accept(): FilterResult {
  return ACCEPTED;
}

export function reject(reason: string): FilterResult {
  return { type: 'reject', reason };
}

/**
 * Scales scores to 0..100 in place, by KubeAdmiral's rule: integer `100 * score / max`; turned around when `descending`. All zero stays
 * zero, or becomes 100 when descending.
 */
export function normaliseScores(scores: Float64Array, direction: 'ascending' | 'descending'): void {
  let max = 0;
  for (const score of scores) if (score > max) max = score;
  for (let index = 0; index < scores.length; index++) {
    const scaled = max === 0 ? (scores[index] ?? 0) : Math.trunc((100 * (scores[index] ?? 0)) / max);
    scores[index] = direction === 'descending' ? 100 - (max === 0 ? 0 : scaled) : scaled;
  }
}
