import type { ScoredCluster, SelectPlugin } from '../framework.ts';

/**
 * Keeps the first `maxClusters` by score; equal ones stay in the order given. While nothing but the object itself changed, clusters that
 * run it come first: a workload does not move because another cluster is emptier now.
 */
export const maxCluster: SelectPlugin = {
  name: 'MaxCluster',
  select(unit, clusters) {
    const { maxClusters, preferPlaced, current } = unit;
    if (maxClusters !== undefined && maxClusters < 0) return { type: 'unschedulable', reason: `maxClusters is ${maxClusters}` };
    const ordered = [...clusters].sort((a, b) => b.score - a.score);
    if (maxClusters === undefined || ordered.length <= maxClusters) return { type: 'ok', clusters: ordered };
    if (!preferPlaced) return { type: 'ok', clusters: ordered.slice(0, maxClusters) };
    const isPlaced = ({ cluster }: ScoredCluster): boolean => current.has(cluster.name);
    const placedFirst = [...ordered.filter(isPlaced), ...ordered.filter((scored) => !isPlaced(scored))];
    return { type: 'ok', clusters: placedFirst.slice(0, maxClusters) };
  },
};
