/** Group commit: what shares a transaction, what a failure takes with it, and what memory holds afterwards. */
import { beforeEach, describe, expect, test } from 'vitest';
import { fakeClock } from '../../../../shared/adapters/memory/clock.ts';
import { type Committer, createCommitter } from '../../../../shared/adapters/sqlite/committer.ts';
import { type Database, openDatabase } from '../../../../shared/adapters/sqlite/database.ts';
import { GROUP_JOBS_MAX, POSITION_BLOCK } from '../../../../shared/adapters/sqlite/limits.ts';
import { createQueueTable } from '../../../../shared/adapters/sqlite/queue/table.ts';
import { createRecordWriter } from '../../../../shared/adapters/sqlite/records.ts';
import { createScopes } from '../../../../shared/adapters/sqlite/scopes.ts';
import { applyBatch } from '../../../../shared/adapters/sqlite/write.ts';
import { create, PODS } from '../../../contract/objects.ts';

let database: Database;
let committer: Committer;
let statements: string[];
beforeEach(() => {
  const opened = openDatabase(':memory:');
  statements = [];
  database = {
    ...opened,
    run(sql, ...values) {
      statements.push(sql);
      return opened.run(sql, ...values);
    },
    exec(sql) {
      statements.push(sql);
      opened.exec(sql);
    },
  };
  committer = createCommitter(database, 'full');
});

const job = (run: () => unknown, durable = true) => committer.submit({ durable, run });
const noop = (result: unknown) => () => result;
const disk = () => {
  throw new Error('database or disk is full');
};

test('jobs of one turn share a transaction, and each has its own answer', async () => {
  expect(await Promise.all([job(noop(1)), job(noop(2)), job(noop(3))])).toEqual([1, 2, 3]);
  expect(statements).toEqual(['BEGIN', 'COMMIT']);
});

test('a group has a largest size; the rest follows in the next turn', async () => {
  await Promise.all(Array.from({ length: GROUP_JOBS_MAX + 1 }, (_, i) => job(noop(i))));
  expect(statements.filter((sql) => sql === 'COMMIT')).toHaveLength(2);
});

test('only a group with a durable job is flushed to disk', async () => {
  await job(noop(1), false);
  await Promise.all([job(noop(1), false), job(noop(2), true)]);
  await job(noop(1), true);
  expect(statements).toEqual([
    'PRAGMA synchronous = normal',
    'BEGIN',
    'COMMIT',
    'PRAGMA synchronous = full',
    'BEGIN',
    'COMMIT',
    'BEGIN',
    'COMMIT',
  ]);
});

test('when the medium fails, all of the group reject, memory is read again, and the next group goes on', async () => {
  let reloads = 0;
  committer.onRollback(() => {
    reloads += 1;
  });
  const cursor = () => database.run('INSERT INTO cursor VALUES (?, ?)', 'a', '1');
  const outcomes = await Promise.allSettled([job(cursor), job(disk), job(noop(3))]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(reloads).toBe(1);
  expect(database.get('SELECT * FROM cursor')).toBeUndefined();
  expect(await job(cursor)).toBe(1);
});

test('numbers grow, also over a failure and a new start', async () => {
  const first = await job(committer.nextPosition);
  await expect(job(() => [committer.nextPosition(), disk()])).rejects.toThrow('full');
  const second = await job(committer.nextPosition);
  const third = await createCommitter(database, 'full').submit({ durable: true, run: committer.nextPosition });
  expect([first, second, third].every((each, i, all) => i === 0 || Number(each) > Number(all[i - 1]))).toBe(true);
  const restarted = createCommitter(database, 'full');
  expect(await restarted.submit({ durable: true, run: restarted.nextPosition })).toBeGreaterThan(POSITION_BLOCK);
});

test('after close, jobs are refused; what was submitted before is done', async () => {
  const before = job(noop('done'));
  committer.close();
  expect(await before).toBe('done');
  await expect(job(noop(1))).rejects.toThrow('the store is closed');
});

describe('a failed transaction leaves no trace in memory', () => {
  test('of objects: the next write takes the version that was not committed', async () => {
    const scopes = createScopes(database);
    committer.onRollback(scopes.reload);
    const nextPosition = committer.nextPosition;
    const deps = { database, scopes, records: createRecordWriter(database, nextPosition), clock: fakeClock(1), nextPosition };
    const write = (name: string) => applyBatch(deps, { operations: [create({ name })], writer: 'test' });
    await job(() => write('a'));
    const head = scopes.find(PODS)?.n ?? 0;
    await expect(job(() => [write('b'), disk()])).rejects.toThrow('full');
    expect(scopes.find(PODS)?.n).toBe(head);
    expect(await job(() => write('b'))).toEqual({ type: 'committed', resourceVersions: [String((head + 1) * 64)] });
  });

  test('of a scope that would have been new', async () => {
    const scopes = createScopes(database);
    committer.onRollback(scopes.reload);
    await expect(job(() => [scopes.ensure(PODS), disk()])).rejects.toThrow('full');
    expect(scopes.find(PODS)).toBeUndefined();
  });

  test('of messages: what was sent is not there, what was received is visible again', async () => {
    const table = createQueueTable({ database, nextPosition: committer.nextPosition, receivesMax: 5, opening: 'test' });
    committer.onRollback(table.reload);
    const message = (body: string) => ({ queue: 'work', groupId: 'g', dedupeId: body, body });
    const deliver = () => table.deliver({ queue: 'work', max: 10, until: 1_000, now: 1 });
    await job(() => table.append([message('1')], 1));
    await expect(job(() => [table.append([message('2')], 1), deliver(), disk()])).rejects.toThrow('full');
    expect(table.state('work').size()).toBe(1);
    expect(await job(deliver)).toMatchObject([{ body: '1', receives: 1 }]);
    expect(await job(() => table.append([message('2')], 1))).toBe(1);
  });
});
