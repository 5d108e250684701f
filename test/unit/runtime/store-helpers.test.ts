import { describe, expect, test } from 'vitest';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import { fromStored } from '../../../shared/apis/stored.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { EVENT_KEPT_MS, eventOperation, type WorkerEvent } from '../../../shared/runtime/events.ts';
import { createObjectReader, listStored } from '../../../shared/runtime/objects.ts';
import {
  createOperation,
  deleteOperation,
  removeOperation,
  updateOperation,
  writeAll,
} from '../../../shared/runtime/operations.ts';
import { createScopeCache } from '../../../shared/runtime/scope-cache.ts';

const registry = createRegistry(builtInDefinitions());
const definitionOf = (scope: string) => {
  const definition = registry.byScope(scope);
  if (!definition) throw new Error(`nothing serves ${scope}`);
  return definition;
};
const configMap = (name: string, data: Record<string, string> = {}, finalizers?: string[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...(finalizers ? { finalizers } : {}) },
  data,
});

function setup() {
  const clock = fakeClock(1_000_000);
  const { store, transactions } = openMemory({ clock });
  const reader = createObjectReader(store.objects, 2);
  let uid = 0;
  const create = async (object: KubeObject) => {
    uid += 1;
    const operation = createOperation(definitionOf('/configmaps'), object, { now: clock.now(), uid: `uid-${uid}` });
    return writeAll(store.objects, [operation], 'test');
  };
  const read = async (name: string) => {
    const loaded = await reader.get({ scope: '/configmaps', namespace: 'default', name });
    if (!loaded) throw new Error(`no ConfigMap ${name}`);
    return loaded;
  };
  return { clock, store, transactions, reader, create, read };
}

describe('object reader', () => {
  test('keeps no more than so many characters, however few objects that are', async () => {
    const { create, store } = setup();
    const reader = createObjectReader(store.objects, 100);
    const read = (index: number) => reader.get({ scope: '/configmaps', namespace: 'default', name: `big-${index}` });
    const first: unknown[] = [];
    for (let index = 0; index < 14; index += 1) {
      await create(configMap(`big-${index}`, { x: 'x'.repeat(1_300_000) }));
      first.push(await read(index));
    }
    expect(await read(13)).toBe(first[13]);
    expect(await read(0)).not.toBe(first[0]);
  });

  test('parses a version once, and sees every new version', async () => {
    const { create, read, store, clock } = setup();
    await create(configMap('a', { x: '1' }));
    const first = await read('a');
    expect(await read('a')).toBe(first);
    const change = updateOperation(
      definitionOf('/configmaps'),
      first,
      { ...first.object, data: { x: '2' } },
      { now: clock.now() },
    );
    await writeAll(store.objects, [change], 'test');
    expect((await read('a')).object.data).toEqual({ x: '2' });
  });

  test('keeps no more than it may', async () => {
    const { create, read } = setup();
    for (const name of ['a', 'b', 'c']) await create(configMap(name));
    const [a] = [await read('a'), await read('b'), await read('c')];
    expect(await read('a')).not.toBe(a);
  });
});

describe('operations', () => {
  test('an update that changes nothing is none', async () => {
    const { create, read, clock } = setup();
    await create(configMap('a', { x: '1' }));
    const loaded = await read('a');
    expect(updateOperation(definitionOf('/configmaps'), loaded, { ...loaded.object }, { now: clock.now() })).toBeUndefined();
  });

  test('deletion marks while finalizers remain, and the last finalizer removes', async () => {
    const { create, read, reader, store, clock } = setup();
    const definition = definitionOf('/configmaps');
    await create(configMap('a', {}, ['example.com/hold']));
    const marked = deleteOperation(definition, await read('a'), { now: clock.now() });
    expect(marked?.type).toBe('update');
    await writeAll(store.objects, [marked], 'test');
    const held = await read('a');
    expect(held.object.metadata.deletionTimestamp).toBeDefined();
    expect(deleteOperation(definition, held, { now: clock.now() })).toBeUndefined();
    const freed = { ...held.object, metadata: { ...held.object.metadata, finalizers: [] } };
    const last = updateOperation(definition, held, freed, { now: clock.now() });
    expect(last?.type).toBe('delete');
    await writeAll(store.objects, [last], 'test');
    expect(await reader.get({ scope: '/configmaps', namespace: 'default', name: 'a' })).toBeUndefined();
  });

  test('writeAll splits by eight and stops at the first that does not commit', async () => {
    const { create, read, store, transactions } = setup();
    const names = [...'abcdefghi'];
    for (const name of names) await create(configMap(name));
    const loaded = [];
    for (const name of names) loaded.push(await read(name));
    const before = transactions().store;
    expect((await writeAll(store.objects, loaded.map(removeOperation), 'test')).type).toBe('committed');
    expect(transactions().store - before).toBe(2);
    expect((await writeAll(store.objects, loaded.map(removeOperation), 'test')).type).toBe('conflict');
  });
});

