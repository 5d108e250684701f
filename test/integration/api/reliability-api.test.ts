/** The catalogue of bad inputs, by id, where no other file has it: what must be the answer, and that nothing else happens. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configMap, deployment, startTestServer, type TestServer } from '../apiserver/server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const POLICIES = '/apis/core.kubeadmiral.io/v1alpha1/namespaces/default/propagationpolicies';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer();
});
afterAll(() => api.close());

const post = (path: string, body: unknown, query = '') => api.send('POST', `${path}${query}`, { body });

/** Milliseconds of CPU that something takes. */
async function cpuOf(run: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

describe('A04 what is said twice', () => {
  const json = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: twice}\ndata:\n  a: "1"\n  a: "2"\n';
  test.each([
    ['JSON', 'application/json', json, 'duplicate field "data.a"'],
    ['YAML', 'application/yaml', yaml, 'key "a" already set in map'],
  ])('%s: Strict refuses, Warn says so, Ignore is silent', async (_name, type, body, words) => {
    const ask = (mode: string) => api.send('POST', `${MAPS}?dryRun=All&fieldValidation=${mode}`, { body, type });
    const strict = await ask('Strict');
    expect([strict.code, strict.json().message]).toEqual([400, expect.stringContaining(words)]);
    const warned = await ask('Warn');
    expect([warned.code, warned.headers.get('warning')?.replaceAll('\\"', '"')]).toEqual([201, expect.stringContaining(words)]);
    expect([(await ask('Ignore')).code, (await ask('Ignore')).headers.get('warning')]).toEqual([201, null]);
  });
});

describe('A07 amounts', () => {
  const pod = (cpu: unknown) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'amount' },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] },
  });
  test.each([
    ['1Ki', '1Ki'],
    ['0.1', '100m'],
    ['100m', '100m'],
    ['1e3', '1e3'],
    ['1.5Gi', '1536Mi'],
    ['0', '0'],
    [2, '2'],
    ['9223372036854775807', '9223372036854775807'],
  ])('%s is kept as %s', async (given, want) => {
    const answer = await post('/api/v1/namespaces/default/pods', pod(given), '?dryRun=All');
    expect([answer.code, answer.json().spec?.containers[0].resources.requests.cpu]).toEqual([201, want]);
  });
  test.each([['1Zi'], ['x'], ['1..2'], ['--1'], ['1 Gi'], [true], [{}]])('%s is refused', async (given) => {
    expect((await post('/api/v1/namespaces/default/pods', pod(given), '?dryRun=All')).code).toBe(400);
  });
  test('a negative one is invalid, with its path', async () => {
    const answer = await post('/api/v1/namespaces/default/pods', pod('-1'), '?dryRun=All');
    expect([answer.code, answer.json().details.causes[0].field]).toEqual([422, 'spec.containers[0].resources.requests[cpu]']);
  });
});

describe('A08 characters', () => {
  test.each([['a\u0000b'], ['\u202etxt'], ['a\u200bb'], ['é'], ['a b'], ['\ufeffa']])('a name %j is refused', async (name) => {
    expect((await post(MAPS, configMap(name))).code).toBe(422);
  });
  test.each([['\u202eright to left'], ['zero\u200bwidth'], ['nul\u0000'], ['💩'], ['\ufeff']])(
    'data %j come back as they went',
    async (text) => {
      const answer = await post(MAPS, configMap('chars', { k: text }), '?dryRun=All');
      expect(answer.json().data.k).toBe(text);
    },
  );
});

describe('A09 names', () => {
  test.each([
    ['253 characters', 'a'.repeat(253), 201],
    ['254', 'a'.repeat(254), 422],
    ['upper case', 'Abc', 422],
    ['dots inside', 'a.b', 201],
    ['two dots', 'a..b', 422],
    ['a dash first', '-a', 422],
  ])('%s', async (_sentence, name, code) => {
    expect((await post(MAPS, configMap(name), '?dryRun=All')).code).toBe(code);
  });
  test.each([
    ['63 characters', 'a'.repeat(63), 201],
    ['64', 'a'.repeat(64), 422],
  ])('a namespace of %s', async (_sentence, name, code) => {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    expect((await post('/api/v1/namespaces', body, '?dryRun=All')).code).toBe(code);
  });
});

