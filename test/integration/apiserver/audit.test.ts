import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccessServer, startAccessServer } from './access-server.ts';

let server: AccessServer;
beforeAll(async () => {
  server = await startAccessServer();
});
afterAll(() => server.close());

const maps = '/api/v1/namespaces/default/configmaps';

/** The one record that a request left behind. */
async function record(method: string, path: string, call: Parameters<AccessServer['send']>[2] = {}) {
  const before = server.audit.length;
  const answer = await server.send(method, path, call);
  const [event, ...more] = server.audit.slice(before);
  expect(more).toEqual([]);
  return { event, answer };
}

describe('U20 one record per request', () => {
  test('of a request that succeeded', async () => {
    const connection = { remoteAddress: '127.0.0.1', rawHeaders: [] };
    const { event, answer } = await record('GET', `${maps}?limit=5`, { connection, headers: { 'User-Agent': 'kubectl/v1' } });
    expect(event).toEqual({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: answer.headers.get('audit-id'),
      stage: 'ResponseComplete',
      requestURI: `${maps}?limit=5`,
      verb: 'list',
      user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'kubectl/v1',
      objectRef: { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 200 },
      requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
      stageTimestamp: '2026-01-01T00:00:00.000000Z',
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    });
  });

  test.each<[string, string, string, object, object]>([
    [
      'refused',
      'GET',
      '/api/v1/secrets',
      { token: 'alice' },
      { responseStatus: { code: 403, reason: 'Forbidden' }, annotations: { 'authorization.k8s.io/decision': 'forbid' } },
    ],
    [
      'without a credential',
      'GET',
      '/api/v1/secrets',
      { token: '' },
      { user: { username: 'system:anonymous' }, responseStatus: { code: 401 } },
    ],
    ['with a wrong one', 'GET', '/api/v1/secrets', { token: 'a..b' }, { user: { username: '' }, responseStatus: { code: 401 } }],
    ['of a document', 'GET', '/apis', { token: 'alice' }, { verb: 'get', requestURI: '/apis', responseStatus: { code: 200 } }],
    [
      'for what is not there',
      'GET',
      `${maps}/none`,
      {},
      { objectRef: { name: 'none' }, responseStatus: { status: 'Failure', code: 404 } },
    ],
    ['with a body that is none', 'POST', maps, { body: '{' }, { verb: 'create', responseStatus: { code: 400 } }],
    ['with a body above the limit', 'POST', maps, { body: 'x'.repeat(3 * 1024 * 1024 + 1) }, { responseStatus: { code: 413 } }],
    ['to a path that nothing serves', 'GET', '/nothing', {}, { responseStatus: { code: 404 } }],
  ])('%s', async (_name, method, path, call, want) => {
    expect((await record(method, path, call)).event).toMatchObject(want);
  });

  test('of a watch, when it begins', async () => {
    const before = server.audit.length;
    const response = await server.server.app.request(`https://test${maps}?watch=1`, {
      headers: { Authorization: 'Bearer admin' },
    });
    expect(server.audit.slice(before)).toMatchObject([
      { verb: 'watch', stage: 'ResponseStarted', responseStatus: { code: 200 } },
    ]);
    await response.body?.cancel();
  });

  test('health checks leave none', async () => {
    const before = server.audit.length;
    await server.send('GET', '/readyz', { token: '' });
    expect(server.audit.length).toBe(before);
  });

  test('nothing of bodies and tokens is in it', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'canary-5151' } };
    const { event, answer } = await record('POST', '/api/v1/namespaces/default/secrets', { body: secret, token: 'admin' });
    expect(event?.objectRef).toMatchObject({ resource: 'secrets', name: 's', uid: answer.json().metadata.uid });
    expect(JSON.stringify(event)).not.toMatch(/canary-5151|Bearer/);
  });

  test('the id that a client gives is kept', async () => {
    const { event } = await record('GET', maps, { headers: { 'Audit-Id': 'mine-1' } });
    expect(event?.auditID).toBe('mine-1');
  });
});
