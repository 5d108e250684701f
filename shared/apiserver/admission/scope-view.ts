/** What admission knows of a small scope (quotas, limit ranges, priority classes): read once, read again only when it changed. */
import { fromStored, type StoredObject } from '../../apis/stored.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { LIST_PAGE_MAX, NAMESPACE_CACHE_MS } from '../limits.ts';
import type { AdmissionDeps } from './chain.ts';

/** All objects of a scope, shared: copy before changing. `of` answers those of one namespace, in the order of their names. */
export type ScopeView = {
  all(): Promise<readonly KubeObject[]>;
  of(namespace: string): Promise<readonly KubeObject[]>;
};

/** Whether a scope holds anything at all: for scopes that are mostly empty, and change with every write where they are not. */
export type Presence = { any(): Promise<boolean> };

/** Looks again when this process heard of a commit to a scope that was empty, and every 5 s. Rejects when the store fails. */
export function createPresence({ store, clock }: Pick<AdmissionDeps, 'store' | 'clock'>, scope: string): Presence {
  let isThere = false;
  let isKnown = false;
  let checkedAt = 0;
  store.lanes.onCommit((scopes) => {
    if (!isThere && scopes.includes(scope)) isKnown = false;
  });
  return {
    async any() {
      if (isKnown && clock.now() - checkedAt < NAMESPACE_CACHE_MS) return isThere;
      // Set before the question: what is committed while it is asked makes the answer unknown again.
      isKnown = true;
      checkedAt = clock.now();
      const page = await store.objects.list({ scope, limit: 1 });
      if (page.type !== 'page') throw new Error(`the objects of ${scope} cannot be listed: ${page.type}`);
      isThere = page.items.length > 0;
      return isThere;
    },
  };
}

type State = { version: string; objects: readonly KubeObject[]; byNamespace: ReadonlyMap<string, readonly KubeObject[]> };

/**
 * A view that follows the scope's head. The head is asked for when this process heard of a commit, and every 5 s; in between an empty scope costs nothing.
 * Rejects when the store fails.
 */
export function createScopeView(deps: Pick<AdmissionDeps, 'store' | 'clock'>, scope: string): ScopeView {
  let state: State | undefined;
  let checkedAt = 0;
  let heard = 0;
  let seen = -1;
  let refreshing: Promise<void> | undefined;
  deps.store.lanes.onCommit((scopes) => {
    if (scopes.includes(scope)) heard += 1;
  });
  const refresh = async (): Promise<void> => {
    const at = heard;
    const { current } = await deps.store.lanes.head(scope);
    if (state?.version !== current) state = stateOf(current, await listAll(deps, scope));
    seen = at;
    checkedAt = deps.clock.now();
  };
  const current = async (): Promise<State> => {
    while (state === undefined || seen !== heard || deps.clock.now() - checkedAt >= NAMESPACE_CACHE_MS) {
      refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    }
    return state;
  };
  return {
    all: async () => (await current()).objects,
    of: async (namespace) => (await current()).byNamespace.get(namespace) ?? [],
  };
}

function stateOf(version: string, stored: readonly StoredObject[]): State {
  const objects = stored.map((each) => fromStored(each));
  return { version, objects, byNamespace: Map.groupBy(objects, ({ metadata }) => metadata.namespace ?? '') };
}

async function listAll({ store }: Pick<AdmissionDeps, 'store'>, scope: string): Promise<StoredObject[]> {
  const items: StoredObject[] = [];
  let page = await store.objects.list({ scope, limit: LIST_PAGE_MAX });
  for (;;) {
    if (page.type !== 'page') throw new Error(`the objects of ${scope} cannot be listed: ${page.type}`);
    items.push(...page.items);
    if (!page.next) return items;
    page = await store.objects.list({ scope, limit: LIST_PAGE_MAX, from: page.next });
  }
}
