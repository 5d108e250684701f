/** Mapper of the references in a pod spec. */
import { followersOfPodSpec } from '../../../shared/federation/followers/followers.ts';
import { byFunction, type Mapper, type Mappers, value } from '../outcome.ts';

const followers: Mapper = ({ input }) => {
  const byKind = Object.groupBy(followersOfPodSpec(input.podSpec, input.namespace), ({ kind }) => kind);
  return value(
    Object.fromEntries(Object.entries(byKind).map(([kind, refs = []]) => [kind, refs.map(({ name }) => name).sort()])),
  );
};

export const mappers: Mappers = { follower: byFunction({ followersOfPodSpec: followers }) };
