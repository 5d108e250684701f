/** Work that waited for a cluster goes on. */
import { parseDispatchOwner } from '../../shared/federation/records.ts';
import type { Outgoing } from '../../shared/runtime/send.ts';
import type { ClustersDeps } from './deps.ts';
import { PARKED_PER_ROUND, UNPARK_EVERY_MS } from './limits.ts';

/** Sends what was parked for a cluster that answers again. Answers how many messages were sent; what is beyond one round comes with the next probe. */
export async function unpark(
  deps: Pick<ClustersDeps, 'records' | 'sender' | 'breakers' | 'clock'>,
  cluster: string,
): Promise<number> {
  const parked = await deps.records.parkedFor(cluster, PARKED_PER_ROUND);
  if (parked.length === 0) return 0;
  deps.breakers.reset(cluster);
  // A record that was parked again unchanged keeps its version: without the time it would be taken for a repeat for five minutes.
  const turn = Math.floor(deps.clock.now() / UNPARK_EVERY_MS);
  const outgoing: Outgoing[] = [];
  for (const { owner, version } of parked) {
    const federated = parseDispatchOwner(owner);
    const cause = `back ${version} ${turn}`;
    if (federated) outgoing.push({ work: { type: 'dispatch', federated, cluster, attempt: 0 }, cause });
  }
  await deps.sender.send(outgoing);
  return outgoing.length;
}