describe('A12 one field, two managers', () => {
  const apply = (manager: string, data: Record<string, string>, query = '') =>
    api.send('PATCH', `${MAPS}/owned?fieldManager=${manager}${query}`, { body: configMap('owned', data), type: APPLY });
  test('409 names the owner, force takes over, what is dropped goes, a forged list counts for nothing', async () => {
    expect((await apply('one', { a: '1', b: '1' })).code).toBe(201);
    const conflict = await apply('two', { a: '2' });
    expect([conflict.code, conflict.json().message]).toEqual([409, expect.stringContaining('conflict with "one": .data.a')]);
    expect((await apply('two', { a: '2' }, '&force=true')).json().data).toEqual({ a: '2', b: '1' });
    expect((await apply('one', {})).json().data).toEqual({ a: '2' });
    const forged = [
      { manager: 'thief', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:a': {} } } },
    ];
    const body = { ...configMap('owned', { a: '3' }), metadata: { name: 'owned', managedFields: forged } };
    expect((await api.send('PATCH', `${MAPS}/owned?fieldManager=two`, { body, type: APPLY })).code).toBe(400);
  });
});

describe('A14, A15 text that makes matchers work', () => {
  test.each([
    ['a label selector', `labelSelector=${encodeURIComponent(`${'a'.repeat(5000)}!`)}`],
    ['a set', `labelSelector=${encodeURIComponent(`a in (${'b,'.repeat(3000)}`)}`],
    ['a field selector', `fieldSelector=${encodeURIComponent(`${'metadata.name=a,'.repeat(2000)}x`)}`],
    ['a continue token', `continue=${'A'.repeat(20_000)}`],
    ['a version', `resourceVersion=${'1'.repeat(20_000)}`],
  ])('%s is refused at once', async (_sentence, query) => {
    let code = 0;
    const ms = await cpuOf(async () => {
      code = (await api.send('GET', `${MAPS}?${query}`)).code;
    });
    expect(code).toBe(400);
    expect(ms).toBeLessThan(250);
  });

  test('an expression that costs too much is refused before it runs', async () => {
    const nested = 'object.spec.a.all(x, object.spec.a.all(y, object.spec.a.all(z, object.spec.a.all(w, x == y && z == w))))';
    const body = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'bomb' },
      spec: {
        matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }] },
        validations: [{ expression: `${nested} && `.repeat(40) + nested }],
      },
    };
    const ms = await cpuOf(() => post(ADMISSION, body));
    expect(ms).toBeLessThan(1000);
  });
});

describe('A21, A22 what a writer may not decide', () => {
  test('spec through /status and status through the object are dropped', async () => {
    await post(DEPLOYMENTS, { ...deployment('parts'), status: { replicas: 7 } });
    const read = async () => (await api.send('GET', `${DEPLOYMENTS}/parts`)).json();
    expect((await read()).status.replicas).toBeUndefined();
    await api.send('PATCH', `${DEPLOYMENTS}/parts/status`, {
      body: { spec: { replicas: 9 }, status: { replicas: 2 } },
      type: MERGE,
    });
    const { spec, status, metadata } = await read();
    expect([spec.replicas, status.replicas, metadata.generation]).toEqual([1, 2, 1]);
  });

  test('identity and deletion times are the server’s', async () => {
    const metadata = {
      name: 'mine',
      uid: 'u',
      deletionTimestamp: '2020-01-01T00:00:00Z',
      creationTimestamp: '2020-01-01T00:00:00Z',
    };
    const made = (await post(MAPS, { ...configMap('mine'), metadata })).json().metadata;
    expect([made.uid === 'u', made.deletionTimestamp, made.creationTimestamp]).toEqual([
      false,
      undefined,
      '2026-01-01T00:00:00Z',
    ]);
  });

  test('an object in deletion takes no new finalizer, and goes with its last', async () => {
    await post(MAPS, configMap('held', {}, { finalizers: ['a/b', 'c/d'] }));
    await api.send('DELETE', `${MAPS}/held`);
    const patch = (finalizers: string[]) =>
      api.send('PATCH', `${MAPS}/held`, { body: { metadata: { finalizers } }, type: MERGE });
    expect((await patch(['a/b', 'c/d', 'e/f'])).json().message).toContain('no new finalizers can be added');
    expect([(await patch(['c/d'])).code, (await patch([])).code, (await api.send('GET', `${MAPS}/held`)).code]).toEqual([
      200, 200, 404,
    ]);
  });
});

