import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CertificateAuthority, type KeyPair, openCertificateAuthority } from '../../../localstack/tls.ts';
import { createMemberClients } from '../../../shared/adapters/kubernetes/clients.ts';
import { networkFailure } from '../../../shared/adapters/kubernetes/failures.ts';
import { tlsTrouble } from '../../../shared/adapters/kubernetes/tls-failures.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import type { MemberConnection } from '../../../shared/ports/member-client.ts';

const YEARS_MS = 30 * 365 * 86_400_000;
const ends: (() => Promise<unknown>)[] = [];
let own: CertificateAuthority;
let expired: CertificateAuthority;
let pair: KeyPair;
let expiredPair: KeyPair;
const ports = { tls: 0, expired: 0, plain: 0, oldest: 0 };

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
  ends.push(() => rm(folder, { recursive: true }));
  own = await openCertificateAuthority(join(folder, 'own'), Date.now);
  expired = await openCertificateAuthority(join(folder, 'expired'), () => Date.now() - YEARS_MS);
  pair = await own.serverCertificate('member');
  expiredPair = await expired.serverCertificate('member');
  ports.tls = await listen(createServer(pair));
  ports.expired = await listen(createServer(expiredPair));
  ports.plain = await listen(createHttpServer());
  ports.oldest = await listen(createServer({ ...pair, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }));
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

describe('a handshake that fails says what is wrong with which key of the Secret', () => {
  type Case = [sentence: string, port: keyof typeof ports, connection: () => Partial<MemberConnection>, want: string];
  const client = 'client-certificate-data and client-key-data';
  const cases: Case[] = [
    [
      'the CA is not PEM',
      'tls',
      () => ({ caData: 'nonsense' }),
      "its certificate is signed by an unknown authority. The CA in certificate-authority-data of its Secret did not sign it: put the cluster's own CA there (PEM, in base64).",
    ],
    [
      'an expired certificate',
      'expired',
      () => ({ caData: expired.caCert }),
      'its certificate, or the CA that signed it, has expired. Renew it on the cluster, and a renewed CA also in certificate-authority-data of its Secret.',
    ],
    [
      'a port without TLS',
      'plain',
      () => ({}),
      'it does not speak TLS there. Check the port in spec.apiEndpoint: it must be the one that serves HTTPS.',
    ],
    [
      'a client certificate that is not PEM',
      'tls',
      () => ({ caData: own.caCert, certData: 'x', keyData: 'y' }),
      `our client certificate cannot be read. Put ${client} into its Secret as PEM, in base64.`,
    ],
    [
      "another certificate's key",
      'tls',
      () => ({ caData: own.caCert, certData: pair.cert, keyData: expiredPair.key }),
      `our client certificate and key do not belong together. Put a certificate with its own key into ${client} of its Secret.`,
    ],
    [
      'a version that is too old',
      'oldest',
      () => ({ caData: own.caCert }),
      'TLS failed (tlsv1 alert protocol version). Check certificate-authority-data, client-certificate-data and client-key-data of its Secret, and the port in spec.apiEndpoint.',
    ],
  ];
  test.each(cases)('%s', async (_sentence, port, connection, want) => {
    const clients = createMemberClients({ log: memoryLog() });
    try {
      const endpoint = { cluster: 'eu-1', server: `https://127.0.0.1:${ports[port]}`, insecure: false };
      expect(await clients.connect({ ...endpoint, ...connection() }).health()).toEqual({
        type: 'unreachable',
        reason: 'tls',
        message: `cluster eu-1 at 127.0.0.1:${ports[port]}: ${want}`,
      });
    } finally {
      await clients.close();
    }
  });
});

describe('codes of handshakes that are hard to bring about', () => {
  test.each([
    [
      'another host name',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      "Hostname/IP does not match certificate's altnames: IP: 10.0.0.1 is not in the cert's list: 10.0.0.2, 10.0.0.3",
      'its certificate does not name this host (it names 10.0.0.2, 10.0.0.3)',
    ],
    [
      'another host name, of several kinds',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      "Hostname/IP does not match certificate's altnames: Host: x. is not in the cert's altnames: DNS:a, DNS:b",
      'its certificate does not name this host (it names DNS:a, DNS:b)',
    ],
    [
      'a certificate without names',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      "Hostname/IP does not match certificate's altnames: Cert does not contain a DNS name",
      'its certificate does not name this host',
    ],
    ['a certificate of tomorrow', 'CERT_NOT_YET_VALID', 'certificate is not yet valid', 'its certificate is not valid yet'],
    [
      'a client certificate that is asked for',
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      '40:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:rec.c:918:SSL alert number 116',
      'it does not accept our client certificate',
    ],
    [
      'a client certificate of an unknown authority',
      'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
      'no OpenSSL text',
      'it does not accept our client certificate',
    ],
    [
      "the socket's own word for it",
      'EPROTO',
      'write EPROTO 40:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:tls.c:77:\n',
      'it does not speak TLS there',
    ],
    ['a revoked certificate', 'CERT_REVOKED', 'certificate revoked', 'TLS failed (cert revoked)'],
  ])('%s', (_sentence, code, message, cause) => expect(tlsTrouble({ code, message })?.cause).toBe(cause));

  test('what is no trouble of TLS keeps its words', () => {
    expect(tlsTrouble({ code: 'ECONNRESET', message: 'reset' })).toBeUndefined();
    const failure = networkFailure(
      { cluster: 'eu-1', server: 'https://x:1' },
      Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
    );
    expect(failure).toEqual({
      type: 'unreachable',
      reason: 'other',
      message: 'cluster eu-1 at x:1: the connection failed (reset). It is tried again by itself.',
    });
  });
});
