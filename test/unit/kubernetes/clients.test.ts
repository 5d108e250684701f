import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openCertificateAuthority } from '../../../localstack/tls.ts';
import { createMemberClients } from '../../../shared/adapters/kubernetes/clients.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { type MemberConnection, MemberWatchError } from '../../../shared/ports/member-client.ts';

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

/** A server that notes what it is asked and answers by `answer`; and a client of it. */
async function setup(answer: RequestListener, connection: Partial<MemberConnection> = {}) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer(request, response);
    });
  });
  const port = await listen(server);
  const clients = createMemberClients({ log: memoryLog() });
  ends.push(() => clients.close());
  const whole = { cluster: 'eu-1', server: `http://127.0.0.1:${port}`, insecure: false, token: 'secret', ...connection };
  return { seen, port, clients, connection: whole, client: clients.connect(whole) };
}

const json =
  (code: number, body: unknown): RequestListener =>
  (_request, response) => {
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
const status = (code: number, reason: string, message: string, details: unknown = {}) =>
  json(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, details, code });

const REF = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default', name: 'web' };
const WEB: KubeObject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'default' } };

describe('requests', () => {
  test('apply is a server-side apply of field manager lamiral, as JSON, with the token', async () => {
    const { client, seen } = await setup(json(200, WEB));
    expect(await client.apply(REF, WEB, { force: true })).toEqual({ type: 'ok', value: WEB });
    expect(seen[0]).toMatchObject({ method: 'PATCH', body: JSON.stringify(WEB) });
    const url = new URL(seen[0]?.url ?? '', 'http://x');
    expect(url.pathname).toBe('/apis/apps/v1/namespaces/default/deployments/web');
    expect(Object.fromEntries(url.searchParams)).toEqual({ fieldManager: 'lamiral', force: 'true', fieldValidation: 'Ignore' });
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'content-type': 'application/apply-patch+yaml' });
  });

  test('names are escaped, a path in the endpoint is kept', async () => {
    const { client, seen, connection, clients } = await setup(json(200, WEB));
    await client.get({
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      resource: 'clusterroles',
      namespace: '',
      name: 'a:b?c',
    });
    expect(seen[0]?.url).toBe('/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab%3Fc');
    await clients.connect({ ...connection, cluster: 'us-1', server: `${connection.server}/k8s/` }).health();
    expect(seen[1]?.url).toBe('/k8s/healthz');
  });

  test('delete carries its preconditions', async () => {
    const { client, seen } = await setup(json(200, {}));
    expect(await client.delete(REF, { uid: 'u', resourceVersion: '7' })).toEqual({ type: 'ok', value: undefined });
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({
      propagationPolicy: 'Background',
      preconditions: { uid: 'u', resourceVersion: '7' },
    });
  });

  test('a list goes on to its last page, and its items know their kind', async () => {
    const { client } = await setup((request, response) => {
      const isSecond = request.url?.includes('continue=next');
      const items = [{ metadata: { name: isSecond ? 'b' : 'a' } }];
      const metadata = { resourceVersion: '5', ...(isSecond ? {} : { continue: 'next' }) };
      json(200, { apiVersion: 'apps/v1', kind: 'DeploymentList', metadata, items })(request, response);
    });
    const listed = await client.list({ group: 'apps', version: 'v1', resource: 'deployments' }, { labelSelector: 'a=b' });
    const named = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } });
    expect(listed).toEqual({ type: 'ok', value: { items: [named('a'), named('b')], resourceVersion: '5' } });
  });

  test('calls one after the other use kept connections', async () => {
    const ports = new Set<number | undefined>();
    const { client } = await setup((request, response) => {
      ports.add(request.socket.remotePort);
      json(200, WEB)(request, response);
    });
    for (let call = 0; call < 50; call += 1) await client.get(REF);
    // One may still be ending its last answer when the next call begins.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  test('integers beyond 2^53 survive', async () => {
    const { client } = await setup((_request, response) =>
      response.end('{"kind":"X","metadata":{},"spec":{"n":9223372036854775807}}'),
    );
    expect(await client.get(REF)).toMatchObject({ value: { spec: { n: 9223372036854775807n } } });
  });
});

