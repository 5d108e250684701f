/**
 * The bin-pack planner (`replicasStrategy: Binpack`): the first cluster takes all it can, the rest goes to the next.
 * Behaviour copied from KubeAdmiral's planner: proved by test/vectors/planner_binpack.json.
 */
import type { PlannedReplicas } from './weighted.ts';

/** One cluster, in priority order. Absent bounds are unlimited. */
export type BinPackCluster = {
  name: string;
  min: number;
  max?: number | undefined;
  /** Replicas it has now; absent when it has no entry. */
  current?: number | undefined;
  estimated?: number | undefined;
  limited?: number | undefined;
  /** Pods really bound to nodes, where known. */
  scheduled?: number | undefined;
};

/** `strays`: true when some cluster that has replicas now is no longer in the list. */
export type BinPackOptions = { total: number; avoidDisruption: boolean; keepUnschedulable: boolean; strays: boolean };

type Bounds = { min: number; max: number; limited: number; estimated: number };

/** Packs `total` replicas. Both arrays of the answer follow the input's order. */
export function planBinPack(clusters: readonly BinPackCluster[], options: BinPackOptions): PlannedReplicas {
  const none = clusters.map(() => 0);
  if (!shouldPlan(clusters, options)) return { plan: clusters.map((cluster) => cluster.current ?? 0), overflow: none };
  const keep = options.avoidDisruption ? options.keepUnschedulable : true;
  const want = packInOrder(clusters, options.total);
  const have = clusters.map((cluster) =>
    Math.min(cluster.current ?? 0, cluster.estimated ?? Number.POSITIVE_INFINITY, cluster.limited ?? Number.POSITIVE_INFINITY),
  );
  const scheduled = sum(
    clusters.map(({ scheduled: bound, limited }) => (bound === undefined ? 0 : Math.min(bound, limited ?? bound))),
  );
  if (!keep && scheduled === options.total) return { plan: clusters.map((cluster) => cluster.scheduled ?? 0), overflow: none };
  if (!options.avoidDisruption) return want;
  const overflow = keep ? want.overflow : want.overflow.map((over) => Math.max(Math.min(over, options.total - scheduled), 0));
  const difference = sum(want.plan) - sum(have);
  if (difference === 0) return { plan: have, overflow };
  if (difference < 0) return { plan: shrink(have, want.plan, options.total), overflow };
  return { plan: grow(clusters, have, want.plan, options.total), overflow };
}

/** Minimums in order, then everything into the first that takes it. Exported for its own vectors. */
export function packInOrder(clusters: readonly Omit<BinPackCluster, 'name'>[], total: number): PlannedReplicas {
  return pack(
    clusters.map((cluster) => ({
      min: cluster.min,
      max: cluster.max ?? Number.POSITIVE_INFINITY,
      limited: cluster.limited ?? Number.POSITIVE_INFINITY,
      estimated: cluster.estimated ?? Number.POSITIVE_INFINITY,
    })),
    total,
  );
}

/** False while pods still settle: the counts that are known must agree before anything moves. */
function shouldPlan(clusters: readonly BinPackCluster[], { strays }: BinPackOptions): boolean {
  if (strays) return true;
  if (clusters.some(({ current, limited }) => current !== undefined && limited !== undefined && current > limited)) return true;
  return clusters.every(
    ({ scheduled, estimated, current }) => scheduled === undefined || scheduled === (estimated ?? current ?? 0),
  );
}

/** Takes from clusters that have more than they should, the last in order first. */
function shrink(have: readonly number[], want: readonly number[], total: number): number[] {
  const unbounded = Number.POSITIVE_INFINITY;
  const from = have.map((_, index) => index).filter((index) => (want[index] ?? 0) < (have[index] ?? 0));
  from.reverse();
  const bounds = from.map((index) => ({ min: 0, max: have[index] ?? 0, limited: unbounded, estimated: unbounded }));
  const cut = pack(bounds, sum(have) - total).plan;
  const left = [...have];
  for (const [position, index] of from.entries()) left[index] = (left[index] ?? 0) - (cut[position] ?? 0);
  return left;
}

/** Gives to clusters that should have more, in order. */
function grow(clusters: readonly BinPackCluster[], have: readonly number[], want: readonly number[], total: number): number[] {
  const to = have.map((_, index) => index).filter((index) => (want[index] ?? 0) > (have[index] ?? 0));
  const bounds = to.map((index) => ({
    min: clusters[index]?.min ?? 0,
    max: (clusters[index]?.max ?? Number.POSITIVE_INFINITY) - (have[index] ?? 0),
    limited: clusters[index]?.limited ?? Number.POSITIVE_INFINITY,
    estimated: Number.POSITIVE_INFINITY,
  }));
  const add = pack(bounds, total - sum(have)).plan;
  const grown = [...have];
  for (const [position, index] of to.entries()) grown[index] = (grown[index] ?? 0) + (add[position] ?? 0);
  return grown;
}

function pack(clusters: readonly Bounds[], total: number): PlannedReplicas {
  const overflow = clusters.map(() => 0);
  let rest = total;
  const plan = clusters.map(({ min, limited, estimated }, index) => {
    const minimum = Math.min(min, rest, limited);
    const given = Math.min(minimum, estimated);
    overflow[index] = minimum - given;
    rest -= given;
    return given;
  });
  for (const [index, { max, limited, estimated }] of clusters.entries()) {
    if (rest <= 0) break;
    const start = plan[index] ?? 0;
    const target = Math.min(start + rest, max, limited);
    if (target > estimated) overflow[index] = Math.max(target - estimated, overflow[index] ?? 0);
    plan[index] = Math.min(target, estimated);
    rest -= Math.min(target, estimated) - start;
  }
  return { plan, overflow };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
