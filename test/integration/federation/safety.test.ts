import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deployment, everywhere, policy } from './objects.ts';
import { createWorld, type World } from './world.ts';

const CORE = 'core.kubeadmiral.io/v1alpha1';
const CLUSTERS = ['eu-1', 'us-1', 'ap-1'];

let world: World;
beforeEach(async () => {
  world = await createWorld(CLUSTERS);
});
afterEach(() => world.close());

const copies = (resource = 'deployments', namespace = 'default', name = 'web') =>
  CLUSTERS.filter((cluster) => world.member(cluster).get(resource, namespace, name) !== undefined);
const ticks = async (ms: number) => {
  const end = world.clock.now() + ms;
  while (world.clock.now() < end) {
    await world.tick();
    await world.clock.advance(1_000);
  }
};
const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };

describe('what must not be deleted', () => {
  test('a namespace that a member had before stays when the cluster leaves, even with its copies', async () => {
    world.member('eu-1').put('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await world.create(shop);
    await world.settle();
    expect(world.member('eu-1').get('namespaces', '', 'shop')?.metadata.annotations?.['kubeadmiral.io/adopted']).toBe('true');
    await world.patch(CORE, 'FederatedCluster', '', 'eu-1', {
      metadata: { annotations: { 'kubeadmiral.io/cascading-delete': '' } },
    });
    await world.delete(CORE, 'FederatedCluster', '', 'eu-1');
    await ticks(10_000);
    await expect(world.get(CORE, 'FederatedCluster', '', 'eu-1')).rejects.toThrow('not found');
    const namespace = world.member('eu-1').get('namespaces', '', 'shop');
    expect(namespace?.metadata.labels?.['kubeadmiral.io/managed']).toBeUndefined();
    expect(namespace).toBeDefined();
  });

  test('copies stay where their FederatedTypeConfig is removed', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    await world.delete(CORE, 'FederatedTypeConfig', '', 'deployments.apps');
    await world.settle();
    for (const cluster of CLUSTERS)
      world
        .member(cluster)
        .change('deployments', 'default', 'web', (copy) => ({ ...copy, spec: { ...copy.spec, replicas: 7 } }), 'hpa');
    await world.settle();
    expect(copies()).toEqual(CLUSTERS);
  });

  test('copies stay where the template of their FederatedObject is broken by hand', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    const { handlers } = world.functions;
    const { scheduler } = handlers;
    // The plan would mend it; a dispatcher that is faster sees it broken.
    handlers.scheduler = async (messages) => ({ failed: messages.map(({ id }) => id) });
    await world.patch(CORE, 'FederatedObject', 'default', 'web-deployments.apps', { spec: { template: { kind: 'Nothing' } } });
    world
      .member('eu-1')
      .change('deployments', 'default', 'web', (copy) => ({ ...copy, spec: { ...copy.spec, replicas: 7 } }), 'hpa');
    await world.settle();
    expect(copies()).toEqual(CLUSTERS);
    handlers.scheduler = scheduler;
  });
});

