/** Garbage collection, namespace deletion and the API's own controllers of one simulated cluster: the sweeper's reconcilers, driven by the cluster's own log. */

import { SWEEPER } from '../../../functions/sweeper/garbage.ts';
import {
  type ControlDeps,
  reconcileControl,
  reconcileDeleting,
  reconcileNamespace,
  reconcileOwnerGone,
} from '../../../functions/sweeper/handler.ts';
import type { Registry } from '../../../shared/apis/definition.ts';
import { type ObjectRef, storedScope } from '../../../shared/apis/stored.ts';
import type { FeedEntry, Store } from '../../../shared/ports/object-store.ts';
import type { Signer } from '../../../shared/ports/signer.ts';
import type { Clock, Ids, Log } from '../../../shared/ports/system.ts';
import {
  CONTROLLER_WRITER,
  type ControlRouter,
  type ControlTarget,
  createControlRouter,
} from '../../../shared/runtime/control/router.ts';
import { controlRoutes } from '../../../shared/runtime/control/routes.ts';
import { createObjectReader, listStored } from '../../../shared/runtime/objects.ts';
import type { ReconcileResult } from '../../../shared/runtime/reconcile.ts';
import { createKeyQueue } from './queue.ts';

const CURSOR = 'housekeeping';
const NAMESPACES = '/namespaces';
/** Writers whose changes may be deletion marks with a finalizer of garbage collection. */
const MARKERS: ReadonlySet<string> = new Set(['api', SWEEPER, CONTROLLER_WRITER]);
const ENTRIES_PER_READ = 500;

type Deps = {
  cluster: string;
  store: Store;
  registry: () => Registry;
  clock: Clock;
  ids: Ids;
  log: Log;
  caCert: string;
  signer?: Signer;
};
export type Housekeeping = { close(): Promise<void> };

/** Goes on from where it stopped: its position in the log is stored, so that a crash leaves no dependent behind. */
export async function startHousekeeping(deps: Deps): Promise<Housekeeping> {
  const { store, clock } = deps;
  const { objects, lanes, index } = store;
  const { registry, ids, caCert, signer } = deps;
  const work: ControlDeps = {
    objects,
    lanes,
    index,
    reader: createObjectReader(objects),
    registry,
    clock,
    ids,
    caCert,
    ...(signer ? { signer } : {}),
  };
  const router = createControlRouter(controlRoutes(store));
  const attempts = new Map<string, number>();
  const queue = createKeyQueue({
    concurrency: 4,
    now: () => clock.now(),
    onError: (key, error) =>
      deps.log.warn('housekeeping of a simulated cluster failed and will try again', {
        cluster: deps.cluster,
        key,
        error: String(error),
      }),
    work: async (key) => {
      const attempt = attempts.get(key) ?? 0;
      const result = await reconcile(work, key, attempt);
      if (result.type !== 'requeueAfter') {
        attempts.delete(key);
        return;
      }
      attempts.set(key, attempt + 1);
      queue.addAt(key, clock.now() + result.delayMs);
    },
  });
  let turn: Promise<void> = Promise.resolve();
  const read = async () => {
    for (;;) {
      const from = await store.cursors.load(CURSOR);
      const { entries, cursor } = await store.feed.read(from, ENTRIES_PER_READ);
      for (const entry of entries) {
        for (const key of keysOf(entry)) queue.add(key);
        for (const target of await router.targetsOf(entry)) queue.add(controlKey(target));
      }
      // Only what was queued is passed over; what is queued and lost by a crash is found by the slow pass of the next start.
      if (cursor !== from) await store.cursors.store(CURSOR, cursor, from);
      if (entries.length < ENTRIES_PER_READ) return;
    }
  };
  const wake = () => {
    turn = turn
      .then(read)
      .catch((error: unknown) =>
        deps.log.error('the log of a simulated cluster could not be read', { cluster: deps.cluster, error: String(error) }),
      );
  };
  const stopListening = store.lanes.onCommit(wake);
  await resume(deps, router, (key) => queue.add(key));
  wake();
  return {
    close: async () => {
      stopListening();
      await turn;
      await queue.close();
    },
  };
}

async function reconcile(deps: ControlDeps, key: string, attempt: number): Promise<ReconcileResult> {
  const [type = '', scope = '', namespace = '', name = '', controller = ''] = key.split('\n');
  if (type === 'owner') return reconcileOwnerGone(deps, scope, attempt);
  if (type === 'namespace') return reconcileNamespace(deps, scope, attempt);
  if (type === 'control') return reconcileControl(deps, { controller, object: { scope, namespace, name }, attempt });
  return reconcileDeleting(deps, { scope, namespace, name }, attempt);
}

function controlKey({ controller, object: { scope, namespace, name } }: ControlTarget): string {
  return `control\n${scope}\n${namespace}\n${name}\n${controller}`;
}

function keysOf(entry: FeedEntry): string[] {
  if (entry.type === 'deleted') return [`owner\n${entry.uid}`];
  if (entry.scope === NAMESPACES) return [`namespace\n${entry.name}`];
  // Whether it is being deleted is read again; most changes are not deletions, and one small read tells.
  // The sweeper's own marks count too: a deletion in the foreground goes down level by level.
  return MARKERS.has(entry.writer) && entry.type === 'modified' ? [deletingKey(entry)] : [];
}

/**
 * After a restart: what a crash may have lost between reading the log and acting on it. Namespaces and objects on their way out, and dependents
 * whose owner is gone, and what the controllers are to look at once.
 */
async function resume({ store, registry }: Deps, router: ControlRouter, add: (key: string) => void): Promise<void> {
  const standing = new Set<string>();
  const owners = new Set<string>();
  const scopes = registry()
    .all()
    .filter(({ virtual }) => !virtual)
    .map(storedScope);
  for (const scope of new Set(scopes))
    for await (const stored of listStored(store.objects, scope)) {
      standing.add(stored.uid);
      for (const uid of stored.ownerUids) owners.add(uid);
      for (const target of router.resyncOf(stored)) add(controlKey(target));
      if (stored.body.includes('"deletionTimestamp"'))
        add(scope === NAMESPACES ? `namespace\n${stored.name}` : deletingKey(stored));
    }
  for (const uid of owners) if (!standing.has(uid)) add(`owner\n${uid}`);
}

function deletingKey({ scope, namespace, name }: ObjectRef): string {
  return `deleting\n${scope}\n${namespace}\n${name}`;
}
