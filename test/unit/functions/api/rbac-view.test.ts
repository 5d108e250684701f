import { beforeEach, describe, expect, test } from 'vitest';
import { createRbacLoader } from '../../../../functions/api/rbac-view.ts';
import { type FakeClock, fakeClock } from '../../../../shared/adapters/memory/clock.ts';
import { memoryLog } from '../../../../shared/adapters/memory/log.ts';
import { openMemory } from '../../../../shared/adapters/memory/open.ts';
import { builtInDefinitions } from '../../../../shared/apis/built-in.ts';
import { createRegistry } from '../../../../shared/apis/registry.ts';
import type { Store } from '../../../../shared/ports/object-store.ts';
import { createOperation } from '../../../../shared/runtime/operations.ts';

const ROLES = 'rbac.authorization.k8s.io/clusterroles';
const registry = createRegistry(builtInDefinitions());
const MAX_AGE_MS = 5000;

let clock: FakeClock;
let store: Store;
let listeners: ((scopes: readonly string[]) => void)[];
let isBroken: boolean;
let heads: number;
beforeEach(() => {
  clock = fakeClock(1000);
  store = openMemory({ clock }).store;
  listeners = [];
  isBroken = false;
  heads = 0;
});

/** The store as another process's writes look like: commits are not told unless `tell` is called. */
function loader() {
  const lanes = {
    ...store.lanes,
    head: (scope: string) => {
      heads += 1;
      return isBroken ? Promise.reject(new Error('gone')) : store.lanes.head(scope);
    },
    onCommit: (listener: (scopes: readonly string[]) => void) => {
      listeners.push(listener);
      return () => undefined;
    },
  };
  return createRbacLoader({ store: { objects: store.objects, lanes }, clock, log: memoryLog(), maxAgeMs: MAX_AGE_MS });
}
const tell = (scope: string) => {
  for (const listener of listeners) listener([scope]);
};

async function addRole(name: string): Promise<void> {
  const definition = registry.byScope(ROLES);
  if (!definition) throw new Error(ROLES);
  const object = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules: [] };
  await store.objects.write({ operations: [createOperation(definition, object, { now: 0, uid: name })], writer: 'test' });
}
const has = async (load: ReturnType<typeof loader>, name: string) =>
  (await load()).rulesOf({ kind: 'ClusterRole', name }, '') !== undefined;

describe('the view of roles and bindings', () => {
  test('costs nothing while nothing changes', async () => {
    const load = loader();
    const view = await load();
    const before = heads;
    expect(load()).toBe(view);
    expect(heads).toBe(before);
  });

  test('is read again at once after a commit that is told', async () => {
    const load = loader();
    await load();
    await addRole('a');
    expect(await has(load, 'a')).toBe(false);
    tell(ROLES);
    expect(await has(load, 'a')).toBe(true);
  });

  test('stays the same one when others change', async () => {
    const load = loader();
    const view = await load();
    tell('/configmaps');
    expect(load()).toBe(view);
    tell(ROLES);
    expect(await load()).toBe(view);
  });

  test('is read again after its age', async () => {
    const load = loader();
    await load();
    await addRole('a');
    await clock.advance(MAX_AGE_MS);
    expect(await has(load, 'a')).toBe(true);
  });

  test('is read once for many that wait', async () => {
    const load = loader();
    const [a, b] = [load(), load()];
    expect(a).toBe(b);
    await a;
  });

  test('a commit while it is read is not missed', async () => {
    const load = loader();
    const first = load();
    await addRole('a');
    tell(ROLES);
    expect(await has(load, 'a')).toBe(true);
    await first;
    expect(await has(load, 'a')).toBe(true);
  });

  test('goes on to count when the store fails, and is 503 when there never was one', async () => {
    isBroken = true;
    const never = loader();
    await expect(async () => await never()).rejects.toMatchObject({ status: { code: 503 } });
    isBroken = false;
    const load = loader();
    const view = await load();
    isBroken = true;
    tell(ROLES);
    expect(await load()).toBe(view);
  });
});
