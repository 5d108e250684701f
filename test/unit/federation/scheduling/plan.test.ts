import { describe, expect, test } from 'vitest';
import { plan } from '../../../../shared/federation/plan.ts';
import type { PlanSnapshot } from '../../../../shared/federation/snapshot.ts';
import {
  annotated,
  cluster,
  configMap,
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

const UNREADY = cluster('us-1', { cpu: 32, ready: false });

describe('a first plan', () => {
  test('divides by free capacity, and says everything that a cluster is to be sent', () => {
    const planned = planOf(snapshot());
    expect(placed(planned)).toEqual({ 'ap-1': 2, 'eu-1': 2, 'us-1': 4 });
    expect(planned.summary).toBe('8 -> us-1 4  ap-1 2  eu-1 2');
    expect(planned.decisionNumber).toBe(1);
    expect(planned.federated.spec.overrides).toEqual([
      {
        controller: 'kubeadmiral.io/global-scheduler',
        clusters: [2, 2, 4].map((value, index) => ({
          cluster: ['ap-1', 'eu-1', 'us-1'][index],
          patches: [{ op: 'replace', path: '/spec/replicas', value }],
        })),
      },
    ]);
    expect(planned.events).toEqual([
      { type: 'Normal', reason: 'Scheduled', message: '8 replicas: us-1 4, ap-1 2, eu-1 2 (decision 1)' },
    ]);
  });

  test('names the FederatedObject, moves labels and annotations, and strips what belongs to the host', () => {
    const source = deployment(({ metadata }) => {
      metadata.annotations = {
        note: 'mine',
        'kubeadmiral.io/retain-replicas': 'true',
        'kubeadmiral.io/scheduling': '{}',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
      };
      metadata.finalizers = ['kubeadmiral.io/federate-controller'];
    });
    const { federated, feedback } = planOf(snapshot({ source }));
    expect(federated.metadata).toMatchObject({
      name: 'web-deployments.apps',
      namespace: 'default',
      labels: { 'kubeadmiral.io/propagation-policy-name': 'pp', 'apps/v1': 'Deployment' },
      ownerReferences: [{ kind: 'Deployment', name: 'web', uid: 'uid-web', controller: true }],
    });
    expect(federated.metadata.annotations).toMatchObject({
      'kubeadmiral.io/retain-replicas': 'true',
      'federate.controller.kubeadmiral.io/observed-annotations': 'kubeadmiral.io/retain-replicas|note',
      'federate.controller.kubeadmiral.io/observed-labels': 'kubeadmiral.io/propagation-policy-name|app',
      'internal.kubeadmiral.io/enable-follower-scheduling': 'true',
    });
    expect(federated.spec.template.metadata).toEqual({
      name: 'web',
      namespace: 'default',
      generation: 1,
      labels: { app: 'web' },
      annotations: { note: 'mine' },
    });
    expect(federated.spec.template.status).toBeUndefined();
    expect(feedback.finalizer).toBe('kubeadmiral.io/federate-controller');
    expect(JSON.parse(feedback.annotations['kubeadmiral.io/scheduling'] ?? '')).toEqual({
      sourceGeneration: 1,
      fedGeneration: 1,
      placement: { 'ap-1': 2, 'eu-1': 2, 'us-1': 4 },
    });
  });

  test('does not change the source', () => {
    const source = deployment();
    const before = structuredClone(source);
    planOf(snapshot({ source }));
    expect(source).toEqual(before);
  });

  test.each<[string, Partial<PlanSnapshot>, string]>([
    ['an object that opts out', { source: annotated({ 'kubeadmiral.io/no-federated-resource': '1' }) }, 'no-federated-resource'],
    [
      'the system namespace',
      { source: deployment(({ metadata }) => Object.assign(metadata, { namespace: 'kube-admiral-system' })) },
      'belongs to the control plane',
    ],
    [
      'a ReplicaSet that mirrors a Deployment',
      {
        source: {
          ...deployment(({ metadata }) =>
            Object.assign(metadata, {
              ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u', controller: true }],
            }),
          ),
          kind: 'ReplicaSet',
        },
      },
      'what its Deployment runs',
    ],
    [
      'an object that is being deleted',
      { source: deployment(({ metadata }) => Object.assign(metadata, { deletionTimestamp: '2026-01-01T00:00:00Z' })) },
      'being deleted',
    ],
  ])('%s is not federated', (_sentence, change, reason) => {
    const result = plan(snapshot(change), NOW);
    expect(result).toMatchObject({ type: 'notFederated', reason: expect.stringContaining(reason) });
  });

  test('what every namespace makes for itself does not go with the namespace policy', () => {
    const own = (name: string): PlanSnapshot => {
      const given = configMap({ policy: { ...policy(), kind: 'ClusterPropagationPolicy' } });
      return { ...given, source: { ...given.source, metadata: { ...given.source.metadata, name } } };
    };
    expect(plan(own('kube-root-ca.crt'), NOW).type).toBe('notFederated');
    expect(plan(own('settings'), NOW).type).toBe('planned');
  });
});

describe('a plan that is asked for again', () => {
  test('gives the same bytes and tells nothing', () => {
    const first = planOf(snapshot());
    const second = planOf(later(snapshot(), first), LATER);
    expect(JSON.stringify(second.federated)).toBe(JSON.stringify(first.federated));
    expect(JSON.stringify(second.decision)).toBe(JSON.stringify(first.decision));
    expect(second.events).toEqual([]);
    expect(second.decisionNumber).toBe(1);
  });

  test('asks for no feedback once the source has it', () => {
    const first = planOf(snapshot());
    const text = first.feedback.annotations['kubeadmiral.io/scheduling'] ?? '';
    const second = planOf(later(snapshot(), first, { source: annotated({ 'kubeadmiral.io/scheduling': text }) }), LATER);
    expect(second.feedback.annotations).toEqual({});
    expect(second.decisionNumber).toBe(1);
  });

  test('does not move anything because free capacity changed', () => {
    const first = planOf(snapshot());
    const emptier = [cluster('ap-1', { free: 1 }), cluster('eu-1', { free: 16 }), cluster('us-1', { cpu: 32, free: 2 })];
    expect(placed(planOf(later(snapshot(), first, { clusters: emptier }), LATER))).toEqual(placed(first));
  });

  test('sends a changed template under a new number, and moves nothing', () => {
    const first = planOf(snapshot());
    const source = deployment(({ spec, metadata }) => {
      spec.template.spec.containers[0].image = 'nginx:2';
      metadata.generation = 2;
    });
    const second = planOf(later(snapshot(), first, { source }), LATER);
    expect(second.decisionNumber).toBe(2);
    expect(placed(second)).toEqual(placed(first));
    expect(second.events).toEqual([]);
  });

  test('scales: only as many replicas move as the totals differ by', () => {
    const first = planOf(snapshot());
    const second = planOf(later(snapshot(), first, { source: replicas(12) }), LATER);
    const [before, now] = [placed(first), placed(second)];
    expect(Object.values(now).reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(12);
    for (const name of Object.keys(before)) expect(now[name]).toBeGreaterThanOrEqual(before[name] ?? 0);
    expect(second.decisionNumber).toBe(2);
    expect(entryOf(second, 'us-1')).toMatchObject({ before: 4, verdict: 'Selected' });
    expect(specOf(second).attempts.map(({ decision }) => decision)).toEqual([2, 1]);
  });

  test('keeps the last ten attempts', () => {
    let given = snapshot();
    for (let count = 8; count < 24; count++) given = later(given, planOf({ ...given, source: replicas(count) }));
    const { attempts } = planOf({ ...given, source: replicas(23) }, LATER).decision.spec;
    expect(attempts).toHaveLength(10);
    expect(attempts[0].decision).toBe(16);
  });

  test('the number grows although the decision was lost', () => {
    const first = planOf(snapshot());
    const { previous: _lost, ...rest } = later(snapshot(), first, { source: replicas(9) });
    expect(planOf(rest, LATER).decisionNumber).toBe(2);
  });

  test('0 replicas run nowhere, and come back', () => {
    const first = planOf(snapshot());
    const none = planOf(later(snapshot(), first, { source: replicas(0) }), LATER);
    expect(placed(none)).toEqual({});
    const back = planOf(later(snapshot(), none, { source: replicas(8) }), LATER);
    expect(placed(back)).toEqual(placed(first));
  });
});

describe('a cluster that was not ready', () => {
  test('is left out, and taken when it is ready', () => {
    const duplicate = policy({ schedulingMode: 'Duplicate' });
    const given = snapshot({ policy: duplicate, clusters: [cluster('ap-1'), cluster('eu-1'), UNREADY] });
    const first = planOf(given);
    expect(placed(first)).toEqual({ 'ap-1': null, 'eu-1': null });
    expect(entryOf(first, 'us-1')).toMatchObject({ verdict: 'Rejected', why: 'is not ready' });
    const second = planOf(later(given, first, { clusters: threeClusters() }), LATER);
    expect(placed(second)).toEqual({ 'ap-1': null, 'eu-1': null, 'us-1': null });
  });

  test('keeps what it runs', () => {
    const first = planOf(snapshot());
    const clusters = [cluster('ap-1'), cluster('eu-1'), UNREADY];
    expect(placed(planOf(later(snapshot(), first, { clusters, source: replicas(9) }), LATER))).toHaveProperty('us-1');
  });
});
