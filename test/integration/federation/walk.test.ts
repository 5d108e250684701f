import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Condition, KubeObject } from '../../../shared/machinery/object.ts';
import { deployment, everywhere, policy } from './objects.ts';
import { createWorld, type World } from './world.ts';

const CORE = 'core.kubeadmiral.io/v1alpha1';
const CLUSTERS = ['eu-1', 'us-1', 'ap-1'];

let world: World;
beforeEach(async () => {
  world = await createWorld(CLUSTERS);
});
afterEach(() => world.close());

const replicas = (name = 'web') =>
  CLUSTERS.map((cluster) => world.member(cluster).get('deployments', 'default', name)?.spec.replicas as number | undefined);
const ready = async () => {
  for (const cluster of CLUSTERS) world.member(cluster).makeReady();
  await world.settle();
};
const web = () => world.get('apps/v1', 'Deployment', 'default', 'web');
const condition = (object: KubeObject, type: string) =>
  (object.status?.conditions as Condition[] | undefined)?.find((one) => one.type === type);

describe('one Deployment over three members', () => {
  beforeEach(async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
  });

  test('is placed, and every copy is marked as ours', () => {
    expect(replicas()).toEqual([3, 3, 3]);
    const copy = world.member('eu-1').get('deployments', 'default', 'web');
    expect(copy?.metadata.labels?.['kubeadmiral.io/managed']).toBe('true');
    expect(copy?.metadata.annotations?.['lamiral.dev/decision']).toBe('1');
    expect(copy?.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([['lamiral', 'Apply']]);
  });

  test('tells the sum of what the members report', async () => {
    await ready();
    const { status, metadata } = await web();
    expect(status).toMatchObject({ replicas: 9, readyReplicas: 9, availableReplicas: 9, updatedReplicas: 9 });
    expect(status.observedGeneration).toBe(metadata.generation);
    expect(condition(await web(), 'Available')?.status).toBe('True');
    const federated = await world.get(CORE, 'FederatedObject', 'default', 'web-deployments.apps');
    expect(federated.status.clusters.map((one: { cluster: string; status: string }) => `${one.cluster} ${one.status}`)).toEqual([
      'ap-1 OK',
      'eu-1 OK',
      'us-1 OK',
    ]);
    expect(condition(federated, 'Propagated')?.status).toBe('True');
    expect(condition(federated, 'Scheduled')?.status).toBe('True');
  });

  test('keeps a CollectedStatus, a PropagatedVersion, a SchedulingDecision and a ReplicaSet', async () => {
    await ready();
    const collected = await world.get(CORE, 'CollectedStatus', 'default', 'web-deployments.apps');
    expect(collected.clusters).toHaveLength(3);
    expect(collected.clusters[0].collectedFields.status.readyReplicas).toBe(3);
    const versions = await world.get(CORE, 'PropagatedVersion', 'default', 'web-deployments.apps');
    expect(versions.status.clusterVersions).toHaveLength(3);
    const decision = await world.get('lamiral.dev/v1alpha1', 'SchedulingDecision', 'default', 'web-deployments.apps');
    expect(decision.spec.clusters).toHaveLength(3);
    const [set] = await world.list('apps/v1', 'ReplicaSet', 'default');
    expect(set?.status.readyReplicas).toBe(9);
    expect(set?.metadata.ownerReferences?.[0]?.name).toBe('web');
  });

  test('tells in events where it went, once', async () => {
    await ready();
    const events = (await world.list('v1', 'Event', 'default')).filter(({ involvedObject }) => involvedObject.name === 'web');
    const told = events.map(({ reason, message, count }) => `${reason} ${count} ${message}`).sort();
    expect(told).toEqual(['Dispatched 1 applied to ap-1, eu-1, us-1', expect.stringMatching(/^Scheduled 1 .*\(decision 1\)$/)]);
  });

  test('a decision is told when it sends something, not when only its reasons change', async () => {
    expect(world.shared.told.filter((text) => text.startsWith('web '))).toHaveLength(1);
    const decided = () => world.get('lamiral.dev/v1alpha1', 'SchedulingDecision', 'default', 'web-deployments.apps');
    const before = (await decided()).metadata.resourceVersion;
    await world.create(policy('other', (await world.get(CORE, 'PropagationPolicy', 'default', 'everywhere')).spec));
    const labels = { 'kubeadmiral.io/propagation-policy-name': 'other' };
    await world.patch('apps/v1', 'Deployment', 'default', 'web', { metadata: { labels } });
    await world.settle();
    expect((await decided()).metadata.resourceVersion).not.toBe(before);
    expect(world.shared.told.filter((text) => text.startsWith('web '))).toHaveLength(1);
  });

  test('nothing is written when nothing happens', async () => {
    await ready();
    await world.settle(5_000);
    const before = world.medium.transactions().store;
    await world.settle(30_000);
    expect(world.medium.transactions().store).toBe(before);
  });

  test('is scaled', async () => {
    await world.patch('apps/v1', 'Deployment', 'default', 'web', { spec: { replicas: 30 } });
    await world.settle();
    expect(replicas()).toEqual([10, 10, 10]);
    await ready();
    expect((await web()).status.readyReplicas).toBe(30);
  });

  test('an image change reaches every copy with one write each', async () => {
    const generations = CLUSTERS.map(
      (cluster) => world.member(cluster).get('deployments', 'default', 'web')?.metadata.generation ?? 0,
    );
    await world.patch('apps/v1', 'Deployment', 'default', 'web', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'nginx:1.28' }] } } },
    });
    await world.settle();
    for (const [index, cluster] of CLUSTERS.entries()) {
      const copy = world.member(cluster).get('deployments', 'default', 'web');
      expect(copy?.spec.template.spec.containers[0].image).toBe('nginx:1.28');
      expect(copy?.metadata.generation).toBe((generations[index] ?? 0) + 1);
    }
  });

  test('an override of one cluster is sent to that cluster only', async () => {
    await world.create({
      apiVersion: CORE,
      kind: 'OverridePolicy',
      metadata: { name: 'mirror', namespace: 'default' },
      spec: {
        overrideRules: [
          {
            targetClusters: { clusters: ['ap-1'] },
            overriders: {
              image: [{ operations: [{ imageComponent: 'Registry', operator: 'addIfAbsent', value: 'mirror.example' }] }],
            },
          },
        ],
      },
    });
    const versions = () =>
      CLUSTERS.map((cluster) => world.member(cluster).get('deployments', 'default', 'web')?.metadata.resourceVersion);
    const before = versions();
    await world.patch('apps/v1', 'Deployment', 'default', 'web', {
      metadata: { labels: { 'kubeadmiral.io/override-policy-name': 'mirror' } },
    });
    await world.settle();
    expect(world.member('ap-1').get('deployments', 'default', 'web')?.spec.template.spec.containers[0].image).toBe(
      'mirror.example/nginx:1.27',
    );
    expect(versions().slice(0, 2)).toEqual(before.slice(0, 2));
  });

  test('is deleted everywhere, and leaves nothing behind', async () => {
    await ready();
    await world.delete('apps/v1', 'Deployment', 'default', 'web');
    await world.settle(5_000);
    expect(replicas()).toEqual([undefined, undefined, undefined]);
    await expect(web()).rejects.toThrow('not found');
    for (const kind of ['FederatedObject', 'CollectedStatus', 'PropagatedVersion'])
      expect(await world.list(CORE, kind, 'default'), kind).toEqual([]);
    expect(await world.list('lamiral.dev/v1alpha1', 'SchedulingDecision', 'default')).toEqual([]);
    expect(await world.list('apps/v1', 'ReplicaSet', 'default')).toEqual([]);
  });

  test('a copy that somebody deletes on a member comes back', async () => {
    world.member('us-1').change('deployments', 'default', 'web', () => undefined);
    await world.settle();
    expect(replicas()).toEqual([3, 3, 3]);
  });

  test('a field of ours that somebody changes is put back three times, then it is a dispute', async () => {
    for (let time = 1; time <= 4; time += 1) {
      world
        .member('us-1')
        .change('deployments', 'default', 'web', (copy) => ({ ...copy, spec: { ...copy.spec, replicas: 77 } }), 'hpa');
      await world.settle();
      expect(replicas()[1], `time ${time}`).toBe(time <= 3 ? 3 : 77);
    }
    const federated = await world.get(CORE, 'FederatedObject', 'default', 'web-deployments.apps');
    expect(federated.status.clusters).toContainEqual(expect.objectContaining({ cluster: 'us-1', status: 'OwnershipDispute' }));
  });

  test('its last copies go when its label is removed, and it comes back with the label', async () => {
    await world.patch('apps/v1', 'Deployment', 'default', 'web', {
      metadata: { labels: { 'kubeadmiral.io/propagation-policy-name': null } },
    });
    await world.settle(5_000);
    expect(replicas()).toEqual([undefined, undefined, undefined]);
    await world.patch('apps/v1', 'Deployment', 'default', 'web', {
      metadata: { labels: { 'kubeadmiral.io/propagation-policy-name': 'everywhere' } },
    });
    await world.settle();
    expect(replicas()).toEqual([3, 3, 3]);
  });
});

