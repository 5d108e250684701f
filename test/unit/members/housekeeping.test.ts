import { afterEach, describe, expect, test } from 'vitest';
import { type Housekeeping, startHousekeeping } from '../../../localstack/members/controllers/housekeeping.ts';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { seededIds } from '../../../shared/adapters/memory/ids.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import { fromStored, type ObjectRef, toStored } from '../../../shared/apis/stored.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import type { Store } from '../../../shared/ports/object-store.ts';
import { createOperation, deleteOperation, removeOperation, writeAll } from '../../../shared/runtime/operations.ts';

const registry = createRegistry(builtInDefinitions());
const running: Housekeeping[] = [];
afterEach(async () => {
  for (const housekeeping of running.splice(0)) await housekeeping.close();
});

const definitionOf = (scope: string) => {
  const definition = registry.byScope(scope);
  if (!definition) throw new Error(`nothing serves ${scope}`);
  return definition;
};
const refOf = (scope: string, name: string): ObjectRef => ({ scope, namespace: 'default', name });

/** A store with a Deployment `web`, its ReplicaSet `web-1` and pod `web-1-a`. */
async function world() {
  const clock = fakeClock(0);
  const { store } = openMemory({ clock });
  const put = async (scope: string, name: string, owner?: { kind: string; name: string }) => {
    const definition = definitionOf(scope);
    const reference = owner && { apiVersion: 'apps/v1', ...owner, uid: owner.name, controller: true, blockOwnerDeletion: true };
    const object: KubeObject = {
      apiVersion: scope === '/pods' ? 'v1' : 'apps/v1',
      kind: definition.kind,
      metadata: { name, namespace: 'default', ...(reference ? { ownerReferences: [reference] } : {}) },
      spec: {},
    };
    await writeAll(store.objects, [createOperation(definition, object, { now: 0, uid: name })], 'api');
  };
  await put('apps/deployments', 'web');
  await put('apps/replicasets', 'web-1', { kind: 'Deployment', name: 'web' });
  await put('/pods', 'web-1-a', { kind: 'ReplicaSet', name: 'web-1' });
  const start = async () => {
    running.push(
      await startHousekeeping({
        cluster: 'c',
        store,
        registry: () => registry,
        clock,
        ids: seededIds(3),
        log: memoryLog(),
        caCert: 'CA',
      }),
    );
  };
  return { store, start };
}

async function load(store: Store, scope: string, name: string) {
  const stored = await store.objects.get(refOf(scope, name));
  if (!stored) throw new Error(`no ${name}`);
  return { stored, object: fromStored(stored) };
}

/** Resolves when the objects are gone: looked at again after every commit. */
async function gone(store: Store, refs: readonly ObjectRef[]): Promise<void> {
  for (;;) {
    const committed = new Promise<void>((resolve) => {
      const stop = store.lanes.onCommit(() => {
        stop();
        resolve();
      });
    });
    const left = await Promise.all(refs.map((ref) => store.objects.get(ref)));
    if (left.every((stored) => stored === undefined)) return;
    await committed;
  }
}

const FAMILY = [refOf('apps/deployments', 'web'), refOf('apps/replicasets', 'web-1'), refOf('/pods', 'web-1-a')];

async function markForeground(store: Store) {
  const from = await load(store, 'apps/deployments', 'web');
  const mark = deleteOperation(definitionOf('apps/deployments'), from, { now: 0, propagationPolicy: 'Foreground' });
  await writeAll(store.objects, [mark], 'api');
}

describe('housekeeping of a simulated cluster', () => {
  test('a deletion in the foreground goes down through every level', async () => {
    const { store, start } = await world();
    await start();
    await markForeground(store);
    await gone(store, FAMILY);
    expect(await store.index.dependents('web')).toEqual([]);
  });

  test('what was marked before a crash is found by the next start', async () => {
    const { store, start } = await world();
    await markForeground(store);
    const { cursor } = await store.feed.read('', 500);
    await store.cursors.store('housekeeping', cursor, '');
    await start();
    await gone(store, FAMILY.slice(2));
    expect(await store.objects.get(refOf('/pods', 'web-1-a'))).toBeUndefined();
  });

  test('dependents whose owner went before a crash are found by the next start', async () => {
    const { store, start } = await world();
    await writeAll(store.objects, [removeOperation(await load(store, 'apps/deployments', 'web'))], 'api');
    const { cursor } = await store.feed.read('', 500);
    await store.cursors.store('housekeeping', cursor, '');
    await start();
    await gone(store, FAMILY);
    expect(await store.index.dependents('web-1')).toEqual([]);
  });

  test('what is owned by somebody who stands stays', async () => {
    const { store, start } = await world();
    const stray: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'stray', namespace: 'default', uid: 's' },
    };
    stray.metadata.ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'none', uid: 'none' }];
    const object = { ...toStored(definitionOf('/configmaps'), stray) };
    await store.objects.write({ operations: [{ type: 'create', object }], writer: 'api' });
    await start();
    await gone(store, [refOf('/configmaps', 'stray')]);
    for (const ref of FAMILY) expect(await store.objects.get(ref)).toBeDefined();
  });
});
