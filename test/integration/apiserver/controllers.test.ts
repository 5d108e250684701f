import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CA, type ControlledServer, startControlledServer } from './controllers.ts';

const NS = '/api/v1/namespaces';
let api: ControlledServer;
beforeAll(async () => {
  api = await startControlledServer();
});
afterAll(() => api.close());

/** An object as it is served, or undefined. */
const get = async (path: string) => {
  const answer = await api.send('GET', path);
  return answer.code === 200 ? answer.json() : undefined;
};
const items = async (path: string) => (await api.send('GET', path)).json().items;
async function namespace(name: string): Promise<string> {
  await api.send('POST', NS, { body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } });
  return `${NS}/${name}`;
}
const pod = (name: string, labels: Record<string, string> = {}, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: { containers: [{ name: 'c', image: 'i:1', ports: [{ name: 'web', containerPort: 8080 }] }], ...spec },
});
const status = (path: string, value: object) =>
  api.send('PATCH', `${path}/status`, { body: { status: value }, type: 'application/merge-patch+json' });
const running = (ip: string, ready = true) => ({
  phase: 'Running',
  podIP: ip,
  podIPs: [{ ip }],
  conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
});

describe('every namespace', () => {
  test('holds the default account and the CA bundle, and gets them back', async () => {
    const path = await namespace('content');
    const bundle = await api.until(() => get(`${path}/configmaps/kube-root-ca.crt`));
    expect(bundle.data).toEqual({ 'ca.crt': CA });
    await api.until(() => get(`${path}/serviceaccounts/default`));
    await api.send('DELETE', `${path}/serviceaccounts/default`);
    await api.send('DELETE', `${path}/configmaps/kube-root-ca.crt`);
    await api.until(() => get(`${path}/configmaps/kube-root-ca.crt`));
    await api.until(() => get(`${path}/serviceaccounts/default`));
    await api.send('PATCH', `${path}/configmaps/kube-root-ca.crt`, {
      body: { data: { 'ca.crt': 'another' } },
      type: 'application/merge-patch+json',
    });
    await api.until(async () => ((await get(`${path}/configmaps/kube-root-ca.crt`)).data['ca.crt'] === CA ? true : undefined));
  });
});

describe('endpoints', () => {
  const slices = (ns: string, service: string) =>
    items(`/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices?labelSelector=kubernetes.io/service-name=${service}`);
  const service = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });

  test('of a Service that selects nothing yet are empty, follow its pods, and go with it', async () => {
    const path = await namespace('ep');
    const ports = [{ name: 'http', port: 80, targetPort: 'web' }];
    await api.send('POST', `${path}/services`, { body: service('web', { selector: { app: 'web' }, ports }) });
    const [empty] = await api.until(async () => {
      const found = await slices('ep', 'web');
      return found.length === 1 ? found : undefined;
    });
    expect([empty.endpoints, empty.metadata.labels['endpointslice.kubernetes.io/managed-by']]).toEqual([
      [],
      'endpointslice-controller.k8s.io',
    ]);
    await api.send('POST', `${path}/pods`, { body: pod('a', { app: 'web' }) });
    await status(`${path}/pods/a`, running('10.1.0.1'));
    const filled = await api.until(async () => {
      const [slice] = await slices('ep', 'web');
      return slice.endpoints[0]?.conditions.ready ? slice : undefined;
    });
    expect([filled.endpoints[0].addresses, filled.ports]).toEqual([
      ['10.1.0.1'],
      [{ name: 'http', port: 8080, protocol: 'TCP' }],
    ]);
    const classic = await api.until(async () => {
      const found = await get(`${path}/endpoints/web`);
      return found?.subsets?.length > 0 ? found : undefined;
    });
    expect(classic.subsets[0].addresses[0].targetRef.name).toBe('a');
    await api.send('DELETE', `${path}/services/web`);
    await api.until(async () => ((await slices('ep', 'web')).length === 0 ? true : undefined));
    await api.until(async () => ((await get(`${path}/endpoints/web`)) === undefined ? true : undefined));
  });

  test('that were never a Service’s are left alone', async () => {
    const path = await namespace('loose');
    const body = { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'loose' }, subsets: [] };
    await api.send('POST', `${path}/endpoints`, { body });
    // A Service that is handled after them shows that their turn has come.
    await api.send('POST', `${path}/services`, { body: service('web', { selector: { app: 'web' }, ports: [{ port: 80 }] }) });
    await api.until(async () => ((await slices('loose', 'web')).length === 1 ? true : undefined));
    expect(await get(`${path}/endpoints/loose`)).toBeDefined();
  });

  test('that somebody wrote by hand are mirrored, change and go', async () => {
    const path = await namespace('mirror');
    await api.send('POST', `${path}/services`, { body: service('own', { ports: [{ name: 'example', port: 80 }] }) });
    const endpoints = (ip: string) => ({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'own' },
      subsets: [{ ports: [{ port: 80 }], addresses: [{ ip }] }],
    });
    const address = async () => {
      const found = await slices('mirror', 'own');
      return found.length === 1 ? found[0].endpoints[0]?.addresses[0] : undefined;
    };
    await api.send('POST', `${path}/endpoints`, { body: endpoints('10.1.2.3') });
    await api.until(async () => ((await address()) === '10.1.2.3' ? true : undefined));
    await api.send('PUT', `${path}/endpoints/own`, { body: endpoints('10.2.3.4') });
    await api.until(async () => ((await address()) === '10.2.3.4' ? true : undefined));
    await api.send('DELETE', `${path}/endpoints/own`);
    await api.until(async () => ((await slices('mirror', 'own')).length === 0 ? true : undefined));
  });
});

