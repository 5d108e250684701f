import { accept, type FilterPlugin, reject } from '../framework.ts';

/** Rejects a cluster that a non-empty `placement` list does not name. */
export const placementFilter: FilterPlugin = {
  name: 'PlacementFilter',
  evicts: 'whileOthersFit',
  filter({ unit, cluster }) {
    if (unit.clusterNames.size === 0 || unit.clusterNames.has(cluster.name)) return accept();
    return reject('is not among the clusters of placement');
  },
};
