/** Work is removed only by the user, and by what somebody declared to do so. */
import { describe, expect, test } from 'vitest';
import type { PlanSnapshot } from '../../../../shared/federation/snapshot.ts';
import {
  annotated,
  cluster,
  entryOf,
  LATER,
  later,
  placed,
  planOf,
  policy,
  replicas,
  snapshot,
  specOf,
  threeClusters,
} from './builders.ts';

const duplicate = policy({ schedulingMode: 'Duplicate' });
const given = snapshot({ policy: duplicate });
const first = planOf(given);
const everywhere = { 'ap-1': null, 'eu-1': null, 'us-1': null };
const noExecute = [{ key: 'down', effect: 'NoExecute' }];
const noSchedule = [{ key: 'full', effect: 'NoSchedule' }];
const select = (region: string) => policy({ schedulingMode: 'Duplicate', clusterSelector: { region } });

describe('what stays', () => {
  test.each<[string, Partial<PlanSnapshot>]>([
    ['the policy is gone', { policy: { kind: 'PropagationPolicy', name: 'pp' } }],
    ['the profile does not exist', { policy: policy({ schedulingMode: 'Duplicate', schedulingProfile: 'none' }) }],
    ['the policy admits no cluster any more', { policy: select('moon') }],
    ['maxClusters is negative', { policy: policy({ schedulingMode: 'Duplicate', maxClusters: -1 }) }],
    [
      'clusters do not list the kind any more',
      { source: replicas(9), clusters: threeClusters().map(({ name }) => cluster(name, { serves: [] })) },
    ],
    [
      'no cluster is ready',
      { source: replicas(9), clusters: threeClusters().map(({ name }) => cluster(name, { ready: false })) },
    ],
    [
      'the clusters are tainted NoSchedule',
      { clusters: threeClusters().map(({ name }) => cluster(name, { taints: noSchedule })) },
    ],
    [
      'no-scheduling freezes the placement',
      { source: annotated({ 'kubeadmiral.io/no-scheduling': 'true' }), policy: select('moon') },
    ],
  ])('everything, when %s', (_sentence, change) => {
    expect(placed(planOf(later(given, first, change), LATER))).toEqual(everywhere);
  });

  test('a cluster that lost the kind keeps its replicas and gets no more', () => {
    const divided = planOf(snapshot());
    const clusters = [cluster('ap-1'), cluster('eu-1'), cluster('us-1', { cpu: 32, serves: [] })];
    const second = planOf(later(snapshot(), divided, { clusters, source: replicas(20) }), LATER);
    expect(placed(second)['us-1']).toBe(4);
    expect(entryOf(second, 'us-1').why).toContain('does not serve apps/v1 Deployment');
  });

  test('says so: the condition is False, names the reason, and the current placement is kept', () => {
    const second = planOf(later(given, first, { policy: select('moon') }), LATER);
    expect(second.scheduled).toEqual({
      status: 'False',
      reason: 'Unschedulable',
      message: '0/3 clusters are available: 3 clusters: labels do not match clusterSelector; the current placement is kept',
    });
    expect(second.events).toEqual([{ type: 'Warning', reason: 'Unscheduled', message: second.scheduled.message }]);
    expect(second.decisionNumber).toBe(1);
    expect(entryOf(second, 'ap-1').verdict).toBe('Kept');
  });

  test('tells a missing policy by its name and its label', () => {
    const second = planOf(later(given, first, { policy: { kind: 'PropagationPolicy', name: 'pp' } }), LATER);
    expect(second.scheduled.message).toBe(
      'PropagationPolicy pp, named by label kubeadmiral.io/propagation-policy-name, does not exist',
    );
    expect(planOf(later(given, second, { policy: { kind: 'PropagationPolicy', name: 'pp' } }), LATER).events).toEqual([]);
  });

  test('a workload does not move to an emptier cluster because it was scaled', () => {
    const one = snapshot({ policy: policy({ maxClusters: 1 }) });
    const placedOnce = planOf(one);
    expect(Object.keys(placed(placedOnce))).toHaveLength(1);
    const [home = ''] = Object.keys(placed(placedOnce));
    const clusters = threeClusters().map(({ name }) => cluster(name, { free: name === home ? 1 : 16 }));
    expect(placed(planOf(later(one, placedOnce, { clusters, source: replicas(9) }), LATER))).toEqual({ [home]: 9 });
  });
});

describe('what goes', () => {
  test.each<[string, Partial<PlanSnapshot>, Record<string, null>]>([
    [
      'a NoExecute taint empties its cluster',
      { clusters: [cluster('ap-1', { taints: noExecute }), cluster('eu-1'), cluster('us-1')] },
      { 'eu-1': null, 'us-1': null },
    ],
    [
      'NoExecute everywhere empties all clusters',
      { clusters: threeClusters().map(({ name }) => cluster(name, { taints: noExecute })) },
      {},
    ],
    ['a cluster that is gone', { clusters: [cluster('eu-1'), cluster('us-1')] }, { 'eu-1': null, 'us-1': null }],
    ['the label is removed', { source: snapshot().source, policy: undefined as never }, {}],
  ])('%s', (_sentence, change, want) => {
    const { policy: chosen, ...rest } = later(given, first, change);
    expect(placed(planOf({ ...rest, ...(chosen ? { policy: chosen } : {}) }, LATER))).toEqual(want);
  });

  test('a policy edit removes what it no longer admits while another cluster fits', () => {
    const clusters = [cluster('ap-1', { labels: { region: 'ap' } }), cluster('eu-1', { labels: { region: 'eu' } })];
    const labelled = { ...given, clusters };
    const before = planOf(labelled);
    expect(placed(planOf(later(labelled, before, { policy: select('eu') }), LATER))).toEqual({ 'eu-1': null });
  });

  test('a migration evicts until its time, and asks to be planned again then', () => {
    const until = new Date(LATER + 60_000).toISOString().replace('.000', '');
    const source = annotated({
      'kubeadmiral.io/migration-configuration': JSON.stringify({ workloadMigrations: [{ cluster: 'eu-1', validUntil: until }] }),
    });
    const evicted = planOf(later(given, first, { source }), LATER);
    expect(placed(evicted)).toEqual({ 'ap-1': null, 'us-1': null });
    expect(evicted.again).toBe(LATER + 60_000);
    expect(evicted.feedback.annotations['kubeadmiral.io/applied-migration-configuration']).toBe(
      JSON.stringify({ unavailableClusters: [{ cluster: 'eu-1', validUntil: until }] }),
    );
    expect(placed(planOf(later({ ...given, source }, evicted), LATER + 60_000))).toEqual(everywhere);
  });

  test('a migration that cannot be read is passed over, and named once', () => {
    const source = annotated({ 'kubeadmiral.io/migration-configuration': '{' });
    const second = planOf(later(given, first, { source }), LATER);
    expect(placed(second)).toEqual(everywhere);
    expect(specOf(second).notes).toEqual(['annotation kubeadmiral.io/migration-configuration is passed over: is not JSON']);
  });
});