describe('answers', () => {
  const conflicts = {
    causes: [
      { reason: 'FieldManagerConflict', message: 'conflict with "kubectl-edit" using apps/v1', field: '.spec.replicas' },
      { reason: 'FieldManagerConflict', message: 'conflict with "kubectl-edit" using apps/v1', field: '.spec.paused' },
      { reason: 'FieldManagerConflict', message: 'conflict with "hpa" using apps/v1', field: '.spec.x' },
    ],
  };
  test.each([
    [
      'a missing object',
      status(404, 'NotFound', 'deployments.apps "web" not found', { kind: 'deployments', name: 'web' }),
      { type: 'notFound', container: false },
    ],
    [
      'a missing namespace',
      status(404, 'NotFound', 'namespaces "default" not found', { kind: 'namespaces', name: 'default' }),
      { type: 'notFound', container: true },
    ],
    [
      'a missing kind',
      status(404, 'NotFound', 'the server could not find the requested resource'),
      { type: 'notFound', container: true },
    ],
    [
      'field managers in the way',
      status(409, 'Conflict', 'Apply failed', conflicts),
      { type: 'conflict', managers: ['kubectl-edit', 'hpa'] },
    ],
    ['a stale version', status(409, 'Conflict', 'modified'), { type: 'conflict', managers: [] }],
    ['a taken name', status(409, 'AlreadyExists', 'exists'), { type: 'rejected', code: 409, reason: 'AlreadyExists' }],
    ['content that is refused', status(422, 'Invalid', 'spec.replicas'), { type: 'rejected', code: 422, reason: 'Invalid' }],
    ['a quota', status(403, 'Forbidden', 'exceeded quota'), { type: 'rejected', code: 403, reason: 'Forbidden' }],
    ['bad credentials', status(401, 'Unauthorized', 'Unauthorized'), { type: 'unreachable', reason: 'unauthorized' }],
    ['overload', status(429, 'TooManyRequests', 'later'), { type: 'unreachable', reason: 'overloaded' }],
    ['unavailability', status(503, 'ServiceUnavailable', 'later'), { type: 'unreachable', reason: 'overloaded' }],
    ['a webhook that fails', status(500, 'InternalError', 'boom'), { type: 'rejected', code: 500 }],
    ['a gateway without its server', status(502, '', ''), { type: 'unreachable', reason: 'other' }],
    [
      "a proxy's page",
      (_request: IncomingMessage, response: Parameters<RequestListener>[1]) => response.end('<html>'),
      { type: 'unreachable', reason: 'other' },
    ],
  ])('%s', async (_sentence, answer, want) => {
    const { client } = await setup(answer as RequestListener);
    expect(await client.apply(REF, WEB, { force: false })).toMatchObject(want);
  });

  test('a right that is lacking is the object’s trouble in a call, and the cluster’s in a probe', async () => {
    const { client } = await setup(status(403, 'Forbidden', 'cannot get'));
    expect(await client.get(REF)).toMatchObject({ type: 'rejected' });
    expect(await client.health()).toMatchObject({ type: 'unreachable', reason: 'forbidden' });
  });

  test('a kept connection that was closed is opened again, but a create is not repeated', async () => {
    let isClosing = false;
    const { client, seen } = await setup((request, response) => {
      if (isClosing) {
        isClosing = false;
        return request.socket.destroy();
      }
      return json(200, WEB)(request, response);
    });
    await client.get(REF);
    isClosing = true;
    expect(await client.apply(REF, WEB, { force: true })).toMatchObject({ type: 'ok' });
    expect(seen.filter(({ method }) => method === 'PATCH')).toHaveLength(2);
    isClosing = true;
    expect(await client.create(REF, WEB)).toMatchObject({ type: 'unreachable' });
    expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

describe('members that cannot be reached', () => {
  const refused = { cluster: 'eu-1', server: 'https://127.0.0.1:1', insecure: true };
  test.each([
    ['a closed port', refused, 'refused', /cluster eu-1 at 127\.0\.0\.1:1: connection refused\. Check that/],
    ['an unknown host', { ...refused, server: 'https://no-such-host.invalid' }, 'dns', /does not resolve/],
  ])('%s', async (_sentence, connection, reason, message) => {
    const { clients } = await setup(json(200, {}));
    const result = await clients.connect(connection).health();
    expect(result).toMatchObject({ type: 'unreachable', reason });
    expect(result.type === 'unreachable' && result.message).toMatch(message);
  });

  test('a certificate of another authority is not trusted; its own is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
    ends.push(() => rm(folder, { recursive: true }));
    const authority = await openCertificateAuthority(join(folder, 'a'), Date.now);
    const other = await openCertificateAuthority(join(folder, 'b'), Date.now);
    const { cert, key } = await authority.serverCertificate('member');
    const port = await listen(createHttpsServer({ cert, key }, (_request, response) => response.end('ok')));
    const { clients } = await setup(json(200, {}));
    const connection = { cluster: 'eu-1', server: `https://127.0.0.1:${port}`, insecure: false };
    expect(await clients.connect({ ...connection, caData: other.caCert }).health()).toMatchObject({
      type: 'unreachable',
      reason: 'tls',
      message:
        `cluster eu-1 at 127.0.0.1:${port}: its certificate is signed by an unknown authority. The CA in certificate-authority-data ` +
        "of its Secret did not sign it: put the cluster's own CA there (PEM, in base64).",
    });
    expect(await clients.connect({ ...connection, caData: authority.caCert }).health()).toEqual({ type: 'ok', value: 'ok' });
    expect(await clients.connect({ ...connection, insecure: true }).health()).toEqual({ type: 'ok', value: 'ok' });
  });

  test('messages never hold the token', async () => {
    const { client } = await setup((request) => request.socket.destroy());
    const result = await client.get(REF);
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});

describe('watch', () => {
  const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
  const read = async (answer: RequestListener, signal = new AbortController().signal) => {
    const { client } = await setup(answer);
    const events: unknown[] = [];
    for await (const event of client.watch(DEPLOYMENTS, { resourceVersion: '1', signal })) events.push(event);
    return events;
  };
  const line = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;

  test('gives events and bookmarks, over chunks that split lines and characters', async () => {
    const text = Buffer.from(
      `\n${line('ADDED', { ...WEB, note: 'ü' })}\n${line('BOOKMARK', { metadata: { resourceVersion: '9' } })}${line('DELETED', WEB)}`,
    );
    const events = await read((_request, response) => {
      const at = text.indexOf('ü') + 1;
      response.write(text.subarray(0, at));
      setImmediate(() => response.end(text.subarray(at)));
    });
    expect(events).toEqual([
      { type: 'added', object: { ...WEB, note: 'ü' } },
      { type: 'bookmark', resourceVersion: '9' },
      { type: 'deleted', object: WEB },
    ]);
  });

  test.each([
    [
      'an error event of an expired version',
      (_request: IncomingMessage, response: Parameters<RequestListener>[1]) =>
        response.end(line('ERROR', { kind: 'Status', code: 410, message: 'too old' })),
      'expired',
    ],
    ['a 410 answer', status(410, 'Expired', 'too old'), 'expired'],
    ['a missing kind', status(404, 'NotFound', 'the server could not find the requested resource'), 'notFound'],
    ['a lost connection', (request: IncomingMessage) => request.socket.destroy(), 'unreachable'],
  ])('%s ends it with a typed error', async (_sentence, answer, type) => {
    const error = await read(answer as RequestListener).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MemberWatchError);
    expect((error as MemberWatchError).failure.type).toBe(type);
  });

  test('an aborted signal ends it quietly', async () => {
    const stop = new AbortController();
    const events = await read((_request, response) => {
      response.write(line('ADDED', WEB));
      setImmediate(() => stop.abort());
    }, stop.signal);
    expect(events.length).toBeLessThanOrEqual(1);
  });
});

describe('discovery', () => {
  const wanted = [
    { group: '', version: 'v1', kind: 'Pod', pluralName: 'pods', scope: 'Namespaced' },
    { group: 'apps', version: 'v1', kind: 'Deployment', pluralName: 'deployments', scope: 'Namespaced' },
  ];
  const group = (name: string, resource: string, kind: string) => ({
    metadata: { name },
    versions: [{ version: 'v1', resources: [{ resource, responseKind: { kind }, scope: 'Namespaced' }] }],
  });

  test('aggregated: two requests', async () => {
    const { client, seen } = await setup((request, response) =>
      json(200, {
        kind: 'APIGroupDiscoveryList',
        items: [request.url === '/api' ? group('', 'pods', 'Pod') : group('apps', 'deployments', 'Deployment')],
      })(request, response),
    );
    expect(await client.discover()).toEqual({ type: 'ok', value: { resources: wanted, failures: [] } });
    expect(seen).toHaveLength(2);
  });

  test('legacy: a group that fails is a note', async () => {
    const documents: Record<string, unknown> = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': {
        kind: 'APIGroupList',
        groups: [{ versions: [{ groupVersion: 'apps/v1' }] }, { versions: [{ groupVersion: 'broken/v1' }] }],
      },
      '/api/v1': {
        groupVersion: 'v1',
        resources: [
          { name: 'pods', kind: 'Pod', namespaced: true },
          { name: 'pods/log', kind: 'Pod', namespaced: true },
        ],
      },
      '/apis/apps/v1': { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment', namespaced: true }] },
    };
    const { client } = await setup((request, response) => {
      const document = documents[request.url ?? ''];
      (document ? json(200, document) : status(503, 'ServiceUnavailable', 'down'))(request, response);
    });
    const found = await client.discover();
    expect(found).toMatchObject({ type: 'ok', value: { resources: wanted } });
    expect(found.type === 'ok' && found.value.failures).toEqual([expect.stringContaining('/apis/broken/v1')]);
  });
});
