/** One watch, from its first byte to its clean end: present state if asked for, catching up with the log, then live events. */

import { failure } from '../../machinery/status.ts';
import type { Lanes, ObjectRef, ObjectStore } from '../../ports/object-store.ts';
import type { Clock } from '../../ports/system.ts';
import {
  LIST_PAGE_MAX,
  WATCH_BOOKMARK_BEFORE_END_MS,
  WATCH_BOOKMARK_MS,
  WATCH_INITIAL_PAGE,
  WATCH_KEEP_ALIVE_MS,
} from '../limits.ts';
import { bookmarkBytes, errorBytes, eventBytes, type Shape, shapeKey } from '../resources/forms.ts';
import { type Selection, selects, singleRef } from '../resources/selection.ts';
import { eventOf } from './events.ts';
import type { Outlet } from './outlet.ts';
import { entryOf, type LogEntry, type ScopeReader, type Subscriber } from './reader.ts';

export type WatchRequest = {
  scope: string;
  /** The store as the watched kind sees it. */
  objects: ObjectStore;
  selection: Selection;
  shape: Shape;
  /** Version to go on from; undefined: begin with the present state as ADDED events. */
  after: number | undefined;
  bookmarks: boolean;
  /** Say with a bookmark where the present state ends. */
  initialBookmark: boolean;
  timeoutMs: number;
};

export type WatchClient = {
  outlet: Outlet;
  /** Keep-alives, bookmarks and the deadline. */
  tick(now: number): void;
  /** Ends the stream cleanly, after a bookmark. */
  finish(): void;
};

type Deps = { lanes: Pick<Lanes, 'head'>; clock: Clock };
type State = {
  deps: Deps;
  request: WatchRequest;
  outlet: Outlet;
  reader: () => ScopeReader;
  subscriber: Subscriber;
  /** Everything up to here was sent or does not concern this watch. */
  sent: number;
  /** The reader that feeds this watch, once it has caught up. */
  live: ScopeReader | undefined;
  columnsSent: boolean;
  quietSince: number;
  bookmarkedAt: number;
  endsAt: number;
  finalBookmark: boolean;
};

const KEEP_ALIVE = new TextEncoder().encode('\n');

/** Starts a watch. `reader` gives the scope's reader (made on demand); `onEnd` is called once, when the watch no longer needs it. */
export function startWatch(
  deps: Deps,
  request: WatchRequest,
  outlet: Outlet,
  reader: () => ScopeReader,
  onFailure: (error: unknown) => void,
): WatchClient {
  const now = deps.clock.now();
  const state: State = {
    deps,
    request,
    outlet,
    reader,
    subscriber: { deliver: (entries, position) => deliver(state, entries, position), expire: (oldest) => expire(state, oldest) },
    sent: request.after ?? 0,
    live: undefined,
    columnsSent: false,
    quietSince: now,
    bookmarkedAt: now,
    endsAt: now + request.timeoutMs,
    finalBookmark: false,
  };
  Promise.resolve()
    .then(() => run(state))
    .catch((error) => {
      onFailure(error);
      end(state);
    });
  return { outlet, tick: (at) => tick(state, at), finish: () => finish(state) };
}

async function run(state: State): Promise<void> {
  if (state.request.after === undefined) await sendPresentState(state);
  while (!state.outlet.closed()) {
    const reader = state.reader();
    if (state.sent >= reader.floor()) return goLive(state, reader);
    await state.outlet.drained();
    const outcome = await state.request.objects.changes({
      scope: state.request.scope,
      after: String(state.sent),
      limit: WATCH_INITIAL_PAGE,
    });
    if (outcome.type === 'expired') return expire(state, outcome.oldest);
    deliver(state, outcome.changes.map(entryOf), Number(outcome.position));
  }
}

/** Nothing is awaited between reading the ring and subscribing, so that no change falls between. */
function goLive(state: State, reader: ScopeReader): void {
  state.live = reader;
  deliver(state, reader.since(state.sent), Math.max(state.sent, reader.position()));
  if (state.outlet.closed()) return;
  reader.subscribe(state.subscriber);
  reader.wake();
}

/** A watch of one object reads that object; any other a consistent snapshot. */
async function sendPresentState(state: State): Promise<void> {
  const { request } = state;
  const ref = singleRef(request.scope, request.selection);
  if (ref) await sendOne(state, ref);
  else await sendSnapshot(state);
  if (request.initialBookmark && !state.outlet.closed()) push(state, bookmarkBytes(request.shape, String(state.sent), true));
}

