/** What the plugins of kube-apiserver do to new objects, through the whole server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from './server.ts';

const PODS = '/api/v1/namespaces/default/pods';
let api: TestServer;
beforeAll(async () => {
  api = await startTestServer();
});
afterAll(() => api.close());

const container = (extra: object = {}) => ({ name: 'c', image: 'i:1', ...extra });
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [container()], ...spec },
});
const made = async (path: string, body: object) => {
  const answer = await api.send('POST', path, { body });
  return answer.json();
};
const namespace = (name: string, labels: Record<string, string> = {}) =>
  api.send('POST', '/api/v1/namespaces', { body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } } });

describe('a new pod', () => {
  test('runs as the default account, with a token that its containers can read', async () => {
    const { spec, metadata } = await made(PODS, pod('account'));
    const [volume] = spec.volumes;
    expect([spec.serviceAccountName, spec.serviceAccount, volume.name.replace(/.{5}$/, '')]).toEqual([
      'default',
      'default',
      'kube-api-access-',
    ]);
    expect(spec.containers[0].volumeMounts).toEqual([
      { name: volume.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ]);
    expect(volume.projected.sources[0]).toEqual({ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } });
    // What admission adds has no owner.
    expect(JSON.stringify(metadata.managedFields)).not.toContain('kube-api-access');
  });

  test.each([
    ['the pod', { automountServiceAccountToken: false }, {}],
    ['its account', {}, { automountServiceAccountToken: false }],
  ])('gets no token when %s says so', async (who, spec, account) => {
    const name = who.replaceAll(' ', '-');
    await api.send('POST', '/api/v1/namespaces/default/serviceaccounts', {
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name }, imagePullSecrets: [{ name: 'pull' }], ...account },
    });
    const created = await made(PODS, pod(name, { serviceAccountName: name, ...spec }));
    expect([created.spec.volumes, created.spec.imagePullSecrets]).toEqual([undefined, [{ name: 'pull' }]]);
  });

  test('of an account that is not there is refused', async () => {
    const refused = await made(PODS, pod('nobody', { serviceAccountName: 'none' }));
    expect([refused.code, refused.message]).toEqual([
      403,
      'pods "nobody" is forbidden: error looking up service account default/none: serviceaccount "none" not found',
    ]);
  });

  test('gets priority 0 and the tolerations of node faults', async () => {
    const { spec } = await made(PODS, pod('plain'));
    expect([spec.priority, spec.preemptionPolicy, spec.tolerations.map(({ key }: { key: string }) => key)]).toEqual([
      0,
      'PreemptLowerPriority',
      ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'],
    ]);
  });

  test('takes its priority from its class, and may not say another', async () => {
    await api.send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
      body: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 },
    });
    expect((await made(PODS, pod('high', { priorityClassName: 'high' }))).spec.priority).toBe(1000);
    expect((await made(PODS, pod('none', { priorityClassName: 'none' }))).message).toBe(
      'pods "none" is forbidden: no PriorityClass with name none was found',
    );
    expect((await made(PODS, pod('other', { priority: 7 }))).message).toBe(
      'pods "other" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    );
  });

  test('gets the overhead and the place of its runtime class, which must exist', async () => {
    await api.send('POST', '/apis/node.k8s.io/v1/runtimeclasses', {
      body: {
        apiVersion: 'node.k8s.io/v1',
        kind: 'RuntimeClass',
        metadata: { name: 'box' },
        handler: 'box',
        overhead: { podFixed: { cpu: '10m' } },
        scheduling: { nodeSelector: { box: 'yes' } },
      },
    });
    const { spec } = await made(PODS, pod('boxed', { runtimeClassName: 'box' }));
    expect([spec.overhead, spec.nodeSelector]).toEqual([{ cpu: '10m' }, { box: 'yes' }]);
    expect((await made(PODS, pod('lost', { runtimeClassName: 'none' }))).message).toBe(
      'pods "lost" is forbidden: pod rejected: RuntimeClass "none" not found',
    );
    expect((await made(PODS, pod('heavy', { overhead: { cpu: '1' } }))).message).toBe(
      'pods "heavy" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    );
  });

  test('may change its resources by resize alone', async () => {
    await made(PODS, pod('fixed', { containers: [container({ resources: { requests: { cpu: '1' } } })] }));
    const body = { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] } };
    const options = { body, type: 'application/strategic-merge-patch+json' };
    expect((await api.send('PATCH', `${PODS}/fixed`, options)).code).toBe(422);
    expect((await api.send('PATCH', `${PODS}/fixed/resize`, options)).json().spec.containers[0].resources.requests.cpu).toBe('2');
  });
});

test('a limit range fills in amounts, says so, and keeps its bounds', async () => {
  await namespace('ranges');
  await api.send('POST', '/api/v1/namespaces/ranges/limitranges', {
    body: {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'r' },
      spec: { limits: [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '50m' }, default: { cpu: '500m' } }] },
    },
  });
  const path = '/api/v1/namespaces/ranges/pods';
  const filled = await made(path, pod('filled'));
  expect([filled.spec.containers[0].resources, filled.metadata.annotations]).toEqual([
    { limits: { cpu: '500m' }, requests: { cpu: '500m' } },
    { 'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu request for container c; cpu limit for container c' },
  ]);
  const large = container({ resources: { limits: { cpu: '2' }, requests: { cpu: '10m' } } });
  expect((await made(path, pod('large', { containers: [large] }))).message).toBe(
    'pods "large" is forbidden: [minimum cpu usage per Container is 50m, but request is 10m, maximum cpu usage per Container is 1, but limit is 2]',
  );
});

test('claims and ingresses without a class get the default one', async () => {
  await api.send('POST', '/apis/storage.k8s.io/v1/storageclasses', {
    body: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'x',
    },
  });
  const claim = await made('/api/v1/namespaces/default/persistentvolumeclaims', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  expect([claim.spec.storageClassName, claim.metadata.finalizers]).toEqual(['fast', ['kubernetes.io/pvc-protection']]);
});

describe('Pod Security', () => {
  const LABEL = 'pod-security.kubernetes.io/';

  test('refuses what a namespace does not allow, in the words of kube-apiserver', async () => {
    await namespace('strict', { [`${LABEL}enforce`]: 'restricted' });
    const refused = await made('/api/v1/namespaces/strict/pods', pod('p', { hostNetwork: true }));
    expect(refused.message).toBe(
      'pods "p" is forbidden: violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true), allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    );
    const securityContext = {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    };
    const allowed = await made('/api/v1/namespaces/strict/pods', pod('ok', { containers: [container({ securityContext })] }));
    expect(allowed.kind).toBe('Pod');
  });

  test('warns of a template, and of pods that a new label would refuse', async () => {
    await namespace('lenient', { [`${LABEL}warn`]: 'baseline' });
    const containers = [container({ securityContext: { privileged: true } })];
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers } };
    const answer = await api.send('POST', '/apis/apps/v1/namespaces/lenient/deployments', {
      body: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: { selector: { matchLabels: { a: 'b' } }, template },
      },
    });
    expect(answer.headers.get('warning')).toBe(
      '299 - "would violate PodSecurity \\"baseline:latest\\": privileged (container \\"c\\" must not set securityContext.privileged=true)"',
    );
    await made('/api/v1/namespaces/lenient/pods', pod('rogue', { containers }));
    const tightened = await api.send('PATCH', '/api/v1/namespaces/lenient', {
      body: { metadata: { labels: { [`${LABEL}enforce`]: 'baseline' } } },
      type: 'application/merge-patch+json',
    });
    expect(tightened.headers.get('warning')).toContain('rogue: privileged');
    const wrong = await namespace('wrong', { [`${LABEL}enforce`]: 'very' });
    expect(wrong.code).toBe(422);
  });
});
