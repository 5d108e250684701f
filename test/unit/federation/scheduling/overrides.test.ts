/** Override policies and namespaces in a plan. */
import { describe, expect, test } from 'vitest';
import { plan } from '../../../../shared/federation/plan.ts';
import type { PlanSnapshot } from '../../../../shared/federation/snapshot.ts';
import type { KubeObject } from '../../../../shared/machinery/object.ts';
import {
  cluster,
  configMap,
  DEPLOYMENTS,
  LATER,
  later,
  NOW,
  placed,
  planOf,
  replicas,
  snapshot,
  threeClusters,
} from './builders.ts';

type Override = PlanSnapshot['overridePolicies'][number];

function overridePolicy(...rules: object[]): Override {
  const object: KubeObject = {
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'OverridePolicy',
    metadata: { name: 'op', namespace: 'default' },
    spec: { overrideRules: rules },
  };
  return { kind: 'OverridePolicy', name: 'op', object };
}

const labelOf = (name: string, value: string) => ({
  targetClusters: { clusters: [name] },
  overriders: { jsonpatch: [{ operator: 'add', path: '/metadata/labels/tier', value }] },
});
const broken = { overriders: { jsonpatch: [{ operator: 'remove', path: '/spec/nothing/here' }] } };

describe('override policies', () => {
  test('give an entry of their own, for placed clusters only', () => {
    const clusters = [...threeClusters(), cluster('zz-1', { ready: false })];
    const given = snapshot({ clusters, overridePolicies: [overridePolicy(labelOf('us-1', 'a'), labelOf('zz-1', 'b'))] });
    const { overrides } = planOf(given).federated.spec;
    expect(overrides.map(({ controller }: { controller: string }) => controller)).toEqual([
      'kubeadmiral.io/global-scheduler',
      'kubeadmiral.io/overridepolicy-controller',
    ]);
    expect(overrides[1].clusters).toEqual([
      { cluster: 'us-1', patches: [{ op: 'add', path: '/metadata/labels/tier', value: 'a' }] },
    ]);
  });

  test('a change of one raises the number', () => {
    const given = snapshot({ overridePolicies: [overridePolicy(labelOf('us-1', 'a'))] });
    const first = planOf(given);
    const second = planOf(later(given, first, { overridePolicies: [overridePolicy(labelOf('us-1', 'b'))] }), LATER);
    expect([first.decisionNumber, second.decisionNumber]).toEqual([1, 2]);
  });

  test.each<[string, Override, string]>([
    [
      'does not exist',
      { kind: 'OverridePolicy', name: 'op' },
      'OverridePolicy op, named by label kubeadmiral.io/override-policy-name, does not exist',
    ],
    [
      'cannot be applied',
      overridePolicy(labelOf('us-1', 'a'), broken),
      'rule 2 of OverridePolicy op cannot be applied for cluster ap-1',
    ],
  ])('that %s: nothing is sent, then the last good state stays', (_sentence, wrong, message) => {
    const unsent = planOf(snapshot({ overridePolicies: [wrong] }));
    expect(placed(unsent)).toEqual({});
    expect(unsent.scheduled).toMatchObject({ status: 'False', message: expect.stringContaining(message) });
    const good = snapshot({ overridePolicies: [overridePolicy(labelOf('us-1', 'a'))] });
    const first = planOf(good);
    const kept = planOf(later(good, first, { overridePolicies: [wrong], source: replicas(20) }), LATER);
    expect(kept.federated.spec).toEqual(first.federated.spec);
    expect(kept.decisionNumber).toBe(1);
    expect(kept.events).toEqual([{ type: 'Warning', reason: 'Unscheduled', message: kept.scheduled.message }]);
    const again = planOf(later(good, kept, { source: replicas(20) }), LATER);
    expect(again.scheduled.message).toContain('20 replicas');
    expect(again.decisionNumber).toBe(2);
  });

  test('entries of foreign controllers stay', () => {
    const first = planOf(snapshot());
    const foreign = { controller: 'example.com/canary', placement: [{ cluster: 'zz-9' }] };
    const given = later(snapshot(), first);
    given.federated?.spec.placements.push(foreign);
    expect(planOf({ ...given, source: replicas(9) }, LATER).federated.spec.placements).toContainEqual(foreign);
  });
});

describe('namespaces', () => {
  const namespace = (name: string, annotations: Record<string, string> = {}): PlanSnapshot => ({
    ...configMap(),
    source: { apiVersion: 'v1', kind: 'Namespace', metadata: { name, uid: 'uid', annotations }, spec: {} },
    type: { group: '', version: 'v1', kind: 'Namespace', pluralName: 'namespaces', scope: 'Cluster' },
    typeConfig: {
      ...DEPLOYMENTS,
      metadata: { name: 'namespaces' },
      spec: { controllers: [['kubeadmiral.io/nsautoprop-controller'], ['kubeadmiral.io/overridepolicy-controller']] },
    },
    clusters: [cluster('ap-1'), cluster('eu-1'), cluster('new-1', { joined: false, ready: false }), cluster('us-1')],
  });

  test('go to every cluster, joined or not, ready to be adopted', () => {
    const planned = planOf(namespace('shop'));
    expect(Object.keys(placed(planned))).toEqual(['ap-1', 'eu-1', 'new-1', 'us-1']);
    expect(planned.federated.kind).toBe('ClusterFederatedObject');
    expect(planned.federated.spec.placements[0].controller).toBe('kubeadmiral.io/nsautoprop-controller');
    expect(planned.federated.metadata.annotations).toMatchObject({
      'internal.kubeadmiral.io/conflict-resolution': 'adopt',
      'internal.kubeadmiral.io/clusters-to-adopt': '{"regexp":".*"}',
      'internal.kubeadmiral.io/orphan': 'adopted',
    });
  });

  test('follow clusters that come later', () => {
    const given = namespace('shop');
    const fewer = { ...given, clusters: threeClusters() };
    const second = planOf(later(given, planOf(fewer)), LATER);
    expect(Object.keys(placed(second))).toContain('new-1');
    expect(second.decisionNumber).toBe(2);
  });

  test('can opt out; what is there stays', () => {
    const optOut = { 'kubeadmiral.io/no-auto-propagation': 'true' };
    expect(placed(planOf(namespace('shop', optOut)))).toEqual({});
    const before = planOf({ ...namespace('shop'), clusters: threeClusters() });
    expect(Object.keys(placed(planOf(later(namespace('shop', optOut), before), LATER)))).toEqual(['ap-1', 'eu-1', 'us-1']);
  });

  test.each(['default', 'kube-system', 'kube-flannel', 'kube-admiral-system'])('%s is every cluster’s own', (name) => {
    expect(plan(namespace(name), NOW).type).toBe('notFederated');
  });
});
