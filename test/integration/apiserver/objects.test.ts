import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configMap, deployment, START, startTestServer, type TestServer } from './server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MERGE = 'application/merge-patch+json';

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

describe('update', () => {
  const put = (name: string, body: object, query = '') => api.send('PUT', `${MAPS}/${name}${query}`, { body });

  test('replaces, and moves the version', async () => {
    const created = (await api.send('POST', MAPS, { body: configMap('a', { k: '1' }) })).json();
    const answer = await put('a', { ...created, data: { k: '2' } });
    expect([answer.code, answer.json().data]).toEqual([200, { k: '2' }]);
    expect(Number(answer.json().metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
    expect(answer.json().metadata.uid).toBe(created.metadata.uid);
  });

  test('the same object again stores nothing and keeps the version', async () => {
    const created = (await api.send('POST', MAPS, { body: configMap('a', { k: '1' }) })).json();
    await api.clock.advance(5000);
    const before = api.medium.transactions().store;
    const answer = await put('a', created);
    expect(answer.json()).toEqual(created);
    expect(api.medium.transactions().store).toBe(before);
  });

  test('a stale version is a 409', async () => {
    const created = (await api.send('POST', MAPS, { body: configMap('a', { k: '1' }) })).json();
    await put('a', { ...created, data: { k: '2' } });
    const answer = await put('a', { ...created, data: { k: '3' } });
    expect(answer.json()).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('without a version it is unconditional where the kind allows', async () => {
    await api.send('POST', MAPS, { body: configMap('a', { k: '1' }) });
    expect((await put('a', configMap('a', { k: '2' }))).code).toBe(200);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: {} };
    await api.send('POST', leases, { body: lease });
    const answer = await api.send('PUT', `${leases}/l`, { body: lease });
    expect([answer.code, answer.json().message]).toEqual([
      422,
      'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
  });

  test('another name, another uid, nothing there', async () => {
    await api.send('POST', MAPS, { body: configMap('a') });
    const name = await put('a', configMap('b'));
    expect([name.code, name.json().message]).toEqual([400, 'the name of the object (b) does not match the name on the URL (a)']);
    const uid = await put('a', configMap('a', {}, { uid: 'other' }));
    expect([uid.code, uid.json().message]).toEqual([
      409,
      expect.stringContaining('Precondition failed: UID in precondition: other'),
    ]);
    expect((await put('gone', configMap('gone'))).code).toBe(404);
  });

  test('some kinds are created by an update', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r' }, rules: [] };
    expect((await api.send('PUT', `${roles}/r`, { body: role })).code).toBe(201);
  });

  test('the generation counts changes of the desired state only', async () => {
    const created = (await api.send('POST', DEPLOYMENTS, { body: deployment('d', 1) })).json();
    const labelled = await api.send('PATCH', `${DEPLOYMENTS}/d`, { body: { metadata: { labels: { a: 'b' } } }, type: MERGE });
    const scaled = await api.send('PATCH', `${DEPLOYMENTS}/d`, { body: { spec: { replicas: 3 } }, type: MERGE });
    expect([created, labelled.json(), scaled.json()].map((object) => object.metadata.generation)).toEqual([1, 1, 2]);
  });

  test('a zero that Go leaves out is no change', async () => {
    const created = (await api.send('POST', DEPLOYMENTS, { body: deployment('d', 1) })).json();
    const body = { spec: { paused: false, template: { spec: { hostNetwork: false } } } };
    const answer = await api.send('PATCH', `${DEPLOYMENTS}/d`, { body, type: MERGE });
    expect(answer.json()).toEqual(created);
    expect([created.spec.template.spec.containers[0].resources, created.status]).toEqual([{}, {}]);
  });

  test('a storm of updates loses none', async () => {
    await api.send('POST', MAPS, { body: configMap('a') });
    const patches = Array.from({ length: 5 }, (_, index) =>
      api.send('PATCH', `${MAPS}/a`, { body: { data: { [`k${index}`]: 'v' } }, type: MERGE }),
    );
    expect((await Promise.all(patches)).map((answer) => answer.code)).toEqual([200, 200, 200, 200, 200]);
    expect(Object.keys((await api.send('GET', `${MAPS}/a`)).json().data)).toHaveLength(5);
  });
});

describe('delete', () => {
  test('answers a Status with what was deleted, or the object where upstream does', async () => {
    const { metadata } = (await api.send('POST', MAPS, { body: configMap('a') })).json();
    expect((await api.send('DELETE', `${MAPS}/a`)).json()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: metadata.uid },
    });
    expect((await api.send('GET', `${MAPS}/a`)).json()).toMatchObject({ code: 404, message: 'configmaps "a" not found' });
    expect((await api.send('DELETE', `${MAPS}/a`)).code).toBe(404);
  });

  test('preconditions are kept', async () => {
    await api.send('POST', MAPS, { body: configMap('a') });
    const uid = await api.send('DELETE', `${MAPS}/a`, { body: { preconditions: { uid: 'other' } } });
    const version = await api.send('DELETE', `${MAPS}/a`, { body: { preconditions: { resourceVersion: '64' } } });
    expect([uid.code, version.code, (await api.send('GET', `${MAPS}/a`)).code]).toEqual([409, 409, 200]);
  });

  test('finalizers hold an object until the last one goes', async () => {
    await api.send('POST', MAPS, { body: configMap('a', {}, { finalizers: ['test.dev/wait'] }) });
    const marked = await api.send('DELETE', `${MAPS}/a`);
    expect(marked.json().metadata).toMatchObject({ deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 });
    const added = await api.send('PATCH', `${MAPS}/a`, {
      body: { metadata: { finalizers: ['test.dev/wait', 'x.dev/y'] } },
      type: MERGE,
    });
    expect(added.json().message).toContain('no new finalizers can be added if the object is being deleted');
    const last = await api.send('PATCH', `${MAPS}/a`, { body: { metadata: { finalizers: null } }, type: MERGE });
    expect([last.code, (await api.send('GET', `${MAPS}/a`)).code]).toEqual([200, 404]);
  });

  test('a policy in the query, in the body, and both at once', async () => {
    for (const name of ['a', 'b']) await api.send('POST', MAPS, { body: configMap(name) });
    const query = await api.send('DELETE', `${MAPS}/a?propagationPolicy=Orphan`);
    expect(query.json().metadata.finalizers).toEqual(['orphan']);
    const body = await api.send('DELETE', `${MAPS}/b`, { body: { propagationPolicy: 'Foreground' } });
    expect(body.json().metadata.finalizers).toEqual(['foregroundDeletion']);
    const both = await api.send('DELETE', `${MAPS}/b`, { body: { propagationPolicy: 'Orphan', orphanDependents: true } });
    const odd = await api.send('DELETE', `${MAPS}/b`, { body: { propagationPolicy: 'Sometimes' } });
    expect([both.code, odd.code]).toEqual([422, 422]);
  });

  test('a pod that runs gets its grace period, a second delete shortens it', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
    };
    await api.send('POST', pods, { body: pod });
    const first = await api.send('DELETE', `${pods}/p`);
    expect([first.code, first.json().metadata.deletionGracePeriodSeconds]).toEqual([200, 30]);
    expect((await api.send('DELETE', `${pods}/p`, { body: { gracePeriodSeconds: 0 } })).code).toBe(200);
    expect((await api.send('GET', `${pods}/p`)).code).toBe(404);
  });

  test('dryRun deletes nothing', async () => {
    await api.send('POST', MAPS, { body: configMap('a') });
    expect((await api.send('DELETE', `${MAPS}/a`, { body: { dryRun: ['All'] } })).code).toBe(200);
    expect((await api.send('DELETE', `${MAPS}/a?dryRun=All`)).code).toBe(200);
    expect((await api.send('GET', `${MAPS}/a`)).code).toBe(200);
  });

  test('a Job warns that its pods stay', async () => {
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    await api.send('POST', jobs, { body: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: { template } } });
    expect((await api.send('DELETE', `${jobs}/j`)).headers.get('warning')).toContain(
      'child pods are preserved by default when jobs are deleted',
    );
  });

  test('a collection: what the selector names, as a list', async () => {
    for (const [name, color] of [
      ['a', 'red'],
      ['b', 'red'],
      ['c', 'blue'],
    ] as const)
      await api.send('POST', MAPS, { body: configMap(name, {}, { labels: { color } }) });
    const answer = await api.send('DELETE', `${MAPS}?labelSelector=color%3Dred`);
    expect([answer.json().kind, answer.json().items.length]).toEqual(['ConfigMapList', 2]);
    expect((await api.send('GET', MAPS)).json().items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual([
      'c',
    ]);
  });
});

