/** The vectors pass, and the runner fails what it should. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failed, type Mapper, value } from '../../../vectors/outcome.ts';
import { type LoadedMappers, loadMappers, runVectors } from '../../../vectors/runner.ts';

const VECTORS = join(import.meta.dirname, '../../../vectors');

test('every vector of the project passes', async () => {
  const report = runVectors(VECTORS, await loadMappers(join(VECTORS, 'mappers')));
  expect(report.lines.filter((line) => line.startsWith('FAILED'))).toEqual([]);
  expect(report.passed).toBeGreaterThan(1100);
});

describe('the runner', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'vectors-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const echo: Mapper = ({ input }) => (input === 'refuse' ? failed('no') : value(input));
  const run = (file: string, records: unknown, mappers: Record<string, Mapper> = { rsp: echo }) => {
    writeFileSync(join(directory, file), JSON.stringify(records));
    const loaded: LoadedMappers = { mappers, failures: [] };
    const { passed, failed: failures, skipped } = runVectors(directory, loaded);
    return [passed, failures, skipped];
  };
  const record = (input: unknown, expected: unknown, more: object = {}) => ({ name: 'r', input, expected, ...more });

  test.each<[string, string, unknown, number[]]>([
    ['an equal answer passes', 'rsp.json', [record({ a: [1] }, { a: [1] })], [1, 0, 0]],
    ['another answer fails', 'rsp.json', [record({ a: [1] }, { a: [2] })], [0, 1, 0]],
    ['a missing key is not 0 here', 'rsp.json', [record({}, { a: 0 })], [0, 1, 0]],
    ['an expected refusal passes', 'rsp.json', [record('refuse', { error: true, patches: [] })], [1, 0, 0]],
    ['a refusal that was not expected fails', 'rsp.json', [record('refuse', { error: false })], [0, 1, 0]],
    ['an answer where a refusal was expected fails', 'rsp.json', [record({}, { error: true })], [0, 1, 0]],
    ['order counts', 'rsp.json', [record([1, 2], [2, 1])], [0, 1, 0]],
    [
      'unless the note says that it is undefined',
      'rsp.json',
      [record([1, 2], [2, 1], { note: 'order of names is not defined' })],
      [1, 0, 0],
    ],
    [
      'ignored paths are left out',
      'rsp.json',
      [record({ status: { c: [{ t: 1, k: 2 }] } }, { status: { c: [{ k: 2 }] }, ignore: ['c[].t'] })],
      [1, 0, 0],
    ],
    ['a record without an input fails', 'rsp.json', [{ name: 'r', expected: 1 }], [0, 1, 0]],
    ['a file that nobody knows fails', 'other.json', [record(1, 1)], [0, 1, 0]],
    ['a file that is no list fails', 'rsp.json', {}, [0, 1, 0]],
    ['a file without records fails', 'rsp.json', [], [0, 1, 0]],
    ['only named files may be skipped', 'webhook_unit.json', [record(1, 1), record(2, 2)], [0, 0, 2]],
  ])('%s', (_sentence, file, records, want) => {
    expect(run(file, records)).toEqual(want);
  });

  test('an exception of a production function is a failure', () => {
    const broken: Mapper = () => {
      throw new TypeError('broken');
    };
    expect(run('rsp.json', [record(1, { error: true })], { rsp: broken })).toEqual([0, 1, 0]);
  });

  test('planners compare missing keys as 0', () => {
    expect(run('planner.json', [record({ plan: { a: 1 } }, { plan: { a: 1, b: 0 }, overflow: {} })], { planner: echo })).toEqual([
      1, 0, 0,
    ]);
  });

  test('quantities compare by value', () => {
    expect(run('cluster_resources.json', [record({ cpu: '1500m' }, { cpu: '1.5' })], { cluster_resources: echo })).toEqual([
      1, 0, 0,
    ]);
  });

  test('an empty folder is a failure', () => {
    expect(runVectors(directory, { mappers: {}, failures: [] }).failed).toBe(1);
  });
});
