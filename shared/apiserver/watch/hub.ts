/** All watches of one server: one log reader per scope, one clock tick, limits, and a clean end for all. */

import type { Registry, ResourceDefinition } from '../../apis/definition.ts';
import { tooManyRequests } from '../../machinery/status.ts';
import type { ObjectStore, Store } from '../../ports/object-store.ts';
import type { Clock, Log } from '../../ports/system.ts';
import { WATCH_POLL_MS, WATCH_TICK_MS, WATCHES_MAX, WATCHES_PER_USER_MAX } from '../limits.ts';
import { startWatch, type WatchClient, type WatchRequest } from './client.ts';
import { createOutlet } from './outlet.ts';
import { createScopeReader, type ScopeReader } from './reader.ts';

export type WatchHub = {
  /** Starts a watch and gives its bytes. `head`: the scope's newest version, just read. Throws 429 over the limits. */
  open(user: string, request: WatchRequest, head: number): ReadableStream<Uint8Array>;
  /** Ends the watches of kinds that are not what they were: their clients come back, and get the kind as it is now. */
  retire(registry: Registry): void;
  /** Open watches, for display. */
  count(): number;
  /** Ends every watch cleanly, after a bookmark, and stops reading. */
  close(): Promise<void>;
};

type Deps = { store: Pick<Store, 'objects' | 'lanes'>; clock: Clock; log: Log };
type State = {
  deps: Deps;
  /** By scope, and by the view of the store that the watches read through. */
  readers: Map<string, Map<ObjectStore, ScopeReader>>;
  clients: Map<WatchClient, { user: string; scope: string; objects: ObjectStore; definition: ResourceDefinition }>;
  /** Ends the tick loop; present while it runs. */
  ticking: AbortController | undefined;
  stopListening: () => void;
  closed: boolean;
};

export function createWatchHub(deps: Deps): WatchHub {
  const readers: State['readers'] = new Map();
  const stopListening = deps.store.lanes.onCommit((scopes) => {
    for (const scope of scopes) for (const reader of readers.get(scope)?.values() ?? []) reader.wake();
  });
  const state: State = { deps, readers, clients: new Map(), ticking: undefined, stopListening, closed: false };
  return {
    open: (user, request, head) => open(state, user, request, head),
    retire: (registry) => retire(state, registry),
    count: () => state.clients.size,
    close: async () => close(state),
  };
}

function open(state: State, user: string, request: WatchRequest, head: number): ReadableStream<Uint8Array> {
  refuseTooMany(state, user);
  const { deps } = state;
  const { scope, objects, shape } = request;
  const forget = () => drop(state, client, scope, objects);
  const outlet = createOutlet(() => client.finish(), forget);
  const reader = () => readerOf(state, scope, objects, head);
  const client = startWatch({ lanes: deps.store.lanes, clock: deps.clock }, request, outlet, reader, (error) =>
    deps.log.warn('a watch ended because the store failed', { scope, error: String(error) }),
  );
  state.clients.set(client, { user, scope, objects, definition: shape.definition });
  if (outlet.closed()) forget();
  if (!state.ticking) startTicking(state);
  return outlet.stream;
}

function refuseTooMany(state: State, user: string): void {
  if (state.closed) throw tooManyRequests('the server is shutting down', 1);
  if (state.clients.size >= WATCHES_MAX) throw tooManyRequests(`this server serves at most ${WATCHES_MAX} watches at once`, 5);
  let own = 0;
  for (const client of state.clients.values()) if (client.user === user) own += 1;
  if (own >= WATCHES_PER_USER_MAX) throw tooManyRequests(`one user may hold at most ${WATCHES_PER_USER_MAX} watches at once`, 5);
}

function readerOf({ readers, deps }: State, scope: string, objects: ObjectStore, head: number): ScopeReader {
  const ofScope = readers.get(scope) ?? new Map<ObjectStore, ScopeReader>();
  readers.set(scope, ofScope);
  const known = ofScope.get(objects);
  if (known) return known;
  const reader = createScopeReader({ objects, log: deps.log }, scope, head);
  ofScope.set(objects, reader);
  return reader;
}

/** The reader stops with its last watch. */
function drop(state: State, client: WatchClient, scope: string, objects: ObjectStore): void {
  state.clients.delete(client);
  const watched = [...state.clients.values()].some((other) => other.scope === scope && other.objects === objects);
  if (!watched) {
    const ofScope = state.readers.get(scope);
    ofScope?.get(objects)?.stop();
    ofScope?.delete(objects);
    if (ofScope?.size === 0) state.readers.delete(scope);
  }
  if (state.clients.size === 0) {
    state.ticking?.abort();
    state.ticking = undefined;
  }
}

function retire({ clients }: State, registry: Registry): void {
  for (const [client, { definition }] of clients) {
    const { group, version, plural, custom } = definition;
    if (custom !== undefined && registry.byResource(group, version, plural) !== definition) client.finish();
  }
}

function startTicking(state: State): void {
  const controller = new AbortController();
  state.ticking = controller;
  void tickUntil(state, controller.signal).catch((error) =>
    state.deps.log.error('the watch clock stopped', { error: String(error) }),
  );
}

async function tickUntil(state: State, signal: AbortSignal): Promise<void> {
  let polledAt = state.deps.clock.now();
  while (!signal.aborted) {
    await state.deps.clock.sleep(WATCH_TICK_MS, signal);
    if (signal.aborted) return;
    const now = state.deps.clock.now();
    if (now - polledAt >= WATCH_POLL_MS) {
      polledAt = now;
      for (const ofScope of state.readers.values()) for (const reader of ofScope.values()) reader.wake();
    }
    for (const client of [...state.clients.keys()]) client.tick(now);
  }
}

function close(state: State): void {
  state.closed = true;
  state.stopListening();
  for (const client of [...state.clients.keys()]) client.finish();
  for (const ofScope of state.readers.values()) for (const reader of ofScope.values()) reader.stop();
  state.readers.clear();
  state.ticking?.abort();
}
