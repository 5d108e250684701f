/** The clusters function: joins, probes and lets go of member clusters; and, in a long-lived process, watches what is managed in them. */
import { SCOPES } from '../../shared/federation/type-config.ts';
import { type BatchHandler, createBatchHandler } from '../../shared/runtime/batch.ts';
import { listStored } from '../../shared/runtime/objects.ts';
import type { Outgoing } from '../../shared/runtime/send.ts';
import type { ClustersDeps } from './deps.ts';
import type { ProbeTimes } from './memo.ts';
import { reconcileCluster } from './reconcile-cluster.ts';

export type { ClustersDeps } from './deps.ts';
export { CLUSTER_TIMES, type ClusterTimes, DEV_CLUSTER_TIMES } from './limits.ts';
export { reconcileCluster } from './reconcile-cluster.ts';
export { createMemberWatches, type MemberWatches, type MemberWatchesDeps } from './watch-members.ts';

/** The handler of the `clusters` queue. */
export function createClustersHandler(deps: ClustersDeps): BatchHandler {
  const times = new Map<string, ProbeTimes>();
  return createBatchHandler(deps, {
    name: 'clusters',
    // Nodes and pods of a big cluster take their time.
    timeoutMs: 90_000,
    reconcile: async (work) => (work.type === 'cluster' ? reconcileCluster(deps, times, work) : undefined),
  });
}

/** Asks for a look at every cluster: called by a timer (`dev`) or a schedule (AWS). `period` names the turn, so that a doubled tick is one. */
export async function clusterTick(deps: Pick<ClustersDeps, 'objects' | 'sender'>, period: string): Promise<void> {
  const outgoing: Outgoing[] = [];
  for await (const { name } of listStored(deps.objects, SCOPES.clusters))
    outgoing.push({ work: { type: 'cluster', cluster: name, attempt: 0 }, cause: `tick ${period}` });
  await deps.sender.send(outgoing);
}
