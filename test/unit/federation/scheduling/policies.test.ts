/** What policies, annotations, profiles and other objects do to a placement. */
import { describe, expect, test } from 'vitest';
import { plan } from '../../../../shared/federation/plan.ts';
import type { PolicySpec } from '../../../../shared/federation/policies/spec.ts';
import type { PlanSnapshot } from '../../../../shared/federation/snapshot.ts';
import type { KubeObject } from '../../../../shared/machinery/object.ts';
import {
  annotated,
  cluster,
  configMap,
  DEPLOYMENTS,
  deployment,
  entryOf,
  LATER,
  later,
  NOW,
  placed,
  planOf,
  policy,
  replicas,
  snapshot,
  specOf,
  threeClusters,
} from './builders.ts';

const regions = [
  cluster('ap-1', { labels: { region: 'ap' } }),
  cluster('eu-1', { labels: { region: 'eu' } }),
  cluster('us-1', { labels: { region: 'us' } }),
];
const inRegion = (...values: string[]) => [{ matchExpressions: [{ key: 'region', operator: 'In', values }] }];
const REFUSING = { 'kubeadmiral.io/disable-following': 'true' };
const weights = (...pairs: [string, number][]) => pairs.map(([name, weight]) => ({ cluster: name, preferences: { weight } }));
const tainted = cluster('us-1', { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] });

