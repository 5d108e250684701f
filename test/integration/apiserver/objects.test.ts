import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configMap, deployment, startTestServer, type TestServer } from './server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MERGE = 'application/merge-patch+json';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer();
});
afterEach(() => api.close());

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
    const again = await api.send('DELETE', `${MAPS}/a`);
    expect(again.json()).toEqual(marked.json());
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
    expect([log.code, log.json().message]).toEqual([404, 'log of pods "p": this server does not serve it']);
  });

  test('a view answers instead', async () => {
    const views = new Map([['/pods/log', async () => ({ code: 200, object: { kind: 'Status', message: 'ask cluster eu-1' } })]]);
    const other = await startTestServer({ views });
    expect((await other.send('GET', '/api/v1/namespaces/default/pods/p/log')).json().message).toBe('ask cluster eu-1');
    await other.close();
  });
});
