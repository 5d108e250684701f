import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { deployment, everywhere, policy } from './objects.ts';
import { createWorld, type World } from './world.ts';

const CORE = 'core.kubeadmiral.io/v1alpha1';
const CLUSTERS = ['eu-1', 'us-1', 'ap-1'];

let world: World;
beforeEach(async () => {
  world = await createWorld(CLUSTERS);
});
afterEach(() => world.close());

const copies = (resource = 'deployments', name = 'web') =>
  CLUSTERS.filter((cluster) => world.member(cluster).get(resource, 'default', name) !== undefined);
const ticks = async (ms: number) => {
  const end = world.clock.now() + ms;
  while (world.clock.now() < end) {
    await world.tick();
    await world.clock.advance(1_000);
  }
};
const federatedWeb = () => world.get(CORE, 'FederatedObject', 'default', 'web-deployments.apps');

describe('an attempt that failed is made again', () => {
  const rejected = { type: 'rejected', code: 422, reason: 'Invalid', message: 'no' } as const;

  test('also when the worker died after it had stored the failure', async () => {
    await world.create(policy('everywhere', { schedulingMode: 'Duplicate' }));
    world.member('us-1').reject('deployments', rejected);
    const { handlers } = world.functions;
    const { dispatcher } = handlers;
    const { queue } = world.medium;
    const { sendLater } = queue;
    // The record is stored, the timer is not set, the message is not acknowledged: it comes again.
    queue.sendLater = async (message, at) => {
      if (message.queue === 'dispatcher') throw new Error('died');
      return sendLater(message, at);
    };
    await world.create(deployment('web', 2));
    await world.settle(500);
    queue.sendLater = sendLater;
    world.member('us-1').reject('deployments', undefined);
    await world.settle(30_000);
    expect(handlers.dispatcher).toBe(dispatcher);
    expect(copies()).toEqual(CLUSTERS);
  });

  test('also when its timer was lost: the slow pass finds it', async () => {
    await world.create(policy('everywhere', { schedulingMode: 'Duplicate' }));
    world.member('us-1').reject('deployments', rejected);
    const { queue } = world.medium;
    const { sendLater } = queue;
    queue.sendLater = async (message, at) => (message.queue === 'dispatcher' ? undefined : sendLater(message, at));
    await world.create(deployment('web', 2));
    await world.settle(500);
    queue.sendLater = sendLater;
    world.member('us-1').reject('deployments', undefined);
    await world.clock.advance(400_000);
    await world.sweep();
    await world.settle(5_000);
    expect(copies()).toEqual(CLUSTERS);
  });

  test('also when other work on the same copy came in the same batch', async () => {
    await world.create(policy('everywhere', { schedulingMode: 'Duplicate' }));
    world.member('us-1').reject('deployments', rejected);
    await world.create(deployment('web', 2));
    await world.settle(2_000);
    const { dispatcher } = world.functions.handlers;
    world.functions.handlers.dispatcher = async (messages) => {
      const repeated = messages.map((message) => ({
        ...message,
        id: `${message.id} again`,
        body: message.body.replace(/"attempt":\d+/, '"attempt":0'),
      }));
      return dispatcher(messages.flatMap((message, index) => [message, repeated[index] ?? message]));
    };
    await world.settle(20_000);
    world.member('us-1').reject('deployments', undefined);
    await world.settle(120_000);
    expect(copies()).toEqual(CLUSTERS);
  });

  test('a dispatch of a later decision that was lost is found by the slow pass', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    const { dispatcher } = world.functions.handlers;
    world.functions.handlers.dispatcher = async () => ({ failed: [] });
    await world.patch('apps/v1', 'Deployment', 'default', 'web', { spec: { replicas: 30 } });
    await world.settle();
    world.functions.handlers.dispatcher = dispatcher;
    await world.clock.advance(400_000);
    await world.sweep();
    await world.settle(5_000);
    for (const cluster of CLUSTERS) expect(world.member(cluster).get('deployments', 'default', 'web')?.spec.replicas).toBe(10);
  });
});

describe('a copy that cannot go', () => {
  test('is looked at by one chain of timers, ever more slowly', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    const member = world.member('us-1');
    // A finalizer on the member: the deletion is accepted and does not end.
    const { client } = member;
    client.delete = async () => {
      member.change('deployments', 'default', 'web', (copy) => ({
        ...copy,
        metadata: { ...copy.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/hold'] },
      }));
      return { type: 'ok', value: undefined };
    };
    await world.delete('apps/v1', 'Deployment', 'default', 'web');
    await world.settle(5_000);
    for (let pass = 0; pass < 12; pass += 1) {
      await world.clock.advance(100_000);
      await world.sweep();
      await world.settle(5_000);
    }
    const before = member.calls.get ?? 0;
    await world.settle(120_000);
    expect((member.calls.get ?? 0) - before).toBeLessThanOrEqual(6);
    expect((member.calls.get ?? 0) - before).toBeGreaterThan(0);
  });
});