describe('A23 delete', () => {
  test('of many at once one wins', async () => {
    await post(MAPS, configMap('contested'));
    const codes = await Promise.all(Array.from({ length: 20 }, async () => (await api.send('DELETE', `${MAPS}/contested`)).code));
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set([200, 404]));
  });

  test.each([
    [{ uid: 'other' }, 'the UID in the precondition (other)'],
    [{ resourceVersion: '1' }, 'the ResourceVersion in the precondition (1)'],
  ])('preconditions %j that do not hold are a 409', async (preconditions, words) => {
    await post(MAPS, configMap('kept'));
    const answer = await api.send('DELETE', `${MAPS}/kept`, { body: { preconditions } });
    expect([answer.code, answer.json().message]).toEqual([409, expect.stringContaining(words)]);
  });
});

describe('A25, A26 policies at their limits', () => {
  const policy = (spec: object) => ({
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: 'limits' },
    spec,
  });
  test('10,000 placements and tolerations are answered within a second', async () => {
    const placement = Array.from({ length: 10_000 }, (_, index) => ({ cluster: `c${index}` }));
    const tolerations = Array.from({ length: 10_000 }, (_, index) => ({ key: `k${index}`, operator: 'Exists' }));
    const ms = await cpuOf(() => post(POLICIES, policy({ schedulingMode: 'Divide', placement, tolerations }), '?dryRun=All'));
    expect(ms).toBeLessThan(1000);
  });
  test.each([
    ['a weight below 0', { weight: -1 }],
    ['a lower bound below 0', { minReplicas: -1 }],
  ])('%s is invalid', async (_sentence, preferences) => {
    const body = policy({ schedulingMode: 'Divide', placement: [{ cluster: 'c', preferences }] });
    expect((await post(POLICIES, body, '?dryRun=All')).code).toBe(422);
  });
  test.each([[0], [2 ** 31 - 1]])('%i replicas are taken', async (replicas) => {
    expect((await post(DEPLOYMENTS, deployment('many', replicas), '?dryRun=All')).code).toBe(201);
  });
  test('one more than an int32 holds is not', async () => {
    expect((await post(DEPLOYMENTS, deployment('many', 2 ** 31), '?dryRun=All')).code).toBe(400);
  });
});

describe('A29 large objects in long lists', () => {
  test('pages hold what was asked for, and all pages everything once', async () => {
    const text = 'x'.repeat(100_000);
    await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'large' } });
    const collection = '/api/v1/namespaces/large/configmaps';
    for (let index = 0; index < 60; index += 1) await post(collection, configMap(`l${index}`, { text }));
    const names = new Set<string>();
    let token = '';
    do {
      const page = (await api.send('GET', `${collection}?limit=25&continue=${token}`)).json();
      expect(page.items.length).toBeLessThanOrEqual(25);
      for (const item of page.items) names.add(item.metadata.name);
      token = page.metadata.continue ?? '';
    } while (token !== '');
    expect(names.size).toBe(60);
  });
});
