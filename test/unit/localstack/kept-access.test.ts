import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepAccess, readAccess } from '../../../localstack/kept-access.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'access-'));
});
afterEach(() => rm(dir, { recursive: true }));

const file = () => join(dir, 'access.json');

describe('kept access', () => {
  test('a token is made once and kept', async () => {
    const first = await readAccess(dir);
    expect(first).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/), port: 0 });
    await keepAccess(dir, { ...first, port: 6443 });
    expect(await readAccess(dir)).toEqual({ ...first, port: 6443 });
  });

  test('only its owner may read it, even where a file that others may read stood before', async () => {
    await writeFile(file(), '{}');
    await chmod(file(), 0o644);
    await keepAccess(dir, { token: 't', port: 1 });
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  test('whoever reads meanwhile sees the old or the new, never a part', async () => {
    const long = { token: 'x'.repeat(1_000_000), port: 1 };
    await keepAccess(dir, long);
    const writing = Promise.all([keepAccess(dir, { ...long, port: 2 }), keepAccess(dir, { ...long, port: 3 })]);
    let isWriting = true;
    const end = writing.finally(() => {
      isWriting = false;
    });
    while (isWriting) expect(JSON.parse(await readFile(file(), 'utf8')).token).toHaveLength(1_000_000);
    await end;
    expect(await readdir(dir)).toEqual(['access.json']);
  });

  test('a draft that cannot take its place leaves nothing behind', async () => {
    await mkdir(file());
    await expect(keepAccess(dir, { token: 't', port: 1 })).rejects.toThrow();
    expect(await readdir(dir)).toEqual(['access.json']);
  });
});
