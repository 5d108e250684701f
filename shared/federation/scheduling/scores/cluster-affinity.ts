import { matchesExpressions } from '../../policies/affinity.ts';
import type { ScorePlugin } from '../framework.ts';

/** Prefers clusters that match more of the preferred terms, by their weights. */
export const clusterAffinityScore: ScorePlugin = {
  name: 'ClusterAffinity',
  normalise: 'ascending',
  score({ unit, cluster }) {
    let sum = 0;
    for (const { weight, term } of unit.preferred) if (matchesExpressions(term, cluster)) sum += weight;
    return sum;
  },
};