describe('what is left behind by a member that was away while it was deleted', () => {
  test('a namespace that it had before', async () => {
    world.member('ap-1').put('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await world.create(shop);
    await world.settle();
    world.member('ap-1').setDown(true);
    await ticks(20_000);
    await world.delete('v1', 'Namespace', '', 'shop');
    await ticks(60_000);
    await expect(world.get('v1', 'Namespace', '', 'shop')).rejects.toThrow('not found');
    world.member('ap-1').setDown(false);
    await ticks(60_000);
    expect(copies('namespaces', '', 'shop')).toEqual(['ap-1']);
    expect(world.member('ap-1').get('namespaces', '', 'shop')?.metadata.labels?.['kubeadmiral.io/managed']).toBeUndefined();
  });

  test('an object whose annotation says so', async () => {
    await world.create(everywhere());
    const web = deployment('web', 9);
    web.metadata.annotations = { 'kubeadmiral.io/orphan': 'all' };
    await world.create(web);
    await world.settle();
    world.member('ap-1').setDown(true);
    await ticks(20_000);
    await world.delete('apps/v1', 'Deployment', 'default', 'web');
    await ticks(60_000);
    world.member('ap-1').setDown(false);
    await ticks(60_000);
    expect(copies()).toEqual(CLUSTERS);
  });
});

describe('what must be deleted', () => {
  test('a copy of an earlier life of the name, left in a cluster that was away', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    world.member('ap-1').setDown(true);
    await ticks(20_000);
    await world.delete('apps/v1', 'Deployment', 'default', 'web');
    await ticks(60_000);
    await world.create(policy('two', { schedulingMode: 'Duplicate', placement: [{ cluster: 'eu-1' }, { cluster: 'us-1' }] }));
    await world.create(deployment('web', 2, { 'kubeadmiral.io/propagation-policy-name': 'two' }));
    await world.settle();
    expect(copies()).toEqual(CLUSTERS);
    world.member('ap-1').setDown(false);
    await ticks(60_000);
    expect(copies()).toEqual(['eu-1', 'us-1']);
  });
});

describe('another cluster under the same name', () => {
  const placeInShop = async () => {
    await world.create(shop);
    await world.create({
      apiVersion: CORE,
      kind: 'ClusterPropagationPolicy',
      metadata: { name: 'copies' },
      spec: { schedulingMode: 'Duplicate', reschedulePolicy: { rescheduleWhen: { clusterJoined: true } } },
    });
    const web = deployment('web', 2);
    web.metadata = { ...web.metadata, namespace: 'shop', labels: { 'kubeadmiral.io/cluster-propagation-policy-name': 'copies' } };
    await world.create(web);
    await world.settle();
    expect(copies('deployments', 'shop')).toEqual(CLUSTERS);
  };

  test('gets its namespaces and what is in them', async () => {
    await placeInShop();
    world.member('us-1').replace();
    await ticks(60_000);
    expect(copies('namespaces', '', 'shop')).toEqual(CLUSTERS);
    expect(copies('deployments', 'shop')).toEqual(CLUSTERS);
  });

  test('gets everything, also when the process dies before it has sent that', async () => {
    await placeInShop();
    world.member('us-1').replace();
    const { queue } = world.medium;
    const { send } = queue;
    let died = 0;
    queue.send = async (messages) => {
      if (messages.some((message) => message.queue === 'dispatcher') && died === 0) {
        died += 1;
        throw new Error('died');
      }
      return send(messages);
    };
    await ticks(30_000);
    expect(died).toBe(1);
    expect(copies('deployments', 'shop')).toEqual(CLUSTERS);
  });

  test('gets everything when the FederatedCluster was made anew, too', async () => {
    await placeInShop();
    const cluster = await world.get(CORE, 'FederatedCluster', '', 'us-1');
    world.member('us-1').replace();
    await world.delete(CORE, 'FederatedCluster', '', 'us-1');
    const { metadata, spec } = cluster;
    await ticks(3_000);
    await world.create({ apiVersion: CORE, kind: 'FederatedCluster', metadata: { name: metadata.name ?? '' }, spec });
    await ticks(30_000);
    expect(copies('deployments', 'shop')).toEqual(CLUSTERS);
  });
});

describe('a cluster that left', () => {
  test('leaves no memo, no parked record and no watch behind', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    world.member('ap-1').setDown(true);
    await ticks(20_000);
    await world.delete('apps/v1', 'Deployment', 'default', 'web');
    await ticks(30_000);
    const { records } = world.medium.store;
    expect(await records.parkedFor('ap-1', 10)).toHaveLength(1);
    await world.delete(CORE, 'FederatedCluster', '', 'ap-1');
    await ticks(60_000);
    await expect(world.get(CORE, 'FederatedCluster', '', 'ap-1')).rejects.toThrow('not found');
    expect(await records.ofOwner('C#ap-1')).toEqual([]);
    expect(await records.parkedFor('ap-1', 10)).toEqual([]);
  });
});
