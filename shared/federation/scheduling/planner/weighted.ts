/**
 * The weighted planner (`replicasStrategy: Spread`): divides a number of replicas by weight within minimums, maximums and known capacities.
 * Behaviour copied from KubeAdmiral's planner, rounding up and tie order included: proved by test/vectors/planner.json.
 */
import { fnv1_32 } from '../../../machinery/fnv.ts';

/** One cluster that may get replicas. Absent bounds are unlimited. */
export type WeightedCluster = {
  name: string;
  weight: number;
  min: number;
  max?: number | undefined;
  /** Maximum while growing a kept distribution; the same as `max` unless the preference came from a wildcard. */
  growMax?: number | undefined;
  /** Replicas it has now. */
  current: number;
  /** Learnt capacity: what is beyond it becomes overflow. */
  estimated?: number | undefined;
  /** Hard cap: what is beyond it goes elsewhere. */
  limited?: number | undefined;
};

/** How to divide. `key` (`namespace/name`) decides ties, so that different objects load different clusters first. */
export type WeightedOptions = { total: number; key: string; avoidDisruption: boolean; keepUnschedulable: boolean };

/** Both arrays follow the input's order. What is written to a cluster is plan + overflow. */
export type PlannedReplicas = { plan: number[]; overflow: number[] };

type Item = {
  index: number;
  weight: number;
  hash: number;
  min: number;
  max: number;
  estimated: number;
  limited: number;
  plan: number;
  over: number;
};

/** Divides `total` over the clusters. Never fails; what fits nowhere stays unplaced. */
export function planWeighted(clusters: readonly WeightedCluster[], options: WeightedOptions): PlannedReplicas {
  const items = clusters.map((cluster, index) => itemOf(cluster, index, options.key));
  items.sort(byWeightThenHash);
  const keep = options.avoidDisruption ? options.keepUnschedulable : true;
  divide(items, options.total, keep);
  const plan = new Array<number>(clusters.length).fill(0);
  const overflow = new Array<number>(clusters.length).fill(0);
  for (const item of items) {
    plan[item.index] = item.plan;
    overflow[item.index] = item.over;
  }
  if (!options.avoidDisruption) return { plan, overflow };
  return { plan: keepRunning(clusters, items, plan), overflow };
}

function itemOf(cluster: WeightedCluster, index: number, key: string): Item {
  return {
    index,
    weight: cluster.weight,
    hash: fnv1_32(cluster.name + key),
    min: cluster.min,
    max: cluster.max ?? Number.POSITIVE_INFINITY,
    estimated: cluster.estimated ?? Number.POSITIVE_INFINITY,
    limited: cluster.limited ?? Number.POSITIVE_INFINITY,
    plan: 0,
    over: 0,
  };
}

function byWeightThenHash(a: Item, b: Item): number {
  return b.weight - a.weight || a.hash - b.hash || a.index - b.index;
}

/** Starts from what runs, and moves only as many replicas as the totals differ by. */
function keepRunning(clusters: readonly WeightedCluster[], items: readonly Item[], want: readonly number[]): number[] {
  const have = clusters.map((cluster) =>
    Math.min(cluster.current, cluster.limited ?? cluster.current, cluster.estimated ?? cluster.current),
  );
  const difference = sum(want) - sum(have);
  if (difference === 0) return have;
  const movers: Item[] = [];
  for (const item of items) {
    const wanted = want[item.index] ?? 0;
    const held = have[item.index] ?? 0;
    const missing = difference > 0 ? wanted - held : held - wanted;
    if (missing <= 0) continue;
    const growMax = clusters[item.index]?.growMax;
    const room = growMax === undefined ? Number.POSITIVE_INFINITY : growMax - held;
    movers.push(moverOf(item, missing, difference > 0 ? room : held));
  }
  movers.sort(byWeightThenHash);
  divide(movers, Math.abs(difference), false);
  for (const mover of movers) have[mover.index] = (have[mover.index] ?? 0) + Math.sign(difference) * mover.plan;
  return have;
}

function moverOf(item: Item, weight: number, max: number): Item {
  const unbounded = Number.POSITIVE_INFINITY;
  return { index: item.index, weight, hash: item.hash, min: 0, max, estimated: unbounded, limited: unbounded, plan: 0, over: 0 };
}

/** Fills `plan` and `over` of items that stand in order: minimums first, then proportional passes until nothing moves. */
function divide(items: readonly Item[], total: number, keep: boolean): void {
  let rest = total - giveMinimums(items, total);
  let active = items;
  let moved = true;
  while (rest > 0 && moved) {
    let weights = 0;
    for (const item of active) weights += item.weight;
    if (weights <= 0) break;
    moved = false;
    const before = rest;
    const open: Item[] = [];
    for (const item of active) {
      const start = item.plan;
      const full = raise(item, start + Math.min(ceilShare(before, item.weight, weights), rest));
      if (!full) open.push(item);
      rest -= item.plan - start;
      if (item.plan > start) moved = true;
    }
    active = open;
  }
  if (keep) return;
  for (const item of items) item.over = Math.max(Math.min(item.over, rest), 0);
}

function giveMinimums(items: readonly Item[], total: number): number {
  let rest = total;
  for (const item of items) {
    let minimum = Math.min(item.min, rest, item.limited);
    if (item.estimated < minimum) {
      item.over = minimum - item.estimated;
      minimum = item.estimated;
    }
    item.plan = minimum;
    rest -= minimum;
  }
  return total - rest;
}

/** Sets `plan` to `target` within the bounds; true when a bound was met. */
function raise(item: Item, target: number): boolean {
  let reached = target;
  let full = false;
  if (reached > item.max) {
    reached = item.max;
    full = true;
  }
  if (reached > item.limited) {
    reached = item.limited;
    full = true;
  }
  if (reached > item.estimated) {
    item.over += reached - item.estimated;
    reached = item.estimated;
    full = true;
  }
  item.plan = reached;
  return full;
}

/** ceil(count * weight / weights). A double quotient of an exact product never rounds across an integer; beyond 2^53 bigint divides. */
function ceilShare(count: number, weight: number, weights: number): number {
  const product = count * weight;
  if (Number.isSafeInteger(product)) return Math.ceil(product / weights);
  const [dividend, divisor] = [BigInt(count) * BigInt(weight), BigInt(weights)];
  const quotient = dividend / divisor;
  return Number(dividend % divisor > 0n ? quotient + 1n : quotient);
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