describe('a quota', () => {
  const quota = (name: string, hard: Record<string, string>, spec: object = {}) => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name },
    spec: { hard, ...spec },
  });
  const used = (path: string, name: string, wanted: Record<string, string>) =>
    api.until(async () => {
      const found = (await get(`${path}/resourcequotas/${name}`))?.status?.used;
      return found && Object.entries(wanted).every(([key, value]) => found[key] === value) ? found : undefined;
    });

  test('counts what is there, refuses what is beyond, and gives back what goes', async () => {
    const path = await namespace('quota');
    await api.send('POST', `${path}/resourcequotas`, {
      body: quota('q', { pods: '2', 'requests.cpu': '1', 'count/secrets': '1' }),
    });
    await used(path, 'q', { pods: '0', 'requests.cpu': '0', 'count/secrets': '0' });
    const asking = (name: string, cpu: string) =>
      pod(name, {}, { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] });
    expect((await api.send('POST', `${path}/pods`, { body: asking('a', '600m') })).code).toBe(201);
    await used(path, 'q', { pods: '1', 'requests.cpu': '600m' });
    const beyond = await api.send('POST', `${path}/pods`, { body: asking('b', '500m') });
    expect([beyond.code, beyond.json().message]).toEqual([
      403,
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1',
    ]);
    const silent = await api.send('POST', `${path}/pods`, { body: pod('c') });
    expect(silent.json().message).toBe('pods "c" is forbidden: failed quota: q: must specify requests.cpu for: c');
    const again = await api.send('POST', `${path}/pods`, { body: asking('a', '100m') });
    expect(again.code).toBe(409);
    await api.send('DELETE', `${path}/pods/a`);
    await used(path, 'q', { pods: '0', 'requests.cpu': '0' });
  });

  test('with a scope counts only what lies in it', async () => {
    const path = await namespace('scopes');
    await api.send('POST', `${path}/resourcequotas`, { body: quota('best', { pods: '5' }, { scopes: ['BestEffort'] }) });
    await api.send('POST', `${path}/resourcequotas`, { body: quota('not', { pods: '5' }, { scopes: ['NotBestEffort'] }) });
    await used(path, 'best', { pods: '0' });
    await used(path, 'not', { pods: '0' });
    await api.send('POST', `${path}/pods`, { body: pod('idle') });
    await used(path, 'best', { pods: '1' });
    await used(path, 'not', { pods: '0' });
  });
});

