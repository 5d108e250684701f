/** What the status function needs. */
import type { Registry } from '../../shared/apis/definition.ts';
import type { ClusterView } from '../../shared/federation/clusters/view.ts';
import type { FederatedTypes } from '../../shared/federation/type-config.ts';
import type { Index, ObjectStore, Records } from '../../shared/ports/object-store.ts';
import type { Clock, Ids, Log } from '../../shared/ports/system.ts';
import type { ObjectReader } from '../../shared/runtime/objects.ts';
import type { ScopeCache } from '../../shared/runtime/scope-cache.ts';
import type { Sender } from '../../shared/runtime/send.ts';
import type { Throttle } from './throttle.ts';

export type StatusDeps = {
  objects: Pick<ObjectStore, 'write'>;
  reader: ObjectReader;
  records: Pick<Records, 'ofOwner'>;
  index: Index;
  types: ScopeCache<FederatedTypes>;
  clusters: ScopeCache<ReadonlyMap<string, ClusterView>>;
  registry: () => Registry;
  throttle: Throttle;
  sender: Sender;
  clock: Clock;
  ids: Pick<Ids, 'uid'>;
  log: Log;
  /** Hears what became of an object: the terminal of `dev` tells when it is placed and ready. `placedAt` (epoch ms) once, when it is on all its clusters. */
  onStatus?(folded: { source: { scope: string; namespace: string; name: string }; placedAt?: number; status: unknown }): void;
};
