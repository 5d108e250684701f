/** Status of StatefulSets, DaemonSets, ReplicaSets, PodDisruptionBudgets and HorizontalPodAutoscalers over their members. */
import type { JsonObject } from '../../machinery/object.ts';
import { mergedConditions } from './conditions.ts';
import { type AggregateContext, countsOf, extremeTime, type Member, observedGeneration, sumsOf } from './context.ts';

/**
 * Sums. `kubectl rollout status` waits until `currentRevision` equals `updateRevision`: they do when that is so in every selected cluster.
 * One member alone is shown as it is.
 */
export function aggregateStatefulSet(context: AggregateContext): JsonObject {
  const { members } = context;
  const [only] = members;
  if (only && members.length === 1 && context.silent.length === 0) return onlyStatus(only.status, context);
  return {
    ...withGeneration(context),
    ...countsOf(members, ['replicas', 'availableReplicas']),
    ...sumsOf(members, ['readyReplicas', 'currentReplicas', 'updatedReplicas']),
    ...revisions(members),
    ...mergedConditions(context),
  };
}

/** KubeAdmiral's own answer for StatefulSets: the status of an only member, and otherwise no change. For its compatibility preset. */
export function compatibleStatefulSet({ members, source }: AggregateContext): JsonObject {
  const [only] = members;
  return only && members.length === 1 ? only.status : ((source.status ?? {}) as JsonObject);
}

/** Sums; `kubectl rollout status` compares them. */
export function aggregateDaemonSet(context: AggregateContext): JsonObject {
  return {
    ...withGeneration(context),
    ...countsOf(context.members, ['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady']),
    ...sumsOf(context.members, ['updatedNumberScheduled', 'numberAvailable', 'numberUnavailable']),
    ...mergedConditions(context),
  };
}

/** Sums. */
export function aggregateReplicaSet(context: AggregateContext): JsonObject {
  return {
    ...withGeneration(context),
    ...countsOf(context.members, ['replicas']),
    ...sumsOf(context.members, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'terminatingReplicas']),
    ...mergedConditions(context),
  };
}

/** Sums: what may be disrupted is counted per cluster. */
export function aggregateDisruptionBudget(context: AggregateContext): JsonObject {
  return {
    ...withGeneration(context),
    ...countsOf(context.members, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']),
    ...mergedConditions(context),
  };
}

/** Sums of replicas. Metrics of several clusters cannot be added: they are shown of an only member. */
export function aggregateAutoscaler(context: AggregateContext): JsonObject {
  const { members } = context;
  const only = members.length === 1 ? members[0]?.status.currentMetrics : undefined;
  return {
    ...withGeneration(context),
    ...countsOf(members, ['currentReplicas', 'desiredReplicas']),
    ...extremeTime(members, 'lastScaleTime', 'latest'),
    ...(only === undefined ? {} : { currentMetrics: only }),
    ...mergedConditions(context),
  };
}

/** The status of an only member, with generations that are the source's and not its copy's. */
export function onlyStatus(status: JsonObject, context: AggregateContext): JsonObject {
  const { observedGeneration: observed, ...rest } = status;
  return { ...rest, ...(observed === undefined ? {} : withGeneration(context)), ...mergedConditions(context) };
}

function withGeneration(context: AggregateContext): JsonObject {
  const generation = observedGeneration(context);
  return generation === 0 ? {} : { observedGeneration: generation };
}

/** Names of revisions differ between clusters only when their templates do. */
function revisions(members: readonly Member[]): JsonObject {
  const selected = members.filter(({ isSelected }) => isSelected);
  const updates = selected.map(({ status }) => status.updateRevision).filter((revision) => typeof revision === 'string');
  const updateRevision = updates[0];
  if (updateRevision === undefined) return {};
  const behind = selected.find(({ status }) => status.currentRevision !== status.updateRevision);
  const current = behind?.status.currentRevision;
  if (!behind) return { currentRevision: updateRevision, updateRevision };
  // A current revision of one cluster may be the update revision of another: it must still read as different.
  const currentRevision = typeof current === 'string' && current !== updateRevision ? current : 'differs-between-clusters';
  return { currentRevision, updateRevision };
}
