import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configMap, deployment, START, startTestServer, type TestServer } from './server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer();
});
afterEach(() => api.close());

describe('create', () => {
  test('gives identity, version and owners', async () => {
    const answer = await api.send('POST', `${MAPS}?fieldManager=me`, { body: configMap('a', { k: 'v' }) });
    expect(answer.code).toBe(201);
    expect(answer.json().metadata).toMatchObject({
      name: 'a',
      namespace: 'default',
      creationTimestamp: new Date(START).toISOString().replace('.000', ''),
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.stringMatching(/^[1-9]\d*$/),
      managedFields: [
        {
          manager: 'me',
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { '.': {}, 'f:k': {} } },
        },
      ],
    });
    expect(answer.json()).toEqual((await api.send('GET', `${MAPS}/a`)).json());
  });

  test('the first words of every object are apiVersion and kind', async () => {
    const { metadata, data } = configMap('a', { k: 'v' });
    const answer = await api.send('POST', MAPS, { body: { data, metadata } });
    expect(answer.text.startsWith('{"apiVersion":"v1","kind":"ConfigMap","metadata":{')).toBe(true);
  });

  test('ignores identity that a creator may not decide', async () => {
    const claimed = {
      uid: 'mine',
      creationTimestamp: '2000-01-01T00:00:00Z',
      deletionTimestamp: '2000-01-01T00:00:00Z',
      generation: 7,
    };
    const { metadata } = (
      await api.send('POST', DEPLOYMENTS, { body: { ...deployment('d'), metadata: { name: 'd', ...claimed } } })
    ).json();
    expect(metadata.uid).not.toBe('mine');
    expect([metadata.deletionTimestamp, metadata.generation]).toEqual([undefined, 1]);
  });

  test('drops a status, applies defaults', async () => {
    const body = { ...deployment('d'), status: { replicas: 9 } };
    const object = (await api.send('POST', DEPLOYMENTS, { body })).json();
    expect(object.spec.strategy.type).toBe('RollingUpdate');
    expect(object.status?.replicas).toBeUndefined();
  });

  const REFUSALS: readonly [string, string, object, number, string][] = [
    [
      'a version on a new object',
      MAPS,
      configMap('a', {}, { resourceVersion: '5' }),
      400,
      'resourceVersion should not be set on objects to be created',
    ],
    [
      'another namespace',
      MAPS,
      configMap('a', {}, { namespace: 'other' }),
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    ['no such namespace', '/api/v1/namespaces/none/configmaps', configMap('a'), 404, 'namespaces "none" not found'],
    [
      'another version',
      DEPLOYMENTS,
      { ...deployment('d'), apiVersion: 'apps/v2' },
      400,
      'the API version in the data (apps/v2) does not match the expected API version (apps/v1)',
    ],
    [
      'another kind',
      MAPS,
      { ...configMap('a'), kind: 'Pod' },
      400,
      'Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion',
    ],
    [
      'a bad name',
      MAPS,
      configMap('Not_OK'),
      422,
      'ConfigMap "Not_OK" is invalid: metadata.name: Invalid value: "Not_OK": a lowercase RFC 1123 subdomain',
    ],
    ['no name', MAPS, configMap(''), 422, 'name or generateName is required'],
    [
      'negative replicas',
      DEPLOYMENTS,
      deployment('d', -1),
      422,
      'Deployment.apps "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'a wrong type',
      DEPLOYMENTS,
      { ...deployment('d'), spec: { replicas: 'x' } },
      400,
      'cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    ['a bad label', MAPS, configMap('a', {}, { labels: { 'a b': 'c' } }), 422, 'metadata.labels: Invalid value: "a b"'],
  ];
  test.each(REFUSALS)('%s is refused and nothing is stored', async (_sentence, path, body, code, message) => {
    const answer = await api.send('POST', path, { body });
    expect([answer.code, answer.json().code]).toEqual([code, code]);
    expect(answer.json().message).toContain(message);
    expect((await api.send('GET', '/api/v1/configmaps')).json().items).toEqual([]);
    expect((await api.send('GET', '/apis/apps/v1/deployments')).json().items).toEqual([]);
  });

  test('an unknown kind is a 404', async () => {
    const answer = await api.send('POST', '/apis/apps/v1/namespaces/default/gadgets', { body: {} });
    expect([answer.code, answer.json().message]).toEqual([404, 'the server could not find the requested resource']);
  });

  test('malformed JSON and YAML are a 400', async () => {
    const json = await api.send('POST', MAPS, { body: '{"apiVersion":' });
    const yaml = await api.send('POST', MAPS, { body: 'a: [b', type: 'application/yaml' });
    expect([json.code, yaml.code]).toEqual([400, 400]);
    expect(json.json().message).toContain('the object provided is unrecognized (must be of type ConfigMap)');
  });

  test('a body above 3 MiB is a 413, an unknown content type a 415', async () => {
    const large = await api.send('POST', MAPS, { body: configMap('a', { k: 'x'.repeat(3 * 1024 * 1024) }) });
    const xml = await api.send('POST', MAPS, { body: '<a/>', type: 'application/xml' });
    expect([large.code, large.json().reason, xml.code, xml.json().reason]).toEqual([
      413,
      'RequestEntityTooLarge',
      415,
      'UnsupportedMediaType',
    ]);
  });

  test('YAML bodies are read', async () => {
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: "1"}\n';
    expect((await api.send('POST', MAPS, { body, type: 'application/yaml' })).json().data).toEqual({ k: '1' });
  });

  test('a taken name is a 409', async () => {
    await api.send('POST', MAPS, { body: configMap('a') });
    const answer = await api.send('POST', MAPS, { body: configMap('a') });
    expect(answer.json()).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('a name that is being deleted says so', async () => {
    await api.send('POST', MAPS, { body: configMap('a', {}, { finalizers: ['test.dev/wait'] }) });
    await api.send('DELETE', `${MAPS}/a`);
    expect((await api.send('POST', MAPS, { body: configMap('a') })).json().message).toBe(
      'object is being deleted: configmaps "a" already exists',
    );
  });

  test('generateName gives distinct names', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'a-' } };
    const names = new Set<string>();
    for (let index = 0; index < 20; index += 1) names.add((await api.send('POST', MAPS, { body })).json().metadata.name);
    expect(names.size).toBe(20);
    for (const name of names) expect(name).toMatch(/^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test('a generated name that is always taken ends in a 409 after eight tries', async () => {
    let tries = 0;
    const suffix = () => {
      tries += 1;
      return 'taken';
    };
    const stuck = await startTestServer({ ids: { uid: () => 'u', suffix } });
    await stuck.send('POST', MAPS, { body: configMap('a-taken') });
    const answer = await stuck.send('POST', MAPS, { body: { metadata: { generateName: 'a-' } } });
    expect(answer.json()).toMatchObject({ code: 409, details: { retryAfterSeconds: 1 } });
    expect([tries, answer.json().message]).toEqual([
      8,
      'configmaps "a-taken" already exists, the server was not able to generate a unique name for the object',
    ]);
    await stuck.close();
  });

  test('dryRun=All answers as if, and stores nothing', async () => {
    const answer = await api.send('POST', `${MAPS}?dryRun=All`, { body: configMap('a') });
    expect([answer.code, answer.json().metadata.resourceVersion]).toEqual([201, undefined]);
    expect((await api.send('GET', `${MAPS}/a`)).code).toBe(404);
    expect((await api.send('POST', `${MAPS}?dryRun=Some`, { body: configMap('a') })).code).toBe(422);
  });
});

describe('fieldValidation', () => {
  const body = { ...deployment('d'), spec: { ...deployment('d').spec, foo: 1 } };

  test('Strict refuses unknown and duplicate fields', async () => {
    const unknown = await api.send('POST', `${DEPLOYMENTS}?fieldValidation=Strict`, { body });
    expect(unknown.json()).toMatchObject({
      code: 400,
      message: 'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.foo"',
    });
    const twice = await api.send('POST', `${MAPS}?fieldValidation=Strict`, {
      body: '{"metadata":{"name":"a"},"data":{"k":"1","k":"2"}}',
    });
    expect(twice.json().message).toContain('duplicate field "data.k"');
  });

  test('Warn is the default: a Warning header for each, and the field is dropped', async () => {
    const answer = await api.send('POST', DEPLOYMENTS, { body });
    expect([answer.code, answer.headers.get('warning')]).toEqual([201, '299 - "unknown field \\"spec.foo\\""']);
    expect(answer.json().spec.foo).toBeUndefined();
  });

  test('Ignore drops in silence; another word is a 422', async () => {
    const answer = await api.send('POST', `${DEPLOYMENTS}?fieldValidation=Ignore`, { body });
    expect([answer.code, answer.headers.get('warning')]).toEqual([201, null]);
    expect((await api.send('POST', `${MAPS}?fieldValidation=Maybe`, { body: configMap('a') })).code).toBe(422);
  });
});
