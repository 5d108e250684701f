/** What every ObjectStore's LIST does: order, pages, and the state at exactly one version. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../shared/ports/object-store.ts';
import type { OpenStore } from './object-store.ts';
import { bodies, create, NODES, names, PODS, page, put, remove, update } from './objects.ts';

/** The suite for lists. */
export function storeListContract(name: string, open: OpenStore): void {
  describe(`object store, lists: ${name}`, () => {
    let opened: Awaited<ReturnType<OpenStore>>;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    /** Creates objects of these names with body 1; answers their versions. */
    const fill = async (...all: string[]) => {
      const versions = new Map<string, string>();
      for (const each of all) versions.set(each, await put(store, create({ name: each, body: '1' })));
      return (each: string) => versions.get(each) ?? '';
    };

    test('an empty scope: no items, a version to watch from', async () => {
      const empty = await page(store, { scope: PODS });
      expect(empty.items).toEqual([]);
      expect(empty).not.toHaveProperty('next');
      await put(store, create({ name: 'a' }));
      const changes = await store.objects.changes({ scope: PODS, after: empty.resourceVersion, limit: 10 });
      expect(changes).toMatchObject({ type: 'changes', changes: [{ type: 'added', object: { name: 'a' } }] });
    });

    test('order is by namespace, then name, bytewise; a namespace can be asked alone', async () => {
      for (const [namespace, each] of [
        ['b', 'a'],
        ['a', 'b'],
        ['a-b', 'a'],
        ['a', 'B'],
        ['a', 'a'],
        ['a', '\u{1F600}'],
        ['a', '\uFFFD'],
        ['', 'z'],
      ] as const)
        await put(store, create({ namespace, name: each }));
      await put(store, create({ namespace: 'a', name: 'other', scope: NODES }));
      const keys = (items: readonly { namespace: string; name: string }[]) =>
        items.map((item) => `${item.namespace}/${item.name}`);
      const inA = ['a/B', 'a/a', 'a/b', 'a/\uFFFD', 'a/\u{1F600}'];
      expect(keys((await page(store, { scope: PODS })).items)).toEqual(['/z', ...inA, 'a-b/a', 'b/a']);
      expect(keys((await page(store, { scope: PODS, namespace: 'a' })).items)).toEqual(inA);
      expect(keys((await page(store, { scope: PODS, namespace: 'none' })).items)).toEqual([]);
    });

    test('pages: each item once, all with one version, and how many follow', async () => {
      await fill('a', 'b', 'c', 'd', 'e');
      const first = await page(store, { scope: PODS, limit: 2 });
      expect(names(first.items)).toEqual(['a', 'b']);
      expect(first).toMatchObject({
        remaining: 3,
        next: { resourceVersion: first.resourceVersion, namespace: 'default', name: 'b' },
      });
      const second = await page(store, { scope: PODS, limit: 2, ...(first.next && { from: first.next }) });
      expect(names(second.items)).toEqual(['c', 'd']);
      expect(second).toMatchObject({ resourceVersion: first.resourceVersion, remaining: 1 });
      const third = await page(store, { scope: PODS, limit: 2, ...(second.next && { from: second.next }) });
      expect(names(third.items)).toEqual(['e']);
      expect(third.resourceVersion).toBe(first.resourceVersion);
      expect(third).not.toHaveProperty('next');
      expect(third).not.toHaveProperty('remaining');
    });

    test.each([
      ['exactly as many as there are', 3],
      ['more than there are', 10],
    ])('a limit of %s: one page that ends', async (_case, limit) => {
      await fill('a', 'b', 'c');
      const only = await page(store, { scope: PODS, limit });
      expect(names(only.items)).toEqual(['a', 'b', 'c']);
      expect(only).not.toHaveProperty('next');
    });

    test('later pages show the state of the first, whatever was written between', async () => {
      const version = await fill('a', 'b', 'c', 'd', 'e', 'f');
      const first = await page(store, { scope: PODS, limit: 2 });
      await put(store, update(version('a'), { name: 'a', body: '2' }));
      const c = await put(store, update(version('c'), { name: 'c', body: '2' }));
      await put(store, update(c, { name: 'c', body: '3' }));
      await put(store, remove(version('d'), { name: 'd' }));
      const e = await put(store, remove(version('e'), { name: 'e' }));
      await put(store, create({ name: 'e', body: `after ${e}` }));
      await put(store, create({ name: 'bb', body: 'new' }));
      await put(store, create({ name: 'z', body: 'new' }));
      await put(store, create({ name: 'c', scope: NODES, body: 'other scope' }));
      const second = await page(store, { scope: PODS, limit: 2, ...(first.next && { from: first.next }) });
      expect(bodies(second.items)).toEqual(['default/c=1', 'default/d=1']);
      expect(second.items.map(({ resourceVersion }) => resourceVersion)).toEqual([version('c'), version('d')]);
      expect(second.remaining).toBe(2);
      const third = await page(store, { scope: PODS, limit: 2, ...(second.next && { from: second.next }) });
      expect(bodies(third.items)).toEqual(['default/e=1', 'default/f=1']);
      expect(third).not.toHaveProperty('next');
      const all = await page(store, { scope: PODS, exact: first.resourceVersion });
      expect(bodies(all.items)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((each) => `default/${each}=1`));
      expect(all.resourceVersion).toBe(first.resourceVersion);
    });

    test('everything deleted between pages is still there at the version of the chain', async () => {
      const all = Array.from({ length: 12 }, (_, i) => `p${String(i).padStart(2, '0')}`);
      const version = await fill(...all);
      const first = await page(store, { scope: PODS, namespace: 'default', limit: 5 });
      for (const each of all) await put(store, remove(version(each), { name: each }));
      const rest = await page(store, { scope: PODS, namespace: 'default', ...(first.next && { from: first.next }) });
      expect(names(rest.items)).toEqual(all.slice(5));
      expect((await page(store, { scope: PODS })).items).toEqual([]);
    });

    test('an exact list at every retained version is the state then', async () => {
      const states: [string, string[]][] = [[(await page(store, { scope: PODS })).resourceVersion, []]];
      const a = await put(store, create({ name: 'a', body: '1' }));
      states.push([a, ['default/a=1']]);
      const b = await put(store, create({ name: 'b', namespace: 'x', body: '1' }));
      states.push([b, ['default/a=1', 'x/b=1']]);
      const a2 = await put(store, update(a, { name: 'a', body: '2' }));
      states.push([a2, ['default/a=2', 'x/b=1']]);
      const a3 = await put(store, remove(a2, { name: 'a', body: 'gone' }));
      states.push([a3, ['x/b=1']]);
      const a4 = await put(store, create({ name: 'a', body: '4' }));
      states.push([a4, ['default/a=4', 'x/b=1']]);
      for (const [exact, want] of states) {
        const found = await page(store, { scope: PODS, exact });
        expect(bodies(found.items)).toEqual(want);
        expect(found.resourceVersion).toBe(exact);
        const inX = await page(store, { scope: PODS, namespace: 'x', exact });
        expect(bodies(inX.items)).toEqual(want.filter((each) => each.startsWith('x/')));
      }
    });

    test('a version that was not reached, or is forgotten, is told', async () => {
      const a = await put(store, create({ name: 'a' }));
      expect(await store.objects.list({ scope: PODS, exact: '64000000' })).toEqual({ type: 'future', current: a });
      const from = { resourceVersion: '64000000', namespace: '', name: '' };
      expect(await store.objects.list({ scope: PODS, from })).toEqual({ type: 'future', current: a });
      expect(await store.objects.list({ scope: PODS, exact: '1' })).toMatchObject({ type: 'expired' });
      await expect(store.objects.list({ scope: PODS, exact: 'abc' })).rejects.toThrow(RangeError);
    });

    test('compaction between pages ends the chain, and touches no object', async () => {
      const version = await fill('a', 'b', 'c');
      const first = await page(store, { scope: PODS, limit: 1 });
      await put(store, update(version('c'), { name: 'c', body: '2' }));
      await opened.clock.advance(3_600_000);
      const last = await put(store, remove(version('b'), { name: 'b' }));
      await opened.clock.advance(1_000);
      expect(await store.lanes.compact(60_000)).toBe(4);
      const outcome = await store.objects.list({ scope: PODS, ...(first.next && { from: first.next }) });
      expect(outcome).toMatchObject({ type: 'expired' });
      expect(bodies((await page(store, { scope: PODS })).items)).toEqual(['default/a=1', 'default/c=2']);
      const { oldest, current } = await store.lanes.head(PODS);
      expect(current).toBe(last);
      expect(bodies((await page(store, { scope: PODS, exact: oldest })).items)).toEqual([
        'default/a=1',
        'default/b=1',
        'default/c=2',
      ]);
    });

    test('more objects than one turn reads, more left than one count counts', async () => {
      const many = Array.from({ length: 1_203 }, (_, i) => `p${String(i).padStart(4, '0')}`);
      await Promise.all(many.map((each) => put(store, create({ name: each }))));
      expect(names((await page(store, { scope: PODS })).items)).toEqual(many);
      const first = await page(store, { scope: PODS, limit: 700 });
      expect(names(first.items)).toEqual(many.slice(0, 700));
      expect(first.remaining).toBe(503);
    });
  });
}
