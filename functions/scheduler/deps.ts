/** What the scheduler needs. */
import type { Registry } from '../../shared/apis/definition.ts';
import type { ClusterFacts } from '../../shared/federation/snapshot.ts';
import type { FederatedTypes } from '../../shared/federation/type-config.ts';
import type { ObjectStore, Records } from '../../shared/ports/object-store.ts';
import type { Clock, Ids, Log } from '../../shared/ports/system.ts';
import type { ObjectReader } from '../../shared/runtime/objects.ts';
import type { ScopeCache } from '../../shared/runtime/scope-cache.ts';
import type { Sender } from '../../shared/runtime/send.ts';
import type { Reservations } from './reservations.ts';

export type SchedulerDeps = {
  objects: Pick<ObjectStore, 'write'>;
  reader: ObjectReader;
  records: Pick<Records, 'ofOwner' | 'write'>;
  types: ScopeCache<FederatedTypes>;
  clusters: ScopeCache<readonly ClusterFacts[]>;
  registry: () => Registry;
  reservations: Reservations;
  sender: Sender;
  clock: Clock;
  ids: Pick<Ids, 'uid'>;
  log: Log;
  /** Hears of every new decision that was committed: one calm line per placement in `dev`. */
  onPlaced?(placed: { source: { scope: string; namespace: string; name: string }; summary: string; decideMs: number }): void;
};
