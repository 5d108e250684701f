import { tolerates } from '../../policies/tolerations.ts';
import type { ScorePlugin } from '../framework.ts';

/** Prefers clusters with fewer PreferNoSchedule taints that the workload does not tolerate. */
export const taintTolerationScore: ScorePlugin = {
  name: 'TaintToleration',
  normalise: 'descending',
  score({ unit, cluster }) {
    let untolerated = 0;
    for (const taint of cluster.taints) {
      if (taint.effect !== 'PreferNoSchedule') continue;
      if (!unit.tolerations.some((toleration) => tolerates(toleration, taint))) untolerated++;
    }
    return untolerated;
  },
};
