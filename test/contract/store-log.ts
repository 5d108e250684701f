/** What every store's log does: changes of a scope, the feed of all scopes, compaction, records. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Change, ChangesOutcome, FeedEntry, Store } from '../../shared/ports/object-store.ts';
import type { OpenStore } from './object-store.ts';
import { create, NODES, newObject, PODS, page, put, remove, update, write } from './objects.ts';

async function changesOf(store: Store, after: string, limit = 100): Promise<Extract<ChangesOutcome, { type: 'changes' }>> {
  const outcome = await store.objects.changes({ scope: PODS, after, limit });
  if (outcome.type !== 'changes') throw new Error(`no changes: ${JSON.stringify(outcome)}`);
  return outcome;
}

const brief = ({ type, object, before }: Change) =>
  `${type} ${object.name} ${object.resourceVersion} ${object.body} was ${before?.body ?? 'absent'}`;

/** Reads the feed from a cursor to its end. */
async function drain(store: Store, cursor: string, limit: number): Promise<{ entries: FeedEntry[]; cursor: string }> {
  const entries: FeedEntry[] = [];
  for (let at = cursor, i = 0; i < 1000; i += 1) {
    const read = await store.feed.read(at, limit);
    entries.push(...read.entries);
    if (read.entries.length === 0) return { entries, cursor: read.cursor };
    at = read.cursor;
  }
  throw new Error('the feed does not end');
}