describe('namespaces', () => {
  test('some may not be deleted', async () => {
    const answer = await api.send('DELETE', '/api/v1/namespaces/default');
    expect(answer.json()).toMatchObject({
      code: 403,
      message: 'namespaces "default" is forbidden: this namespace may not be deleted',
    });
  });

  test('nothing is created in one that is being deleted, and finalize lets it go', async () => {
    await api.send('POST', '/api/v1/namespaces', { body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } } });
    await api.send('POST', '/api/v1/namespaces/n/configmaps', { body: configMap('before') });
    const marked = await api.send('DELETE', '/api/v1/namespaces/n');
    expect([marked.code, marked.json().status.phase]).toEqual([200, 'Terminating']);
    const refused = await api.send('POST', '/api/v1/namespaces/n/configmaps', { body: configMap('a') });
    expect(refused.json()).toMatchObject({
      code: 403,
      message: 'configmaps "a" is forbidden: unable to create new content in namespace n because it is being terminated',
      details: {
        causes: [{ reason: 'NamespaceTerminating', message: 'namespace n is being terminated', field: 'metadata.namespace' }],
      },
    });
    const body = { ...marked.json(), spec: { finalizers: [] } };
    expect((await api.send('PUT', '/api/v1/namespaces/n/finalize', { body })).code).toBe(200);
    expect((await api.send('GET', '/api/v1/namespaces/n')).code).toBe(404);
  });
});

