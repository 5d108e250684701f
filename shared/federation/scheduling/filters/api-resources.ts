import { accept, type FilterPlugin, reject } from '../framework.ts';

/** Rejects a cluster that does not serve the object's kind in its version. An API list can be incomplete, so running work stays. */
export const apiResources: FilterPlugin = {
  name: 'APIResources',
  evicts: 'never',
  filter({ unit, cluster }) {
    if (cluster.apiResources.has(unit.apiResource)) return accept();
    const [group = '', version = '', kind = ''] = unit.apiResource.split('/');
    return reject(`does not serve ${group === '' ? version : `${group}/${version}`} ${kind}`);
  },
};
