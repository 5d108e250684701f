/** Status of Jobs and CronJobs over their members. Job rules and messages of KubeAdmiral. */
import type { Condition, JsonObject } from '../../machinery/object.ts';
import { conditionsMember, type Reported, reportedConditions, worstCondition } from './conditions.ts';
import { type AggregateContext, extremeTime, type Member, objectsIn, sumsOf } from './context.ts';

/** Sums; one condition, once every selected cluster has finished: `Complete` when all completed, otherwise `Failed`. */
export function aggregateJob(context: AggregateContext): JsonObject {
  const { members } = context;
  const finished = finishedCondition(context);
  const isComplete = finished?.type === 'Complete';
  const conditions = finished ? [finished] : suspended(context);
  return {
    ...extremeTime(members, 'startTime', 'earliest'),
    ...(isComplete ? extremeTime(members, 'completionTime', 'latest') : {}),
    ...sumsOf(members, ['active', 'succeeded', 'failed', 'ready', 'terminating']),
    ...conditionsMember(conditions, context, ['lastProbeTime']),
  };
}

function finishedCondition({ members, silent }: AggregateContext): Condition | undefined {
  const selected = members.filter(({ isSelected }) => isSelected);
  if (selected.length === 0 || silent.length > 0) return undefined;
  const completed = selected.filter(({ status }) => status.completionTime !== undefined && status.completionTime !== null);
  const failed = selected.filter((member) => !completed.includes(member) && hasFailed(member));
  if (completed.length + failed.length < selected.length) return undefined;
  if (failed.length === 0)
    return { type: 'Complete', status: 'True', reason: 'Completed', message: `Job completed in clusters [${names(completed)}]` };
  if (completed.length === 0)
    return { type: 'Failed', status: 'True', reason: 'Failed', message: `Job failed in clusters [${names(failed)}]` };
  const message = `Job completed in clusters [${names(completed)}] and failed in member clusters [${names(failed)}]`;
  return { type: 'Failed', status: 'True', reason: 'Mixed', message };
}

/** A Job is suspended when it is so everywhere. */
function suspended(context: AggregateContext): Condition[] {
  const reports: readonly Reported[] = reportedConditions(context).get('Suspended') ?? [];
  const isEverywhere =
    context.silent.length === 0 && reports.length === context.members.filter(({ isSelected }) => isSelected).length;
  const isTrue = reports.length > 0 && reports.every(({ condition }) => condition.status === 'True');
  return isEverywhere && isTrue ? [worstCondition('Suspended', reports, context)] : [];
}

function hasFailed({ status }: Member): boolean {
  return objectsIn(status.conditions).some((condition) => condition.type === 'Failed' && condition.status === 'True');
}

function names(members: readonly Member[]): string {
  return members.map(({ cluster }) => cluster).join(',');
}

/** Running Jobs of all clusters, and the latest times. */
export function aggregateCronJob({ members }: AggregateContext): JsonObject {
  const active = members.flatMap(({ status }) => objectsIn(status.active));
  return {
    ...(active.length === 0 ? {} : { active }),
    ...extremeTime(members, 'lastScheduleTime', 'latest'),
    ...extremeTime(members, 'lastSuccessfulTime', 'latest'),
  };
}