describe('what places other objects', () => {
  test('a policy that comes after its objects places them', async () => {
    await world.create(deployment('web', 9));
    await world.settle();
    expect(replicas()).toEqual([undefined, undefined, undefined]);
    await world.create(everywhere());
    await world.settle();
    expect(replicas()).toEqual([3, 3, 3]);
  });

  test('a policy that is edited moves its objects', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    await ready();
    await world.patch(CORE, 'PropagationPolicy', 'default', 'everywhere', {
      spec: {
        placement: [
          { cluster: 'eu-1', preferences: { weight: 2 } },
          { cluster: 'us-1', preferences: { weight: 1 } },
        ],
      },
    });
    await world.settle(10_000);
    await ready();
    await world.settle(10_000);
    expect(replicas()).toEqual([6, 3, undefined]);
  });

  test('a ConfigMap that the pods mount follows', async () => {
    await world.create(everywhere(['eu-1', 'us-1']));
    const object = deployment('web', 4);
    object.spec.template.spec.volumes = [{ name: 'c', configMap: { name: 'settings' } }];
    await world.create(object);
    await world.settle();
    await world.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'default' },
      data: { a: '1' },
    });
    await world.settle();
    expect(CLUSTERS.map((cluster) => world.member(cluster).get('configmaps', 'default', 'settings')?.data?.a)).toEqual([
      '1',
      '1',
      undefined,
    ]);
    await world.delete('apps/v1', 'Deployment', 'default', 'web');
    await world.settle(5_000);
    expect(CLUSTERS.map((cluster) => world.member(cluster).get('configmaps', 'default', 'settings'))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('labels of a namespace are the default of its objects, and namespaces go everywhere', async () => {
    await world.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await world.create({
      apiVersion: CORE,
      kind: 'ClusterPropagationPolicy',
      metadata: { name: 'copies' },
      spec: { schedulingMode: 'Duplicate' },
    });
    await world.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'shop' }, data: { a: '1' } });
    await world.settle();
    expect(world.member('eu-1').get('namespaces', '', 'shop')).toBeDefined();
    expect(world.member('eu-1').get('configmaps', 'shop', 'c')).toBeUndefined();
    await world.patch('v1', 'Namespace', '', 'shop', {
      metadata: { labels: { 'kubeadmiral.io/cluster-propagation-policy-name': 'copies' } },
    });
    await world.settle();
    for (const cluster of CLUSTERS)
      expect(world.member(cluster).get('configmaps', 'shop', 'c')?.data, cluster).toEqual({ a: '1' });
    await world.delete('v1', 'Namespace', '', 'shop');
    await world.settle(10_000);
    for (const cluster of CLUSTERS) expect(world.member(cluster).get('namespaces', '', 'shop'), cluster).toBeUndefined();
    await expect(world.get('v1', 'Namespace', '', 'shop')).rejects.toThrow('not found');
  });

  test('an object that nothing selects costs one event, told once, and goes at once', async () => {
    const start = world.medium.transactions().store;
    const lonely = deployment('lonely', 3);
    delete lonely.metadata.labels;
    await world.create(lonely);
    await world.settle();
    expect(world.medium.transactions().store - start).toBe(2);
    await world.patch('apps/v1', 'Deployment', 'default', 'lonely', { spec: { replicas: 4 } });
    await world.settle(60_000);
    const told = (await world.list('v1', 'Event')).filter(({ involvedObject }) => involvedObject.name === 'lonely');
    expect(told.map(({ reason, count }) => [reason, count])).toEqual([['Unscheduled', 1]]);
    expect(told[0]?.message).toContain('set label kubeadmiral.io/propagation-policy-name');
    expect(await world.list(CORE, 'FederatedObject')).toEqual([]);
    await world.delete('apps/v1', 'Deployment', 'default', 'lonely');
    await expect(world.get('apps/v1', 'Deployment', 'default', 'lonely')).rejects.toThrow('not found');
  });

  test('an object that exists on a member and is not ours is left alone', async () => {
    const foreign = { ...deployment('web', 1), metadata: { name: 'web', namespace: 'default' } };
    world.member('us-1').put('deployments', foreign);
    await world.create(policy('everywhere', { schedulingMode: 'Duplicate' }));
    await world.create(deployment('web', 2));
    await world.settle();
    expect(replicas()).toEqual([2, 1, 2]);
    const federated = await world.get(CORE, 'FederatedObject', 'default', 'web-deployments.apps');
    expect(federated.status.clusters).toContainEqual(expect.objectContaining({ cluster: 'us-1', status: 'AlreadyExists' }));
    const events = await world.list('v1', 'Event', 'default');
    expect(events).toContainEqual(expect.objectContaining({ reason: 'AlreadyExists', type: 'Warning' }));
  });
});
