/** Mappers of the scheduling framework: filters, scores, selects, replicas, the unit, profiles, triggers and migration. */

import { resourceAmounts } from '../../../shared/federation/clusters/facts.ts';
import { type EffectivePolicy, effectivePolicy } from '../../../shared/federation/policies/effective.ts';
import { matchedPolicy } from '../../../shared/federation/policies/match.ts';
import type { PolicySpec } from '../../../shared/federation/policies/spec.ts';
import { normaliseScores, type PluginContext } from '../../../shared/federation/scheduling/framework.ts';
import { appliedMigrationText, checkMigration, convertMigration } from '../../../shared/federation/scheduling/migration.ts';
import { applyProfile, FILTERS, SCORES, SELECTS } from '../../../shared/federation/scheduling/profile.ts';
import { clusterCapacityWeight } from '../../../shared/federation/scheduling/replicas/capacity-weight.ts';
import { dynamicWeights, unitsOf, weightLimits, wholeUnits } from '../../../shared/federation/scheduling/replicas/weights.ts';
import {
  decideReschedule,
  knownChanged,
  schedulingTriggers,
  type Triggers,
} from '../../../shared/federation/scheduling/triggers.ts';
import { resolveMode } from '../../../shared/federation/scheduling/unit.ts';
import type { ClusterFacts } from '../../../shared/federation/snapshot.ts';
import { fnv1_32 } from '../../../shared/machinery/fnv.ts';
import { getPath } from '../../../shared/machinery/paths.ts';
import { type ClusterVector, factsOf, type UnitVector, unitOf } from '../builders.ts';
import { byFunction, failed, type Mapper, type Mappers, type Outcome, unknown, type VectorRecord, value } from '../outcome.ts';

const RESULTS = { accept: 'Success', reject: 'Unschedulable', failed: 'Error' } as const;
const REPLICAS_PATH = 'spec.replicas';

function contextOf(record: VectorRecord, cluster: ClusterVector): PluginContext {
  const unit = unitOf(record.input.schedulingUnit as UnitVector);
  const facts = factsOf(cluster);
  return {
    unit,
    cluster: facts,
    placed: unit.current.has(facts.name),
    now: Date.parse(record.now ?? '1970-01-01T00:00:00Z'),
    args: {},
  };
}

const filters: Mapper = (record) => {
  const plugin = FILTERS.find(({ name }) => name === record.plugin);
  if (!plugin) return unknown(record);
  return value({ result: RESULTS[plugin.filter(contextOf(record, record.input.cluster as ClusterVector)).type] });
};

const scores: Mapper = (record) => {
  const plugin = SCORES.find(({ name }) => name === record.plugin);
  if (!plugin) return unknown(record);
  const clusters = record.input.clusters as ClusterVector[];
  const raw = Float64Array.from(clusters, (cluster) => plugin.score(contextOf(record, cluster)));
  if (record.normalized && plugin.normalise) normaliseScores(raw, plugin.normalise);
  return value({ scores: [...raw] });
};

const selects: Mapper = (record) => {
  const plugin = SELECTS.find(({ name }) => name === record.plugin);
  if (!plugin) return unknown(record);
  const scored = (record.input.scores as [string, number][]).map(([name, score]) => ({ cluster: factsOf({ name }), score }));
  const result = plugin.select(unitOf(record.input.schedulingUnit as UnitVector), scored);
  if (result.type === 'unschedulable') return value({ clusters: [], result: 'Unschedulable' });
  return value({ clusters: result.clusters.map(({ cluster }) => cluster.name), result: 'Success' });
};

function mapOf(clusters: readonly ClusterFacts[], numbers: readonly number[]): Record<string, number> {
  return Object.fromEntries(clusters.map(({ name }, index) => [name, numbers[index] ?? 0]));
}

const weightLimit: Mapper = ({ input }) => {
  const clusters = (input.clusters as ClusterVector[]).map(factsOf);
  const allocatable = unitsOf(clusters, 'allocatable', input.resource);
  if (allocatable.type === 'invalid') return failed(allocatable.message);
  return value({ weightLimit: mapOf(clusters, weightLimits(allocatable.units, input.supplyLimitRatio)) });
};

const weights: Mapper = ({ input }) => {
  const given = input.availables as Record<string, Record<string, string>> | undefined;
  const clusters = given ? Object.keys(given).map((name) => factsOf({ name })) : (input.clusters as ClusterVector[]).map(factsOf);
  const available = given
    ? { type: 'ok' as const, units: Object.values(given).map((list) => wholeUnits(resourceAmounts(list), input.resource)) }
    : unitsOf(clusters, 'available', input.resource);
  if (available.type === 'invalid') return failed(available.message);
  const limits = clusters.map(({ name }) => input.weightLimit?.[name] as number | undefined);
  const names = clusters.map(({ name }) => name);
  const result = dynamicWeights(names, available.units, limits);
  return result.type === 'invalid' ? failed(result.message) : value({ weights: mapOf(clusters, result.weights) });
};

