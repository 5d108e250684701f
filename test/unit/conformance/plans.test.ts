/** Which tests are run where. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { plansFor, type Target } from '../../conformance/plans.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function folderWith(files: { expected: string; exempt: string; workloads: string }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lamiral-plans-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.txt`), text);
  return folder;
}

const FILES = { expected: 'a\nb [Slow]\nc', exempt: 'c # needs controllers', workloads: 'w\nx [Slow]' };
const BOTH = new Map<Target, string>([
  ['control-plane', 'cp'],
  ['member', 'm'],
]);

describe('plansFor', () => {
  test('everything expected on both, without what is exempt on the control plane; workloads are a score on the member', async () => {
    const plans = await plansFor({
      folder: await folderWith(FILES),
      list: undefined,
      skipSlow: false,
      skipWorkloads: false,
      servers: BOTH,
    });
    expect(
      plans.map(({ target, names, leftOut, isScoreOnly }) => [target, names, leftOut.map(({ name }) => name), isScoreOnly]),
    ).toEqual([
      ['control-plane', ['a', 'b [Slow]', 'c'], ['c'], false],
      ['member', ['a', 'b [Slow]', 'c'], [], false],
      ['member', ['w', 'x [Slow]'], [], true],
    ]);
  });

  test('--skip-slow leaves out what upstream marks as slow, with a reason; --skip-workloads the score', async () => {
    const plans = await plansFor({
      folder: await folderWith(FILES),
      list: undefined,
      skipSlow: true,
      skipWorkloads: true,
      servers: BOTH,
    });
    expect(plans.map(({ leftOut }) => leftOut.map(({ name }) => name))).toEqual([['b [Slow]', 'c'], ['b [Slow]']]);
    expect(plans[1]?.leftOut[0]?.reason).toContain('--skip-slow');
  });

  test('a server that the user names is exempt from nothing', async () => {
    const servers = new Map<Target, string>([['server', 's']]);
    const plans = await plansFor({
      folder: await folderWith(FILES),
      list: undefined,
      skipSlow: false,
      skipWorkloads: false,
      servers,
    });
    expect(plans.map(({ names, leftOut }) => [names, leftOut])).toEqual([[['a', 'b [Slow]', 'c'], []]]);
  });

  test('a list that is asked for is the only one', async () => {
    const folder = await folderWith(FILES);
    await writeFile(join(folder, 'own.txt'), 'z');
    const plans = await plansFor({ folder, list: join(folder, 'own.txt'), skipSlow: false, skipWorkloads: false, servers: BOTH });
    expect(plans.map(({ names }) => names)).toEqual([['z'], ['z']]);
  });

  test('an exemption of a test that is not expected is refused', async () => {
    const folder = await folderWith({ ...FILES, exempt: 'q # gone' });
    await expect(plansFor({ folder, list: undefined, skipSlow: false, skipWorkloads: false, servers: BOTH })).rejects.toThrow(
      'exempt but not expected: q',
    );
  });
});
