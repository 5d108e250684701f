/**
 * The kinds that are served: those declared in code, and those of the CustomResourceDefinitions in the store. Each state of the store makes
 * one immutable registry; a definition whose kinds did not change keeps its compiled schemas.
 */
import { assembleRegistry } from '../../apis/custom/assemble.ts';
import { CRD_SCOPE } from '../../apis/custom/crd.ts';
import { servedDefinitions } from '../../apis/custom/definitions.ts';
import type { Registry, ResourceDefinition } from '../../apis/definition.ts';
import { fromStored } from '../../apis/stored.ts';
import type { Store, StoredObject } from '../../ports/object-store.ts';
import type { Clock, Log } from '../../ports/system.ts';
import { LIST_PAGE_MAX } from '../limits.ts';

export type Types = {
  /** What was last read. The same value until a definition changes. */
  registry(): Registry;
  /** Undefined while nothing is known that `registry` lacks; otherwise resolves when it was read. */
  pending(): Promise<void> | undefined;
  /** Reads what is newest: a kind that is still missing afterwards does not exist. Rejects when the store fails. */
  settle(): Promise<void>;
  /** Calls back with each new registry. Returns how to stop. */
  onChange(listener: (registry: Registry) => void): () => void;
  close(): void;
};

type Deps = {
  store: Pick<Store, 'objects' | 'lanes'>;
  /** The kinds declared in code: they win over definitions of the same name. */
  base: readonly ResourceDefinition[];
  clock: Clock;
  log: Log;
  /** For processes that do not hear of all commits: what was read is believed for so long. */
  maxAgeMs?: number;
};

/** One definition of the store: what it serves, and the text of what that was made from. */
type Entry = { made: string; definitions: readonly ResourceDefinition[] };
type State = {
  deps: Deps;
  registry: Registry;
  entries: Map<string, Entry>;
  /** Read up to here; undefined: nothing yet. */
  position: string | undefined;
  readAt: number;
  /** Commits that were heard of, and how many of them are in what was read. */
  heard: number;
  seen: number;
  reading: Promise<void> | undefined;
  listeners: Set<(registry: Registry) => void>;
};

/** Reads the store once; rejects when that fails. */
export async function openTypes(deps: Deps): Promise<Types> {
  const state: State = {
    deps,
    registry: assembleRegistry(deps.base, []),
    entries: new Map(),
    position: undefined,
    readAt: 0,
    heard: 0,
    seen: 0,
    reading: undefined,
    listeners: new Set(),
  };
  const stopListening = deps.store.lanes.onCommit((scopes) => {
    if (!scopes.includes(CRD_SCOPE)) return;
    state.heard += 1;
    // A failure is met again, and told, by whoever waits for the kinds.
    settle(state).catch((error) => deps.log.warn('definitions could not be read, and will be again', { error: String(error) }));
  });
  await settle(state);
  return {
    registry: () => state.registry,
    pending: () => (state.seen < state.heard || isStale(state) ? settle(state) : undefined),
    settle: () => settle(state),
    onChange(listener) {
      state.listeners.add(listener);
      return () => state.listeners.delete(listener);
    },
    close: stopListening,
  };
}

function isStale({ deps, readAt }: State): boolean {
  return deps.maxAgeMs !== undefined && deps.clock.now() - readAt > deps.maxAgeMs;
}

async function settle(state: State): Promise<void> {
  const { heard } = state;
  for (;;) {
    const { current } = await state.deps.store.lanes.head(CRD_SCOPE);
    if (state.position === undefined || Number(state.position) < Number(current)) {
      // A read that was under way may have begun before the version that this caller must see: then there is another turn.
      state.reading ??= read(state, current).finally(() => {
        state.reading = undefined;
      });
      await state.reading;
    }
    if (Number(state.position) >= Number(current)) break;
  }
  state.seen = Math.max(state.seen, heard);
  state.readAt = state.deps.clock.now();
}

async function read(state: State, current: string): Promise<void> {
  const changed = state.position === undefined ? undefined : await changesSince(state, state.position);
  const entries = changed ? follow(state.entries, changed) : await listAll(state);
  state.position = current;
  if (isSame(entries, state.entries)) return;
  state.entries = entries;
  const custom = [...entries.values()].flatMap(({ definitions }) => definitions);
  state.registry = assembleRegistry(state.deps.base, custom);
  for (const listener of state.listeners) listener(state.registry);
}

/** The last state of every definition that changed, undefined where it was deleted; undefined in all when the log does not reach back. */
async function changesSince({ deps }: State, after: string): Promise<Map<string, StoredObject | undefined> | undefined> {
  const changed = new Map<string, StoredObject | undefined>();
  for (let position = after; ; ) {
    const outcome = await deps.store.objects.changes({ scope: CRD_SCOPE, after: position, limit: LIST_PAGE_MAX });
    if (outcome.type === 'expired') return undefined;
    for (const { type, object } of outcome.changes) changed.set(object.name, type === 'deleted' ? undefined : object);
    if (outcome.changes.length === 0) return changed;
    position = outcome.position;
  }
}

function follow(known: ReadonlyMap<string, Entry>, changed: ReadonlyMap<string, StoredObject | undefined>): Map<string, Entry> {
  const entries = new Map(known);
  for (const [name, stored] of changed)
    if (stored) entries.set(name, entryOf(known.get(name), stored));
    else entries.delete(name);
  return entries;
}

async function listAll({ deps, entries: known }: State): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  const page = await deps.store.objects.list({ scope: CRD_SCOPE });
  if (page.type !== 'page') throw new Error(`definitions cannot be listed: ${page.type}`);
  for (const stored of page.items) entries.set(stored.name, entryOf(known.get(stored.name), stored));
  return entries;
}

/** A change of conditions or labels leaves the kinds as they are, and with them everything that was compiled. */
function entryOf(known: Entry | undefined, stored: StoredObject): Entry {
  const crd = fromStored(stored);
  const { spec, status, metadata } = crd;
  const conditions = ((status?.conditions ?? []) as { type: string; status: string }[]).map(
    ({ type, status: is }) => `${type}=${is}`,
  );
  const made = JSON.stringify([metadata.uid, metadata.generation, conditions, status?.acceptedNames, spec]);
  return known?.made === made ? known : { made, definitions: servedDefinitions(crd) };
}

function isSame(a: ReadonlyMap<string, Entry>, b: ReadonlyMap<string, Entry>): boolean {
  return a.size === b.size && [...a].every(([name, entry]) => b.get(name)?.definitions === entry.definitions);
}
