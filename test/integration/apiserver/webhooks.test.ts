/** Admission webhooks behind a whole server, called over TLS: what they are shown, what they may do, and what their failures are called. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHttp } from '../../../shared/adapters/http/webhooks.ts';
import { configMap, deployment, startTestServer, type TestServer } from './server.ts';
import { type Answers, patchOf, respond, startWebhookServer, type WebhookServer } from './webhook-server.ts';

const API = '/apis/admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let server: TestServer;
let hooks: WebhookServer;
let http: ReturnType<typeof createHttp>;

async function start(answers: Answers): Promise<void> {
  http = createHttp();
  hooks = await startWebhookServer(answers);
  server = await startTestServer({ http });
}
beforeEach(async () => {
  await start({
    '/allow': (review) => respond(review, { allowed: true, warnings: ['mind the gap'] }),
    '/deny': (review) => respond(review, { allowed: false, status: { message: 'not today', code: 403, reason: 'Forbidden' } }),
    '/silent-deny': (review) => respond(review, { allowed: false }),
    '/other-uid': (review) => respond(review, { allowed: true, uid: 'other' }),
    '/text': () => ({ body: 'no json' }),
    '/broken': () => ({ status: 500, body: 'oops' }),
    '/redirect': () => ({ status: 302, body: '' }),
    '/never': () => undefined,
    '/add-one': (review) => respond(review, patchOf({ op: 'add', path: '/data/one', value: '1' })),
    '/add-two': (review) =>
      respond(review, patchOf({ op: 'add', path: '/data/two', value: review.request.object.data.one ?? 'none' })),
    '/bad-patch': (review) => respond(review, patchOf({ op: 'remove', path: '/data/nope' })),
    '/unknown-field': (review) => respond(review, patchOf({ op: 'add', path: '/unknown', value: 'x' })),
    '/count': (review) =>
      respond(review, patchOf({ op: 'add', path: '/data/count', value: `${review.request.object.data.count ?? ''}x` })),
    '/label': (review) => respond(review, patchOf({ op: 'add', path: '/spec/template/metadata/labels/hooked', value: 'yes' })),
  });
});
afterEach(async () => {
  await server.close();
  await hooks.close();
  http.close();
});

type Fields = Record<string, unknown>;

const hook = (path: string, fields: Fields = {}) => ({
  name: `${path.slice(1)}.example.com`,
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  timeoutSeconds: 5,
  clientConfig: { url: hooks.url(path), caBundle: hooks.caBundle },
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
  ...fields,
});

async function configure(kind: 'mutating' | 'validating', webhooks: unknown[], name = 'w'): Promise<void> {
  const answer = await server.send('POST', `${API}/${kind}webhookconfigurations`, { body: { metadata: { name }, webhooks } });
  expect([answer.code, answer.code === 201 ? '' : answer.json().message]).toEqual([201, '']);
}

const create = (object: unknown, path = CONFIG_MAPS) => server.send('POST', path, { body: object });

test('a webhook is shown the request as upstream shows it', async () => {
  await configure('validating', [hook('/allow')]);
  const answer = await create(configMap('x', { a: 'b' }));
  expect([answer.code, answer.headers.get('warning')]).toEqual([201, '299 - "mind the gap"']);
  const { review } = hooks.asked[0] ?? {};
  expect(review).toMatchObject({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      name: 'x',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x', namespace: 'default' }, data: { a: 'b' } },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    },
  });
});

describe('answers of a validating webhook', () => {
  test.each<[string, number, string]>([
    ['/deny', 403, 'admission webhook "deny.example.com" denied the request: not today'],
    ['/silent-deny', 400, 'admission webhook "silent-deny.example.com" denied the request without explanation'],
    ['/other-uid', 500, 'received invalid webhook response: expected response.uid='],
    [
      '/broken',
      500,
      'Internal error occurred: failed calling webhook "broken.example.com": failed to call webhook: an error on the server ("oops") has prevented the request from succeeding',
    ],
    ['/text', 500, 'Internal error occurred: failed calling webhook "text.example.com": failed to call webhook: '],
    ['/redirect', 500, 'failed to call webhook: the server responded with the status code 302'],
  ])('%s', async (path, code, message) => {
    await configure('validating', [hook(path)]);
    const answer = await create(configMap('x'));
    expect([answer.code, answer.json().message]).toEqual([code, expect.stringContaining(message)]);
    expect(hooks.asked).toHaveLength(1);
  });

  test('a failure that is to be ignored is, a refusal never', async () => {
    await configure('validating', [hook('/broken', { failurePolicy: 'Ignore' })]);
    expect((await create(configMap('x'))).code).toBe(201);
    await configure('validating', [hook('/deny', { failurePolicy: 'Ignore' })], 'w2');
    expect((await create(configMap('y'))).code).toBe(403);
  });

  test('one that does not answer is left after its time', async () => {
    await configure('validating', [hook('/never', { timeoutSeconds: 1 })]);
    const answer = await create(configMap('x'));
    expect([answer.code, answer.json().message]).toEqual([
      500,
      expect.stringMatching(/\/never\?timeout=1s": context deadline exceeded$/),
    ]);
  });

  test('one whose certificate nobody vouches for is not believed', async () => {
    await configure('validating', [hook('/allow', { clientConfig: { url: hooks.url('/allow') } })]);
    expect((await create(configMap('x'))).json().message).toMatch(/x509: certificate signed by unknown authority$/);
  });

  test('one that nobody serves is refused to talk to', async () => {
    await configure('validating', [hook('/allow', { clientConfig: { url: 'https://127.0.0.1:9/', caBundle: hooks.caBundle } })]);
    expect((await create(configMap('x'))).json().message).toMatch(/dial tcp 127\.0\.0\.1:9: connect: connection refused$/);
  });

  test('a Service that is not there is named', async () => {
    await configure('validating', [
      hook('/allow', { clientConfig: { service: { name: 's', namespace: 'default', path: '/p' } } }),
    ]);
    expect((await create(configMap('x'))).json().message).toBe(
      'Internal error occurred: failed calling webhook "allow.example.com": failed to call webhook: Post "https://s.default.svc:443/p?timeout=5s": service "s" not found',
    );
  });
});

describe('which writes a webhook is called for', () => {
  test.each<[string, Fields, boolean]>([
    [
      'another operation',
      { rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }] },
      false,
    ],
    ['labels of the object', { objectSelector: { matchLabels: { a: 'b' } } }, false],
    ['labels of the namespace', { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }, false],
    ['a condition that holds', { matchConditions: [{ name: 'c', expression: "object.metadata.name == 'x'" }] }, true],
    ['a condition that does not', { matchConditions: [{ name: 'c', expression: "object.metadata.name == 'y'" }] }, false],
  ])('%s', async (_name, fields, isCalled) => {
    await configure('validating', [hook('/allow', fields)]);
    expect((await create(configMap('x'))).code).toBe(201);
    expect(hooks.asked).toHaveLength(isCalled ? 1 : 0);
  });

  test('a condition that cannot be evaluated refuses the write', async () => {
    await configure('validating', [hook('/allow', { matchConditions: [{ name: 'c', expression: 'object.nope == 1' }] })]);
    const answer = await create(configMap('x'));
    expect([answer.code, answer.json().message]).toEqual([
      403,
      `configmaps "x" is forbidden: expression 'object.nope == 1' resulted in error: no such key: nope`,
    ]);
  });

  test('configurations of webhooks are never shown', async () => {
    await configure('validating', [
      hook('/deny', { rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }] }),
    ]);
    await configure('mutating', [hook('/allow')], 'w2');
    expect((await server.send('DELETE', `${API}/validatingwebhookconfigurations/w`)).code).toBe(200);
    expect(hooks.asked).toHaveLength(0);
  });

  test('a deletion shows what was there', async () => {
    await create(configMap('x', { a: 'b' }));
    await configure('validating', [
      hook('/deny', { rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }] }),
    ]);
    expect((await server.send('DELETE', `${CONFIG_MAPS}/x`)).code).toBe(403);
    expect(hooks.asked[0]?.review.request).toMatchObject({ operation: 'DELETE', object: null, oldObject: { data: { a: 'b' } } });
  });
});

describe('mutating webhooks', () => {
  test('are called by the names of their configurations, each on what the one before left', async () => {
    await configure('mutating', [hook('/add-two')], 'b');
    await configure('mutating', [hook('/add-one')], 'a');
    const answer = await create(configMap('x', { a: 'b' }));
    expect(answer.json().data).toEqual({ a: 'b', one: '1', two: '1' });
  });

  test('are called once more only when others changed the object after them, and they want it', async () => {
    await configure('mutating', [hook('/count', { reinvocationPolicy: 'IfNeeded' }), hook('/add-one')]);
    expect((await create(configMap('x', { a: 'b' }))).json().data).toEqual({ a: 'b', count: 'xx', one: '1' });
    await server.send('DELETE', `${API}/mutatingwebhookconfigurations/w`);
    await configure('mutating', [hook('/count'), hook('/add-one')]);
    expect((await create(configMap('y', { a: 'b' }))).json().data).toEqual({ a: 'b', count: 'x', one: '1' });
  });

  test('leave nothing that the kind does not have, and what they leave is defaulted', async () => {
    const rules = [{ apiGroups: ['', 'apps'], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps', 'deployments'] }];
    await configure('mutating', [hook('/unknown-field', { rules })]);
    const answer = await create(configMap('x', { a: 'b' }));
    expect(answer.json()).not.toHaveProperty('unknown');
    const labelled = { ...hook('/label', { rules }), name: 'label.example.com' };
    await configure('mutating', [labelled], 'z');
    const made = await create(deployment('d'), '/apis/apps/v1/namespaces/default/deployments');
    expect(made.json().spec.template.metadata.labels).toEqual({ app: 'd', hooked: 'yes' });
    expect(made.json().spec.strategy.type).toBe('RollingUpdate');
  });

  test.each<[string, string]>([['/bad-patch', 'Internal error occurred: ']])('%s is an internal error', async (path, message) => {
    await configure('mutating', [hook(path)]);
    const answer = await create(configMap('x', { a: 'b' }));
    expect([answer.code, answer.json().message]).toEqual([500, expect.stringContaining(message)]);
  });

  test('come before validation: what they break is refused', async () => {
    await configure('mutating', [hook('/add-one')]);
    await configure('validating', [hook('/allow')]);
    await create(configMap('x', { a: 'b' }));
    expect(hooks.asked.map(({ path, review }) => [path, review.request.object.data])).toEqual([
      ['/add-one', { a: 'b' }],
      ['/allow', { a: 'b', one: '1' }],
    ]);
  });

  test('are told of a dry run', async () => {
    await configure('mutating', [hook('/add-one')]);
    await create(configMap('x', { a: 'b' }), `${CONFIG_MAPS}?dryRun=All`);
    expect(hooks.asked[0]?.review.request.dryRun).toBe(true);
  });
});

describe('configurations that are refused', () => {
  test.each<[string, Fields, string]>([
    [
      'no https',
      { clientConfig: { url: 'http://example.com' } },
      'webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
    ],
    [
      'neither URL nor Service',
      { clientConfig: {} },
      'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
    ],
    [
      'side effects',
      { sideEffects: 'Some' },
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    ],
    [
      'a short name',
      { name: 'a.b' },
      'webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
    ],
    [
      'a long time',
      { timeoutSeconds: 31 },
      'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
    ],
    ['no known review', { admissionReviewVersions: ['v7'] }, 'must include at least one of v1, v1beta1'],
    [
      'a condition that does not compile',
      { matchConditions: [{ name: 'c', expression: '1 +' }] },
      'webhooks[0].matchConditions[0].expression: Invalid value: "1 +": compilation failed: ERROR: <input>:1:4: Syntax error: ',
    ],
    [
      'mixed wildcards',
      { rules: [{ apiGroups: ['*', 'apps'], apiVersions: ['v1'], operations: ['*'], resources: ['*', 'pods'] }] },
      "if '*' is present, must not specify other API groups",
    ],
  ])('%s', async (_name, fields, message) => {
    const answer = await server.send('POST', `${API}/validatingwebhookconfigurations`, {
      body: { metadata: { name: 'w' }, webhooks: [hook('/allow', fields)] },
    });
    expect([answer.code, answer.json().message]).toEqual([422, expect.stringContaining(message)]);
  });
});
