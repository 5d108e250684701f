import type { ScoredCluster, SelectPlugin } from '../framework.ts';

/** Orders by score, or by the policy's priorities where any is set or clusters are to be packed; ties by name. */
export const prioritySort: SelectPlugin = {
  name: 'PrioritySort',
  select(unit, clusters) {
    const byPriority = unit.priorities.size > 0 || (unit.mode === 'Divide' && unit.strategy === 'Binpack');
    const scored = byPriority
      ? clusters.map(({ cluster }) => ({ cluster, score: unit.priorities.get(cluster.name) ?? 0 }))
      : [...clusters];
    return { type: 'ok', clusters: scored.sort(byScoreThenName) };
  },
};

function byScoreThenName(a: ScoredCluster, b: ScoredCluster): number {
  return b.score - a.score || (a.cluster.name < b.cluster.name ? -1 : 1);
}
