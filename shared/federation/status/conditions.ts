/** Conditions of many members as one: the worst wins, the message names the clusters, times move only when something changed. */
import type { Condition, JsonObject } from '../../machinery/object.ts';
import { formatTime } from '../../machinery/time.ts';
import { type AggregateContext, isObserved, objectsIn } from './context.ts';

type Status = Condition['status'];
/** One member's condition. */
export type Reported = { cluster: string; condition: Condition };

/** Types whose True is bad news. For all others False is. */
const BAD_WHEN_TRUE =
  /Fail|Degraded|Stalled|Error|Pressure|Unavailable|Terminating|Conflict|Limited|NonStructural|Disrupt|Exceeded|Dangling|Unhealthy/;
const NEWS_FIRST: Readonly<Record<'good' | 'bad', readonly Status[]>> = {
  good: ['False', 'Unknown', 'True'],
  bad: ['True', 'Unknown', 'False'],
};
const MESSAGE_LENGTH_MAX = 1024;

/** Conditions by type over the selected members (over all, when none of the selected reports any), types in order of their first report. */
export function reportedConditions({ members }: AggregateContext): Map<string, Reported[]> {
  const selected = members.filter(({ isSelected }) => isSelected);
  const byType = new Map<string, Reported[]>();
  for (const { cluster, status } of selected.length > 0 ? selected : members) {
    for (const condition of objectsIn(status.conditions) as unknown as Condition[]) {
      if (typeof condition.type !== 'string') continue;
      const reports = byType.get(condition.type);
      if (reports) reports.push({ cluster, condition });
      else byType.set(condition.type, [{ cluster, condition }]);
    }
  }
  return byType;
}

/** The worst of one type's reports. A good condition that a selected cluster has not reported yet is at best Unknown. */
export function worstCondition(type: string, reported: readonly Reported[], context: AggregateContext): Condition {
  const order = NEWS_FIRST[BAD_WHEN_TRUE.test(type) ? 'bad' : 'good'];
  const worst = order.find((status) => reported.some(({ condition }) => condition.status === status)) ?? 'Unknown';
  const first = reported.find(({ condition }) => condition.status === worst)?.condition;
  const isOpen = order[2] === 'True' && worst === 'True' && context.silent.length > 0;
  const generation = reported.some(({ condition }) => condition.observedGeneration !== undefined) && isObserved(context);
  return {
    type,
    status: isOpen ? 'Unknown' : worst,
    reason: isOpen ? 'NotReported' : (first?.reason ?? ''),
    message: conditionMessage(reported, order, context.silent),
    ...(generation ? { observedGeneration: context.source.metadata.generation ?? 0 } : {}),
  };
}

/** The members' own message where they all say the same, otherwise who says what, worst first. */
export function conditionMessage(reported: readonly Reported[], order: readonly Status[], silent: readonly string[]): string {
  const own = new Set(reported.map(({ condition }) => `${condition.status} ${condition.message ?? ''}`));
  if (own.size === 1 && silent.length === 0) return reported[0]?.condition.message ?? '';
  const parts = order.flatMap((status) => {
    const said = Map.groupBy(
      reported.filter(({ condition }) => condition.status === status),
      ({ condition }) => condition.message ?? '',
    );
    return [...said].map(([message, who]) => {
      const clusters = `${status} in clusters [${who.map(({ cluster }) => cluster).join(',')}]`;
      return message === '' || status === order[2] ? clusters : `${clusters}: ${message}`;
    });
  });
  if (silent.length > 0) parts.push(`not reported yet by clusters [${silent.join(',')}]`);
  return cut(parts.join('; '));
}

/** All types merged by `worstCondition`, with their times. */
export function mergedConditions(context: AggregateContext): JsonObject {
  const merged = [...reportedConditions(context)].map(([type, reported]) => worstCondition(type, reported, context));
  return conditionsMember(merged, context);
}

/** `conditions` of a status, left out when there are none. Which times a kind keeps is seen from `times`. */
export function conditionsMember(
  conditions: readonly Condition[],
  context: AggregateContext,
  times: readonly ('lastUpdateTime' | 'lastProbeTime')[] = [],
): JsonObject {
  if (conditions.length === 0) return {};
  const before = objectsIn(context.source.status?.conditions) as unknown as Condition[];
  const previous = new Map(before.map((condition) => [condition.type, condition]));
  const timed = conditions.map((condition) => withTimes(condition, previous.get(condition.type), times, formatTime(context.now)));
  return { conditions: timed as unknown as JsonObject[] };
}

function withTimes(
  condition: Condition,
  previous: Condition | undefined,
  times: readonly ('lastUpdateTime' | 'lastProbeTime')[],
  now: string,
): Condition {
  const isSameStatus = previous?.status === condition.status;
  const isSame =
    isSameStatus &&
    (previous.reason ?? '') === (condition.reason ?? '') &&
    (previous.message ?? '') === (condition.message ?? '');
  const timed: Condition = { ...condition, lastTransitionTime: (isSameStatus ? previous.lastTransitionTime : undefined) ?? now };
  for (const time of times) timed[time] = (isSame ? previous[time] : undefined) ?? now;
  return timed;
}

function cut(message: string): string {
  return message.length <= MESSAGE_LENGTH_MAX ? message : `${message.slice(0, MESSAGE_LENGTH_MAX - 3)}...`;
}
