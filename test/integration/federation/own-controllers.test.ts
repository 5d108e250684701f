/** What the API's own controllers make on the control plane stays there, and they leave what is placed to the members. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { everywhere } from './objects.ts';
import { createWorld, type World } from './world.ts';

const CLUSTERS = ['eu-1', 'us-1'];
const POLICY = { 'kubeadmiral.io/propagation-policy-name': 'everywhere' };
let world: World;
beforeEach(async () => {
  world = await createWorld(CLUSTERS);
  await world.create(everywhere(CLUSTERS));
});
afterEach(() => world.close());

const service = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default', labels },
  spec: { selector: { app: name }, ports: [{ port: 80 }] },
});
const slicesOf = async (name: string) =>
  (await world.list('discovery.k8s.io/v1', 'EndpointSlice', 'default')).filter(
    ({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name,
  );
const copies = (resource: string, name: string) =>
  CLUSTERS.flatMap((cluster) => world.member(cluster).get(resource, 'default', name) ?? []);

test('every namespace has its account and CA bundle, and no member gets either', async () => {
  await world.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await world.settle();
  expect((await world.get('v1', 'ConfigMap', 'team', 'kube-root-ca.crt')).data).toEqual({ 'ca.crt': 'CA' });
  await world.get('v1', 'ServiceAccount', 'team', 'default');
  for (const cluster of CLUSTERS) {
    expect(world.member(cluster).get('configmaps', 'team', 'kube-root-ca.crt')).toBeUndefined();
    expect(world.member(cluster).get('serviceaccounts', 'team', 'default')).toBeUndefined();
  }
});

test('a Service that nobody places has endpoints here; one that is placed has them on the members alone', async () => {
  await world.create(service('local'));
  await world.create(service('placed', POLICY));
  await world.settle();
  expect(await slicesOf('local')).toHaveLength(1);
  expect(await slicesOf('placed')).toHaveLength(0);
  await expect(world.get('v1', 'Endpoints', 'default', 'placed')).rejects.toThrow('not found');
  expect([copies('services', 'placed').length, copies('services', 'local').length]).toEqual([2, 0]);
});

test('endpoints that were made before the Service was placed go', async () => {
  await world.create(service('later'));
  await world.settle();
  expect(await slicesOf('later')).toHaveLength(1);
  await world.patch('v1', 'Service', 'default', 'later', { metadata: { labels: POLICY } });
  await world.settle();
  expect(await slicesOf('later')).toHaveLength(0);
  expect(copies('services', 'later')).toHaveLength(2);
  for (const cluster of CLUSTERS) expect(world.member(cluster).get('endpointslices', 'default', 'later')).toBeUndefined();
});