test('a disruption budget says how many of its pods may go', async () => {
  const path = await namespace('pdb');
  const budgets = '/apis/policy/v1/namespaces/pdb/poddisruptionbudgets';
  await api.send('POST', budgets, {
    body: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
    },
  });
  const seen = await api.until(async () => {
    const found = await get(`${budgets}/b`);
    return found.status?.observedGeneration === 1 ? found.status : undefined;
  });
  expect([seen.disruptionsAllowed, seen.conditions[0].reason]).toEqual([0, 'InsufficientPods']);
  for (const [name, ip] of [
    ['a', '10.9.0.1'],
    ['b', '10.9.0.2'],
  ] as const) {
    await api.send('POST', `${path}/pods`, { body: pod(name, { app: 'x' }) });
    await status(`${path}/pods/${name}`, running(ip));
  }
  await api.until(async () => ((await get(`${budgets}/b`)).status.disruptionsAllowed === 1 ? true : undefined));
});

describe('an eviction', () => {
  const budgets = '/apis/policy/v1/namespaces/evict/poddisruptionbudgets';
  const evict = (path: string, name: string) =>
    api.send('POST', `${path}/pods/${name}/eviction`, {
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } },
    });

  test('takes what the budget can spare, and no more', async () => {
    const path = await namespace('evict');
    await api.send('POST', budgets, {
      body: {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'b' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'e' } } },
      },
    });
    for (const [name, ip] of [
      ['a', '10.8.0.1'],
      ['b', '10.8.0.2'],
    ] as const) {
      await api.send('POST', `${path}/pods`, { body: pod(name, { app: 'e' }) });
      const bound = await api.send('POST', `${path}/pods/${name}/binding`, {
        body: { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: 'n1' } },
      });
      expect([bound.code, bound.json().status]).toEqual([201, 'Success']);
      await status(`${path}/pods/${name}`, running(ip));
    }
    await api.until(async () => ((await get(`${budgets}/b`)).status.disruptionsAllowed === 1 ? true : undefined));
    expect((await evict(path, 'a')).code).toBe(201);
    const going = await get(`${path}/pods/a`);
    expect(going.metadata.deletionTimestamp).toBeDefined();
    expect(going.status.conditions.map(({ type }: { type: string }) => type)).toContain('DisruptionTarget');
    const refused = (await evict(path, 'b')).json();
    expect([refused.code, refused.message, refused.details.causes[0]]).toEqual([
      429,
      "Cannot evict pod as it would violate the pod's disruption budget.",
      { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' },
    ]);
  });

  test('of a pod that is not there, or of another name, is refused', async () => {
    expect((await evict(`${NS}/default`, 'none')).code).toBe(404);
    const other = await api.send('POST', `${NS}/default/pods/a/eviction`, {
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'b' } },
    });
    expect([other.code, other.json().message]).toEqual([400, 'name in URL does not match name in Eviction object']);
  });

  test('a pod is bound once', async () => {
    const path = await namespace('bind');
    const bind = (node: string) =>
      api.send('POST', `${path}/pods/p/binding`, {
        body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: node } },
      });
    await api.send('POST', `${path}/pods`, { body: pod('p') });
    await bind('n1');
    const again = (await bind('n2')).json();
    expect([again.code, again.message]).toEqual([
      409,
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    ]);
  });
});

test('a claim is bound to a volume that fits, and both go when nothing uses them', async () => {
  const path = await namespace('volumes');
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    spec: {
      capacity: { storage: '2Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/tmp/v' },
      storageClassName: 'manual',
    },
  };
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'manual', resources: { requests: { storage: '1Gi' } } },
  };
  await api.send('POST', '/api/v1/persistentvolumes', { body: volume });
  await api.send('POST', `${path}/persistentvolumeclaims`, { body: claim });
  const bound = await api.until(async () => {
    const found = await get(`${path}/persistentvolumeclaims/c`);
    return found.status.phase === 'Bound' ? found : undefined;
  });
  expect([bound.spec.volumeName, bound.status.capacity, bound.metadata.finalizers]).toEqual([
    'v',
    { storage: '2Gi' },
    ['kubernetes.io/pvc-protection'],
  ]);
  await api.send('DELETE', `${path}/persistentvolumeclaims/c`);
  await api.until(async () => ((await get(`${path}/persistentvolumeclaims/c`)) === undefined ? true : undefined));
  await api.until(async () => ((await get('/api/v1/persistentvolumes/v')).status.phase === 'Released' ? true : undefined));
  await api.send('DELETE', '/api/v1/persistentvolumes/v');
  await api.until(async () => ((await get('/api/v1/persistentvolumes/v')) === undefined ? true : undefined));
});
