/** What follows from a changed FederatedCluster: a probe of the cluster, and new plans when something changed that placements depend on. */

import { fromStored } from '../../shared/apis/stored.ts';
import { clusterFacts } from '../../shared/federation/clusters/facts.ts';
import { SCOPES } from '../../shared/federation/type-config.ts';
import { canonicalJson, sha256Hex } from '../../shared/machinery/canonical.ts';
import type { JsonValue, KubeObject } from '../../shared/machinery/object.ts';
import type { FeedEntry } from '../../shared/ports/object-store.ts';
import { listStored } from '../../shared/runtime/objects.ts';
import type { Outgoing } from '../../shared/runtime/send.ts';
import type { RelayDeps } from './deps.ts';

/** Record owner under which the fingerprint lies that placements were last asked anew for. */
const FINGERPRINT_OWNER = 'relay#clusters';

/**
 * A cluster changed in a way that asks for new plans of everything: once for all such changes of one batch, for many clusters come and go together.
 * `afterSend` is to be done after that was sent: a crash in between then repeats the work instead of losing it.
 */
export type ClusterChange = { changedCluster: string; cause: string; afterSend: () => Promise<unknown> };

/**
 * A cluster's status is written often (free capacity follows its pods); only what admits or bars workloads asks for new plans.
 * What was last asked for is kept as a fingerprint.
 */
export async function* clusterWork(deps: RelayDeps, entry: FeedEntry, cause: string): AsyncGenerator<Outgoing | ClusterChange> {
  if (entry.writer !== 'clusters') yield { work: { type: 'cluster', cluster: entry.name, attempt: 0 }, cause };
  const cluster = await deps.reader.get(entry);
  const fingerprint = cluster ? fingerprintOf(cluster.object) : '';
  const known = await deps.records.get(FINGERPRINT_OWNER, entry.name);
  if ((known?.body ?? '') === fingerprint) return;
  const body = fingerprint === '' ? null : fingerprint;
  const afterSend = () => deps.records.write([{ owner: FINGERPRINT_OWNER, cluster: entry.name, body }]);
  yield { changedCluster: entry.name, cause, afterSend };
}

/** Digest of everything of a cluster that decides whether it is chosen, capacity aside (that is read when a plan is made). */
function fingerprintOf(cluster: KubeObject): string {
  const { uid, memberUid = '', joined, ready, terminating, hashes } = clusterFacts(cluster);
  return sha256Hex(canonicalJson({ uid, memberUid, joined, ready, terminating, hashes } as unknown as JsonValue));
}

/** Clusters that log in with a Secret that changed. */
export async function* clustersOfSecret(deps: RelayDeps, entry: FeedEntry, cause: string): AsyncGenerator<Outgoing> {
  if (entry.writer === 'clusters') return;
  for await (const stored of listStored(deps.objects, SCOPES.clusters)) {
    const isUser = fromStored(stored).spec?.secretRef?.name === entry.name;
    if (isUser) yield { work: { type: 'cluster', cluster: stored.name, attempt: 0 }, cause };
  }
}
