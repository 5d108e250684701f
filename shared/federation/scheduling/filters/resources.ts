/** Filters on the resources of a cluster. Both are off by default. */
import type { ResourceAmounts } from '../../snapshot.ts';
import { accept, type FilterPlugin, reject } from '../framework.ts';

/** Resource names of Katalyst's reclaimed capacity begin so. */
export const KATALYST_PREFIX = 'resource.katalyst.kubewharf.io/';

/** Rejects a cluster that has no room for one replica, unless the workload runs there. */
export const clusterResourcesFit: FilterPlugin = {
  name: 'ClusterResourcesFit',
  evicts: 'never',
  filter({ unit, cluster, placed }) {
    if (placed) return accept();
    for (const [resource, request] of Object.entries(unit.request)) {
      if (request <= 0) continue;
      const allocatable = amountOf(cluster.allocatable, resource);
      if (allocatable < allocatable - amountOf(cluster.available, resource) + request)
        return reject(`has too little ${resource}`);
    }
    return accept();
  },
};

/** Rejects a cluster without Katalyst resources when the workload asks for some, unless it runs there. */
export const katalystResourcesExist: FilterPlugin = {
  name: 'KatalystResourcesExist',
  evicts: 'never',
  filter({ unit, cluster, placed }) {
    if (placed || !Object.keys(unit.request).some(isKatalyst)) return accept();
    return Object.keys(cluster.allocatable).some(isKatalyst) ? accept() : reject('has no Katalyst resources');
  },
};

function isKatalyst(resource: string): boolean {
  return resource.startsWith(KATALYST_PREFIX);
}

function amountOf(amounts: ResourceAmounts, resource: string): number {
  return Object.hasOwn(amounts, resource) ? (amounts[resource] ?? 0) : 0;
}
