/** Work that waited for a cluster goes on. */
import { parseDispatchOwner } from '../../shared/federation/records.ts';
import { SCOPES } from '../../shared/federation/type-config.ts';
import { listStored, refOf } from '../../shared/runtime/objects.ts';
import type { Outgoing } from '../../shared/runtime/send.ts';
import type { ClustersDeps } from './deps.ts';
import { PARKED_PER_ROUND } from './limits.ts';

/** Sends what was parked for a cluster that answers again. Answers how many messages were sent; what is beyond one round comes with the next probe. */
export async function unpark(deps: Pick<ClustersDeps, 'records' | 'sender' | 'breakers'>, cluster: string): Promise<number> {
  const parked = await deps.records.parkedFor(cluster, PARKED_PER_ROUND);
  if (parked.length === 0) return 0;
  deps.breakers.reset(cluster);
  const outgoing: Outgoing[] = [];
  for (const { owner, version } of parked) {
    const federated = parseDispatchOwner(owner);
    if (federated) outgoing.push({ work: { type: 'dispatch', federated, cluster, attempt: 0 }, cause: `back ${version}` });
  }
  await deps.sender.send(outgoing);
  return outgoing.length;
}

/** Sends everything anew to a cluster that is another one under the same name. */
export async function resendAll(
  deps: Pick<ClustersDeps, 'objects' | 'sender'>,
  cluster: string,
  memberUid: string,
): Promise<void> {
  for (const scope of [SCOPES.federated, SCOPES.clusterFederated]) {
    const outgoing: Outgoing[] = [];
    for await (const stored of listStored(deps.objects, scope))
      outgoing.push({
        work: { type: 'dispatch', federated: refOf(stored), cluster, attempt: 0 },
        cause: `member ${memberUid} ${stored.resourceVersion}`,
      });
    await deps.sender.send(outgoing);
  }
}
