/**
 * One reader of one scope's log, shared by all watches of this process that have caught up with it (docs/storage.md 6). It keeps a ring of
 * recent changes; a watch that is further behind reads the log itself until it meets the ring.
 */
import type { Change, ObjectStore } from '../../ports/object-store.ts';
import type { Log } from '../../ports/system.ts';
import { LIST_PAGE_MAX, WATCH_RING_BYTES_MAX, WATCH_RING_EVENTS_MAX } from '../limits.ts';

/** A change as the ring keeps it. `rendered` holds its event in the forms asked for so far, so that each is made once for all watches. */
export type LogEntry = { change: Change; version: number; rendered: Map<string, Uint8Array> };

export type Subscriber = {
  /** Entries in order, none left out since the last call. `position`: everything up to it was delivered. */
  deliver(entries: readonly LogEntry[], position: number): void;
  /** The log no longer holds what comes next. */
  expire(oldest: string): void;
};

export type ScopeReader = {
  /** The ring holds every change after this version. */
  floor(): number;
  /** Everything up to here was read. */
  position(): number;
  since(version: number): readonly LogEntry[];
  subscribe(subscriber: Subscriber): void;
  unsubscribe(subscriber: Subscriber): void;
  isIdle(): boolean;
  /** Reads what is new. Many calls at once make one more read. */
  wake(): void;
  stop(): void;
};

export function entryOf(change: Change): LogEntry {
  return { change, version: Number(change.object.resourceVersion), rendered: new Map() };
}

const bytesOf = ({ change }: LogEntry) => 2 * (change.object.body.length + (change.before?.body.length ?? 0));

type State = {
  scope: string;
  subscribers: Set<Subscriber>;
  ring: LogEntry[];
  bytes: number;
  floor: number;
  position: number;
  running: boolean;
  again: boolean;
  stopped: boolean;
};

/** Starts at `position`, which the caller has just read as the scope's head. */
export function createScopeReader(deps: { objects: ObjectStore; log: Log }, scope: string, position: number): ScopeReader {
  const state: State = {
    scope,
    subscribers: new Set(),
    ring: [],
    bytes: 0,
    floor: position,
    position,
    running: false,
    again: false,
    stopped: false,
  };
  return {
    floor: () => state.floor,
    position: () => state.position,
    since: (version) => state.ring.filter((entry) => entry.version > version),
    subscribe: (subscriber) => state.subscribers.add(subscriber),
    unsubscribe: (subscriber) => state.subscribers.delete(subscriber),
    isIdle: () => state.subscribers.size === 0,
    wake() {
      state.again = true;
      if (!state.running) void pump(deps, state);
    },
    stop() {
      state.stopped = true;
    },
  };
}

/** A medium that fails is asked again at the next wake-up: watches wait, they lose nothing. */
async function pump(deps: { objects: ObjectStore; log: Log }, state: State): Promise<void> {
  state.running = true;
  try {
    while (state.again && !state.stopped) {
      state.again = false;
      await readOnce(deps.objects, state);
    }
  } catch (error) {
    deps.log.warn('the log cannot be read; watches wait', { scope: state.scope, error: String(error) });
  } finally {
    state.running = false;
  }
}

async function readOnce(objects: ObjectStore, state: State): Promise<void> {
  const outcome = await objects.changes({ scope: state.scope, after: String(state.position), limit: LIST_PAGE_MAX });
  if (outcome.type === 'expired') {
    for (const subscriber of [...state.subscribers]) subscriber.expire(outcome.oldest);
    state.position = Math.max(state.position, Number(outcome.oldest));
    clearRing(state);
    return;
  }
  state.position = Number(outcome.position);
  if (outcome.changes.length === 0) return;
  if (outcome.changes.length >= LIST_PAGE_MAX) state.again = true;
  const entries = outcome.changes.map(entryOf);
  remember(state, entries);
  for (const subscriber of [...state.subscribers]) subscriber.deliver(entries, state.position);
}

function clearRing(state: State): void {
  state.ring = [];
  state.bytes = 0;
  state.floor = state.position;
}

function remember(state: State, entries: readonly LogEntry[]): void {
  for (const entry of entries) {
    state.ring.push(entry);
    state.bytes += bytesOf(entry);
  }
  let dropped = 0;
  while (state.ring.length - dropped > WATCH_RING_EVENTS_MAX || state.bytes > WATCH_RING_BYTES_MAX) {
    const oldest = state.ring[dropped];
    if (oldest === undefined) break;
    state.bytes -= bytesOf(oldest);
    state.floor = oldest.version;
    dropped += 1;
  }
  if (dropped > 0) state.ring.splice(0, dropped);
}
