/** The roles and bindings of a store as one view, followed through the log. */
import { bindingEntry, createRbacView, type RbacView, roleEntry } from '../../shared/apis/rbac/bindings.ts';
import { fromStored } from '../../shared/apis/stored.ts';
import { serviceUnavailable } from '../../shared/machinery/status.ts';
import type { Store, StoredObject } from '../../shared/ports/object-store.ts';
import type { Clock, Log } from '../../shared/ports/system.ts';
import { createScopeCache } from '../../shared/runtime/scope-cache.ts';

const GROUP = 'rbac.authorization.k8s.io';
const SCOPES = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map((plural) => `${GROUP}/${plural}`);

type Deps = { store: Pick<Store, 'objects' | 'lanes'>; clock: Pick<Clock, 'now'>; log: Log; maxAgeMs: number };

/**
 * Gives the newest view. It is made again after a commit that this process hears of, and after `maxAgeMs` for those that it does not; between, it costs
 * nothing. When the store fails the last view goes on to count, as upstream's informers have it; with none yet, 503.
 */
export function createRbacLoader({ store, clock, log, maxAgeMs }: Deps): () => RbacView | Promise<RbacView> {
  const read = reader(store);
  let known: { view: RbacView; commits: number; at: number } | undefined;
  let reading: { promise: Promise<RbacView>; commits: number } | undefined;
  let commits = 0;
  store.lanes.onCommit((scopes) => {
    if (scopes.some((scope) => SCOPES.includes(scope))) commits += 1;
  });
  const refresh = async (since: number, at: number): Promise<RbacView> => {
    try {
      const view = await read();
      // A reading that began earlier may end later.
      if (!known || since >= known.commits) known = { view, commits: since, at };
      return view;
    } catch (error) {
      log.error('roles and bindings could not be read', { error: String(error) });
      if (!known) throw serviceUnavailable('roles and bindings cannot be read at the moment');
      return known.view;
    } finally {
      if (reading?.commits === since) reading = undefined;
    }
  };
  return () => {
    const now = clock.now();
    if (known && known.commits === commits && now - known.at < maxAgeMs) return known.view;
    if (reading?.commits === commits) return reading.promise;
    reading = { promise: refresh(commits, now), commits };
    return reading.promise;
  };
}

function reader(store: Deps['store']): () => Promise<RbacView> {
  const keep = <T>(entries: readonly T[]) => entries;
  const role = (stored: StoredObject) => roleEntry(fromStored(stored));
  const binding = (stored: StoredObject) => bindingEntry(fromStored(stored));
  const clusterRoles = createScopeCache(store, `${GROUP}/clusterroles`, role, keep);
  const clusterRoleBindings = createScopeCache(store, `${GROUP}/clusterrolebindings`, binding, keep);
  const roles = createScopeCache(store, `${GROUP}/roles`, role, keep);
  const roleBindings = createScopeCache(store, `${GROUP}/rolebindings`, binding, keep);
  let last: { parts: readonly unknown[]; view: RbacView } | undefined;
  return async () => {
    const parts = await Promise.all([clusterRoles.all(), clusterRoleBindings.all(), roles.all(), roleBindings.all()]);
    // Where nothing changed the view stays the same one: what was decided of it is kept by its identity.
    if (last?.parts.every((part, i) => part === parts[i])) return last.view;
    const [a, b, c, d] = parts;
    last = { parts, view: createRbacView({ clusterRoles: a, clusterRoleBindings: b, roles: c, roleBindings: d }) };
    return last.view;
  };
}
