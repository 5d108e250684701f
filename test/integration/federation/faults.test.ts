import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createReservations, createSchedulerHandler } from '../../../functions/scheduler/handler.ts';
import type { Condition } from '../../../shared/machinery/object.ts';
import { createObjectReader } from '../../../shared/runtime/objects.ts';
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
const fcluster = (name: string) => world.get(CORE, 'FederatedCluster', '', name);
const conditionOf = async (name: string, type: string) =>
  ((await fcluster(name)).status?.conditions as Condition[] | undefined)?.find((one) => one.type === type);
const ready = async () => {
  for (const cluster of CLUSTERS) world.member(cluster).makeReady();
  await world.settle();
};
/** Ticks until time has gone on by `ms`. */
const ticks = async (ms: number) => {
  const end = world.clock.now() + ms;
  while (world.clock.now() < end) {
    await world.tick();
    await world.clock.advance(1_000);
  }
};
/** Throws away what waits in a queue: as a process that dies between commit and send. */
const drop = async (queue: string) => {
  for (;;) {
    const messages = await world.medium.queue.receive({ queue, max: 10, visibilityMs: 1_000, waitMs: 0 });
    if (messages.length === 0) return;
    await world.medium.queue.acknowledge(messages);
  }
};

describe('a member that goes away', () => {
  test('delays nothing on the others, and catches up when it is back', async () => {
    await world.create(policy('everywhere', { schedulingMode: 'Duplicate' }));
    world.member('us-1').setDown(true);
    await world.create(deployment('web', 2));
    await world.settle();
    expect(replicas()).toEqual([2, undefined, 2]);
    world.member('us-1').setDown(false);
    await ticks(120_000);
    expect(replicas()).toEqual([2, 2, 2]);
  });

  test('is offline after a while, its last status stays counted, and that is said', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    await ready();
    world.member('ap-1').setDown(true);
    await ticks(20_000);
    expect((await conditionOf('ap-1', 'Offline'))?.status).toBe('True');
    expect((await conditionOf('ap-1', 'Ready'))?.message).toMatch(/no answer since 2026-/);
    const web = await world.get('apps/v1', 'Deployment', 'default', 'web');
    expect(web.status.readyReplicas).toBe(9);
    expect(web.status.conditions).toContainEqual(expect.objectContaining({ type: 'Stale', status: 'True' }));
    world.member('ap-1').setDown(false);
    await ticks(5_000);
    expect((await conditionOf('ap-1', 'Ready'))?.status).toBe('True');
    expect((await world.get('apps/v1', 'Deployment', 'default', 'web')).status.conditions).not.toContainEqual(
      expect.objectContaining({ type: 'Stale' }),
    );
  });

  test('flapping changes nothing', async () => {
    const before = (await fcluster('ap-1')).metadata.resourceVersion;
    for (let turn = 0; turn < 10; turn += 1) {
      world.member('ap-1').setDown(turn % 2 === 0);
      await world.tick();
      await world.clock.advance(1_000);
    }
    world.member('ap-1').setDown(false);
    await world.tick();
    expect((await fcluster('ap-1')).metadata.resourceVersion).toBe(before);
  });

  test('holds up no deletion, and is cleared when it is back', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    await ready();
    world.member('ap-1').setDown(true);
    await ticks(20_000);
    await world.delete('apps/v1', 'Deployment', 'default', 'web');
    await ticks(60_000);
    expect(replicas()).toEqual([undefined, undefined, 3]);
    await expect(world.get('apps/v1', 'Deployment', 'default', 'web')).rejects.toThrow('not found');
    world.member('ap-1').setDown(false);
    await ticks(60_000);
    expect(replicas()).toEqual([undefined, undefined, undefined]);
  });

  test('a change made while it was away arrives', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    await ready();
    world.member('ap-1').setDown(true);
    await ticks(20_000);
    await world.patch('apps/v1', 'Deployment', 'default', 'web', { spec: { replicas: 30 } });
    await world.settle();
    world.member('ap-1').setDown(false);
    await ticks(60_000);
    expect(replicas().reduce((sum: number, count) => sum + (count ?? 0), 0)).toBe(30);
  });

  test('another cluster under the same name gets everything anew', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    world.member('us-1').replace();
    await ticks(30_000);
    expect(replicas()).toEqual([3, 3, 3]);
    expect((await conditionOf('us-1', 'Joined'))?.status).toBe('True');
  });
});