describe('a FederatedObject that somebody else holds', () => {
  test('is waited for with pauses, and placed again when it is let go', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    const { finalizers = [] } = (await federatedWeb()).metadata;
    await world.patch(CORE, 'FederatedObject', 'default', 'web-deployments.apps', {
      metadata: { finalizers: [...finalizers, 'example.com/hold'] },
    });
    const { scheduler } = world.functions.handlers;
    let plans = 0;
    world.functions.handlers.scheduler = (messages) => {
      plans += 1;
      if (plans > 500) throw new Error('a hot loop');
      return scheduler(messages);
    };
    await world.delete(CORE, 'FederatedObject', 'default', 'web-deployments.apps');
    await world.settle(20_000);
    expect(plans).toBeLessThan(60);
    await world.patch(CORE, 'FederatedObject', 'default', 'web-deployments.apps', { metadata: { finalizers: null } });
    await world.settle(90_000);
    expect(copies()).toEqual(CLUSTERS);
  });
});

describe('followers', () => {
  const leader = (followers: readonly object[]): KubeObject => {
    const web = deployment('web', 4);
    web.metadata = { ...web.metadata, annotations: { 'kubeadmiral.io/followers': JSON.stringify(followers) } };
    return web;
  };
  const follow = (followers: readonly object[] | null) =>
    world.patch('apps/v1', 'Deployment', 'default', 'web', {
      metadata: { annotations: { 'kubeadmiral.io/followers': followers && JSON.stringify(followers) } },
    });
  const settings = [{ group: '', kind: 'ConfigMap', name: 'settings' }];
  beforeEach(async () => {
    await world.create(everywhere(['eu-1', 'us-1']));
    await world.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' }, data: {} });
    await world.create(leader(settings));
    await world.settle();
    expect(copies('configmaps', 'settings')).toEqual(['eu-1', 'us-1']);
  });

  test('go, come and go with the annotation, however soon', async () => {
    await follow(null);
    await world.settle();
    expect(copies('configmaps', 'settings')).toEqual([]);
    await follow(settings);
    await world.settle();
    expect(copies('configmaps', 'settings')).toEqual(['eu-1', 'us-1']);
    await follow(null);
    await world.settle();
    expect(copies('configmaps', 'settings')).toEqual([]);
  });

  test.each(['its annotation goes', 'it is deleted'])(
    'hear that their leader left them when %s and the scheduler dies',
    async (how) => {
      const { queue } = world.medium;
      const { send } = queue;
      let died = 0;
      queue.send = async (messages) => {
        const isTold = messages.some(({ body }) => body.includes('"/configmaps"') || body.includes('settings'));
        if (isTold && died === 0) {
          died += 1;
          throw new Error('died');
        }
        return send(messages);
      };
      if (how === 'it is deleted') await world.delete('apps/v1', 'Deployment', 'default', 'web');
      else await follow(null);
      await world.settle(90_000);
      queue.send = send;
      expect(died).toBe(1);
      expect(copies('configmaps', 'settings')).toEqual([]);
    },
  );
});

test('what a member decides by itself is no reason to look at the copy with every report', async () => {
  await world.create(everywhere());
  const web = deployment('web', 9);
  web.metadata.annotations = { 'kubeadmiral.io/retain-replicas': 'true' };
  await world.create(web);
  await world.settle();
  const member = world.member('us-1');
  member.change('deployments', 'default', 'web', (copy) => ({ ...copy, spec: { ...copy.spec, replicas: 5 } }), 'hpa');
  await world.settle();
  const before = member.calls.get ?? 0;
  for (let turn = 1; turn <= 5; turn += 1) {
    member.change('deployments', 'default', 'web', (copy) => ({ ...copy, status: { observedGeneration: 1, replicas: turn } }));
    await world.settle();
  }
  expect((member.calls.get ?? 0) - before).toBe(0);
  expect(member.get('deployments', 'default', 'web')?.spec.replicas).toBe(5);
});

describe('a cluster that answers probes and refuses writes', () => {
  test('gets what was parked soon after it accepts them again', async () => {
    await world.create(policy('everywhere', { schedulingMode: 'Duplicate' }));
    const member = world.member('us-1');
    member.reject('deployments', { type: 'unreachable', reason: 'timeout', message: 'no answer' });
    for (let index = 0; index < 8; index += 1) await world.create(deployment(`web-${index}`, 1));
    await ticks(60_000);
    member.reject('deployments', undefined);
    // Those that were not parked wait for their next attempt, a minute at most.
    await ticks(75_000);
    expect(member.all('deployments')).toHaveLength(8);
  });
});
