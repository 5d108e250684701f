import { matchesSelector, matchTerms } from '../../policies/affinity.ts';
import { untoleratedTaint } from '../../policies/tolerations.ts';
import { accept, type FilterPlugin, reject } from '../framework.ts';

const BLOCKING: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);
const EVICTING: ReadonlySet<string> = new Set(['NoExecute']);

/** Rejects a cluster that the policy alone would not admit: annotations of the object may narrow a policy, not widen it. */
export const policyBounds: FilterPlugin = {
  name: 'PolicyBounds',
  evicts: 'whileOthersFit',
  filter({ unit, cluster, placed }) {
    const { bounds } = unit;
    if (!bounds) return accept();
    const admitted =
      (bounds.clusterNames.size === 0 || bounds.clusterNames.has(cluster.name)) &&
      matchesSelector(bounds.clusterSelector, cluster.labels) &&
      (bounds.required === undefined || matchTerms(bounds.required, cluster).type === 'match') &&
      untoleratedTaint(cluster.taints, placed ? EVICTING : BLOCKING, bounds.tolerations) === undefined;
    return admitted ? accept() : reject('the policy does not admit it, and annotations cannot widen a policy');
  },
};
