/** What the clusters function needs. */
import type { Registry } from '../../shared/apis/definition.ts';
import type { ClusterView } from '../../shared/federation/clusters/view.ts';
import type { FederatedTypes } from '../../shared/federation/type-config.ts';
import type { ObjectStore, Records } from '../../shared/ports/object-store.ts';
import type { Clock, Ids, Log } from '../../shared/ports/system.ts';
import type { Breakers } from '../../shared/runtime/breaker.ts';
import type { MemberAccess } from '../../shared/runtime/members.ts';
import type { ObjectReader } from '../../shared/runtime/objects.ts';
import type { ScopeCache } from '../../shared/runtime/scope-cache.ts';
import type { Sender } from '../../shared/runtime/send.ts';
import type { ClusterTimes } from './limits.ts';

export type ClustersDeps = {
  objects: Pick<ObjectStore, 'get' | 'list' | 'write'>;
  reader: ObjectReader;
  records: Pick<Records, 'ofOwner' | 'parkedFor' | 'write'>;
  types: ScopeCache<FederatedTypes>;
  clusters: ScopeCache<ReadonlyMap<string, ClusterView>>;
  /** Access with the credentials of daily work, and with those of the first contact. */
  members: MemberAccess;
  bootstrapMembers: MemberAccess;
  breakers: Breakers;
  registry: () => Registry;
  sender: Sender;
  clock: Clock;
  ids: Pick<Ids, 'uid'>;
  log: Log;
  times: ClusterTimes;
  /** Label selectors of nodes that do not count as capacity. */
  nodeFilters: readonly string[];
  /** Hears of clusters that joined, came, went: for the terminal of `dev`, and for watches. */
  onCluster?(change: { cluster: string; type: 'joined' | 'ready' | 'offline' | 'gone'; message: string }): void;
};
