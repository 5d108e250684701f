/** Who follows a leader, kept as records from both sides: a follower's plan asks who leads it, a leader's commit asks who followed it before. */
import type { ObjectRef } from '../../shared/apis/stored.ts';
import { followerOwner } from '../../shared/federation/records.ts';
import type { FollowRef } from '../../shared/federation/snapshot.ts';
import type { FederatedTypes } from '../../shared/federation/type-config.ts';
import { parseJson, stringifyJson } from '../../shared/machinery/codec/json.ts';
import type { Records, RecordWrite, StoreRecord } from '../../shared/ports/object-store.ts';
import type { Outgoing } from '../../shared/runtime/send.ts';

/** Record owner of the list of those that follow a leader. */
function leaderOwner(ref: ObjectRef): string {
  return `L#${ref.scope}#${ref.namespace}#${ref.name}`;
}

/** The one record under `leaderOwner`. */
const LIST = 'followers';

export type FollowerChange = {
  /** To be written with the decision. Those that no longer follow stay on the list until they were told. */
  records: RecordWrite[];
  /** Those that follow now, and those that did until now: all of them plan anew, for this cause. */
  affected: readonly FollowRef[];
  cause: string;
  /** To be written when all of them were told: the list without those that left. A crash before that tells them again. */
  afterSend: RecordWrite[];
};

/** The records that a changed list of followers asks for; none when the list is as it was. */
export async function followerChange(
  records: Pick<Records, 'ofOwner'>,
  leaderRef: ObjectRef,
  leader: FollowRef,
  followers: readonly FollowRef[],
): Promise<FollowerChange> {
  const { stored, list: before } = await listOf(records, leaderRef);
  const keysBefore = new Set(before.map(followerOwner));
  const keysNow = new Set(followers.map(followerOwner));
  const added = followers.filter((follower) => !keysBefore.has(followerOwner(follower)));
  const dropped = before.filter((follower) => !keysNow.has(followerOwner(follower)));
  const affected = [...followers, ...dropped];
  // The list's version, for who follows may change without a new decision.
  const cause = `followers ${stored?.version ?? 0}`;
  if (added.length === 0 && dropped.length === 0) return { records: [], affected, cause, afterSend: [] };
  const body = stringifyJson(leader);
  const cluster = leaderKey(leaderRef);
  return {
    affected,
    cause,
    records: [
      ...added.map((follower) => ({ owner: followerOwner(follower), cluster, body })),
      ...dropped.map((follower) => ({ owner: followerOwner(follower), cluster, body: null })),
      listWrite(leaderRef, affected),
    ],
    afterSend: dropped.length > 0 ? [listWrite(leaderRef, followers)] : [],
  };
}

/** A leader goes: those that follow it are to be told first, then the records go. */
export async function leaderGone(
  records: Pick<Records, 'ofOwner'>,
  leaderRef: ObjectRef,
): Promise<{ affected: readonly FollowRef[]; records: RecordWrite[] }> {
  const { stored, list } = await listOf(records, leaderRef);
  if (!stored) return { affected: [], records: [] };
  const cluster = leaderKey(leaderRef);
  const claims = list.map((follower) => ({ owner: followerOwner(follower), cluster, body: null }));
  return { affected: list, records: [...claims, { owner: leaderOwner(leaderRef), cluster: LIST, body: null }] };
}

async function listOf(
  records: Pick<Records, 'ofOwner'>,
  leaderRef: ObjectRef,
): Promise<{ stored: StoreRecord | undefined; list: FollowRef[] }> {
  const [stored] = await records.ofOwner(leaderOwner(leaderRef));
  return { stored, list: stored ? (parseJson(stored.body) as unknown as FollowRef[]) : [] };
}

/** An empty list stays, so that its version goes on. */
function listWrite(leaderRef: ObjectRef, followers: readonly FollowRef[]): RecordWrite {
  return { owner: leaderOwner(leaderRef), cluster: LIST, body: stringifyJson(followers as unknown as FollowRef[]) };
}

/** `cluster` of the records that name a leader. */
function leaderKey({ scope, namespace, name }: ObjectRef): string {
  return `${scope}#${namespace}#${name}`;
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
