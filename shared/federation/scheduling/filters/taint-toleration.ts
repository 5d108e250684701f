import { formatTaint, untoleratedTaint } from '../../policies/tolerations.ts';
import { accept, type FilterPlugin, reject } from '../framework.ts';

const BLOCKING: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);
const EVICTING: ReadonlySet<string> = new Set(['NoExecute']);

/** Rejects a cluster with a taint that the workload does not tolerate; running replicas are only evicted by NoExecute. */
export const taintToleration: FilterPlugin = {
  name: 'TaintToleration',
  evicts: 'always',
  filter({ unit, cluster, placed }) {
    if (cluster.taints.length === 0) return accept();
    const taint = untoleratedTaint(cluster.taints, placed ? EVICTING : BLOCKING, unit.tolerations);
    return taint ? reject(`taint ${formatTaint(taint)} is not tolerated`) : accept();
  },
};
