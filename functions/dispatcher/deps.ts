/** What the dispatcher needs. */
import type { Registry } from '../../shared/apis/definition.ts';
import type { ClusterView } from '../../shared/federation/clusters/view.ts';
import type { FederatedType, FederatedTypes } from '../../shared/federation/type-config.ts';
import type { ObjectStore, Records } from '../../shared/ports/object-store.ts';
import type { Clock, Ids, Log } from '../../shared/ports/system.ts';
import type { Breakers } from '../../shared/runtime/breaker.ts';
import type { MemberAccess } from '../../shared/runtime/members.ts';
import type { ObjectReader } from '../../shared/runtime/objects.ts';
import type { RecordWriter } from '../../shared/runtime/record-writer.ts';
import type { ScopeCache } from '../../shared/runtime/scope-cache.ts';
import type { Sender } from '../../shared/runtime/send.ts';

export type DispatcherDeps = {
  objects: Pick<ObjectStore, 'write'>;
  reader: ObjectReader;
  records: Pick<Records, 'get' | 'ofOwner'>;
  /** Gathers the records of one object's clusters into one store write. */
  recordWriter: RecordWriter;
  types: ScopeCache<FederatedTypes>;
  clusters: ScopeCache<ReadonlyMap<string, ClusterView>>;
  members: MemberAccess;
  breakers: Breakers;
  registry: () => Registry;
  sender: Sender;
  clock: Clock;
  ids: Pick<Ids, 'uid'>;
  log: Log;
  /** Hears that a cluster now has objects of a type: time to watch them there. */
  onManaged?(cluster: string, type: FederatedType): void;
};