describe('a policy', () => {
  test.each<[string, PolicySpec, Record<string, number | null>]>([
    ['Duplicate gives every cluster a full copy', { schedulingMode: 'Duplicate' }, { 'ap-1': null, 'eu-1': null, 'us-1': null }],
    ['clusterSelector', { clusterSelector: { region: 'eu' } }, { 'eu-1': 8 }],
    ['clusterAffinity terms are ORed', { clusterAffinity: [...inRegion('eu'), ...inRegion('us')] }, { 'eu-1': 4, 'us-1': 4 }],
    ['placement weights', { placement: weights(['eu-1', 3], ['us-1', 1]) }, { 'eu-1': 6, 'us-1': 2 }],
    [
      'minReplicas and maxReplicas',
      {
        placement: [
          { cluster: 'eu-1', preferences: { weight: 1, minReplicas: 3 } },
          { cluster: 'us-1', preferences: { weight: 9, maxReplicas: 2 } },
        ],
      },
      { 'eu-1': 6, 'us-1': 2 },
    ],
    ['maxClusters takes the first by name among equals', { maxClusters: 1 }, { 'ap-1': 8 }],
    [
      'Binpack fills by priority',
      {
        replicasStrategy: 'Binpack',
        placement: [{ cluster: 'ap-1' }, { cluster: 'us-1', preferences: { priority: 9, maxReplicas: 5 } }],
      },
      { 'us-1': 5, 'ap-1': 3 },
    ],
  ])('%s', (_sentence, spec, want) => {
    expect(placed(planOf(snapshot({ policy: policy(spec), clusters: regions })))).toEqual(want);
  });

  test('tolerations open a tainted cluster', () => {
    const clusters = [cluster('ap-1'), tainted];
    expect(Object.keys(placed(planOf(snapshot({ clusters }))))).toEqual(['ap-1']);
    const tolerant = policy({ tolerations: [{ key: 'dedicated', operator: 'Exists' }] });
    expect(Object.keys(placed(planOf(snapshot({ clusters, policy: tolerant }))))).toEqual(['ap-1', 'us-1']);
  });

  test('that names an unknown cluster is carried out, and the decision says so', () => {
    const planned = planOf(snapshot({ policy: policy({ placement: weights(['eu-1', 1], ['mars-1', 1]) }) }));
    expect(placed(planned)).toEqual({ 'eu-1': 8 });
    expect(specOf(planned).notes).toEqual(['placement names cluster mars-1, which does not exist']);
    expect(planned.events).toContainEqual({
      type: 'Warning',
      reason: 'SchedulingNote',
      message: 'placement names cluster mars-1, which does not exist',
    });
  });

  describe('that divides a kind whose count nobody can find', () => {
    const pathless = (name: string): KubeObject => ({
      ...DEPLOYMENTS,
      metadata: { name },
      spec: { controllers: DEPLOYMENTS.spec.controllers },
    });
    const message =
      'every chosen cluster runs all replicas although schedulingMode is Divide: FederatedTypeConfig statefulsets.apps ' +
      'has no spec.pathDefinition.replicasSpec; set it to spec.replicas, or maxClusters: 1 in the policy';
    const uncounted = deployment(({ spec }) => {
      delete spec.replicas;
    });
    const typeConfig = pathless('statefulsets.apps');
    test.each<[string, Partial<PlanSnapshot>, string[] | undefined]>([
      ['sends it whole to every cluster, and says why', { typeConfig }, [message]],
      ['divides where the path is known', {}, undefined],
      ['says nothing where it does not divide', { typeConfig, policy: policy({ schedulingMode: 'Duplicate' }) }, undefined],
      ['says nothing where one cluster takes all', { typeConfig, policy: policy({ maxClusters: 1 }) }, undefined],
      ['says nothing of an object without a count', { typeConfig, source: uncounted }, undefined],
    ])('%s', (_sentence, change, notes) => expect(specOf(planOf(snapshot(change))).notes).toEqual(notes));

    test('the note is one event, also when the count changes later', () => {
      const given = snapshot({ typeConfig });
      const first = planOf(given);
      expect(first.events).toContainEqual({ type: 'Warning', reason: 'SchedulingNote', message });
      const second = planOf(later(given, first, { source: replicas(9) }), LATER);
      expect(specOf(second).notes).toEqual([message]);
      expect(second.events).not.toContainEqual(expect.objectContaining({ reason: 'SchedulingNote' }));
    });
  });

  test('with a malformed term places nothing, and says which term', () => {
    const planned = planOf(
      snapshot({ policy: policy({ clusterAffinity: [{ matchExpressions: [{ key: 'a b', operator: 'Exists' }] }] }) }),
    );
    expect(placed(planned)).toEqual({});
    expect(planned.scheduled.message).toContain('clusterAffinity is malformed: matchExpressions a b');
  });

  test('that disables rescheduling keeps its clusters, and follows the replicas', () => {
    const sticky = policy({ reschedulePolicy: { disableRescheduling: true } });
    const given = snapshot({ policy: sticky, clusters: [cluster('eu-1'), cluster('us-1')] });
    const first = planOf(given);
    const second = planOf(later(given, first, { source: replicas(20), clusters: threeClusters() }), LATER);
    expect(Object.keys(placed(second))).toEqual(['eu-1', 'us-1']);
    expect(Object.values(placed(second)).reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(20);
    expect(entryOf(second, 'ap-1').why).toBe('disableRescheduling keeps the clusters that run it');
  });

  test('holds back what it does not reschedule for, and names it', () => {
    const given = snapshot({ policy: policy(), clusters: [cluster('eu-1')] });
    const second = planOf(later(given, planOf(given), { clusters: [cluster('eu-1'), cluster('us-1')] }), LATER);
    expect(placed(second)).toEqual({ 'eu-1': 8 });
    expect(specOf(second).deferred).toBe('clusterJoined:false');
    expect(second.federated.metadata.annotations?.['kubeadmiral.io/scheduling-deferred-reasons']).toBe('clusterJoined:false');
  });

  test('an unknown strategy places nothing and says what is known', () => {
    const planned = planOf(snapshot({ policy: policy({ replicasStrategy: 'Balanced' }) }));
    expect(planned.scheduled).toMatchObject({ status: 'False', reason: 'StrategyUnknown' });
  });
});

describe('no policy', () => {
  const { policy: _none, ...unlabelled } = snapshot();
  const message =
    'no policy selects it: set label kubeadmiral.io/propagation-policy-name or kubeadmiral.io/cluster-propagation-policy-name on it or on Namespace default';

  test('nothing is kept, and the missing label is named', () => {
    expect(plan(unlabelled, NOW)).toEqual({
      type: 'unselected',
      reason: message,
      events: [{ type: 'Normal', reason: 'Unscheduled', message }],
    });
  });

  test('of a kind that follows workloads: nobody is told', () => {
    expect(plan(configMap(), NOW)).toEqual({ type: 'unselected', reason: message, events: [] });
  });

  test('any more: it leaves its clusters, and the decision says why', () => {
    const given = snapshot();
    const { policy: _gone, ...rest } = later(given, planOf(given));
    const planned = planOf(rest, LATER);
    expect(placed(planned)).toEqual({});
    expect(planned.scheduled).toEqual({ status: 'False', reason: 'NoPolicy', message });
  });

  test('a label that names a policy which does not exist is kept, and said', () => {
    expect(planOf(snapshot({ policy: { kind: 'PropagationPolicy', name: 'none' } })).scheduled.reason).toBe('PolicyNotFound');
  });

  test('a controller that is not ours may place it all the same', () => {
    const typeConfig = { ...DEPLOYMENTS, spec: { ...DEPLOYMENTS.spec, controllers: [['example.com/placer']] } };
    expect(plan({ ...unlabelled, typeConfig }, NOW).type).toBe('waiting');
  });
});

describe('scheduling annotations', () => {
  const wide = annotated({
    'kubeadmiral.io/placements': JSON.stringify([{ cluster: 'eu-1' }, { cluster: 'us-1' }]),
    'kubeadmiral.io/clusterSelector': '{}',
  });
  const onlyEu = policy({ clusterSelector: { region: 'eu' } });
  const choose = (value: string) => policy({ clusterSelector: { region: 'eu' } }, { 'lamiral.dev/annotation-overrides': value });

  test.each<[string, PlanSnapshot['policy'], Record<string, number>]>([
    ['cannot reach beyond the policy by default', onlyEu, { 'eu-1': 8 }],
    ['replace the policy where the admin allows it', choose('allow'), { 'eu-1': 4, 'us-1': 4 }],
    ['are passed over where the admin denies them', choose('deny'), { 'eu-1': 8 }],
  ])('%s', (_sentence, chosen, want) => {
    expect(placed(planOf(snapshot({ source: wide, policy: chosen as never, clusters: regions })))).toEqual(want);
  });

  test('the admin may choose on the type', () => {
    const typeConfig = {
      ...DEPLOYMENTS,
      metadata: { ...DEPLOYMENTS.metadata, annotations: { 'lamiral.dev/annotation-overrides': 'allow' } },
    };
    expect(placed(planOf(snapshot({ source: wide, policy: onlyEu, typeConfig, clusters: regions })))).toEqual({
      'eu-1': 4,
      'us-1': 4,
    });
  });

  test('narrow: tolerations, maxClusters and maxReplicas of the annotations stay within the policy', () => {
    const source = annotated({
      'kubeadmiral.io/tolerations': '[{"operator":"Exists"}]',
      'kubeadmiral.io/maxClusters': '3',
      'kubeadmiral.io/placements':
        '[{"cluster":"ap-1","preferences":{"maxReplicas":8,"weight":1}},{"cluster":"us-1","preferences":{"weight":1}}]',
    });
    const strict = policy({
      maxClusters: 1,
      placement: [{ cluster: 'ap-1', preferences: { maxReplicas: 3, weight: 1 } }, { cluster: 'us-1' }],
    });
    const planned = planOf(snapshot({ source, policy: strict, clusters: [cluster('ap-1'), tainted] }));
    expect(placed(planned)).toEqual({ 'ap-1': 3 });
    expect(planned.scheduled).toEqual({ status: 'True', reason: 'PartlyScheduled', message: '3 of 8 replicas: ap-1 3' });
    expect(entryOf(planned, 'us-1').why).toBe('the policy does not admit it, and annotations cannot widen a policy');
  });

  test('a value that cannot be read is passed over, and named', () => {
    const planned = planOf(snapshot({ source: annotated({ 'kubeadmiral.io/maxClusters': 'two' }) }));
    expect(Object.keys(placed(planned))).toHaveLength(3);
    expect(specOf(planned).notes).toEqual(['annotation kubeadmiral.io/maxClusters cannot be read and is passed over']);
  });
});

describe('a profile', () => {
  const withProfile = (spec: object): Partial<PlanSnapshot> => ({
    policy: policy({ schedulingMode: 'Duplicate', schedulingProfile: 'own', maxClusters: 1 }),
    profile: {
      name: 'own',
      object: {
        apiVersion: 'core.kubeadmiral.io/v1alpha1',
        kind: 'SchedulingProfile',
        metadata: { name: 'own' },
        spec,
      } as KubeObject,
    },
  });
  const fuller = [cluster('ap-1', { free: 2 }), cluster('us-1', { free: 15 })];
  const stages = (enabled: object[]) => ({ plugins: { score: { disabled: [{ name: '*' }], enabled } } });

  test.each<[string, object, string]>([
    ['the emptier cluster wins', {}, 'us-1'],
    ['MostAllocated turns it around', stages([{ name: 'ClusterResourcesMostAllocated' }]), 'ap-1'],
    [
      'weights count',
      stages([
        { name: 'ClusterResourcesMostAllocated', wait: 1 },
        { name: 'ClusterResourcesLeastAllocated', wait: 5 },
      ]),
      'us-1',
    ],
  ])('%s', (_sentence, spec, want) => {
    expect(Object.keys(placed(planOf(snapshot({ ...withProfile(spec), clusters: fuller }))))).toEqual([want]);
  });

  test('that names an unknown plugin changes nothing and says which', () => {
    const planned = planOf(snapshot(withProfile(stages([{ name: 'Cheapest' }]))));
    expect(planned.scheduled).toMatchObject({
      reason: 'ProfileInvalid',
      message: 'SchedulingProfile own: no score plugin is called Cheapest',
    });
  });
});

describe('reservations', () => {
  test('a cluster whose room was just given away gets less', () => {
    const open = placed(planOf(snapshot()));
    const reserved = placed(planOf(snapshot({ reservations: new Map([['us-1', { cpu: 30_000 }]]) })));
    expect(reserved['us-1'] ?? 0).toBeLessThan(open['us-1'] ?? 0);
  });
});

describe('followers', () => {
  const leader = (name: string, ...clusters: string[]) => ({
    ref: { group: 'apps', kind: 'Deployment', namespace: 'default', name },
    clusters,
  });

  test('go where any of their leaders goes', () => {
    const planned = planOf(configMap({ leaders: [leader('web', 'us-1'), leader('api', 'eu-1', 'us-1')] }));
    expect(planned.federated.spec.placements).toEqual([
      { controller: 'kubeadmiral.io/follower-controller', placement: [{ cluster: 'eu-1' }, { cluster: 'us-1' }] },
    ]);
    expect(planned.federated.spec.follows.map(({ name }: { name: string }) => name)).toEqual(['api', 'web']);
    expect(planned.scheduled).toEqual({
      status: 'True',
      reason: 'Follows',
      message: '2 clusters: eu-1, us-1, following Deployment api, Deployment web',
    });
  });

  test('may refuse, from the start and later', () => {
    const given = configMap({ leaders: [leader('web', 'us-1')] });
    const refusing = { ...given.source, metadata: { ...given.source.metadata, annotations: REFUSING } };
    expect(plan({ ...given, source: refusing }, NOW).type).toBe('unselected');
    expect(placed(planOf(later(given, planOf(given), { source: refusing }), LATER))).toEqual({});
  });

  test('are named by the leader, unless the policy says no or nothing is sent', () => {
    const volumes = [{ configMap: { name: 'settings' } }];
    const source = snapshot().source;
    source.spec.template.spec.volumes = volumes;
    const settings = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'settings' };
    expect(planOf(snapshot({ source })).followers).toEqual([settings]);
    expect(planOf(snapshot({ source, policy: policy({ disableFollowerScheduling: true }) })).followers).toEqual([]);
    source.metadata.annotations = { 'kubeadmiral.io/dry-run': 'true' };
    expect(planOf(snapshot({ source })).followers).toEqual([]);
  });
});

