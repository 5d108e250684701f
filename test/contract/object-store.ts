/** What every ObjectStore does: run against each adapter by `*.test.ts` beside this file. The order and snapshot laws under load are test/simulation's. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FakeClock } from '../../shared/adapters/memory/clock.ts';
import type { Store } from '../../shared/ports/object-store.ts';
import { committed, create, NODES, names, newObject, PODS, page, put, remove, update, write } from './objects.ts';

/** A fresh, empty store with its clock. */
export type OpenStore = () => Promise<{ store: Store; clock: FakeClock; close(): Promise<void> }>;

/** The suite for reads and writes of objects. */
export function objectStoreContract(name: string, open: OpenStore): void {
  describe(`object store: ${name}`, () => {
    let opened: Awaited<ReturnType<OpenStore>>;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('what was written is read back, every member of it', async () => {
      const object = newObject({
        name: 'a',
        body: '{"metadata":{"name":"a"},"text":"ü 漢 😀 \\u0000","big":12345678901234567890}',
        managedFields: '[{"manager":"kubectl"}]',
        labels: { app: 'web', 'example.com/ü': '' },
        fields: { 'status.phase': 'Running' },
        ownerUids: ['o1', 'o2'],
      });
      const resourceVersion = await put(store, { type: 'create', object });
      expect(await store.objects.get(object)).toEqual({ ...object, resourceVersion });
      expect((await page(store, { scope: PODS })).items).toEqual([{ ...object, resourceVersion }]);
    });

    test('what is absent is undefined', async () => {
      await put(store, create({ name: 'a' }));
      expect(await store.objects.get({ scope: PODS, namespace: 'default', name: 'b' })).toBeUndefined();
      expect(await store.objects.get({ scope: PODS, namespace: 'other', name: 'a' })).toBeUndefined();
      expect(await store.objects.get({ scope: NODES, namespace: 'default', name: 'a' })).toBeUndefined();
    });

    test('versions are decimal, at least 64, and increase within a scope', async () => {
      const empty = (await page(store, { scope: PODS })).resourceVersion;
      const first = await put(store, create({ name: 'a' }));
      const second = await put(store, update(first, { name: 'a' }));
      const third = await put(store, remove(second, { name: 'a' }));
      const versions = [empty, first, second, third];
      for (const version of versions) expect(version).toMatch(/^[1-9]\d*$/);
      expect(Number(empty)).toBeGreaterThanOrEqual(64);
      expect([...versions].sort((a, b) => Number(a) - Number(b))).toEqual(versions);
      expect(new Set(versions).size).toBe(4);
    });

    test('create of what exists: a conflict that shows it', async () => {
      await put(store, create({ name: 'a', body: '1' }));
      const current = await store.objects.get(newObject({ name: 'a' }));
      expect(await write(store, create({ name: 'a', body: '2' }))).toEqual({ type: 'conflict', index: 0, current });
      expect(await store.objects.get(newObject({ name: 'a' }))).toEqual(current);
    });

    test.each([
      ['update', update],
      ['delete', remove],
    ] as const)('%s with a stale version: a conflict that shows what stands there', async (_type, operation) => {
      const first = await put(store, create({ name: 'a', body: '1' }));
      await put(store, update(first, { name: 'a', body: '2' }));
      const current = await store.objects.get(newObject({ name: 'a' }));
      expect(await write(store, operation(first, { name: 'a', body: '3' }))).toEqual({ type: 'conflict', index: 0, current });
      expect(await store.objects.get(newObject({ name: 'a' }))).toEqual(current);
    });

    test.each([
      ['update', update],
      ['delete', remove],
    ] as const)('%s of what is absent: a conflict with nothing there', async (_type, operation) => {
      expect(await write(store, operation('128', { name: 'a' }))).toEqual({ type: 'conflict', index: 0 });
      const first = await put(store, create({ name: 'a' }));
      await put(store, remove(first, { name: 'a' }));
      expect(await write(store, operation(first, { name: 'a' }))).toEqual({ type: 'conflict', index: 0 });
    });

    test('a name used again never shows an old version: a stale writer of the first life is refused', async () => {
      const first = await put(store, create({ name: 'a' }));
      const gone = await put(store, remove(first, { name: 'a' }));
      const again = await put(store, create({ name: 'a' }));
      expect(Number(again)).toBeGreaterThan(Number(gone));
      expect((await write(store, update(first, { name: 'a' }))).type).toBe('conflict');
      expect((await write(store, update(gone, { name: 'a' }))).type).toBe('conflict');
      expect((await write(store, update(again, { name: 'a' }))).type).toBe('committed');
    });

    test('a batch over several scopes is one step: all versions in order, or nothing', async () => {
      const outcome = await write(
        store,
        create({ name: 'a' }),
        create({ name: 'n', scope: NODES, namespace: '' }),
        create({ name: 'b' }),
      );
      expect(outcome).toMatchObject({
        type: 'committed',
        resourceVersions: [expect.any(String), expect.any(String), expect.any(String)],
      });
      const a = await store.objects.get(newObject({ name: 'a' }));
      const refused = await write(store, create({ name: 'c' }), create({ name: 'a' }), create({ name: 'd', scope: NODES }));
      expect(refused).toEqual({ type: 'conflict', index: 1, current: a });
      expect(names((await page(store, { scope: PODS })).items)).toEqual(['a', 'b']);
      expect(names((await page(store, { scope: NODES })).items)).toEqual(['n']);
    });

    test.each([
      ['more than eight objects', () => [...'abcdefghi'].map((n) => create({ name: n }))],
      ['one object twice', () => [create({ name: 'a' }), create({ name: 'a' })]],
      ['nothing', () => []],
      ['a body over 1.5 MiB', () => [create({ name: 'a', body: 'ü'.repeat(800_000) })]],
      ['no name', () => [create({ name: '' })]],
    ])('a batch with %s is a bug of the caller: RangeError, nothing written', async (_case, operations) => {
      await expect(write(store, ...operations())).rejects.toThrow(RangeError);
      expect((await page(store, { scope: PODS })).items).toEqual([]);
    });

    test('a body of 1.5 MiB is kept whole', async () => {
      const body = `"${'x'.repeat(1.5 * 1024 * 1024 - 2)}"`;
      await put(store, create({ name: 'a', body }));
      expect((await store.objects.get(newObject({ name: 'a' })))?.body === body).toBe(true);
    });

    test('writers of one object race: exactly one wins each round', async () => {
      const first = await put(store, create({ name: 'a' }));
      const outcomes = await Promise.all(['1', '2', '3', '4'].map((body) => write(store, update(first, { name: 'a', body }))));
      const won = outcomes.filter(({ type }) => type === 'committed');
      expect(won).toHaveLength(1);
      expect((await store.objects.get(newObject({ name: 'a' })))?.resourceVersion).toBe(
        committed(won[0] ?? { type: 'busy', retryAfterSeconds: 0 }),
      );
    });

    test('what is answered is read by the next call', async () => {
      for (let i = 0; i < 20; i += 1) {
        const version = await put(store, create({ name: `a${i}` }));
        expect((await store.objects.get(newObject({ name: `a${i}` })))?.resourceVersion).toBe(version);
        expect(Number((await page(store, { scope: PODS })).resourceVersion)).toBeGreaterThanOrEqual(Number(version));
      }
    });

    test('dependents: kept with the owners of every write', async () => {
      const first = await put(store, create({ name: 'a', ownerUids: ['x', 'y'] }));
      await put(store, create({ name: 'n', scope: NODES, namespace: '', ownerUids: ['x'] }));
      expect(new Set(names(await store.index.dependents('x')))).toEqual(new Set(['a', 'n']));
      expect(await store.index.dependents('y')).toEqual([{ scope: PODS, namespace: 'default', name: 'a' }]);
      const second = await put(store, update(first, { name: 'a', ownerUids: ['y', 'z'] }));
      expect(names(await store.index.dependents('x'))).toEqual(['n']);
      expect(names(await store.index.dependents('y'))).toEqual(['a']);
      expect(names(await store.index.dependents('z'))).toEqual(['a']);
      await put(store, remove(second, { name: 'a', ownerUids: ['y', 'z'] }));
      expect(await store.index.dependents('y')).toEqual([]);
      expect(await store.index.dependents('z')).toEqual([]);
      expect(await store.index.dependents('none')).toEqual([]);
    });

    test('cursors move by compare-and-set', async () => {
      expect(await store.cursors.load('relay')).toBe('');
      expect(await store.cursors.store('relay', '5', '4')).toBe(false);
      expect(await store.cursors.store('relay', '5', '')).toBe(true);
      expect(await store.cursors.store('relay', '6', '')).toBe(false);
      expect(await store.cursors.store('relay', '7', '5')).toBe(true);
      expect(await store.cursors.load('relay')).toBe('7');
      expect(await store.cursors.load('other')).toBe('');
      const raced = await Promise.all(['a', 'b', 'c'].map((value) => store.cursors.store('relay', value, '7')));
      expect(raced.filter(Boolean)).toHaveLength(1);
    });
  });
}
