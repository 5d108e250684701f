import { afterEach, beforeEach, expect, test } from 'vitest';
import { deployment, everywhere } from './objects.ts';
import { createWorld, type World } from './world.ts';

const CLUSTERS = ['eu-1', 'us-1', 'ap-1'];

let world: World;
beforeEach(async () => {
  world = await createWorld(CLUSTERS);
  await world.create(everywhere());
  await world.create(deployment('web', 9));
  await world.settle();
});
afterEach(() => world.close());

const copies = () => CLUSTERS.flatMap((cluster) => world.member(cluster).get('deployments', 'default', 'web') ?? []);

test('kubectl delete --cascade=orphan leaves what runs on the members, as nobody’s', async () => {
  await world.delete('apps/v1', 'Deployment', 'default', 'web', 'Orphan');
  await world.settle(5_000);
  await expect(world.get('apps/v1', 'Deployment', 'default', 'web')).rejects.toThrow('not found');
  expect(copies()).toHaveLength(3);
  for (const copy of copies()) expect(copy.metadata.labels?.['kubeadmiral.io/managed']).toBeUndefined();
});

test('an ordinary delete takes them along', async () => {
  await world.delete('apps/v1', 'Deployment', 'default', 'web');
  await world.settle(5_000);
  expect(copies()).toEqual([]);
});
