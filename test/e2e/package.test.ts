/** The published package: packed, installed into an empty folder, and run there. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const ROOT = new URL('../..', import.meta.url).pathname;
let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lamiral-package-'));
  await run('npm', ['pack', '--pack-destination', dir], { cwd: ROOT });
  const tarball = (await readdir(dir)).find((name) => name.endsWith('.tgz')) ?? 'no tarball was made';
  await writeFile(join(dir, 'package.json'), JSON.stringify({ name: 'empty', version: '1.0.0', private: true }));
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', join(dir, tarball)], { cwd: dir });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('an empty folder with the package installed runs npx lamiral version', async () => {
  const { stdout } = await run('npx', ['--no-install', 'lamiral', 'version'], { cwd: dir });
  expect(stdout).toMatch(/^lamiral v\d+\.\d+\.\d+ {3}node 24\./);
});

test('the package holds compiled files only', async () => {
  const files = await readdir(join(dir, 'node_modules', 'lamiral'), { recursive: true });
  expect(files.filter((name) => name.endsWith('.ts'))).toEqual([]);
  expect(files).toContain(join('dist', 'shared', 'apis', 'data', 'protobuf.json'));
});

test('a Node that is too old is told so in one sentence', async () => {
  // The version is what the entry point reads; a process that says 20 stands for a machine that has it.
  const old = `Object.defineProperty(process.versions, 'node', { value: '20.1.0' }); await import(${JSON.stringify(join(ROOT, 'shared/cli/lamiral.mjs'))})`;
  const failed = await run(process.execPath, ['--input-type=module', '-e', old]).catch(
    (error: { code: number; stderr: string }) => error,
  );
  expect(failed).toMatchObject({ code: 1 });
  expect(failed.stderr).toContain('lamiral needs Node 24 or newer; this is Node 20.1.0');
});
