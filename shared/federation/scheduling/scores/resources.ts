/** Scores from how full a cluster is. None is normalised: they are 0..100 by themselves. Rules and weights are KubeAdmiral's. */
import type { JsonObject } from '../../../machinery/object.ts';
import type { ResourceAmounts } from '../../snapshot.ts';
import type { PluginContext, ScorePlugin } from '../framework.ts';

/** Prefers clusters whose resources are used to the same degree. */
export const balancedAllocation: ScorePlugin = {
  name: 'ClusterResourcesBalancedAllocation',
  score({ unit, cluster }) {
    let [sum, squares, count] = [0, 0, 0];
    const fractions: number[] = [];
    for (const resource of scoredResources(unit.request)) {
      const allocatable = amountOf(cluster.allocatable, resource);
      const requested = allocatable - amountOf(cluster.available, resource) + amountOf(unit.request, resource);
      const fraction = allocatable === 0 ? 1 : requested / allocatable;
      if (fraction >= 1) return 0;
      fractions.push(fraction);
      sum += fraction;
      count++;
    }
    const [first = 0, second = 0] = fractions;
    if (count === 2) return Math.trunc((1 - Math.abs(first - second) / 2) * 100);
    const mean = sum / count;
    for (const fraction of fractions) squares += (fraction - mean) * (fraction - mean);
    return Math.trunc((1 - Math.sqrt(squares / count)) * 100);
  },
};

/** Prefers clusters with more free resources. */
export const leastAllocated: ScorePlugin = {
  name: 'ClusterResourcesLeastAllocated',
  score: (context) => weightedMean(context, (capacity, requested) => percent(capacity - requested, capacity)),
};

/** Prefers clusters that are fuller already, so that others stay empty. */
export const mostAllocated: ScorePlugin = {
  name: 'ClusterResourcesMostAllocated',
  score: (context) => weightedMean(context, (capacity, requested) => percent(requested, capacity)),
};

const BASE_RESOURCES: readonly string[] = ['cpu', 'memory'];

/** cpu and memory, and whatever else one replica asks for (ephemeral storage only when it asks for some). */
function scoredResources(request: ResourceAmounts): readonly string[] {
  const others = Object.keys(request).filter(
    (resource) =>
      resource !== 'cpu' && resource !== 'memory' && (resource !== 'ephemeral-storage' || (request[resource] ?? 0) > 0),
  );
  return others.length === 0 ? BASE_RESOURCES : [...BASE_RESOURCES, ...others];
}

function weightedMean({ unit, cluster, args }: PluginContext, score: (capacity: number, requested: number) => number): number {
  let [sum, weights] = [0, 0];
  for (const resource of scoredResources(unit.request)) {
    const weight = weightOf(resource, args);
    const capacity = amountOf(cluster.allocatable, resource);
    const requested = capacity - amountOf(cluster.available, resource) + amountOf(unit.request, resource);
    if (capacity > 0 && requested <= capacity) sum += score(capacity, requested) * weight;
    weights += weight;
  }
  return weights === 0 ? 0 : Math.trunc(sum / weights);
}

/** `args.resources` is a map of resource to weight; default 4 for GPUs, 1 for the rest. */
function weightOf(resource: string, args: JsonObject): number {
  const own = args.resources;
  if (typeof own === 'object' && own !== null && !Array.isArray(own) && Object.hasOwn(own, resource))
    return Number(own[resource]);
  return resource === 'nvidia.com/gpu' ? 4 : 1;
}

/** trunc(part * 100 / whole), exact beyond 2^53 (bytes of a large cluster). */
function percent(part: number, whole: number): number {
  const product = part * 100;
  if (Number.isSafeInteger(product)) return Math.trunc(product / whole);
  return Number((BigInt(part) * 100n) / BigInt(whole));
}

function amountOf(amounts: ResourceAmounts, resource: string): number {
  return Object.hasOwn(amounts, resource) ? (amounts[resource] ?? 0) : 0;
}
