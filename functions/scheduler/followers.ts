/** Who follows a leader, kept as records from both sides: a follower's plan asks who leads it, a leader's commit asks who followed it before. */
import type { ObjectRef } from '../../shared/apis/stored.ts';
import { followerOwner } from '../../shared/federation/records.ts';
import type { FollowRef } from '../../shared/federation/snapshot.ts';
import type { FederatedTypes } from '../../shared/federation/type-config.ts';
import { parseJson, stringifyJson } from '../../shared/machinery/codec/json.ts';
import type { Records, RecordWrite } from '../../shared/ports/object-store.ts';
import type { Outgoing } from '../../shared/runtime/send.ts';

/** Record owner of the list of those that follow a leader. */
function leaderOwner(ref: ObjectRef): string {
  return `L#${ref.scope}#${ref.namespace}#${ref.name}`;
}

/** The one record under `leaderOwner`. */
const LIST = 'followers';

export type FollowerChange = {
  records: RecordWrite[];
  /** Those that follow now, and those that did until now: all of them plan anew. */
  affected: readonly FollowRef[];
};

/** The records that a changed list of followers asks for; none when the list is as it was. */
export async function followerChange(
  records: Pick<Records, 'ofOwner'>,
  leaderRef: ObjectRef,
  leader: FollowRef,
  followers: readonly FollowRef[],
): Promise<FollowerChange> {
  const owner = leaderOwner(leaderRef);
  const stored = (await records.ofOwner(owner))[0];
  const before = stored ? (parseJson(stored.body) as unknown as FollowRef[]) : [];
  const keysBefore = new Set(before.map(followerOwner));
  const keysNow = new Set(followers.map(followerOwner));
  const leaderKey = `${leaderRef.scope}#${leaderRef.namespace}#${leaderRef.name}`;
  const added = followers.filter((follower) => !keysBefore.has(followerOwner(follower)));
  const dropped = before.filter((follower) => !keysNow.has(followerOwner(follower)));
  const affected = [...followers, ...dropped];
  if (added.length === 0 && dropped.length === 0) return { records: [], affected };
  const body = stringifyJson(leader);
  return {
    affected,
    records: [
      ...added.map((follower) => ({ owner: followerOwner(follower), cluster: leaderKey, body })),
      ...dropped.map((follower) => ({ owner: followerOwner(follower), cluster: leaderKey, body: null })),
      { owner, cluster: LIST, body: followers.length === 0 ? null : stringifyJson(followers as unknown as FollowRef[]) },
    ],
  };
}

/** Schedule messages for followers; a follower that does not exist (yet) is passed over when it is handled. */
export function scheduleFollowers(types: FederatedTypes, followers: readonly FollowRef[], cause: string): Outgoing[] {
  const outgoing: Outgoing[] = [];
  for (const { group, kind, namespace, name } of followers) {
    const type = types.byKind.get(`${group}/${kind}`);
    if (type) outgoing.push({ work: { type: 'schedule', source: { scope: type.scope, namespace, name }, attempt: 0 }, cause });
  }
  return outgoing;
}
