import { matchesSelector, matchTerms } from '../../policies/affinity.ts';
import { accept, type FilterPlugin, reject } from '../framework.ts';

/** Rejects a cluster whose labels or name do not match clusterSelector and the required terms of clusterAffinity. */
export const clusterAffinity: FilterPlugin = {
  name: 'ClusterAffinity',
  evicts: 'whileOthersFit',
  filter({ unit, cluster }) {
    if (!matchesSelector(unit.clusterSelector, cluster.labels)) return reject('labels do not match clusterSelector');
    if (unit.required === undefined) return accept();
    const match = matchTerms(unit.required, cluster);
    if (match.type === 'match') return accept();
    return reject(
      match.type === 'invalid' ? `clusterAffinity is malformed: ${match.message}` : 'labels do not match clusterAffinity',
    );
  },
};
