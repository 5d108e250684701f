/**
 * Dynamic weights ("RSP"): how much of a workload each cluster should take, from its free and total capacity. KubeAdmiral's formula,
 * except where it gives nothing: with so many clusters that the rounded weights are void, exact fractions are used.
 */
import type { ClusterFacts, ResourceAmounts } from '../../snapshot.ts';

/** Resource of GPUs. */
export const GPU = 'nvidia.com/gpu';
/** A cluster's weight stays below this multiple of its share of all allocatable capacity. */
export const SUPPLY_LIMIT_RATIO = 1.4;

const WEIGHT_SUM = 1000;
/** Sum of weights where thousandths are too coarse. Times any replica count it stays an exact double. */
const FINE_WEIGHT_SUM = 1e9;
const MILLI = 1000;
const COUNTED_AS_ZERO: ReadonlySet<string> = new Set(['cpu', 'memory', GPU]);

/** Amounts of one resource, as whole units per cluster, in the clusters' order. */
export type UnitsResult = { type: 'ok'; units: number[] } | { type: 'invalid'; message: string };
export type WeightsResult = { type: 'ok'; weights: number[] } | { type: 'invalid'; message: string };

/** Whole units (cores, bytes, pieces), rounded up; undefined where the resource is not listed. */
export function wholeUnits(amounts: ResourceAmounts, resource: string): number | undefined {
  if (!Object.hasOwn(amounts, resource)) return undefined;
  const amount = amounts[resource] ?? 0;
  return resource === 'cpu' ? Math.ceil(amount / MILLI) : amount;
}

/** Whole units of many clusters: cpu, memory and GPUs that are not listed count as none, any other missing resource is an error. */
export function unitsOf(clusters: readonly ClusterFacts[], part: 'allocatable' | 'available', resource: string): UnitsResult {
  const units: number[] = [];
  for (const cluster of clusters) {
    const amount = wholeUnits(cluster[part], resource);
    if (amount === undefined && !COUNTED_AS_ZERO.has(resource))
      return { type: 'invalid', message: `cluster ${cluster.name} reports no ${resource}` };
    units.push(amount ?? 0);
  }
  return { type: 'ok', units };
}

/** Upper bounds of the weights, from whole units allocatable: `ratio` times each cluster's share of 1000; equal where nothing is allocatable. */
export function weightLimits(allocatable: readonly number[], ratio: number = SUPPLY_LIMIT_RATIO): number[] {
  const sum = total(allocatable);
  if (sum === 0) return allocatable.map(() => round(WEIGHT_SUM / allocatable.length));
  return allocatable.map((units) => round((units / sum) * WEIGHT_SUM * ratio));
}

/**
 * Weights from whole units available, capped by `limits` (undefined: unlimited). `names` decide which of the heaviest gets the remainder.
 * An available amount that is undefined is an error.
 */
export function dynamicWeights(
  names: readonly string[],
  available: readonly (number | undefined)[],
  limits: readonly (number | undefined)[],
): WeightsResult {
  const missing = available.indexOf(undefined);
  if (missing >= 0) return { type: 'invalid', message: `cluster ${names[missing]} does not report the resource` };
  const free = available.map((units) => Math.max(units ?? 0, 0));
  const sum = total(free);
  if (sum === 0) return { type: 'ok', weights: free.map(() => Math.max(round(WEIGHT_SUM / free.length), 1)) };
  const capped = free.map((units, index) =>
    Math.min(round((units / sum) * WEIGHT_SUM), limits[index] ?? Number.POSITIVE_INFINITY),
  );
  const cappedSum = total(capped);
  if (cappedSum === 0) return { type: 'ok', weights: fineWeights(free, sum) };
  const weights = capped.map((weight) => round((weight / cappedSum) * WEIGHT_SUM));
  const heaviest = heaviestOf(weights, names);
  const remainder = WEIGHT_SUM - total(weights);
  const corrected = (weights[heaviest] ?? 0) + remainder;
  if (corrected <= 0) return { type: 'ok', weights: fineWeights(free, sum) };
  weights[heaviest] = corrected;
  return { type: 'ok', weights };
}

/** Free capacity as parts of a billion: never void, however many clusters share it. */
function fineWeights(free: readonly number[], sum: number): number[] {
  return free.map((units) => (units === 0 ? 0 : Math.max(round((units / sum) * FINE_WEIGHT_SUM), 1)));
}

function heaviestOf(weights: readonly number[], names: readonly string[]): number {
  let heaviest = 0;
  for (let index = 1; index < weights.length; index++) {
    const [weight = 0, best = 0] = [weights[index], weights[heaviest]];
    if (weight > best || (weight === best && (names[index] ?? '') < (names[heaviest] ?? ''))) heaviest = index;
  }
  return heaviest;
}

/** Half away from zero, as Go's math.Round. */
function round(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

function total(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
