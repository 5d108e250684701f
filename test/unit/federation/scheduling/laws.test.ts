/** What holds for every input, not only for those of the tables. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planWeighted, type WeightedCluster } from '../../../../shared/federation/scheduling/planner/weighted.ts';
import { dynamicWeights, weightLimits } from '../../../../shared/federation/scheduling/replicas/weights.ts';
import { cluster, LATER, later, placed, planOf, policy, replicas, snapshot, specOf } from './builders.ts';

const SEED = 20260101;
const RUNS = { seed: SEED, numRuns: 300 };

const weightedCluster = fc
  .record({
    weight: fc.nat(50),
    min: fc.nat(4),
    room: fc.option(fc.nat(12), { nil: undefined }),
    current: fc.nat(10),
    limited: fc.option(fc.nat(12), { nil: undefined }),
  })
  .map(({ room, min, ...rest }) => ({
    ...rest,
    min,
    max: room === undefined ? undefined : min + room,
    growMax: room === undefined ? undefined : min + room,
  }));
const weightedClusters = fc
  .array(weightedCluster, { minLength: 1, maxLength: 12 })
  .map((list) => list.map((entry, index): WeightedCluster => ({ ...entry, name: `c${index}` })));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const options = { key: 'default/web', keepUnschedulable: false };

describe('the weighted planner', () => {
  test('never places more than asked for, nor beyond a maximum or a migration limit, nor less than nothing', () => {
    fc.assert(
      fc.property(weightedClusters, fc.nat(200), (clusters, total) => {
        const { plan } = planWeighted(clusters, { ...options, total, avoidDisruption: false });
        expect(sum(plan)).toBeLessThanOrEqual(total);
        for (const [index, count] of plan.entries()) {
          expect(count).toBeGreaterThanOrEqual(0);
          expect(count).toBeLessThanOrEqual(clusters[index]?.max ?? total);
          expect(count).toBeLessThanOrEqual(clusters[index]?.limited ?? total);
        }
      }),
      RUNS,
    );
  });

  test('without bounds it places everything', () => {
    const free = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(free, fc.nat(5000), (weights, total) => {
        const clusters = weights.map((weight, index) => ({ name: `c${index}`, weight, min: 0, current: 0 }));
        expect(sum(planWeighted(clusters, { ...options, total, avoidDisruption: false }).plan)).toBe(total);
      }),
      RUNS,
    );
  });

  test('avoiding disruption, a grown total takes nothing away from a cluster within its bounds', () => {
    fc.assert(
      fc.property(weightedClusters, fc.nat(40), (clusters, growth) => {
        const within = clusters.map((entry) => ({
          ...entry,
          current: Math.min(entry.current, entry.max ?? 99, entry.limited ?? 99),
        }));
        const total = sum(within.map(({ current }) => current)) + growth;
        const { plan } = planWeighted(within, { ...options, total, avoidDisruption: true });
        if (sum(planWeighted(within, { ...options, total, avoidDisruption: false }).plan) < total) return;
        for (const [index, count] of plan.entries()) expect(count).toBeGreaterThanOrEqual(within[index]?.current ?? 0);
      }),
      RUNS,
    );
  });
});

describe('dynamic weights', () => {
  test('add up to 1000 and stay positive somewhere, for any free capacity', () => {
    const cores = fc.array(fc.record({ total: fc.nat(1000), used: fc.nat(1100) }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(cores, (clusters) => {
        const names = clusters.map((_, index) => `c${index}`);
        const available = clusters.map(({ total, used }) => total - used);
        const result = dynamicWeights(names, available, weightLimits(clusters.map(({ total }) => total)));
        if (result.type !== 'ok') throw new Error(result.message);
        for (const weight of result.weights) expect(weight).toBeGreaterThanOrEqual(0);
        expect(sum(result.weights)).toBeGreaterThan(0);
        if (clusters.length <= 20 && available.some((free) => free > 0)) expect(sum(result.weights)).toBe(1000);
      }),
      RUNS,
    );
  });

  test.each([600, 1999, 2001, 5000])('never round to nothing for %i equal clusters', (count) => {
    const cores = Array.from({ length: count }, () => 8);
    const names = cores.map((_, index) => `c${index}`);
    const result = dynamicWeights(names, cores, weightLimits(cores));
    if (result.type !== 'ok') throw new Error(result.message);
    expect(Math.min(...result.weights)).toBeGreaterThan(0);
    const clusters = result.weights.map((weight, index) => ({ name: `c${index}`, weight, min: 0, current: 0 }));
    expect(sum(planWeighted(clusters, { ...options, total: 1000, avoidDisruption: false }).plan)).toBe(1000);
  });
});

describe('a plan', () => {
  const anyCluster = fc.record({
    cpu: fc.integer({ min: 1, max: 64 }),
    used: fc.nat(64),
    region: fc.constantFrom('eu', 'us'),
    effect: fc.constantFrom(undefined, 'NoSchedule', 'NoExecute', 'PreferNoSchedule'),
    ready: fc.boolean(),
    joined: fc.boolean(),
    serves: fc.boolean(),
  });
  type AnyCluster = typeof anyCluster extends fc.Arbitrary<infer T> ? T : never;
  const clustersOf = (list: readonly AnyCluster[]) =>
    list.map(({ cpu, used, region, effect, serves, ...rest }, index) =>
      cluster(`c${String(index).padStart(2, '0')}`, {
        ...rest,
        cpu,
        free: cpu - used,
        labels: { region },
        taints: effect ? [{ key: 'k', effect }] : [],
        serves: serves ? ['apps/v1/Deployment'] : [],
      }),
    );
  const anyClusters = fc.array(anyCluster, { maxLength: 10 });
  const anyPolicy = fc.record(
    {
      schedulingMode: fc.constantFrom('Divide', 'Duplicate'),
      replicasStrategy: fc.constantFrom('Spread', 'Binpack'),
      clusterSelector: fc.constantFrom({}, { region: 'eu' }),
      maxClusters: fc.nat(4),
    },
    { requiredKeys: ['schedulingMode'] },
  );

  test('says of every cluster exactly once what it decided and why, and the same of the same', () => {
    fc.assert(
      fc.property(anyClusters, anyPolicy, fc.nat(40), (list, spec, count) => {
        const given = snapshot({ clusters: clustersOf(list), policy: policy(spec), source: replicas(count) });
        const planned = planOf(given);
        const { clusters } = specOf(planned);
        expect(clusters.map((entry) => entry.cluster)).toEqual(given.clusters.map(({ name }) => name));
        for (const entry of clusters) {
          expect(entry.why).not.toBe('');
          expect(entry.replicas !== undefined).toBe(entry.cluster in placed(planned));
        }
        expect(JSON.stringify(planOf(given))).toBe(JSON.stringify(planned));
      }),
      RUNS,
    );
  });

  test('settles: what was stored is planned again without a change', () => {
    fc.assert(
      fc.property(anyClusters, anyClusters, anyPolicy, fc.nat(40), (before, now, spec, count) => {
        const given = snapshot({ clusters: clustersOf(before), policy: policy(spec) });
        const changed = later(given, planOf(given), { clusters: clustersOf(now), source: replicas(count) });
        const second = planOf(changed, LATER);
        const third = planOf(later(changed, second), LATER);
        expect(third.federated.spec).toEqual(second.federated.spec);
        expect(third.decisionNumber).toBe(second.decisionNumber);
      }),
      RUNS,
    );
  });
});
