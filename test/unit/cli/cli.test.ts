import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import { run } from '../../../shared/cli/main.ts';
import { readObjectName } from '../../../shared/cli/resource-name.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lamiral-cli-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Runs a command in the test's folder; `answer` is what a person says when asked. */
async function lamiral(args: string[], answer = false): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await run(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    confirm: async () => answer,
    env: {},
    cwd: dir,
  });
  return { code, out, err };
}

describe('the command line', () => {
  test.each(['version', '--version', '-V'])('%s says its version and the Node that runs it', async (word) => {
    expect(await lamiral([word])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^lamiral v\d+\.\d+\.\d+ {3}node 24\./),
    });
  });
  test.each([
    ['nothing', [], 0],
    ['help', ['--help'], 0],
    ['an unknown command', ['fly'], 2],
    ['an unknown option', ['reset', '--hard'], 2],
    ['a missing argument', ['explain'], 2],
    ['an action that there is not', ['cluster', 'sideways', 'eu-1'], 2],
  ])('%s ends with the code that says so', async (_name, args, code) => {
    expect((await lamiral(args)).code).toBe(code);
  });
  test('a command that needs a running dev says how to start one', async () => {
    expect(await lamiral(['cluster', 'down', 'eu-1'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Start one with `npm start`'),
    });
  });
  test('explain without a kubeconfig names the file that it looked for', async () => {
    const { code, err } = await lamiral(['explain', 'deploy/web', '--kubeconfig', join(dir, 'none')]);
    expect(code).toBe(1);
    expect(err).toContain(join(dir, 'none'));
  });
});

describe('reset', () => {
  const data = () => join(dir, '.lamiral');
  const fill = async (...names: string[]) => {
    await mkdir(data());
    for (const name of names) await writeFile(join(data(), name), '');
  };
  test('deletes the data when the answer is yes', async () => {
    await fill('lamiral.db', 'kubeconfig');
    expect(await lamiral(['reset'], true)).toMatchObject({ code: 0, out: '.lamiral deleted\n' });
    expect(await readdir(dir)).toEqual([]);
  });
  test('deletes nothing when it is no, and asks nobody with --yes', async () => {
    await fill('lamiral.db');
    expect((await lamiral(['reset'], false)).code).toBe(1);
    expect(await readdir(data())).toEqual(['lamiral.db']);
    expect((await lamiral(['reset', '--yes'])).code).toBe(0);
  });
  test('never deletes a folder that holds something else', async () => {
    await fill('lamiral.db', 'thesis.tex');
    expect(await lamiral(['reset', '--yes'])).toMatchObject({ code: 1, err: expect.stringContaining('thesis.tex') });
    expect(await readdir(data())).toHaveLength(2);
  });
  test('has nothing to do without data', async () => {
    expect(await lamiral(['reset', '--yes'])).toMatchObject({ code: 0, out: 'nothing to delete: .lamiral does not exist\n' });
  });
});

describe('names of objects', () => {
  const registry = createRegistry(builtInDefinitions());
  test.each([
    [['deploy/web'], 'deployments', 'web'],
    [['deployments.apps', 'web'], 'deployments', 'web'],
    [['Deployment/web'], 'deployments', 'web'],
    [['ing.networking.k8s.io/x'], 'ingresses', 'x'],
    [['po', 'p'], 'pods', 'p'],
  ])('%j', (words, plural, name) => {
    const found = readObjectName(registry, words);
    expect([found.definition.plural, found.name]).toEqual([plural, name]);
  });
  test.each([[['deploy']], [['deploy/']], [['toaster/web']], [['deployments.batch/web']]])('%j is no object', (words) => {
    expect(() => readObjectName(registry, words)).toThrow();
  });
});
