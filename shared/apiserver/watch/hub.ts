/** All watches of one server: one log reader per scope, one clock tick, limits, and a clean end for all. */

import { tooManyRequests } from '../../machinery/status.ts';
import type { Store } from '../../ports/object-store.ts';
import type { Clock, Log } from '../../ports/system.ts';
import { WATCH_POLL_MS, WATCH_TICK_MS, WATCHES_MAX, WATCHES_PER_USER_MAX } from '../limits.ts';
import { startWatch, type WatchClient, type WatchRequest } from './client.ts';
import { createOutlet } from './outlet.ts';
import { createScopeReader, type ScopeReader } from './reader.ts';

export type WatchHub = {
  /** Starts a watch and gives its bytes. `head`: the scope's newest version, just read. Throws 429 over the limits. */
  open(user: string, request: WatchRequest, head: number): ReadableStream<Uint8Array>;
  /** Open watches, for display. */
  count(): number;
  /** Ends every watch cleanly, after a bookmark, and stops reading. */
  close(): Promise<void>;
};

type Deps = { store: Pick<Store, 'objects' | 'lanes'>; clock: Clock; log: Log };
type State = {
  deps: Deps;
  readers: Map<string, ScopeReader>;
  clients: Map<WatchClient, { user: string; scope: string }>;
  /** Ends the tick loop; present while it runs. */
  ticking: AbortController | undefined;
  stopListening: () => void;
  closed: boolean;
};

export function createWatchHub(deps: Deps): WatchHub {
  const readers = new Map<string, ScopeReader>();
  const stopListening = deps.store.lanes.onCommit((scopes) => {
    for (const scope of scopes) readers.get(scope)?.wake();
  });
  const state: State = { deps, readers, clients: new Map(), ticking: undefined, stopListening, closed: false };
  return {
    open: (user, request, head) => open(state, user, request, head),
    count: () => state.clients.size,
    close: async () => close(state),
  };
}

function open(state: State, user: string, request: WatchRequest, head: number): ReadableStream<Uint8Array> {
  refuseTooMany(state, user);
  const { deps } = state;
  const forget = () => drop(state, client, request.scope);
  const outlet = createOutlet(() => client.finish(), forget);
  const reader = () => readerOf(state, request.scope, head);
  const client = startWatch(
    { objects: deps.store.objects, lanes: deps.store.lanes, clock: deps.clock },
    request,
    outlet,
    reader,
    (error) => deps.log.warn('a watch ended because the store failed', { scope: request.scope, error: String(error) }),
  );
  state.clients.set(client, { user, scope: request.scope });
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

function readerOf(state: State, scope: string, head: number): ScopeReader {
  const known = state.readers.get(scope);
  if (known) return known;
  const reader = createScopeReader({ objects: state.deps.store.objects, log: state.deps.log }, scope, head);
  state.readers.set(scope, reader);
  return reader;
}

/** The reader stops with its last watch. */
function drop(state: State, client: WatchClient, scope: string): void {
  state.clients.delete(client);
  const watched = [...state.clients.values()].some((other) => other.scope === scope);
  if (!watched) {
    state.readers.get(scope)?.stop();
    state.readers.delete(scope);
  }
  if (state.clients.size === 0) {
    state.ticking?.abort();
    state.ticking = undefined;
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
      for (const reader of state.readers.values()) reader.wake();
    }
    for (const client of [...state.clients.keys()]) client.tick(now);
  }
}

function close(state: State): void {
  state.closed = true;
  state.stopListening();
  for (const client of [...state.clients.keys()]) client.finish();
  for (const reader of state.readers.values()) reader.stop();
  state.readers.clear();
  state.ticking?.abort();
}
