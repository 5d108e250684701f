/**
 * The certificate authority of one laptop: `dev` and the simulated members serve HTTPS under it, because kubectl sends credentials
 * over TLS only. Made once per data folder; keys are readable by their owner alone.
 */
import 'reflect-metadata';
import { createPrivateKey, type webcrypto, X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 60 * 60 * 1000;
const CA_DAYS = 3650;
const LEAF_DAYS = 365;
const RENEW_BEFORE_DAYS = 30;

/** A certificate and its private key, PEM. */
export type KeyPair = { cert: string; key: string };

export type CertificateAuthority = {
  /** PEM of the authority's own certificate: what clients trust. */
  caCert: string;
  /** A server certificate for loopback (127.0.0.1, ::1, localhost), kept under `name` and renewed 30 days before its end. */
  serverCertificate(name: string): Promise<KeyPair>;
};

/**
 * Opens the authority kept in `dir`, or makes it. Rejects when the folder cannot be written, or when what it holds is no authority: a new one is
 * never made in silence, because clients that trust the old one would be locked out.
 */
export async function openCertificateAuthority(dir: string, now: () => number): Promise<CertificateAuthority> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const stored = (await readPair(dir, 'ca')) ?? (await writePair(dir, 'ca', await makeAuthority(now())));
  if (!isPair(stored))
    throw new Error(`the certificate authority in ${dir} is damaged: delete that folder, and the next start makes a new one`);
  const caKey = await importKey(stored.key);
  const caCert = new x509.X509Certificate(stored.cert);
  return {
    caCert: stored.cert,
    async serverCertificate(name) {
      const found = await readPair(dir, name);
      if (found && isPair(found) && isFresh(found.cert, caCert, now())) return found;
      return writePair(dir, name, await makeLeaf(caCert, caKey, now()));
    },
  };
}

/** Whether both can be read and belong together; a crash or a full disk may have cut one off. */
function isPair({ cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function isFresh(cert: string, authority: x509.X509Certificate, now: number): boolean {
  const parsed = new x509.X509Certificate(cert);
  return parsed.issuer === authority.subject && parsed.notAfter.getTime() - now > RENEW_BEFORE_DAYS * DAY_MS;
}

async function makeAuthority(now: number): Promise<KeyPair> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    // The serial is in the subject: a new authority must never look like an old one to a client that caches by name.
    name: `CN=lamiral local authority ${randomHex(4)}`,
    serialNumber: randomHex(16),
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + CA_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: cert.toString('pem'), key: await exportKey(keys.privateKey) };
}

async function makeLeaf(authority: x509.X509Certificate, authorityKey: webcrypto.CryptoKey, now: number): Promise<KeyPair> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.create({
    subject: 'CN=lamiral',
    issuer: authority.subject,
    serialNumber: randomHex(16),
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + LEAF_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    signingKey: authorityKey,
    publicKey: keys.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
        { type: 'dns', value: 'localhost' },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(authority),
    ],
  });
  return { cert: cert.toString('pem'), key: await exportKey(keys.privateKey) };
}

function randomHex(bytes: number): string {
  // The first bit stays clear: a serial number is a positive integer.
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  random[0] = (random[0] ?? 0) & 0x7f;
  return Buffer.from(random).toString('hex');
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return crypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pem), ALGORITHM, true, ['sign']);
}

async function readPair(dir: string, name: string): Promise<KeyPair | undefined> {
  try {
    const [cert, key] = await Promise.all([
      readFile(join(dir, `${name}.crt`), 'utf8'),
      readFile(join(dir, `${name}.key`), 'utf8'),
    ]);
    return { cert, key };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writePair(dir: string, name: string, pair: KeyPair): Promise<KeyPair> {
  // The certificate is written last: a pair that is found whole is usable, and half a pair is made again.
  await writeFile(join(dir, `${name}.key`), pair.key, { mode: 0o600 });
  await writeFile(join(dir, `${name}.crt`), pair.cert, { mode: 0o644 });
  return pair;
}
