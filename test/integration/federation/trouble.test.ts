/** What people and other workers are told about members that give trouble. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Condition, KubeObject } from '../../../shared/machinery/object.ts';
import type { MemberFailure } from '../../../shared/ports/member-client.ts';
import { deployment, everywhere, policy } from './objects.ts';
import { createWorld, type World } from './world.ts';

const CORE = 'core.kubeadmiral.io/v1alpha1';

let world: World;
beforeEach(async () => {
  world = await createWorld(['eu-1', 'us-1', 'ap-1']);
});
afterEach(() => world.close());

const conditionOf = async (cluster: string, type: string) => {
  const { status } = await world.get(CORE, 'FederatedCluster', '', cluster);
  return (status?.conditions as Condition[] | undefined)?.find((one) => one.type === type);
};
const eventsOf = async (reason: string): Promise<KubeObject[]> =>
  (await world.list('v1', 'Event', 'default')).filter((event) => event.reason === reason);
const probes = (cluster: string): number => world.member(cluster).calls.health ?? 0;

describe('work that meets a silent member', () => {
  test('asks for a look at it at once, so that it counts as gone the sooner', async () => {
    await world.create(policy('everywhere', { schedulingMode: 'Duplicate' }));
    world.member('us-1').setDown(true);
    await world.create(deployment('web', 2));
    await world.settle(5_500);
    // The first look of the timer is the second of all: the damping time is over.
    expect((await conditionOf('us-1', 'Ready'))?.status).toBe('True');
    await world.tick();
    expect((await conditionOf('us-1', 'Ready'))?.status).toBe('Unknown');
  });

  test('asks once in two seconds, however much work there is', async () => {
    await world.create(policy('everywhere', { schedulingMode: 'Duplicate' }));
    world.member('us-1').setDown(true);
    const before = probes('us-1');
    const startedAt = world.clock.now();
    for (let number = 0; number < 40; number += 1) await world.create(deployment(`web-${number}`, 1));
    await world.settle(9_000);
    const stretches = Math.ceil((world.clock.now() - startedAt) / 2_000) + 1;
    expect(probes('us-1') - before).toBeGreaterThan(0);
    expect(probes('us-1') - before).toBeLessThanOrEqual(stretches);
  });

  const unreachable = (reason: Extract<MemberFailure, { type: 'unreachable' }>['reason']): MemberFailure => ({
    type: 'unreachable',
    reason,
    message: reason,
  });
  test.each<[string, MemberFailure, number]>([
    ['a connection that is refused', unreachable('refused'), 1],
    ['no answer in time', unreachable('timeout'), 1],
    ['a certificate that is not trusted', unreachable('tls'), 1],
    ['credentials that are not accepted', unreachable('unauthorized'), 0],
    ['patience that is asked for', unreachable('overloaded'), 0],
    ['content that is refused', { type: 'rejected', code: 422, reason: 'Invalid', message: 'no' }, 0],
    ['a webhook that fails', { type: 'rejected', code: 500, reason: 'InternalError', message: 'no' }, 0],
  ])('%s', async (_sentence, failure, want) => {
    await world.create(policy('everywhere', { schedulingMode: 'Duplicate' }));
    world.member('us-1').reject('deployments', failure);
    const before = probes('us-1');
    await world.create(deployment('web', 2));
    await world.settle(500);
    expect(probes('us-1') - before).toBe(want);
  });
});

describe('a deletion that waits for silent members', () => {
  const ticks = async (ms: number) => {
    const end = world.clock.now() + ms;
    while (world.clock.now() < end) {
      await world.tick();
      await world.clock.advance(500);
    }
  };

  test('says for whom, until when, and what comes then: once', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    for (const cluster of ['us-1', 'ap-1']) world.member(cluster).setDown(true);
    await ticks(20_000);
    await world.delete('apps/v1', 'Deployment', 'default', 'web');
    await ticks(5_000);
    const { metadata } = await world.get(CORE, 'FederatedObject', 'default', 'web-deployments.apps');
    const until = new Date(Date.parse(metadata.deletionTimestamp ?? '') + 10_000).toISOString().replace('.000', '');
    const told = await eventsOf('DeletionWaits');
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      type: 'Warning',
      count: 1,
      involvedObject: { kind: 'Deployment', name: 'web' },
      message:
        `the deletion waits until ${until} for clusters that do not answer: ap-1, us-1. ` +
        'Then it ends without them, and the copies there are deleted when they are back.',
    });
    await ticks(10_000);
    await expect(world.get('apps/v1', 'Deployment', 'default', 'web')).rejects.toThrow('not found');
    expect(await eventsOf('DeletionWaits')).toHaveLength(1);
  });

  test('says nothing while all answer', async () => {
    await world.create(everywhere());
    await world.create(deployment('web', 9));
    await world.settle();
    await world.delete('apps/v1', 'Deployment', 'default', 'web');
    await world.settle();
    await expect(world.get('apps/v1', 'Deployment', 'default', 'web')).rejects.toThrow('not found');
    expect(await eventsOf('DeletionWaits')).toEqual([]);
  });
});

test('a member under a second name is told apart from one that another control plane holds', async () => {
  world.members.set('eu-2', world.member('eu-1'));
  await world.create({
    apiVersion: CORE,
    kind: 'FederatedCluster',
    metadata: { name: 'eu-2' },
    spec: { apiEndpoint: 'https://eu-1.example', insecure: true, secretRef: { name: 'eu-1' } },
  });
  await world.settle();
  expect(await conditionOf('eu-2', 'Joined')).toMatchObject({
    status: 'False',
    reason: 'ClusterUnjoinable',
    message: expect.stringContaining('has joined already as FederatedCluster eu-1'),
  });
  await world.delete(CORE, 'FederatedCluster', '', 'eu-2');
  await world.settle(5_000);
  expect(await conditionOf('eu-1', 'Joined')).toMatchObject({ status: 'True' });
});
