/** What only the file shows: formats, what compaction frees, and the queue over a restart. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeClock } from '../../../../shared/adapters/memory/clock.ts';
import { openSqlite, type SqliteStore } from '../../../../shared/adapters/sqlite/open.ts';
import { create, PODS, page, put, remove, update } from '../../../contract/objects.ts';

let folder = '';
let path = '';
const clock = fakeClock(1_000_000);
const opened: SqliteStore[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lamiral-file-'));
  path = join(folder, 'store.db');
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await rm(folder, { recursive: true, force: true });
});

function open(): SqliteStore {
  const store = openSqlite({ path, durability: 'normal', clock });
  opened.push(store);
  return store;
}

/** Rows of a table, read by SQLite itself when nobody has the file. */
function countRows(table: string): unknown {
  const connection = new DatabaseSync(path);
  const row = connection.prepare(`SELECT count(*) AS count FROM ${table}`).get();
  connection.close();
  return row?.count;
}

test('a file of a later format is refused by name', async () => {
  await open().close();
  const connection = new DatabaseSync(path);
  connection.exec('PRAGMA user_version = 99');
  connection.close();
  expect(() => open()).toThrow(/store\.db has format 99; this version reads format 1/);
});

test('compaction frees every version but those that stand', async () => {
  const { store, close } = open();
  for (let i = 0; i < 20; i += 1) {
    let version = await put(store, create({ name: `a${i}` }));
    for (let j = 0; j < 5; j += 1) version = await put(store, update(version, { name: `a${i}` }));
    if (i % 2 === 0) await put(store, remove(version, { name: `a${i}` }));
  }
  await clock.advance(10);
  await store.lanes.compact(0);
  await close();
  expect(countRows('slot')).toBe(10);
  expect(countRows('object')).toBe(10);
});

test('versions go on after a restart, also where compaction dropped the newest', async () => {
  const first = open();
  const gone = await put(first.store, remove(await put(first.store, create({ name: 'a' })), { name: 'a' }));
  const { cursor } = await first.store.feed.read('', 10);
  await clock.advance(10);
  await first.store.lanes.compact(0);
  await first.close();
  const { store } = open();
  expect(await store.lanes.head(PODS)).toEqual({ current: gone, oldest: gone });
  expect(Number(await put(store, create({ name: 'a' })))).toBeGreaterThan(Number(gone));
  expect((await store.feed.read(cursor, 10)).entries).toMatchObject([{ name: 'a', type: 'added' }]);
  expect((await page(store, { scope: PODS })).items).toHaveLength(1);
});

test('after a restart: what was in flight is visible, counts, ids, timers and dead letters are kept, old receipts are void', async () => {
  const message = (body: string) => ({ queue: 'work', groupId: body, dedupeId: body, body });
  const receive = (from: SqliteStore, max = 10) => from.queue.receive({ queue: 'work', max, visibilityMs: 60_000, waitMs: 0 });
  const first = open();
  await first.queue.send([message('poison')]);
  for (let i = 0; i < 5; i += 1) await first.queue.release(await receive(first), 0);
  await first.queue.send([message('a')]);
  await first.queue.sendLater(message('later'), clock.now() + 5_000);
  const old = await receive(first);
  expect(old).toMatchObject([{ body: 'a', receives: 1 }]);
  await first.close();
  const { queue } = open();
  await queue.send([message('a')]);
  await queue.acknowledge(old);
  expect(await queue.receive({ queue: 'work', max: 10, visibilityMs: 60_000, waitMs: 0 })).toMatchObject([
    { body: 'a', receives: 2 },
  ]);
  expect(await queue.deadLetters('work', 10)).toMatchObject([{ body: 'poison', receives: 5 }]);
  await clock.advance(5_000);
  expect(await queue.receive({ queue: 'work', max: 10, visibilityMs: 60_000, waitMs: 0 })).toMatchObject([{ body: 'later' }]);
});

test('transactions are counted by what they changed, however many shared a commit', async () => {
  const { store, queue, transactions } = open();
  const outcomes = await Promise.all(
    ['a', 'a', 'b'].map((name) => store.objects.write({ operations: [create({ name })], writer: 'test' })),
  );
  expect(outcomes.map(({ type }) => type)).toEqual(['committed', 'conflict', 'committed']);
  expect(transactions()).toEqual({ store: 2, queue: 0 });
  await store.records.write([{ owner: 'o', cluster: 'c', body: '1', expected: 0 }]);
  await store.records.write([{ owner: 'o', cluster: 'c', body: '1', expected: 0 }]);
  expect(transactions()).toEqual({ store: 3, queue: 0 });
  await store.cursors.store('relay', '1', '');
  await store.cursors.store('relay', '2', '');
  await queue.send([{ queue: 'work', groupId: 'g', dedupeId: '1', body: '1' }]);
  await queue.send([{ queue: 'work', groupId: 'g', dedupeId: '1', body: '1' }]);
  expect(transactions()).toEqual({ store: 3, queue: 2 });
  const messages = await queue.receive({ queue: 'work', max: 1, visibilityMs: 1_000, waitMs: 0 });
  await queue.acknowledge(messages);
  await queue.acknowledge(messages);
  expect(transactions()).toEqual({ store: 3, queue: 4 });
});