describe('scope cache', () => {
  test('projects what changed, and only that', async () => {
    const { create, read, store, clock } = setup();
    const projected: string[] = [];
    const cache = createScopeCache(
      store,
      '/configmaps',
      (stored) => {
        projected.push(stored.name);
        return fromStored(stored).data?.x as string;
      },
      (values) => values.join(','),
    );
    expect(await cache.all()).toBe('');
    await create(configMap('a', { x: '1' }));
    await create(configMap('b', { x: '2' }));
    expect(await cache.all()).toBe('1,2');
    expect(await cache.all()).toBe('1,2');
    const loaded = await read('a');
    const change = updateOperation(
      definitionOf('/configmaps'),
      loaded,
      { ...loaded.object, data: { x: '3' } },
      { now: clock.now() },
    );
    await writeAll(store.objects, [change], 'test');
    expect(await Promise.all([cache.all(), cache.all()])).toEqual(['3,2', '3,2']);
    expect(projected).toEqual(['a', 'b', 'a']);
  });

  test('follows the log: what comes, changes and goes, in the order of names, and lists again when the log is gone', async () => {
    const { create, read, store, clock } = setup();
    let lists = 0;
    const objects = {
      changes: store.objects.changes,
      list: (query: Parameters<typeof store.objects.list>[0]) => {
        lists += 1;
        return store.objects.list(query);
      },
    };
    const cache = createScopeCache(
      { objects, lanes: store.lanes },
      '/configmaps',
      ({ name }) => name,
      (names) => names.join(','),
    );
    await create(configMap('m'));
    expect(await cache.all()).toBe('m');
    await create(configMap('z'));
    await create(configMap('a'));
    expect(await cache.all()).toBe('a,m,z');
    await writeAll(store.objects, [removeOperation(await read('m'))], 'test');
    await create(configMap('b'));
    expect(await cache.all()).toBe('a,b,z');
    expect(lists).toBe(1);
    await create(configMap('c'));
    await clock.advance(10);
    await store.lanes.compact(1);
    expect(await cache.all()).toBe('a,b,c,z');
  });
});

describe('events', () => {
  const told = { type: 'Warning', reason: 'Broken', message: 'it broke' } as const;
  const tell = async ({ reader, store, clock }: ReturnType<typeof setup>, event: WorkerEvent) => {
    const involved = { ...configMap('a'), metadata: { name: 'a', namespace: 'default', uid: 'u' } };
    const context = { now: clock.now(), uid: `e${clock.now()}` };
    const operation = await eventOperation({ reader, definition: definitionOf('/events') }, involved, event, context);
    if (operation) await writeAll(store.objects, [operation], 'test');
    return operation?.type;
  };
  const all = async ({ store }: ReturnType<typeof setup>) => {
    const found: KubeObject[] = [];
    for await (const stored of listStored(store.objects, '/events')) found.push(fromStored(stored));
    return found;
  };

  test('the same is one Event that counts, another message is another', async () => {
    const world = setup();
    expect(await tell(world, told)).toBe('create');
    expect(await tell(world, told)).toBeUndefined();
    await world.clock.advance(20_000);
    expect(await tell(world, told)).toBe('update');
    expect(await tell(world, { ...told, message: 'it broke again' })).toBe('create');
    expect((await all(world)).map(({ count, message }) => `${count} ${message}`).sort()).toEqual([
      '1 it broke again',
      '2 it broke',
    ]);
  });

  test('those of one second are listed in the order of the work, whatever they say', async () => {
    const world = setup();
    const steps = ['decided', 'sent', 'seen'] as const;
    // Several of each step, told backwards: neither the digest nor the time of creation makes this order.
    for (const step of [...steps].reverse())
      for (const message of ['a', 'b', 'c', 'd']) await tell(world, { ...told, message: `${step} ${message}`, step });
    expect((await all(world)).map(({ message }) => String(message).split(' ')[0])).toEqual(
      steps.flatMap((step) => Array(4).fill(step)),
    );
  });

  test('names fit however long the name of the object is', async () => {
    const { reader, clock } = setup();
    const involved = { ...configMap('a'), metadata: { name: 'x'.repeat(253), namespace: 'default', uid: 'u' } };
    const context = { now: clock.now(), uid: 'e' };
    const operation = await eventOperation({ reader, definition: definitionOf('/events') }, involved, told, context);
    expect(operation?.type === 'create' && operation.object.name).toMatch(/^x{236}\.0[0-9a-f]{15}$/);
  });

  test('says who tells, about what, and is kept an hour', async () => {
    const world = setup();
    await tell(world, told);
    const [event] = await all(world);
    expect(event).toMatchObject({
      source: { component: 'lamiral' },
      involvedObject: { kind: 'ConfigMap', name: 'a', uid: 'u' },
      count: 1,
    });
    expect(EVENT_KEPT_MS).toBe(3_600_000);
  });
});
