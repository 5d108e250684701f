/** Mappers of both planners. `converge` repeats the planner as the format says: with what the hidden capacities would teach. */
import { type BinPackCluster, packInOrder, planBinPack } from '../../../shared/federation/scheduling/planner/bin-pack.ts';
import { type ReplicaPreference, weightedClusters } from '../../../shared/federation/scheduling/planner/preferences.ts';
import { type PlannedReplicas, planWeighted } from '../../../shared/federation/scheduling/planner/weighted.ts';
import { type Mapper, type Mappers, unknown, value } from '../outcome.ts';

type Counts = Record<string, number>;
type PlannerInput = {
  mode: string;
  preferences?: Record<string, ReplicaPreference>;
  totalReplicas?: number;
  availableClusters?: string[];
  clustersInOrder?: string[];
  currentReplicas?: Counts;
  estimatedCapacity?: Counts;
  trueCapacity?: Counts;
  limitedCapacity?: Counts;
  scheduledReplicas?: Counts;
  key?: string;
  avoidDisruption?: boolean;
  keepUnschedulableReplicas?: boolean;
};
type Answer = { plan: Counts; overflow: Counts };
type Planner = (input: PlannerInput, current: Counts, estimated: Counts) => Answer;

/** Every case settles in at most 3 rounds. */
const ROUNDS_MAX = 10;

const weighted: Planner = (input, current, estimated) => {
  const counts = { current, estimated, limited: input.limitedCapacity ?? {} };
  const clusters = weightedClusters(input.preferences ?? {}, input.availableClusters ?? [], counts);
  const planned = planWeighted(clusters, {
    total: input.totalReplicas ?? 0,
    key: input.key ?? '',
    avoidDisruption: input.avoidDisruption ?? false,
    keepUnschedulable: input.keepUnschedulableReplicas ?? false,
  });
  return byName(
    clusters.map(({ name }) => name),
    planned,
  );
};

const binPack: Planner = (input, current, estimated) => {
  const names = input.availableClusters ?? [];
  const planned = planBinPack(binPackClusters(input, names, current, estimated), {
    total: input.totalReplicas ?? 0,
    avoidDisruption: input.avoidDisruption ?? false,
    keepUnschedulable: input.keepUnschedulableReplicas ?? false,
    strays: Object.keys(current).some((name) => !names.includes(name)),
  });
  return byName(names, planned);
};

function binPackClusters(input: PlannerInput, names: readonly string[], current: Counts, estimated: Counts): BinPackCluster[] {
  return names.map((name) => ({
    name,
    min: input.preferences?.[name]?.minReplicas ?? 0,
    max: input.preferences?.[name]?.maxReplicas ?? undefined,
    current: current[name],
    estimated: estimated[name],
    limited: input.limitedCapacity?.[name],
    scheduled: input.scheduledReplicas?.[name],
  }));
}

function byName(names: readonly string[], { plan, overflow }: PlannedReplicas): Answer {
  const counts = (values: readonly number[]): Counts =>
    Object.fromEntries(names.map((name, index) => [name, values[index] ?? 0]));
  return { plan: counts(plan), overflow: counts(overflow) };
}

function converge(planner: Planner, input: PlannerInput): Answer {
  let current = input.currentReplicas ?? {};
  let answer: Answer | undefined;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const known = Object.entries(input.trueCapacity ?? {}).filter(([name, capacity]) => (current[name] ?? 0) > capacity);
    const next = planner(input, current, Object.fromEntries(known));
    if (JSON.stringify(next) === JSON.stringify(answer)) return next;
    answer = next;
    current = Object.fromEntries(
      Object.keys(next.plan).map((name) => [name, (next.plan[name] ?? 0) + (next.overflow[name] ?? 0)]),
    );
  }
  throw new Error(`did not settle in ${ROUNDS_MAX} rounds`);
}

function mapperOf(planner: Planner): Mapper {
  return (record) => {
    const input = record.input as PlannerInput;
    if (input.mode === 'single') return value(planner(input, input.currentReplicas ?? {}, input.estimatedCapacity ?? {}));
    if (input.mode === 'converge') return value(converge(planner, input));
    return unknown(record);
  };
}

const binPackMapper: Mapper = (record) => {
  const input = record.input as PlannerInput;
  if (input.mode !== 'desired') return mapperOf(binPack)(record);
  const names = input.clustersInOrder ?? [];
  const clusters = binPackClusters(input, names, {}, input.estimatedCapacity ?? {});
  return value(byName(names, packInOrder(clusters, input.totalReplicas ?? 0)));
};

export const mappers: Mappers = { planner: mapperOf(weighted), planner_binpack: binPackMapper };
