/** Workload controllers of a simulated member behind a whole server, with the API's own controllers beside them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeObjects } from '../../../localstack/members/controllers/nodes.ts';
import { type Controllers, startControllers } from '../../../localstack/members/controllers/run.ts';
import { seededIds } from '../../../shared/adapters/memory/ids.ts';
import { type ControlledServer, startControlledServer } from './controllers.ts';
import { START } from './server.ts';

const SPEC = { name: 'm', region: 'r', zone: 'z', pricePerCpuHour: 1, nodes: 2, nodeCpu: '4', nodeMemory: '8Gi', labels: {} };
const PODS = '/api/v1/namespaces/default/pods';
const CONTROLLERS = '/api/v1/namespaces/default/replicationcontrollers';
const LIMITED = '/api/v1/namespaces/limited/replicationcontrollers';
let api: ControlledServer;
let controllers: Controllers;
beforeAll(async () => {
  api = await startControlledServer();
  for (const node of nodeObjects(SPEC, 'v1.35.4', START)) {
    await api.send('POST', '/api/v1/nodes', { body: node });
    await api.send('PATCH', `/api/v1/nodes/${node.metadata.name}/status`, {
      body: { status: node.status },
      type: 'application/merge-patch+json',
    });
  }
  controllers = await startControllers({
    cluster: 'm',
    store: api.medium.store,
    registry: api.registry,
    api: api.server.resources,
    clock: api.clock,
    ids: seededIds(11),
    log: api.log,
  });
});
afterAll(async () => {
  await controllers.close();
  await api.close();
});

const get = async (path: string) => (await api.send('GET', path)).json();
const controller = (name: string, replicas: number) => ({
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name },
  spec: {
    replicas,
    selector: { name },
    template: { metadata: { labels: { name } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
  },
});

test('a ReplicationController makes its pods, and says why one was refused until it is not', async () => {
  await api.send('POST', '/api/v1/namespaces', { body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'limited' } } });
  await api.send('POST', '/api/v1/namespaces/limited/resourcequotas', {
    body: { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'two' }, spec: { hard: { pods: '2' } } },
  });
  await api.until(async () => (await get('/api/v1/namespaces/limited/resourcequotas/two')).status?.used?.pods);
  await api.send('POST', LIMITED, { body: controller('rc', 3) });
  const told = await api.until(async () => {
    const { status } = await get(`${LIMITED}/rc`);
    return status.conditions?.length > 0 ? status : undefined;
  });
  expect([told.replicas, told.observedGeneration, told.conditions[0].type, told.conditions[0].reason]).toEqual([
    2,
    1,
    'ReplicaFailure',
    'FailedCreate',
  ]);
  expect(told.conditions[0].message).toContain('exceeded quota: two, requested: pods=1, used: pods=2, limited: pods=2');
  await api.send('PATCH', `${LIMITED}/rc/scale`, {
    body: { spec: { replicas: 2 } },
    type: 'application/merge-patch+json',
  });
  await api.until(async () => ((await get(`${LIMITED}/rc`)).status.conditions === undefined ? true : undefined));
});

test('a pod that nobody controls is adopted, and one that no longer fits is let go', async () => {
  await api.send('POST', PODS, {
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'stray', labels: { name: 'adopting' } },
      spec: { containers: [{ name: 'c', image: 'i:1' }] },
    },
  });
  await api.send('POST', CONTROLLERS, { body: controller('adopting', 1) });
  await api.until(async () =>
    (await get(`${PODS}/stray`)).metadata.ownerReferences?.[0].name === 'adopting' ? true : undefined,
  );
  await api.send('PATCH', `${PODS}/stray`, {
    body: { metadata: { labels: { name: 'other' } } },
    type: 'application/merge-patch+json',
  });
  await api.until(async () => ((await get(`${PODS}/stray`)).metadata.ownerReferences === undefined ? true : undefined));
});

test('binding a pod to its node is no change of what was asked for', async () => {
  await api.send('POST', PODS, {
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bound' }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
  });
  const bound = await api.until(async () => {
    const pod = await get(`${PODS}/bound`);
    return pod.spec.nodeName ? pod : undefined;
  });
  expect(bound.metadata.generation).toBe(1);
});

test('a DaemonSet keeps its history, and replaces a pod that failed', async () => {
  const sets = '/apis/apps/v1/namespaces/default/daemonsets';
  const labels = { app: 'daemon' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
  await api.send('POST', sets, {
    body: {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: labels }, template },
    },
  });
  const daemons = async () => (await get(`${PODS}?labelSelector=app=daemon`)).items;
  const [first] = await api.until(async () => {
    const found = await daemons();
    return found.length === 2 ? found : undefined;
  });
  const revisions = (await get('/apis/apps/v1/namespaces/default/controllerrevisions')).items;
  expect(revisions.map(({ revision }: { revision: number }) => revision)).toEqual([1]);
  await api.send('PATCH', `${PODS}/${first.metadata.name}/status`, {
    body: { status: { phase: 'Failed' } },
    type: 'application/merge-patch+json',
  });
  await api.until(async () => {
    const found = await daemons();
    const isReplaced = !found.some(({ metadata }: { metadata: { name: string } }) => metadata.name === first.metadata.name);
    return isReplaced && found.length === 2 ? true : undefined;
  });
});
