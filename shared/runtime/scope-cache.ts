/** A projection of all objects of one small, often read scope (clusters, types): made again only for what changed. */
import type { StoredObject } from '../apis/stored.ts';
import type { Lanes, ObjectStore } from '../ports/object-store.ts';
import { listStored } from './objects.ts';

/** What was assembled from all projected objects; one immutable value per state of the scope. */
export type ScopeCache<R> = { all(): Promise<R> };

type Entry<T> = { uid: string; resourceVersion: string; value: T };

/**
 * Asks for the scope's newest version on every call (one small read) and lists only when it moved. `project` runs once per object version, `assemble`
 * once per state, with the projections in the order of namespace and name. Rejects when the store fails.
 */
export function createScopeCache<T, R>(
  store: { objects: Pick<ObjectStore, 'list'>; lanes: Pick<Lanes, 'head'> },
  scope: string,
  project: (stored: StoredObject) => T,
  assemble: (values: readonly T[]) => R,
): ScopeCache<R> {
  let version: string | undefined;
  let entries = new Map<string, Entry<T>>();
  let assembled = assemble([]);
  let refreshing: Promise<R> | undefined;

  const refresh = async (current: string): Promise<R> => {
    const next = new Map<string, Entry<T>>();
    for await (const stored of listStored(store.objects, scope)) {
      const key = stored.namespace === '' ? stored.name : `${stored.namespace}/${stored.name}`;
      const known = entries.get(key);
      const same = known?.uid === stored.uid && known.resourceVersion === stored.resourceVersion;
      next.set(key, same ? known : { uid: stored.uid, resourceVersion: stored.resourceVersion, value: project(stored) });
    }
    entries = next;
    assembled = assemble([...next.values()].map((entry) => entry.value));
    // The list may be newer than `current`; then the next call lists once more, and nothing is missed.
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