/** The suite for the log. */
export function storeLogContract(name: string, open: OpenStore): void {
  describe(`object store, log: ${name}`, () => {
    let opened: Awaited<ReturnType<OpenStore>>;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('every write is one change, in order, with the state before', async () => {
      const start = (await store.lanes.head(PODS)).current;
      const a = await put(store, create({ name: 'a', body: '1' }));
      const b = await put(store, create({ name: 'b', body: '1' }));
      await put(store, create({ name: 'n', scope: NODES }));
      const a2 = await put(store, update(a, { name: 'a', body: '2' }));
      const a3 = await put(store, remove(a2, { name: 'a', body: 'last' }));
      const a4 = await put(store, create({ name: 'a', body: '4' }));
      const want = [
        `added a ${a} 1 was absent`,
        `added b ${b} 1 was absent`,
        `modified a ${a2} 2 was 1`,
        `deleted a ${a3} last was 2`,
        `added a ${a4} 4 was absent`,
      ];
      const { changes, position } = await changesOf(store, start);
      expect(changes.map(brief)).toEqual(want);
      expect(position).toBe(a4);
      expect((await changesOf(store, a2)).changes.map(brief)).toEqual(want.slice(3));
      expect(await changesOf(store, a4)).toEqual({ type: 'changes', changes: [], position: a4 });
      // A version between two of this scope's, as lists over several cells give: what lies above it follows.
      expect((await changesOf(store, String(Number(a2) + 63))).changes.map(brief)).toEqual(want.slice(3));
    });

    test('a change carries the object whole, and labels, fields, body and managedFields before it', async () => {
      const given = {
        name: 'a',
        labels: { app: 'x' },
        fields: { 'spec.nodeName': 'n' },
        managedFields: '[1]',
        body: '1',
        ownerUids: ['o'],
      };
      const first = await put(store, create(given));
      const next = { name: 'a', labels: { app: 'y' }, body: '2' };
      const second = await put(store, update(first, next));
      expect((await changesOf(store, first)).changes).toEqual([
        {
          type: 'modified',
          object: { ...newObject(next), resourceVersion: second },
          before: { labels: given.labels, fields: given.fields, body: '1', managedFields: '[1]' },
        },
      ]);
    });

    test('a reader that resumes reads the same log, by any step', async () => {
      const start = (await store.lanes.head(PODS)).current;
      let version = await put(store, create({ name: 'a', body: '0' }));
      for (let i = 1; i < 9; i += 1) version = await put(store, update(version, { name: 'a', body: String(i) }));
      const whole = (await changesOf(store, start)).changes.map(brief);
      expect(whole).toHaveLength(9);
      for (const step of [1, 2, 4]) {
        const read: string[] = [];
        for (let at = start; read.length < 9; ) {
          const { changes, position } = await changesOf(store, at, step);
          expect(changes.length).toBeLessThanOrEqual(step);
          read.push(...changes.map(brief));
          at = position;
        }
        expect(read).toEqual(whole);
      }
    });

    test('a refused write leaves nothing in the log', async () => {
      const start = (await store.lanes.head(PODS)).current;
      const a = await put(store, create({ name: 'a' }));
      await write(store, create({ name: 'b' }), create({ name: 'a' }));
      await write(store, update('1', { name: 'a' }));
      expect((await changesOf(store, start)).changes).toHaveLength(1);
      expect((await store.lanes.head(PODS)).current).toBe(a);
    });

    test('listeners hear the scopes of commits, after they can be read, until they leave', async () => {
      const heard: string[][] = [];
      const readable: (string | undefined)[] = [];
      const leave = store.lanes.onCommit((scopes) => {
        heard.push([...scopes]);
        void store.objects.get(newObject({ name: 'a' })).then((found) => readable.push(found?.name));
      });
      await put(store, create({ name: 'a' }));
      await new Promise((resolve) => setImmediate(resolve));
      expect(heard).toEqual([[PODS]]);
      expect(readable).toEqual(['a']);
      await write(store, create({ name: 'a' }));
      await write(store, create({ name: 'b' }), create({ name: 'n', scope: NODES }));
      await new Promise((resolve) => setImmediate(resolve));
      expect(heard.slice(1).flat().sort()).toEqual([NODES, PODS]);
      leave();
      await put(store, create({ name: 'c' }));
      await new Promise((resolve) => setImmediate(resolve));
      expect(heard).toHaveLength(2);
    });

    test('compaction: what is older cannot be replayed, what is younger can, with its state before', async () => {
      const start = (await store.lanes.head(PODS)).current;
      const a = await put(store, create({ name: 'a', body: '1' }));
      const a2 = await put(store, update(a, { name: 'a', body: '2' }));
      const b = await put(store, create({ name: 'b', body: '1' }));
      await opened.clock.advance(100_000);
      const a3 = await put(store, update(a2, { name: 'a', body: '3' }));
      const b2 = await put(store, remove(b, { name: 'b', body: 'last' }));
      await opened.clock.advance(1_000);
      expect(await store.lanes.compact(50_000)).toBe(3);
      expect(await store.lanes.compact(50_000)).toBe(0);
      expect(await store.lanes.head(PODS)).toEqual({ current: b2, oldest: b });
      for (const after of [start, a, a2])
        expect(await store.objects.changes({ scope: PODS, after, limit: 10 })).toEqual({ type: 'expired', oldest: b });
      expect((await changesOf(store, b)).changes.map(brief)).toEqual([`modified a ${a3} 3 was 2`, `deleted b ${b2} last was 1`]);
      expect((await store.objects.get(newObject({ name: 'a' })))?.body).toBe('3');
    });

    test('compaction of everything: the head stays, objects stay, versions go on', async () => {
      const a = await put(store, create({ name: 'a', body: '1' }));
      const b = await put(store, create({ name: 'b', body: '1' }));
      const gone = await put(store, remove(b, { name: 'b' }));
      await opened.clock.advance(1_000);
      await store.lanes.compact(0);
      expect(await store.lanes.head(PODS)).toEqual({ current: gone, oldest: gone });
      expect(await changesOf(store, gone)).toMatchObject({ changes: [], position: gone });
      const next = await put(store, update(a, { name: 'a', body: '2' }));
      expect(Number(next)).toBeGreaterThan(Number(gone));
      expect((await changesOf(store, gone)).changes.map(brief)).toEqual([`modified a ${next} 2 was 1`]);
      expect((await page(store, { scope: PODS })).items).toHaveLength(1);
    });

    test('the feed: every scope, writer and owners with it, resumed by cursor without loss', async () => {
      expect((await store.feed.read('', 10)).entries).toEqual([]);
      const a = await put(store, create({ name: 'a', ownerUids: ['o'] }));
      const n = await put(store, create({ name: 'n', scope: NODES, namespace: '' }));
      await store.objects.write({ operations: [update(a, { name: 'a' })], writer: 'status' });
      const { entries, cursor } = await drain(store, '', 2);
      expect(entries[0]).toEqual({
        scope: PODS,
        namespace: 'default',
        name: 'a',
        uid: 'uid-default-a',
        type: 'added',
        resourceVersion: a,
        writer: 'test',
        ownerUids: ['o'],
      });
      const ofA = entries.filter(({ name: each }) => each === 'a').map(({ type, writer }) => `${type} ${writer}`);
      expect(ofA).toEqual(['added test', 'modified status']);
      await put(store, remove(n, { name: 'n', scope: NODES, namespace: '' }));
      expect((await drain(store, cursor, 10)).entries).toMatchObject([{ scope: NODES, name: 'n', type: 'deleted' }]);
    });

    test('a feed cursor stays good over compaction', async () => {
      const a = await put(store, create({ name: 'a' }));
      await put(store, remove(a, { name: 'a' }));
      const { cursor } = await drain(store, '', 10);
      await opened.clock.advance(1_000);
      await store.lanes.compact(0);
      expect((await drain(store, cursor, 10)).entries).toEqual([]);
      await put(store, create({ name: 'b' }));
      expect((await drain(store, cursor, 10)).entries).toMatchObject([{ name: 'b' }]);
    });

    test('records: compare-and-set, each by itself', async () => {
      await store.records.write([
        { owner: 'web', cluster: 'eu', body: '1', expected: 0 },
        { owner: 'web', cluster: 'ap', body: '1' },
        { owner: 'other', cluster: 'eu', body: '1' },
      ]);
      const [ap, eu] = await store.records.ofOwner('web');
      expect([ap, eu]).toMatchObject([
        { owner: 'web', cluster: 'ap', body: '1' },
        { owner: 'web', cluster: 'eu', body: '1' },
      ]);
      expect(await store.records.ofOwner('web')).toHaveLength(2);
      expect(await store.records.get('web', 'eu')).toEqual(eu);
      expect(await store.records.get('web', 'us')).toBeUndefined();
      const taken = { owner: 'web', cluster: 'eu', body: 'x', expected: 0 };
      const stale = { owner: 'web', cluster: 'ap', body: 'x', expected: (ap?.version ?? 0) + 1 };
      const good = { owner: 'web', cluster: 'us', body: '1', expected: 0 };
      expect(await store.records.write([taken, good, stale])).toEqual({ stale: [taken, stale] });
      expect((await store.records.ofOwner('web')).map(({ cluster, body }) => `${cluster}=${body}`)).toEqual([
        'ap=1',
        'eu=1',
        'us=1',
      ]);
    });

    test('records: removed, made again, and never the same version', async () => {
      const write1 = (body: string | null, expected?: number) =>
        store.records.write([{ owner: 'web', cluster: 'eu', body, ...(expected === undefined ? {} : { expected }) }]);
      const version = async () => (await store.records.ofOwner('web'))[0]?.version ?? 0;
      await write1('1', 0);
      const first = await version();
      await write1('2', first);
      const second = await version();
      expect(second).not.toBe(first);
      expect((await write1(null, first)).stale).toHaveLength(1);
      expect((await write1(null, second)).stale).toHaveLength(0);
      expect(await store.records.ofOwner('web')).toEqual([]);
      await write1('3', 0);
      expect([0, first, second]).not.toContain(await version());
      expect((await write1('4', first)).stale).toHaveLength(1);
    });

    test('records: parked ones are found by the cluster they wait for, and only while they wait', async () => {
      for (const owner of ['a', 'b', 'c'])
        await store.records.write([{ owner, cluster: 'eu', body: '1', ...(owner === 'b' ? {} : { parkedFor: 'eu' }) }]);
      expect((await store.records.parkedFor('eu', 10)).map(({ owner }) => owner)).toEqual(['a', 'c']);
      expect(await store.records.parkedFor('eu', 1)).toMatchObject([{ owner: 'a', parkedFor: 'eu' }]);
      expect(await store.records.parkedFor('ap', 10)).toEqual([]);
      await store.records.write([{ owner: 'a', cluster: 'eu', body: '2' }]);
      expect((await store.records.parkedFor('eu', 10)).map(({ owner }) => owner)).toEqual(['c']);
    });

    test('records ride in a write: with it, or not at all', async () => {
      const records = [{ owner: 'web', cluster: 'eu', body: '1', expected: 0 }];
      const first = await store.objects.write({ operations: [create({ name: 'a' })], records, writer: 'scheduler' });
      expect(first.type).toBe('committed');
      expect(await store.objects.write({ operations: [create({ name: 'b' })], records, writer: 'scheduler' })).toEqual({
        type: 'conflict',
        index: -1,
      });
      expect(await store.objects.get(newObject({ name: 'b' }))).toBeUndefined();
      const more = [{ owner: 'web', cluster: 'us', body: '1' }];
      expect((await store.objects.write({ operations: [create({ name: 'a' })], records: more, writer: 'scheduler' })).type).toBe(
        'conflict',
      );
      expect((await store.records.ofOwner('web')).map(({ cluster }) => cluster)).toEqual(['eu']);
    });
  });
}
