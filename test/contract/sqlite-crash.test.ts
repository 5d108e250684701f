/** What SQLite accepted survives `kill -9`, and a file has one process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../shared/adapters/memory/clock.ts';
import { openSqlite, type SqliteStore } from '../../shared/adapters/sqlite/open.ts';
import { create, newObject, PODS, page, put } from './objects.ts';

const CHILD = fileURLToPath(new URL('./crash-child.ts', import.meta.url));
const ROUNDS = 3;

let folder = '';
let path = '';
const opened: SqliteStore[] = [];
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lamiral-crash-'));
  path = join(folder, 'store.db');
});
afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
  for (const each of opened.splice(0)) await each.close();
  await rm(folder, { recursive: true, force: true });
});

function open(): SqliteStore {
  const store = openSqlite({ path, durability: 'full', clock: systemClock() });
  opened.push(store);
  return store;
}

function start(round: number): ChildProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, path, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

/** Lines of the child's output until `count` have come, then kills it and answers every line that was written. */
async function killAfter(child: ChildProcess, count: number): Promise<string[]> {
  let text = '';
  child.stdout?.setEncoding('utf8');
  child.stdout?.on('data', (chunk: string) => {
    text += chunk;
    if (text.split('\n').length > count) child.kill('SIGKILL');
  });
  const signal = await new Promise((resolve) => child.once('close', (_code, by) => resolve(by)));
  expect(signal).toBe('SIGKILL');
  return text.split('\n').slice(0, -1);
}

/** Everything that the child was told is done must be in the file. */
async function checkAcknowledged(store: SqliteStore['store'], lines: readonly string[]): Promise<void> {
  const gone = new Set(lines.filter((line) => line.startsWith('gone ')).map((line) => line.split(' ')[1]));
  for (const line of lines) {
    const [what, name = '', version] = line.split(' ');
    if (what === 'record') expect((await store.records.ofOwner(name)).map(({ body }) => body)).toEqual(['1']);
    if (what === 'gone') expect(await store.objects.get(newObject({ name }))).toBeUndefined();
    if (what !== 'object' || gone.has(name)) continue;
    const found = await store.objects.get(newObject({ name }));
    // The next write of the same object may have been committed without its answer being seen: then it is newer, or deleted in its turn.
    if (found) expect(Number(found.resourceVersion)).toBeGreaterThanOrEqual(Number(version));
    else expect(Number(name.split('-')[2]) % 5).toBe(0);
  }
}

/** Every retained change, replayed, gives the objects. */
async function checkReplay(store: SqliteStore['store']): Promise<void> {
  const replay = new Map<string, string>();
  for (let after = '64'; ; ) {
    const read = await store.objects.changes({ scope: PODS, after, limit: 500 });
    if (read.type !== 'changes') throw new Error(read.type);
    for (const { type, object } of read.changes) {
      if (type === 'deleted') replay.delete(object.name);
      else replay.set(object.name, object.resourceVersion);
    }
    if (read.changes.length === 0) break;
    after = read.position;
  }
  const { items } = await page(store, { scope: PODS });
  expect(items.map(({ name, resourceVersion }) => `${name} ${resourceVersion}`)).toEqual(
    [...replay].map(([name, version]) => `${name} ${version}`).sort(),
  );
}

test('what was acknowledged is there after kill -9, again and again on one file', async () => {
  const all: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const lines = await killAfter(start(round), 400 + round * 333);
    expect(lines.length).toBeGreaterThanOrEqual(400 + round * 333);
    all.push(...lines);
    const { store, queue, close } = open();
    await checkAcknowledged(store, all);
    await checkReplay(store);
    const waiting = await queue.depth('work');
    expect(waiting).toBeGreaterThanOrEqual(all.filter((line) => line.startsWith('message ')).length);
    await close();
  }
  const { queue } = open();
  const received = new Set<string>();
  for (let batch = await takeAll(queue); batch.length > 0; batch = await takeAll(queue))
    for (const body of batch) received.add(body);
  const wanted = all.filter((line) => line.startsWith('message ')).map((line) => line.split(' ')[1] ?? '');
  expect(wanted.filter((name) => !received.has(name))).toEqual([]);
});

async function takeAll(queue: SqliteStore['queue']): Promise<string[]> {
  const messages = await queue.receive({ queue: 'work', max: 10, visibilityMs: 60_000, waitMs: 0 });
  await queue.acknowledge(messages);
  return messages.map(({ body }) => body);
}

test('a file that another process has open is refused by name, and free when that process dies', async () => {
  const child = start(0);
  await new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
  expect(() => open()).toThrow(/store\.db is open in another process/);
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
  await put(open().store, create({ name: 'after' }));
});

test('a file that this process has open is refused as well', async () => {
  await put(open().store, create({ name: 'a' }));
  expect(() => open()).toThrow(/store\.db is open/);
});

test('a file of another kind is refused by name', async () => {
  await writeFile(path, 'not a database, but long enough to be looked at '.repeat(100));
  expect(() => open()).toThrow(/store\.db is not a store/);
});

test('close frees the file, folds the log into it, and ends what waits; later calls reject', async () => {
  const first = open();
  await put(first.store, create({ name: 'a' }));
  const waiting = first.queue.receive({ queue: 'work', max: 1, visibilityMs: 1_000, waitMs: 20_000 });
  const writing = put(first.store, create({ name: 'b' }));
  await first.close();
  await first.close();
  expect(await waiting).toEqual([]);
  await writing;
  expect(existsSync(`${path}-wal`)).toBe(false);
  await expect(first.store.objects.get(newObject({ name: 'a' }))).rejects.toThrow('the store is closed');
  await expect(put(first.store, create({ name: 'c' }))).rejects.toThrow('the store is closed');
  await expect(first.queue.receive({ queue: 'work', max: 1, visibilityMs: 1_000, waitMs: 0 })).rejects.toThrow(
    'the store is closed',
  );
  expect((await page(open().store, { scope: PODS })).items.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('only the owner of the process may read the files', async () => {
  await put(open().store, create({ name: 'a' }));
  for (const file of await readdir(folder)) expect((await stat(join(folder, file))).mode & 0o077).toBe(0);
});