describe('crashes', () => {
  test.each(['scheduler', 'dispatcher', 'status'])('messages to %s that were lost are found by the slow pass', async (queue) => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    // The relay runs, the workers run, but nothing reaches this queue's worker.
    const { handlers } = world.functions;
    const handler = handlers[queue as keyof typeof handlers];
    handlers[queue as keyof typeof handlers] = async () => ({ failed: [] });
    await world.settle();
    await drop(queue);
    handlers[queue as keyof typeof handlers] = handler;
    await world.clock.advance(400_000);
    await world.sweep();
    await world.settle(5_000);
    expect(replicas()).toEqual([3, 3, 3]);
    const federated = await world.get(CORE, 'FederatedObject', 'default', 'web-deployments.apps');
    expect(federated.status.clusters.map(({ status }: { status: string }) => status)).toEqual(['OK', 'OK', 'OK']);
  });

  test('every message twice and out of order changes nothing', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    const { handlers } = world.functions;
    for (const name of Object.keys(handlers) as (keyof typeof handlers)[]) {
      const handler = handlers[name];
      handlers[name] = async (messages) => {
        await handler([...messages].reverse());
        return handler(messages);
      };
    }
    await world.settle();
    await ready();
    expect(replicas()).toEqual([3, 3, 3]);
    for (const cluster of CLUSTERS)
      expect(world.member(cluster).get('deployments', 'default', 'web')?.metadata.generation).toBe(1);
  });

  test('two schedulers at once make one decision', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    const { relay, clusterDeps } = world.functions;
    const second = createSchedulerHandler({
      ...relay,
      objects: world.medium.store.objects,
      reader: createObjectReader(world.medium.store.objects),
      ids: world.shared.ids,
      clusters: world.functions.facts,
      reservations: createReservations(),
    });
    const first = world.functions.handlers.scheduler;
    world.functions.handlers.scheduler = async (messages) => {
      const [result] = await Promise.all([first(messages), second(messages)]);
      return result;
    };
    await world.settle();
    expect(replicas()).toEqual([3, 3, 3]);
    const decision = await world.get('lamiral.dev/v1alpha1', 'SchedulingDecision', 'default', 'web-deployments.apps');
    expect(decision.spec.decision).toBe(1);
    expect(clusterDeps).toBeDefined();
  });
});

describe('clusters', () => {
  test('a member that another control plane holds is not taken', async () => {
    const member = world.member('eu-1');
    await world.delete(CORE, 'FederatedCluster', '', 'eu-1');
    await ticks(3_000);
    await expect(fcluster('eu-1')).rejects.toThrow('not found');
    expect(member.get('namespaces', '', 'kube-admiral-system')).toBeUndefined();
    member.put('namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'kube-admiral-system', annotations: { 'kubeadmiral.io/federated-cluster-uid': 'another' } },
    });
    await world.create({
      apiVersion: CORE,
      kind: 'FederatedCluster',
      metadata: { name: 'eu-1' },
      spec: { apiEndpoint: 'https://eu-1.example', insecure: true, secretRef: { name: 'eu-1' } },
    });
    await world.settle();
    expect(await conditionOf('eu-1', 'Joined')).toMatchObject({ status: 'False', reason: 'ClusterUnjoinable' });
  });

  test('a dead member does not block its own removal', async () => {
    world.member('eu-1').setDown(true);
    await world.delete(CORE, 'FederatedCluster', '', 'eu-1');
    await ticks(40_000);
    await expect(fcluster('eu-1')).rejects.toThrow('not found');
  });

  test('tell their capacity and API list', async () => {
    const { status } = await fcluster('eu-1');
    expect(status.resources).toEqual({
      schedulableNodes: 1,
      allocatable: { cpu: '8', memory: '32Gi' },
      available: { cpu: '8', memory: '32Gi' },
    });
    expect(status.apiResourceTypes).toContainEqual({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      pluralName: 'deployments',
      scope: 'Namespaced',
    });
  });
});
