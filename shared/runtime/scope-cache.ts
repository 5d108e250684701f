/** A projection of all objects of one small, often read scope (clusters, types): made again only for what changed. */
import type { StoredObject } from '../apis/stored.ts';
import type { Lanes, ObjectStore } from '../ports/object-store.ts';
import { LIST_PAGE } from './limits.ts';
import { listStored } from './objects.ts';

/** What was assembled from all projected objects; one immutable value per state of the scope. */
export type ScopeCache<R> = { all(): Promise<R> };

type Entry<T> = { uid: string; resourceVersion: string; value: T };
type Source = { objects: Pick<ObjectStore, 'list' | 'changes'>; lanes: Pick<Lanes, 'head'> };

/**
 * Asks for the scope's newest version on every call (one small read). When it moved, the log says what changed; the scope is listed at first, and when the
 * log no longer reaches back. `project` runs once per object version that is met, `assemble` once per state, with the projections in the order of
 * namespace and name. Rejects when the store fails.
 */
export function createScopeCache<T, R>(
  store: Source,
  scope: string,
  project: (stored: StoredObject) => T,
  assemble: (values: readonly T[]) => R,
): ScopeCache<R> {
  let version: string | undefined;
  let entries = new Map<string, Entry<T>>();
  let assembled = assemble([]);
  let refreshing: Promise<R> | undefined;

  const entryOf = (key: string, stored: StoredObject): Entry<T> => {
    const known = entries.get(key);
    const { uid, resourceVersion } = stored;
    return known?.uid === uid && known.resourceVersion === resourceVersion
      ? known
      : { uid, resourceVersion, value: project(stored) };
  };
  const listed = async (): Promise<Map<string, Entry<T>>> => {
    const next = new Map<string, Entry<T>>();
    for await (const stored of listStored(store.objects, scope)) next.set(keyOf(stored), entryOf(keyOf(stored), stored));
    return next;
  };
  const followed = async (after: string): Promise<Map<string, Entry<T>>> => {
    const changed = await changesSince(store.objects, scope, after);
    if (!changed) return listed();
    const next = new Map(entries);
    for (const [key, stored] of changed)
      if (stored) next.set(key, entryOf(key, stored));
      else next.delete(key);
    return inOrder(next);
  };
  const refresh = async (current: string): Promise<R> => {
    const next = await (version === undefined ? listed() : followed(version));
    entries = next;
    assembled = assemble([...next.values()].map((entry) => entry.value));
    // What was read may be newer than `current`; then the next call reads it once more, and nothing is missed.
    version = current;
    return assembled;
  };
  return {
    async all() {
      for (;;) {
        const { current } = await store.lanes.head(scope);
        if (version !== undefined && Number(version) >= Number(current)) return assembled;
        refreshing ??= refresh(current).finally(() => {
          refreshing = undefined;
        });
        const seen = await refreshing;
        // A refresh that was under way may have begun before the version that this caller must see.
        if (Number(version) >= Number(current)) return seen;
      }
    },
  };
}

/** The last state of every object that changed, undefined where it was deleted; undefined when the log does not reach back. */
async function changesSince(
  objects: Pick<ObjectStore, 'changes'>,
  scope: string,
  after: string,
): Promise<Map<string, StoredObject | undefined> | undefined> {
  const changed = new Map<string, StoredObject | undefined>();
  for (let position = after; ; ) {
    const read = await objects.changes({ scope, after: position, limit: LIST_PAGE });
    if (read.type === 'expired') return undefined;
    for (const { type, object } of read.changes) changed.set(keyOf(object), type === 'deleted' ? undefined : object);
    if (read.changes.length === 0) return changed;
    position = read.position;
  }
}

/** Sorts as a list does; a line break is less than anything that names hold. */
function keyOf({ namespace, name }: StoredObject): string {
  return `${namespace}\n${name}`;
}

function inOrder<T>(entries: Map<string, T>): Map<string, T> {
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