describe('when a plan is made again without a change', () => {
  const hungry = deployment(({ spec }) => {
    spec.template.spec.containers[0].resources = { requests: { 'nvidia.com/gpu': '1' } };
  });
  const fitting = {
    name: 'fitting',
    object: {
      apiVersion: 'core.kubeadmiral.io/v1alpha1',
      kind: 'SchedulingProfile',
      metadata: { name: 'fitting' },
      spec: { plugins: { filter: { enabled: [{ name: 'ClusterResourcesFit' }] } } },
    },
  };
  const given = (spec: PolicySpec = {}) =>
    snapshot({ source: hungry, profile: fitting, policy: policy({ schedulingProfile: 'fitting', ...spec }) });

  test('about a minute later where only room is missing; those who ask meanwhile ask for the same moment', () => {
    const { again = 0, scheduled } = planOf(given());
    expect(scheduled.reason).toBe('Unschedulable');
    expect(again - NOW).toBeGreaterThanOrEqual(30_000);
    expect(again - NOW).toBeLessThanOrEqual(90_000);
    expect(plan(given(), NOW + 10_000)).toMatchObject({ again });
  });

  test.each([
    [
      'clusters that the policy leaves out',
      snapshot({ source: hungry, policy: policy({ clusterSelector: { region: 'none' } }) }),
    ],
    ['a placement', snapshot()],
  ])('never for %s', (_sentence, given) => {
    expect(planOf(given).again).toBeUndefined();
  });
});

