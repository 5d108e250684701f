import { describe, expect, test } from 'vitest';
import { explainDecision, explainExitCode } from '../../../../shared/federation/explain.ts';
import { unselectedDecision } from '../../../../shared/federation/plan.ts';
import { cluster, configMap, LATER, later, NOW, planOf, policy, replicas, snapshot } from './builders.ts';

const clusters = [
  cluster('ap-1', { cpu: 8, free: 6 }),
  cluster('eu-1', { cpu: 16, free: 13 }),
  cluster('gpu-1', { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] }),
  cluster('lab-2', { serves: [] }),
  cluster('us-1', { cpu: 64, free: 58 }),
];

describe('explain', () => {
  test('a division: every cluster once, winners first', () => {
    const given = snapshot({ clusters, policy: { ...policy(), name: 'everywhere' } });
    const second = planOf(later(given, planOf(given), { source: replicas(30) }), LATER);
    expect(explainDecision(second.decision).split('\n')).toEqual([
      'deployments default/web   decision 2   30 replicas, policy everywhere (Divide, weights from free capacity)',
      'CLUSTER   REPLICAS   WAS   FREE     WEIGHT   SCORE   WHY',
      'us-1      23         7     58 cpu   75%      290     most free capacity',
      'eu-1      6          1     13 cpu   17%      280     its share is 5.1',
      'ap-1      1          -     6 cpu    8%       274     its share is 2.3',
      'gpu-1     -          -     -        -        -       taint dedicated=gpu:NoSchedule is not tolerated',
      'lab-2     -          -     -        -        -       does not serve apps/v1 Deployment',
      '',
      'Chosen because  3 of 5 clusters pass every filter; maxClusters is not set.',
      'Rounding        22.6 / 5.1 / 2.3 -> 23 / 6 / 1',
    ]);
    expect(explainExitCode(second.decision)).toBe(0);
  });

  test('what runs is not moved: said instead of a rounding that was none', () => {
    const given = snapshot({ clusters, policy: policy({ placement: [{ cluster: 'ap-1' }] }), source: replicas(1) });
    const second = planOf(later(given, planOf(given), { policy: { ...policy(), name: 'everywhere' } }), LATER);
    const text = explainDecision(second.decision);
    expect(text).toContain('decision 1   1 replica, policy everywhere');
    expect(text).not.toContain('Not moved');
    const nine = snapshot({ clusters, policy: policy({ placement: [{ cluster: 'ap-1' }] }), source: replicas(9) });
    const moved = explainDecision(
      planOf(later(nine, planOf(nine), { policy: { ...policy(), name: 'everywhere' } }), LATER).decision,
    );
    expect(moved).toMatch(/^ap-1 +9 +9 .*keeps what it runs$/m);
    expect(moved).toMatch(/^us-1 +- .*its share would be 6\.8, but what runs elsewhere is not moved \(avoidDisruption\)$/m);
    expect(moved).toContain('Not moved       0.7 / 1.5 / 6.8 -> 9 / 0 / 0');
  });

  test('a copy on every cluster shows the template’s count', () => {
    const text = explainDecision(planOf(snapshot({ clusters, policy: policy({ schedulingMode: 'Duplicate' }) })).decision);
    expect(text).toContain('8 replicas each, policy pp (Duplicate)');
    expect(text).toMatch(/^us-1 +8 +- +58 cpu +- +\d+ +passes every filter and runs a full copy$/m);
  });

  test('nothing placed: why, and exit code 8', () => {
    const { decision } = planOf(snapshot({ clusters, policy: policy({ clusterSelector: { region: 'none' } }) }));
    expect(explainDecision(decision)).toContain('Not scheduled  ');
    expect(explainExitCode(decision)).toBe(8);
  });

  test('selected by nothing, so that no decision is stored: which label is missing, for every cluster once', () => {
    const { policy: _none, ...rest } = snapshot({ clusters });
    const decision = unselectedDecision(rest, NOW);
    const text = explainDecision(decision);
    expect(text).toMatch(/^deployments default\/web {3}not selected {3}8 replicas, no policy\n/);
    expect(text).toMatch(/^us-1 +- +.*no policy selects it$/m);
    expect(text).toContain('Not scheduled  no policy selects it: set label kubeadmiral.io/propagation-policy-name');
    expect(explainExitCode(decision)).toBe(8);
  });

  test('partly placed: how much, and exit code 8', () => {
    const spec = { placement: [{ cluster: 'eu-1', preferences: { maxReplicas: 3, weight: 1 } }, { cluster: 'mars-1' }] };
    const { decision } = planOf(snapshot({ clusters, policy: policy(spec) }));
    const text = explainDecision(decision);
    expect(text).toContain('Partly scheduled  3 of 8 replicas: eu-1 3');
    expect(text).toContain('Note              placement names cluster mars-1, which does not exist');
    expect(text).toMatch(/^eu-1 .*at its maxReplicas 3$/m);
    expect(explainExitCode(decision)).toBe(8);
  });

  test('a follower: whom it follows', () => {
    const ref = { group: 'apps', kind: 'Deployment', namespace: 'default', name: 'web' };
    const text = explainDecision(planOf(configMap({ clusters, leaders: [{ ref, clusters: ['us-1'] }] })).decision);
    expect(text).toMatch(/^us-1 +all +.*follows Deployment web$/m);
    expect(text).toMatch(/^eu-1 +- +.*no policy selects it, and no leader runs here$/m);
  });
});
