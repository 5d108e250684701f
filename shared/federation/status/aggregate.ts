/** From what the members report to the status of the object that the user applied. */
import { deepEqual } from '../../machinery/equality.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import { formatTime } from '../../machinery/time.ts';
import { isJsonObject } from '../overrides/pod-spec.ts';
import type { SourceType } from '../snapshot.ts';
import { type AggregateInput, type Aggregator, aggregateContext, objectsIn, type ReportingCluster } from './context.ts';
import { aggregateDeployment } from './deployment.ts';
import { aggregateCronJob, aggregateJob } from './jobs.ts';
import { aggregatePod } from './pods.ts';
import { aggregateAny, aggregateClaim, aggregateLoadBalancer } from './resources.ts';
import {
  aggregateAutoscaler,
  aggregateDaemonSet,
  aggregateDisruptionBudget,
  aggregateReplicaSet,
  aggregateStatefulSet,
} from './workloads.ts';

const AGGREGATORS: Readonly<Record<string, Aggregator>> = {
  'apps/Deployment': aggregateDeployment,
  'apps/StatefulSet': aggregateStatefulSet,
  'apps/DaemonSet': aggregateDaemonSet,
  'apps/ReplicaSet': aggregateReplicaSet,
  'batch/Job': aggregateJob,
  'batch/CronJob': aggregateCronJob,
  '/Pod': aggregatePod,
  '/Service': aggregateLoadBalancer,
  'networking.k8s.io/Ingress': aggregateLoadBalancer,
  '/PersistentVolumeClaim': aggregateClaim,
  'policy/PodDisruptionBudget': aggregateDisruptionBudget,
  'autoscaling/HorizontalPodAutoscaler': aggregateAutoscaler,
};

/** Kinds whose status has no place for conditions. */
const WITHOUT_CONDITIONS: ReadonlySet<string> = new Set(['batch/CronJob', 'networking.k8s.io/Ingress']);

/** Clusters that are named in the condition. */
const CLUSTERS_NAMED_MAX = 8;

/** Condition of a source some of whose members cannot be reached: their last reports still count. */
export const STALE_CONDITION = 'Stale';

/** `status` is the whole new status; `changed` says whether writing it would change anything; `stale` names the clusters whose report is old. */
export type Aggregated = { status: JsonObject; changed: boolean; stale: string[] };

/** Aggregates by kind. What an unreachable cluster last reported stays counted, and a condition names it. */
export function aggregateStatus(input: AggregateInput & { type: SourceType }): Aggregated {
  const { source, type, clusters } = input;
  const key = `${type.group}/${type.kind}`;
  const aggregate = Object.hasOwn(AGGREGATORS, key) ? (AGGREGATORS[key] ?? aggregateAny) : aggregateAny;
  const before = (source.status ?? {}) as JsonObject;
  const context = aggregateContext(input);
  const made = aggregate({ ...context, source: { ...source, status: withoutStale(before) } });
  const stale = clusters.filter(isStale).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const status = stale.length === 0 || WITHOUT_CONDITIONS.has(key) ? made : withStale(made, before, stale, input.now);
  return { status, changed: isChanged(before, status), stale: stale.map(({ name }) => name) };
}

/** True when the two differ in more than members that are empty, 0 or false in one and absent in the other. */
export function isChanged(before: JsonObject, after: JsonObject): boolean {
  return !deepEqual(withoutEmpty(before), withoutEmpty(after));
}

function isStale({ record, reachable }: ReportingCluster): boolean {
  return !reachable && record?.observed?.status !== undefined;
}

function withStale(status: JsonObject, before: JsonObject, stale: readonly ReportingCluster[], now: number): JsonObject {
  const named = stale.slice(0, CLUSTERS_NAMED_MAX);
  const seen = named.map(({ name, record }) => `${name} (last report ${formatTime(record?.observed?.at ?? 0)})`);
  if (stale.length > named.length) seen.push(`and ${stale.length - named.length} more`);
  const previous = objectsIn(before.conditions).find(({ type }) => type === STALE_CONDITION);
  const condition = {
    type: STALE_CONDITION,
    status: 'True',
    reason: 'ClusterUnreachable',
    message: `clusters that cannot be reached are counted as last seen: ${seen.join(', ')}`,
    lastTransitionTime: previous?.lastTransitionTime ?? formatTime(now),
  };
  return { ...status, conditions: [...objectsIn(status.conditions), condition] };
}

function withoutStale(status: JsonObject): JsonObject {
  if (!Array.isArray(status.conditions)) return status;
  return { ...status, conditions: objectsIn(status.conditions).filter(({ type }) => type !== STALE_CONDITION) };
}

function withoutEmpty(value: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined || value === null || value === 0 || value === false || value === '') return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => withoutEmpty(item) ?? null);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).flatMap(([key, member]): [string, JsonValue][] => {
    const left = withoutEmpty(member);
    return left === undefined ? [] : [[key, left]];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
