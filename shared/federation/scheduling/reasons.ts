/** The one sentence that a decision holds for each cluster. */
import type { ClusterDecision, Rejection } from './decision.ts';
import type { SchedulingUnit } from './unit.ts';

/** Why a cluster that was refused does not run the object. */
export function whyRejected(rejections: readonly Rejection[]): string {
  const [first] = rejections;
  if (rejections.length === 1 && first) return first.reason;
  return rejections.map(({ reason }) => reason).join('; ');
}

/** Why a cluster that passed every filter was not chosen. `rank` counts from 1. */
export function whyNotSelected(unit: SchedulingUnit, score: number, rank: number): string {
  if (unit.maxClusters === undefined) return `score ${score} was not selected`;
  return `score ${score} is number ${rank}, and maxClusters is ${unit.maxClusters}`;
}

/** Why a selected cluster has this many replicas. `note` is the planner's; `heaviest` marks the cluster with the largest weight. */
export function whyDivided(
  entry: Pick<ClusterDecision, 'replicas' | 'before' | 'share' | 'fits'>,
  note: string | undefined,
  heaviest: 'dynamic' | 'placement' | undefined,
): string {
  const replicas = entry.replicas ?? 0;
  if (replicas === 0)
    return (
      note ??
      (entry.share === undefined ? 'nothing is left for it' : `its share is ${entry.share}, no whole replica is left for it`)
    );
  const reason = note ?? shareText(entry.share, heaviest);
  if (entry.fits === undefined) return reason;
  const more = entry.fits - (replicas - (entry.before ?? 0));
  return more >= 0 ? `${reason}; ${more} more would fit` : `${reason}; ${-more} may not fit now`;
}

/** Why a cluster without replicas stays without them, although its weight would give it some. */
export function whyNotMoved({ replicas, share }: Pick<ClusterDecision, 'replicas' | 'share'>): string | undefined {
  if ((replicas ?? 0) > 0 || !share) return undefined;
  return `its share would be ${share}, but what runs elsewhere is not moved (avoidDisruption)`;
}

function shareText(share: number | undefined, heaviest: 'dynamic' | 'placement' | undefined): string {
  if (heaviest === 'dynamic') return 'most free capacity';
  if (heaviest === 'placement') return 'largest weight';
  return share === undefined ? 'takes what the clusters before it left' : `its share is ${share}`;
}

/** What a reason that tells of one cluster becomes where it tells of several. */
const PLURAL_BY_VERB: ReadonlyMap<string, string> = new Map([
  ['is', 'are'],
  ['has', 'have'],
  ['does', 'do'],
  ['was', 'were'],
]);

/**
 * `0/5 clusters are available: 2 clusters are not ready, 2 clusters: labels do not match clusterSelector, 1 cluster has not joined`: most frequent
 * first, each cluster by its first reason.
 */
export function noFitMessage(clusters: readonly ClusterDecision[]): string {
  if (clusters.length === 0) return 'no cluster has joined';
  const counts = new Map<string, number>();
  for (const { rejections, why } of clusters) {
    const reason = rejections?.[0]?.reason ?? why;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const parts = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return `0/${clusters.length} clusters are available: ${parts.map(([reason, count]) => counted(reason, count)).join(', ')}`;
}

/** A reason without a verb of the cluster's own is a sentence by itself. */
function counted(reason: string, count: number): string {
  const clusters = count === 1 ? '1 cluster' : `${count} clusters`;
  const [verb = '', ...rest] = reason.split(' ');
  const plural = PLURAL_BY_VERB.get(verb);
  if (plural === undefined) return `${clusters}: ${reason}`;
  return [clusters, count === 1 ? verb : plural, ...rest].join(' ');
}
