import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCertificateAuthority } from '../../../localstack/tls.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lamiral-tls-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test('a certificate is trusted under the authority, covers loopback, and lasts', async () => {
  const authority = await openCertificateAuthority(dir, Date.now);
  const pair = await authority.serverCertificate('api');
  const leaf = new X509Certificate(pair.cert);
  expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(leaf.checkHost('localhost')).toBe('localhost');
  expect(leaf.verify(new X509Certificate(authority.caCert).publicKey)).toBe(true);
  const again = await openCertificateAuthority(dir, Date.now);
  expect((await again.serverCertificate('api')).cert).toBe(pair.cert);
});

test('a certificate near its end is renewed under the same authority', async () => {
  const before = await openCertificateAuthority(dir, Date.now);
  const first = await before.serverCertificate('api');
  const later = await openCertificateAuthority(dir, () => Date.now() + 340 * DAY_MS);
  expect(later.caCert).toBe(before.caCert);
  expect((await later.serverCertificate('api')).cert).not.toBe(first.cert);
});

test.each(['api.crt', 'api.key'])('a damaged %s is made anew under the same authority', async (file) => {
  const before = await openCertificateAuthority(dir, Date.now);
  await before.serverCertificate('api');
  await writeFile(join(dir, file), '');
  const pair = await (await openCertificateAuthority(dir, Date.now)).serverCertificate('api');
  expect(new X509Certificate(pair.cert).verify(new X509Certificate(before.caCert).publicKey)).toBe(true);
  expect(new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key))).toBe(true);
});

test.each(['ca.crt', 'ca.key'])('a damaged %s is said, with what to do, and never replaced in silence', async (file) => {
  await openCertificateAuthority(dir, Date.now);
  await writeFile(join(dir, file), 'no PEM');
  await expect(openCertificateAuthority(dir, Date.now)).rejects.toThrow(`authority in ${dir} is damaged: delete that folder`);
});

test('a client that trusts the authority can talk to the server, and keys are private', async () => {
  const authority = await openCertificateAuthority(dir, Date.now);
  const pair = await authority.serverCertificate('api');
  const server = createServer(pair, (_request, response) => response.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const { Agent, request } = await import('undici');
  const agent = new Agent({ connect: { ca: authority.caCert } });
  const { body } = await request(`https://127.0.0.1:${port}/`, { dispatcher: agent });
  expect(await body.text()).toBe('hello');
  await agent.close();
  server.close();
  expect((await stat(join(dir, 'ca.key'))).mode & 0o777).toBe(0o600);
});