const replicaScheduling: Mapper = ({ input }) => {
  const clusters = (input.clusters as ClusterVector[]).map(factsOf);
  const result = clusterCapacityWeight.divide(unitOf(input.schedulingUnit as UnitVector), clusters, {});
  if (result.type === 'invalid') return failed(result.message);
  const placed = clusters.map(({ name }, index) => [name, result.replicas[index] ?? 0] as const).filter(([, count]) => count > 0);
  return value({ replicas: Object.fromEntries(placed) });
};

const unit: Mapper = ({ input }) => {
  const policy = effectivePolicy(input.policySpec as PolicySpec, input.annotations ?? {}, 'allow');
  return value({ ...policy, ...namesAndCounts(policy), notes: undefined });
};

function namesAndCounts(policy: EffectivePolicy): Record<string, unknown> {
  return {
    clusterNames: Object.fromEntries([...policy.clusterNames].map((name) => [name, {}])),
    minReplicas: Object.fromEntries(policy.minReplicas),
    maxReplicas: Object.fromEntries(policy.maxReplicas),
    weights: Object.fromEntries(policy.weights),
    priorities: Object.fromEntries(policy.priorities),
  };
}

const mode: Mapper = ({ input }) => {
  const spec = { schedulingMode: input.policySchedulingMode } as PolicySpec;
  const asked = effectivePolicy(spec, input.annotations ?? {}, 'allow').schedulingMode;
  const result = resolveMode(asked, input.ftcReplicasSpecPath ?? undefined, input.replicas ?? undefined);
  return result.type === 'invalid' ? failed(result.message) : value({ schedulingMode: result.mode });
};

const policyKey: Mapper = ({ input }) => {
  const found = matchedPolicy({ namespace: input.namespace ?? '', labels: input.labels ?? {}, namespaceLabels: {} });
  return value({ found: found !== undefined, name: found?.name ?? '', namespace: found?.namespace ?? '' });
};

const validateMigration: Mapper = ({ input }) => {
  const check = checkMigration(input.config, input.template, input.replicasPath ?? REPLICAS_PATH);
  return check.type === 'invalid' ? failed(check.message) : value({});
};

const convert: Mapper = ({ input }) =>
  value(
    convertMigration({ replicasMigrations: input.replicasMigrations ?? [], workloadMigrations: input.workloadMigrations ?? [] }),
  );

const applied: Mapper = ({ input }) => {
  const result = appliedMigrationText(input.annotation ?? '', input.template, input.replicasPath ?? REPLICAS_PATH);
  return result.type === 'invalid' ? failed(result.message) : value(result.text);
};

type TriggerVector = PolicySpec & {
  policyName?: string;
  clusters?: ClusterVector[];
  annotations?: Record<string, string>;
  replicas?: number;
  autoMigrationInfo?: unknown;
  resourceRequest?: UnitVector['resourceRequest'];
  policySpec?: PolicySpec;
};

function triggersOf(vector: TriggerVector): { triggers: Triggers; spec: PolicySpec | undefined } {
  const { policyName, clusters, annotations, replicas, autoMigrationInfo, resourceRequest, policySpec, ...rest } = vector;
  const spec = policyName === undefined ? undefined : { ...rest, ...policySpec };
  const triggers = schedulingTriggers({
    annotations: annotations ?? {},
    replicas: replicas ?? (getPath(vector, 'template.spec.replicas') as number | undefined) ?? null,
    request: unitOf({ resourceRequest: resourceRequest ?? null }).request,
    migration: autoMigrationInfo as never,
    policy: spec ? { name: policyName ?? '', spec } : undefined,
    clusters: (clusters ?? []).map(factsOf),
  });
  return { triggers, spec };
}

const reschedule: Mapper = ({ input }) => {
  const before = input.hasPreviousTriggers && input.previous ? triggersOf(input.previous).triggers : undefined;
  const { triggers, spec } = triggersOf(input.current);
  const decision = decideReschedule(before, triggers, spec);
  return value({ reschedule: decision.reschedule, deferredReasons: decision.deferred });
};

const triggerChanged: Mapper = ({ input }): Outcome => {
  const seen = (map: Record<string, string>) =>
    Object.keys(map)
      .sort()
      .map((cluster) => ({ cluster, labels: fnv1_32(String(map[cluster])), taints: 0, apiResources: 0 }));
  return value(knownChanged(seen(input.old ?? {}), seen(input.new ?? {}), 'labels'));
};

export const mappers: Mappers = {
  scheduler_filters: filters,
  scheduler_scores: scores,
  scheduler_select: selects,
  rsp: byFunction({ weightLimit, dynamicWeights: weights, replicaScheduling }),
  scheduling_unit: byFunction({ schedulingUnit: unit, schedulingMode: mode }),
  scheduler_misc: byFunction({
    matchedPolicy: policyKey,
    validateMigrationConfig: validateMigration,
    convertMigrationConfig: convert,
    appliedMigrationAnnotation: applied,
    applyProfile: ({ input }) => value(applyProfile(input.base, input.plugins)),
  }),
  scheduling_triggers: byFunction({ clusterTriggerChanged: triggerChanged, decideReschedule: reschedule }),
};
