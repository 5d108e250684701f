/** A kind that came while the control plane ran federates like one that was always there: its definition, its type, its objects. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { crdBody, schemaOf } from '../apiserver/crd-bodies.ts';
import { policy } from './objects.ts';
import { createWorld, type World } from './world.ts';

const CLUSTERS = ['eu-1', 'us-1'];

let world: World;
beforeEach(async () => {
  world = await createWorld(CLUSTERS);
  const schema = schemaOf({ size: { type: 'integer' }, color: { type: 'string', default: 'red' } });
  await world.create(crdBody({ schema }) as KubeObject);
  await world.settle();
  await world.create(typeConfig());
  await world.create(policy('everywhere', { schedulingMode: 'Duplicate', placement: CLUSTERS.map((cluster) => ({ cluster })) }));
});
afterEach(() => world.close());

function typeConfig(): KubeObject {
  return {
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'FederatedTypeConfig',
    metadata: { name: 'widgets.example.com' },
    spec: {
      sourceType: { group: 'example.com', version: 'v1', kind: 'Widget', pluralName: 'widgets', scope: 'Namespaced' },
      controllers: [['kubeadmiral.io/global-scheduler'], ['kubeadmiral.io/overridepolicy-controller']],
      statusCollection: { enabled: true, fields: ['status.phase'] },
    },
  };
}

const widget = (): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'one', namespace: 'default', labels: { 'kubeadmiral.io/propagation-policy-name': 'everywhere' } },
  spec: { size: 3 },
});

const copies = () => CLUSTERS.map((cluster) => world.member(cluster).get('widgets', 'default', 'one')?.spec);

test('an instance is placed, follows its source, and goes with it', async () => {
  await world.create(widget());
  await world.settle();
  expect(copies()).toEqual([
    { size: 3, color: 'red' },
    { size: 3, color: 'red' },
  ]);
  await world.patch('example.com/v1', 'Widget', 'default', 'one', { spec: { size: 5 } });
  await world.settle();
  expect(copies().map((spec) => spec?.size)).toEqual([5, 5]);
  await world.delete('example.com/v1', 'Widget', 'default', 'one');
  await world.settle(5_000);
  expect(copies()).toEqual([undefined, undefined]);
});

test('what the members report of an instance is collected', async () => {
  await world.create(widget());
  await world.settle();
  for (const cluster of CLUSTERS)
    world.member(cluster).change('widgets', 'default', 'one', (object) => ({ ...object, status: { phase: `in ${cluster}` } }));
  await world.settle(5_000);
  const collected = await world.get('core.kubeadmiral.io/v1alpha1', 'CollectedStatus', 'default', 'one-widgets.example.com');
  const phases = (collected.clusters as { collectedFields: { status: { phase: string } } }[]).map(
    ({ collectedFields }) => collectedFields.status.phase,
  );
  expect(phases.sort()).toEqual(['in eu-1', 'in us-1']);
});

test('when its definition goes, its copies go with it', async () => {
  await world.create(widget());
  await world.settle();
  await world.delete('apiextensions.k8s.io/v1', 'CustomResourceDefinition', '', 'widgets.example.com');
  await world.settle(10_000);
  expect(copies()).toEqual([undefined, undefined]);
  expect(world.shared.kinds.registry().byScope('example.com/widgets')).toBeUndefined();
});
