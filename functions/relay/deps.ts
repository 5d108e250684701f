/** What the relay needs. */
import type { Registry } from '../../shared/apis/definition.ts';
import type { FederatedTypes } from '../../shared/federation/type-config.ts';
import type { ChangeFeed, Cursors, Index, ObjectStore, Records } from '../../shared/ports/object-store.ts';
import type { Clock, Log } from '../../shared/ports/system.ts';
import type { ControlRouter } from '../../shared/runtime/control/router.ts';
import type { ObjectReader } from '../../shared/runtime/objects.ts';
import type { ScopeCache } from '../../shared/runtime/scope-cache.ts';
import type { Sender } from '../../shared/runtime/send.ts';

export type RelayDeps = {
  feed: ChangeFeed;
  cursors: Cursors;
  objects: Pick<ObjectStore, 'get' | 'list'>;
  reader: ObjectReader;
  records: Pick<Records, 'get' | 'write'>;
  index: Index;
  types: ScopeCache<FederatedTypes>;
  /** Says what the controllers of the API itself are to look at. */
  control: ControlRouter;
  registry: () => Registry;
  sender: Sender;
  clock: Clock;
  log: Log;
};
