import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plan } from '../../../shared/federation/plan.ts';
import { profileTables } from '../../bench/report/profile.ts';
import { atLeast, atMost, formatTable, median, quantile, ratio, shown } from '../../bench/report/table.ts';
import { firstSnapshot, mixedClusters, nextSnapshot } from '../../bench/sections/snapshots.ts';

describe('figures', () => {
  test.each([
    ['thousands have no fraction', 1234.4, '1234'],
    ['tens have one', 12.34, '12.3'],
    ['ones have two', 1.234, '1.23'],
    ['small ones have three', 0.0123, '0.012'],
    ['nothing is nothing', 0, '0.00'],
    ['what was not measured is a dash', Number.NaN, '-'],
    ['what is not there too', undefined, '-'],
  ])('%s', (_sentence, given, want) => {
    expect(shown(given)).toBe(want);
  });

  test.each([
    ['the middle of three', [3, 1, 2], 0.5, 2],
    ['the lower of the middle two', [4, 1, 3, 2], 0.5, 2],
    ['p99 of few is the highest', [1, 2, 3], 0.99, 3],
    ['p99 of a hundred is the 99th', Array.from({ length: 100 }, (_, i) => i + 1), 0.99, 99],
  ])('%s', (_sentence, values, part, want) => {
    expect(quantile(values, part)).toBe(want);
  });

  test('the median of nothing is no number', () => {
    expect(median([])).toBeNaN();
  });

  test('a ratio is ours for one of theirs', () => {
    expect(ratio(1, 2)).toBe('0.50x');
  });
});

describe('targets', () => {
  test.each([
    ['a limit that is kept', atMost('now', 'a', 1, 1, ' ms'), true],
    ['a limit that is not', atMost('now', 'a', 1.1, 1, ' ms'), false],
    ['a rate that is reached', atLeast('now', 'a', 20, 20, ''), true],
    ['a rate that is not', atLeast('now', 'a', 19.9, 20, ''), false],
    ['a figure that was not measured meets no limit', atMost('now', 'a', Number.NaN, 1, ''), false],
    ['and reaches no rate', atLeast('now', 'a', Number.NaN, 1, ''), false],
  ])('%s', (_sentence, { isMet }, want) => {
    expect(isMet).toBe(want);
  });

  test('a table is Markdown with even columns', () => {
    expect(
      formatTable({
        heading: 'h',
        columns: ['name', 'ms'],
        rows: [
          ['a', '1'],
          ['bb', '10.5'],
        ],
      }),
    ).toBe('**h**\n\n| name | ms   |\n| ---- | ---- |\n| a    | 1    |\n| bb   | 10.5 |\n');
  });
});

describe('profiles', () => {
  const frame = (functionName: string) => ({ functionName, url: '', lineNumber: 0 });
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 5] },
      { id: 2, callFrame: frame('outer'), children: [3] },
      { id: 3, callFrame: frame('inner'), children: [4] },
      { id: 4, callFrame: frame('outer') },
      { id: 5, callFrame: frame('(idle)') },
    ],
    samples: [2, 3, 4, 5],
    timeDeltas: [1000, 2000, 3000, 50_000],
    startTime: 0,
    endTime: 56_000,
  };

  test('own time and time with what is called; recursion counts once, idleness not at all', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'lamiral-profile-'));
    try {
      await writeFile(join(dir, 'a.cpuprofile'), JSON.stringify(profile));
      const [own, total] = await profileTables(join(dir, 'a.cpuprofile'), 'a', 10, '');
      expect(own?.rows).toEqual([
        ['outer', '4', '66.7'],
        ['inner', '2', '33.3'],
      ]);
      expect(total?.rows).toEqual([
        ['outer', '6', '100.0'],
        ['inner', '5', '83.3'],
      ]);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

describe('snapshots', () => {
  test('the clusters are the same at each call', () => {
    expect(mixedClusters(7)).toEqual(mixedClusters(7));
  });

  test.each(['duplicate', 'dynamic', 'static'] as const)('%s: placed, and changed by the next', (mode) => {
    const snapshot = firstSnapshot(mixedClusters(5), mode);
    const first = plan(snapshot, 0);
    if (first.type !== 'planned') throw new Error(first.type);
    expect(first.placements).toHaveLength(5);
    const next = plan(nextSnapshot(snapshot, first.federated, first.decision), 1);
    expect(next).toMatchObject({ type: 'planned', decisionNumber: 2 });
  });
});
