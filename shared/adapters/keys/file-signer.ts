/** Signer over a private key in a file of its owner: P-256, made with the first start. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PublicKey, Signer } from '../../ports/signer.ts';

/**
 * Opens the key at `path`, or makes it. Rejects when the file cannot be read or written, and when it holds no P-256 key: a new one is never made in
 * silence, because every token that is out would stop working.
 */
export async function openFileSigner(path: string): Promise<Signer> {
  return signerOf(await readKey(path), path);
}

/** Signer over a fresh key that is kept nowhere: for tests. */
export function temporarySigner(): Signer {
  return signerOf(makeKey(), 'memory');
}

function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function readKey(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const pem = makeKey();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Written whole before it gets its name: half a key would lock every account out.
  await writeFile(`${path}.new`, pem, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return pem;
}

function signerOf(pem: string, path: string): Signer {
  const key = parseKey(pem, path);
  const publicKey = createPublicKey(key);
  // As upstream names keys: the digest of what a certificate would say of them.
  const keyId = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const keys: readonly PublicKey[] = [{ use: 'sig', kty, kid: keyId, crv, alg: 'ES256', x, y }];
  return {
    algorithm: 'ES256',
    keyId,
    sign: async (input) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' }),
    publicKeys: () => keys,
  };
}

function parseKey(pem: string, path: string): KeyObject {
  const damaged = () =>
    new Error(`the key of ServiceAccount tokens in ${path} is damaged: restore it, or delete it to make every token invalid`);
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    throw damaged();
  }
  throw damaged();
}
