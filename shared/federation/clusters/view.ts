/** What dispatch and status read of a FederatedCluster. */
import type { Condition, KubeObject } from '../../machinery/object.ts';
import { CASCADING_DELETE_ANNOTATION } from '../keys.ts';

/** Annotation of a FederatedCluster: uid of its kube-system namespace, so that another cluster of the same name is known as another. */
export const MEMBER_UID_ANNOTATION = 'lamiral.dev/member-uid';

/** `memberUid` is empty before the cluster was first reached. `offlineSince` (RFC 3339): when it was last known to be reachable. */
export type ClusterView = {
  name: string;
  memberUid: string;
  joined: boolean;
  ready: boolean;
  offline: boolean;
  terminating: boolean;
  cascading: boolean;
  /** The FederatedCluster; not to be changed. */
  object: KubeObject;
};

/** Reads a FederatedCluster. */
export function clusterView(object: KubeObject): ClusterView {
  const conditions = (object.status?.conditions ?? []) as Condition[];
  const isTrue = (type: string) => conditions.some((condition) => condition.type === type && condition.status === 'True');
  const { metadata } = object;
  return {
    name: metadata.name ?? '',
    memberUid: metadata.annotations?.[MEMBER_UID_ANNOTATION] ?? '',
    joined: isTrue('Joined'),
    ready: isTrue('Ready'),
    offline: isTrue('Offline'),
    terminating: metadata.deletionTimestamp !== undefined,
    cascading: metadata.annotations?.[CASCADING_DELETE_ANNOTATION] !== undefined,
    object,
  };
}

/** Views by name, for a scope cache. */
export function clustersByName(views: readonly ClusterView[]): ReadonlyMap<string, ClusterView> {
  return new Map(views.map((view) => [view.name, view]));
}
