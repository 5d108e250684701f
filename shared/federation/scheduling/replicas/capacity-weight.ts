/** Divides replicas by weight: the policy's own, or dynamic ones from free capacity. */
import type { JsonObject } from '../../../machinery/object.ts';
import { formatTaint, untoleratedTaint } from '../../policies/tolerations.ts';
import type { ClusterFacts } from '../../snapshot.ts';
import { KATALYST_PREFIX } from '../filters/resources.ts';
import type { DividedReplicas, ReplicasPlugin } from '../framework.ts';
import { planWeighted, type WeightedCluster } from '../planner/weighted.ts';
import type { SchedulingUnit } from '../unit.ts';
import { dynamicWeights, GPU, SUPPLY_LIMIT_RATIO, unitsOf, weightLimits } from './weights.ts';

const KATALYST_CPU = `${KATALYST_PREFIX}reclaimed_millicpu`;
const NO_SCHEDULE: ReadonlySet<string> = new Set(['NoSchedule']);

type Weights = { source: 'placement' | 'dynamic'; resource?: string; values: readonly number[] };

/** Weighted division with minimums, maximums, learnt capacities and migration limits. `args.supplyLimitRatio` replaces 1.4. */
export const clusterCapacityWeight: ReplicasPlugin = {
  name: 'ClusterCapacityWeight',
  divide(unit, clusters, args, held) {
    const weights = weightsOf(unit, clusters, args);
    if ('message' in weights) return { type: 'invalid', message: weights.message };
    const closed = clusters.map((cluster) => held?.get(cluster.name) ?? closedBy(unit, cluster));
    const entries = clusters.map((cluster, index) => entryOf(unit, cluster.name, weights.values[index] ?? 0, closed[index]));
    const { plan, overflow } = planWeighted(entries, {
      total: unit.replicas,
      key: unit.key,
      avoidDisruption: unit.avoidDisruption,
      keepUnschedulable: unit.keepUnschedulable,
    });
    const replicas = plan.map((count, index) => count + (overflow[index] ?? 0));
    return {
      type: 'ok',
      replicas,
      weights,
      notes: replicas.map((count, index) => noteOf(unit, entries[index], closed[index], count)),
    };
  },
};

/** Why a cluster gets nothing new: an untolerated NoSchedule taint. */
function closedBy(unit: SchedulingUnit, { taints }: ClusterFacts): string | undefined {
  if (taints.length === 0) return undefined;
  const taint = untoleratedTaint(taints, NO_SCHEDULE, unit.tolerations);
  return taint && `taint ${formatTaint(taint)}: nothing new is placed here`;
}

function weightsOf(unit: SchedulingUnit, clusters: readonly ClusterFacts[], args: JsonObject): Weights | { message: string } {
  if (unit.weights.size > 0) {
    return { source: 'placement', values: clusters.map(({ name }) => unit.weights.get(name) ?? 0) };
  }
  const resource = weightResource(unit);
  const allocatable = unitsOf(clusters, 'allocatable', resource);
  if (allocatable.type === 'invalid') return { message: allocatable.message };
  const available = unitsOf(clusters, 'available', resource);
  if (available.type === 'invalid') return { message: available.message };
  const ratio = typeof args.supplyLimitRatio === 'number' ? args.supplyLimitRatio : SUPPLY_LIMIT_RATIO;
  const names = clusters.map(({ name }) => name);
  const dynamic = dynamicWeights(names, available.units, weightLimits(allocatable.units, ratio));
  if (dynamic.type === 'invalid') return { message: dynamic.message };
  return { source: 'dynamic', resource, values: dynamic.weights };
}

function weightResource({ request }: SchedulingUnit): string {
  if ((request[GPU] ?? 0) > 0) return GPU;
  return (request[KATALYST_CPU] ?? 0) > 0 ? KATALYST_CPU : 'cpu';
}

/** A closed cluster keeps at most what it has. */
function entryOf(unit: SchedulingUnit, name: string, weight: number, closed: string | undefined): WeightedCluster {
  const current = currentReplicas(unit, name);
  const asked = unit.maxReplicas.get(name);
  const max = closed !== undefined && (asked === undefined || current < asked) ? current : asked;
  return {
    name,
    weight,
    min: unit.minReplicas.get(name) ?? 0,
    max,
    growMax: max,
    current,
    estimated: unit.estimated.get(name),
    limited: unit.limited.get(name),
  };
}

/** Replicas that a cluster runs now; one that ran the template's own count counts as the full total. */
export function currentReplicas(unit: SchedulingUnit, cluster: string): number {
  const current = unit.current.get(cluster);
  return current === null ? unit.replicas : (current ?? 0);
}

function noteOf(
  unit: SchedulingUnit,
  entry: WeightedCluster | undefined,
  closed: string | undefined,
  count: number,
): DividedReplicas['notes'][number] {
  if (!entry) return undefined;
  if (closed !== undefined && count === entry.max) return closed;
  if (entry.limited !== undefined && count >= entry.limited) return `limited to ${entry.limited} by a migration`;
  if (entry.estimated !== undefined && count >= entry.estimated) return `${entry.estimated} fit here, as seen from pending pods`;
  if (entry.max !== undefined && count >= entry.max) return `at its maxReplicas ${entry.max}`;
  if (entry.min > 0 && count === entry.min) return `at its minReplicas ${entry.min}`;
  if (unit.avoidDisruption && entry.current > 0 && count === entry.current) return 'keeps what it runs';
  return undefined;
}