describe('subresources', () => {
  test('status and spec keep apart', async () => {
    const created = (await api.send('POST', DEPLOYMENTS, { body: deployment('d', 2) })).json();
    const body = { ...created, spec: { ...created.spec, replicas: 9 }, status: { replicas: 2, observedGeneration: 1 } };
    const status = await api.send('PUT', `${DEPLOYMENTS}/d/status?fieldManager=kubelet`, { body });
    expect([status.json().spec.replicas, status.json().status.replicas, status.json().metadata.generation]).toEqual([2, 2, 1]);
    const main = await api.send('PATCH', `${DEPLOYMENTS}/d`, { body: { status: { replicas: 7 } }, type: MERGE });
    expect(main.json().status.replicas).toBe(2);
    const entry = main.json().metadata.managedFields.find((each: { manager: string }) => each.manager === 'kubelet');
    expect(entry).toMatchObject({ subresource: 'status', fieldsV1: { 'f:status': expect.anything() } });
  });

  test('scale: read, patch, put with and without its version, negative', async () => {
    const created = (await api.send('POST', DEPLOYMENTS, { body: deployment('d', 2) })).json();
    const path = `${DEPLOYMENTS}/d/scale`;
    const scale = (await api.send('GET', path)).json();
    expect(scale).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=d' },
    });
    expect(scale.metadata).toMatchObject({
      name: 'd',
      uid: created.metadata.uid,
      resourceVersion: created.metadata.resourceVersion,
    });
    const patched = await api.send('PATCH', path, { body: { spec: { replicas: 5 } }, type: MERGE });
    expect([patched.code, patched.json().spec.replicas]).toEqual([200, 5]);
    const stale = await api.send('PUT', path, { body: { ...scale, spec: { replicas: 6 } } });
    expect(stale.code).toBe(409);
    const { resourceVersion: _version, ...metadata } = scale.metadata;
    expect((await api.send('PUT', path, { body: { ...scale, metadata, spec: { replicas: 6 } } })).json().spec.replicas).toBe(6);
    expect((await api.send('GET', `${DEPLOYMENTS}/d`)).json().spec.replicas).toBe(6);
    const negative = await api.send('PATCH', path, { body: { spec: { replicas: -1 } }, type: MERGE });
    expect([negative.code, negative.json().message]).toEqual([
      422,
      'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  test('what the kind has not is a 404, what nobody runs here says so', async () => {
    await api.send('POST', MAPS, { body: configMap('a') });
    expect((await api.send('GET', `${MAPS}/a/status`)).code).toBe(404);
    expect((await api.send('GET', `${MAPS}/a/scale`)).code).toBe(404);
    const log = await api.send('GET', '/api/v1/namespaces/default/pods/p/log');
    expect([log.code, log.json().message]).toEqual([501, 'log of pods "p": this server does not serve it']);
  });

  test('a view answers instead', async () => {
    const views = new Map([['/pods/log', async () => ({ code: 200, object: { kind: 'Status', message: 'ask cluster eu-1' } })]]);
    const other = await startTestServer({ views });
    expect((await other.send('GET', '/api/v1/namespaces/default/pods/p/log')).json().message).toBe('ask cluster eu-1');
    await other.close();
  });
});