describe('a controller that is not ours', () => {
  const typeConfig = (controllers: string[][]) => ({ ...DEPLOYMENTS, spec: { ...DEPLOYMENTS.spec, controllers } });
  const behind = typeConfig([
    ['kubeadmiral.io/global-scheduler'],
    ['example.com/checker'],
    ['kubeadmiral.io/overridepolicy-controller'],
  ]);

  test('is waited for, with the object stored but not sent; then it is sent under a new number', () => {
    const given = snapshot({ typeConfig: behind });
    const waiting = plan(given, NOW);
    if (waiting.type !== 'waiting') throw new Error(waiting.type);
    expect(waiting.reason).toBe('waits for example.com/checker');
    expect(JSON.parse(waiting.federated.metadata.annotations?.['kubeadmiral.io/pending-controllers'] ?? '')).toEqual([
      ['example.com/checker'],
      ['kubeadmiral.io/overridepolicy-controller'],
    ]);
    expect(plan({ ...given, federated: waiting.federated }, NOW).type).toBe('waiting');
    const checked = structuredClone(waiting.federated);
    Object.assign(checked.metadata.annotations ?? {}, {
      'kubeadmiral.io/pending-controllers': '[["kubeadmiral.io/overridepolicy-controller"]]',
    });
    const planned = planOf({ ...given, federated: checked });
    expect(planned.decisionNumber).toBe(1);
    expect(planned.federated.metadata.annotations).not.toHaveProperty('kubeadmiral.io/pending-controllers');
    expect(plan(later(given, planned), LATER).type).toBe('planned');
    expect(plan(later(given, planned, { source: replicas(9) }), LATER).type).toBe('waiting');
  });
});
