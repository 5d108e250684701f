/** Filters on the state of the cluster itself. */
import { formatTime } from '../../../machinery/time.ts';
import { accept, type FilterPlugin, reject } from '../framework.ts';

/** Rejects a cluster that has not joined: nothing is known of it yet. */
export const clusterJoined: FilterPlugin = {
  name: 'ClusterJoined',
  evicts: 'never',
  filter({ cluster }) {
    return cluster.joined ? accept() : reject('has not joined');
  },
};

/** Rejects a cluster that is not ready, unless the workload runs there. */
export const clusterReady: FilterPlugin = {
  name: 'ClusterReady',
  evicts: 'never',
  filter({ cluster, placed }) {
    return cluster.ready || placed ? accept() : reject('is not ready');
  },
};

/** Rejects a cluster that is being removed, placed or not. */
export const clusterTerminating: FilterPlugin = {
  name: 'ClusterTerminating',
  evicts: 'always',
  filter({ cluster }) {
    return cluster.terminating ? reject('is being removed') : accept();
  },
};

/** Rejects a cluster that the user evicted the workload from, until the time they gave. */
export const clusterEvicted: FilterPlugin = {
  name: 'ClusterEvicted',
  evicts: 'always',
  filter({ unit, cluster, now }) {
    const until = unit.evictedUntil.get(cluster.name);
    return until !== undefined && until > now ? reject(`was evicted by a migration until ${formatTime(until)}`) : accept();
  },
};
