/** Status of a Deployment over its members: sums, and conditions that are true of all of them. */
import type { Condition, JsonObject } from '../../machinery/object.ts';
import { conditionMessage, conditionsMember, type Reported, reportedConditions, worstCondition } from './conditions.ts';
import { type AggregateContext, isObserved, objectsIn, observedGeneration, sumsOf } from './context.ts';

const SUMS = ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas', 'terminatingReplicas'];
const ORDER: Readonly<Record<string, number>> = { Available: 0, Progressing: 1 };
const GOOD: readonly Condition['status'][] = ['False', 'Unknown', 'True'];

/** Sums over all reports; `observedGeneration` and the conditions `Available` and `Progressing` speak of the selected clusters together. */
export function aggregateDeployment(context: AggregateContext): JsonObject {
  const generation = observedGeneration(context);
  return {
    ...(generation === 0 ? {} : { observedGeneration: generation }),
    ...sumsOf(context.members, SUMS),
    ...conditionsMember(deploymentConditions(context), context, ['lastUpdateTime']),
  };
}

function deploymentConditions(context: AggregateContext): Condition[] {
  if (context.members.length === 0 && context.isUpToDate)
    return [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'no replicas are asked for' }];
  const reported = reportedConditions(context);
  return [...reported]
    .map(([type, reports]) => {
      if (type === 'Available') return available(reports, context);
      return type === 'Progressing' ? progressing(reports, context) : worstCondition(type, reports, context);
    })
    .toSorted((a, b) => (ORDER[a.type] ?? 2) - (ORDER[b.type] ?? 2));
}

/** Turns True only when every selected cluster says so about the present generation; once True, a new generation alone does not take it away. */
function available(reports: readonly Reported[], context: AggregateContext): Condition {
  const unsaid = unsaidBy(reports, context);
  const isEverywhere = unsaid.length === 0 && reports.every(({ condition }) => condition.status === 'True');
  const before = (objectsIn(context.source.status?.conditions) as unknown as Condition[]).find(
    ({ type }) => type === 'Available',
  );
  const isTrue = isEverywhere && (isObserved(context) || before?.status === 'True');
  const clusters = reports.map(({ cluster }) => cluster).join(',');
  if (isTrue)
    return {
      type: 'Available',
      status: 'True',
      reason: 'MinimumReplicasAvailable',
      message: `Deployment has minimum availability in clusters [${clusters}]`,
    };
  const message = isEverywhere
    ? `the present generation is not observed by all of clusters [${clusters}] yet`
    : conditionMessage(reports, GOOD, unsaid);
  return { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message };
}

/** `NewReplicaSetAvailable` only when all selected clusters have finished; a deadline exceeded anywhere is False. */
function progressing(reports: readonly Reported[], context: AggregateContext): Condition {
  const worst =
    reports.find(({ condition }) => condition.status === 'False') ??
    reports.find(({ condition }) => condition.status === 'Unknown');
  const unsaid = unsaidBy(reports, context);
  if (worst) {
    const { status, reason = '' } = worst.condition;
    return { type: 'Progressing', status, reason, message: conditionMessage(reports, GOOD, unsaid) };
  }
  const isFinished =
    unsaid.length === 0 && isObserved(context) && reports.every(({ condition }) => condition.reason === 'NewReplicaSetAvailable');
  const clusters = reports.map(({ cluster }) => cluster).join(',');
  if (isFinished)
    return {
      type: 'Progressing',
      status: 'True',
      reason: 'NewReplicaSetAvailable',
      message: `rolled out in clusters [${clusters}]`,
    };
  const open = [
    ...reports.filter(({ condition }) => condition.reason !== 'NewReplicaSetAvailable').map(({ cluster }) => cluster),
    ...unsaid,
  ];
  const message =
    open.length === 0
      ? 'the present generation is not observed everywhere yet'
      : `in progress in clusters [${open.sort().join(',')}]`;
  return { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message };
}

/** Selected clusters without this condition: silent altogether, or silent about it. */
function unsaidBy(reports: readonly Reported[], { members, silent }: AggregateContext): string[] {
  const said = new Set(reports.map(({ cluster }) => cluster));
  const partly = members.filter(({ cluster, isSelected }) => isSelected && !said.has(cluster)).map(({ cluster }) => cluster);
  return [...partly, ...silent].sort();
}
