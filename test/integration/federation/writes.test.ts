import { afterEach, expect, test } from 'vitest';
import { deployment, policy } from './objects.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.close());

test('from create to aggregated status an object costs at most six store writes', async () => {
  world = await createWorld();
  await world.create(policy('everywhere', { schedulingMode: 'Duplicate' }));
  await world.settle();
  const before = world.medium.transactions().store;
  await world.create(deployment('web', 0));
  await world.settle(100);
  for (const member of world.members.values()) member.makeReady();
  await world.settle(10_000);
  const web = await world.get('apps/v1', 'Deployment', 'default', 'web');
  expect(web.status.observedGeneration).toBe(web.metadata.generation);
  expect(world.medium.transactions().store - before).toBeLessThanOrEqual(6);
});
