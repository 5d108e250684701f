/** The arithmetic of PodDisruptionBudgets (pkg/controller/disruption, pkg/registry/core/pod/storage/eviction.go). Pure. */
import type { Condition, KubeObject } from '../../machinery/object.ts';
import { formatTime, parseTime } from '../../machinery/time.ts';

/** An eviction that was allowed counts as a disruption for this long, until the pod is seen going. */
export const DISRUPTION_MS = 2 * 60_000;
/** Evictions of one budget that are remembered at once. */
export const DISRUPTED_PODS_MAX = 2000;

type IntOrPercent = number | string;

/** The status of a budget now. `scale`: what the pods' controllers are to run together. `recheckAt`: when an eviction stops to count. */
export function mayDisrupt(
  budget: KubeObject,
  pods: readonly KubeObject[],
  scale: number,
  now: number,
): { status: Record<string, unknown>; recheckAt?: number } {
  const { expected, desired } = wantedHealthy(budget, pods.length, scale);
  const disrupted = stillDisrupted(budget, pods, now);
  const healthy = pods.filter((pod) => isHealthy(pod) && !disrupted.has(pod.metadata.name ?? '')).length;
  const allowed = expected > 0 ? Math.max(0, healthy - desired) : 0;
  const times = [...disrupted.values()].map((time) => parseTime(time) + DISRUPTION_MS);
  const { generation } = budget.metadata;
  const status = {
    ...(disrupted.size > 0 ? { disruptedPods: Object.fromEntries(disrupted) } : {}),
    conditions: withAllowed(budget, allowed, now),
    currentHealthy: healthy,
    desiredHealthy: desired,
    disruptionsAllowed: allowed,
    expectedPods: expected,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  return { status, ...(times.length > 0 ? { recheckAt: Math.min(...times) } : {}) };
}

function wantedHealthy({ spec = {} }: KubeObject, count: number, scale: number): { expected: number; desired: number } {
  const { minAvailable, maxUnavailable } = spec as { minAvailable?: IntOrPercent; maxUnavailable?: IntOrPercent };
  if (maxUnavailable !== undefined) return { expected: scale, desired: Math.max(0, scale - resolve(maxUnavailable, scale)) };
  if (typeof minAvailable === 'number') return { expected: count, desired: minAvailable };
  if (typeof minAvailable === 'string') return { expected: scale, desired: resolve(minAvailable, scale) };
  return { expected: count, desired: 0 };
}

/** Percentages round up. */
function resolve(value: IntOrPercent, total: number): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  return percent === undefined ? 0 : Math.ceil((Number(percent) * total) / 100);
}

function stillDisrupted({ status }: KubeObject, pods: readonly KubeObject[], now: number): Map<string, string> {
  const standing = new Set(
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name),
  );
  const known = Object.entries((status?.disruptedPods ?? {}) as Record<string, string>);
  return new Map(known.filter(([name, time]) => standing.has(name) && parseTime(time) + DISRUPTION_MS > now));
}

/** Ready and not going. */
export function isHealthy({ metadata, status }: KubeObject): boolean {
  const conditions: { type?: string; status?: string }[] = status?.conditions ?? [];
  const isReady = conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  return isReady && metadata.deletionTimestamp === undefined;
}

/** Condition `DisruptionAllowed`, beside those of others. */
export function withAllowed(budget: KubeObject, allowed: number, now: number): Condition[] {
  const present: Condition[] = budget.status?.conditions ?? [];
  const old = present.find(({ type }) => type === 'DisruptionAllowed');
  const status = allowed > 0 ? 'True' : 'False';
  const condition: Condition = {
    lastTransitionTime: old?.status === status ? (old.lastTransitionTime ?? formatTime(now)) : formatTime(now),
    message: '',
    ...(budget.metadata.generation === undefined ? {} : { observedGeneration: budget.metadata.generation }),
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    status,
    type: 'DisruptionAllowed',
  };
  return [...present.filter(({ type }) => type !== 'DisruptionAllowed'), condition];
}