/** The head is read first: what changes after it comes as an event, unless the object that was read is newer still. */
async function sendOne(state: State, ref: ObjectRef): Promise<void> {
  const { request, deps } = state;
  const head = await deps.lanes.head(request.scope);
  const object = await request.objects.get(ref);
  state.sent = Math.max(Number(head.current), Number(object?.resourceVersion ?? 0));
  if (object && selects(request.selection, object)) push(state, eventBytes(request.shape, 'ADDED', object, firstColumns(state)));
}

/** Pages of one version, each as fast as the client reads. */
async function sendSnapshot(state: State): Promise<void> {
  const { request, outlet } = state;
  const base = { scope: request.scope, limit: Math.min(WATCH_INITIAL_PAGE, LIST_PAGE_MAX) };
  const within = request.selection.namespace === '' ? {} : { namespace: request.selection.namespace };
  let page = await request.objects.list({ ...base, ...within });
  while (!outlet.closed()) {
    if (page.type !== 'page') return expire(state, page.type === 'expired' ? page.oldest : page.current);
    for (const object of page.items) {
      if (selects(request.selection, object)) push(state, eventBytes(request.shape, 'ADDED', object, firstColumns(state)));
      if (outlet.closed()) return;
      await outlet.drained();
    }
    state.sent = Number(page.resourceVersion);
    if (!page.next) return;
    page = await request.objects.list({ ...base, ...within, from: page.next });
  }
}

function firstColumns(state: State): boolean {
  const first = !state.columnsSent;
  state.columnsSent = true;
  return first;
}

function push(state: State, chunk: Uint8Array): void {
  state.quietSince = state.deps.clock.now();
  if (!state.outlet.push(chunk)) end(state);
}

/** A client that does not read what it asked for is let go: it comes back with the version it has seen. */
function deliver(state: State, entries: readonly LogEntry[], position: number): void {
  const { request } = state;
  for (const entry of entries) {
    if (entry.version <= state.sent) continue;
    const event = eventOf(request.selection, entry.change);
    if (event) push(state, rendered(state, entry, event));
    if (state.outlet.closed()) return;
    state.sent = entry.version;
  }
  state.sent = Math.max(state.sent, position);
}

function rendered(state: State, entry: LogEntry, event: NonNullable<ReturnType<typeof eventOf>>): Uint8Array {
  const { shape } = state.request;
  const withColumns = shape.as === 'table' && firstColumns(state);
  const key = `${event.type}${event.fromBefore ? ' before' : ''}${withColumns ? ' columns' : ''} ${shapeKey(shape)}`;
  const known = entry.rendered.get(key);
  if (known) return known;
  const now = state.deps.clock.now();
  const bytes = eventBytes({ ...shape, now }, event.type, event.content, withColumns);
  entry.rendered.set(key, bytes);
  return bytes;
}

function expire(state: State, oldest: string): void {
  const { status } = failure(410, 'Expired', `too old resource version: ${state.sent} (${oldest})`);
  if (!state.outlet.closed()) state.outlet.push(errorBytes(state.request.shape, status));
  end(state);
}

/** An empty line keeps a stream of JSON alive; between frames of protobuf nothing may stand. */
function tick(state: State, now: number): void {
  const { request } = state;
  if (now >= state.endsAt) {
    finish(state);
    return;
  }
  const closing = request.timeoutMs > 2 * WATCH_BOOKMARK_BEFORE_END_MS && now >= state.endsAt - WATCH_BOOKMARK_BEFORE_END_MS;
  const due = now - state.bookmarkedAt >= WATCH_BOOKMARK_MS || (closing && !state.finalBookmark);
  if (due && state.live && request.bookmarks) {
    state.finalBookmark = closing;
    bookmark(state, now);
  } else if (now - state.quietSince >= WATCH_KEEP_ALIVE_MS && !request.shape.protobuf) push(state, KEEP_ALIVE);
}

function bookmark(state: State, now: number): void {
  state.bookmarkedAt = now;
  // What was read since the last delivery held nothing of this scope.
  state.sent = Math.max(state.sent, state.live?.position() ?? 0);
  push(state, bookmarkBytes(state.request.shape, String(state.sent), false));
}

function finish(state: State): void {
  if (!state.outlet.closed() && state.live && state.request.bookmarks) bookmark(state, state.deps.clock.now());
  end(state);
}

function end(state: State): void {
  state.live?.unsubscribe(state.subscriber);
  state.outlet.close();
}
