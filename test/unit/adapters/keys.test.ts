import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFileSigner, temporarySigner } from '../../../shared/adapters/keys/file-signer.ts';
import { createVerifier } from '../../../shared/adapters/keys/verify.ts';
import type { PublicKey } from '../../../shared/ports/signer.ts';

const INPUT = Buffer.from('input');

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'keys-'));
});
afterEach(() => rm(dir, { recursive: true }));

const firstKey = (signer: { publicKeys(): readonly PublicKey[] }): PublicKey => {
  const [key] = signer.publicKeys();
  if (!key) throw new Error('no key');
  return key;
};

describe('a signer over a file', () => {
  test('makes its key once, for its owner alone, and never shows it', async () => {
    const path = join(dir, 'new', 'sa.key');
    const made = await openFileSigner(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const again = await openFileSigner(path);
    expect(again.keyId).toBe(made.keyId);
    expect(createVerifier()(firstKey(again), INPUT, await made.sign(INPUT))).toBe(true);
    expect(Object.keys(firstKey(made)).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  test.each([
    ['is empty', ''],
    ['is no key', 'hello'],
    ['is half a key', 'half'],
  ])('a file that %s is not replaced', async (_name, text) => {
    const path = join(dir, 'sa.key');
    await openFileSigner(path);
    const whole = await readFile(path, 'utf8');
    await writeFile(path, text === 'half' ? whole.slice(0, 80) : text);
    await expect(openFileSigner(path)).rejects.toThrow(/is damaged/);
  });
});

describe('a verifier', () => {
  const verify = createVerifier();
  const signer = temporarySigner();
  test.each<[string, (key: PublicKey) => PublicKey, boolean]>([
    ['the key', (key) => key, true],
    ['the key under an algorithm that does not fit', (key) => ({ ...key, alg: 'RS256' }), false],
    ['the key under an algorithm of secrets', (key) => ({ ...key, alg: 'HS256' }), false],
    ['the key under none', (key) => ({ ...key, alg: 'none' }), false],
    ['the key under a name of objects', (key) => ({ ...key, alg: 'constructor' }), false],
    ['another key', () => firstKey(temporarySigner()), false],
    ['half a key', ({ y: _y, ...key }) => key, false],
  ])('%s', async (_name, change, want) => {
    expect(verify(change(firstKey(signer)), INPUT, await signer.sign(INPUT))).toBe(want);
  });
  test('another text, another signature', async () => {
    const signature = await signer.sign(INPUT);
    expect(verify(firstKey(signer), Buffer.from('other'), signature)).toBe(false);
    expect(verify(firstKey(signer), INPUT, signature.subarray(1))).toBe(false);
    expect(verify(firstKey(signer), INPUT, new Uint8Array())).toBe(false);
  });
});
