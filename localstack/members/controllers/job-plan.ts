/** What a Job needs now: pods to make and to remove, and whether it has ended and why (pkg/controller/job). Pure. */
import type { KubeObject } from '../../../shared/machinery/object.ts';

export const INDEX = 'batch.kubernetes.io/job-completion-index';
/** Indexes that a success policy may name. */
const INDEXES_MAX = 100_000;

/** Why a Job ended: reason and message of its last conditions. */
export type JobEnd = { type: 'Complete' | 'Failed'; reason: string; message: string };

export type JobPlan = {
  create: (number | undefined)[];
  remove: KubeObject[];
  succeeded: number;
  failed: number;
  active: number;
  outcome?: 'Complete' | 'Failed';
  end?: JobEnd;
  /** Indexes that succeeded, and those that failed for good, as `0-2,5`. */
  completedIndexes?: string;
  failedIndexes?: string;
  /** When the deadline passes (epoch ms), while it has not. */
  deadlineAt?: number;
};

/** `now` in epoch ms. */
export function planJob(job: KubeObject, pods: readonly KubeObject[], now = 0): JobPlan {
  const parallelism = (job.spec.parallelism as number | undefined) ?? 1;
  const completions = job.spec.completions as number | undefined;
  const done = pods.filter((pod) => pod.status?.phase === 'Succeeded');
  const failedPods = pods.filter((pod) => pod.status?.phase === 'Failed');
  const active = pods.filter((pod) => !isOver(pod) && !pod.metadata.deletionTimestamp);
  const isIndexed = job.spec.completionMode === 'Indexed';
  const succeededIndexes = new Set(done.map(indexOf));
  const failedIndexes = isIndexed ? exhausted(job, failedPods, succeededIndexes) : new Set<number>();
  const succeeded = isIndexed ? succeededIndexes.size : done.length;
  const deadlineAt = deadlineOf(job);
  const counts = { succeeded, failed: failedPods.length, active: active.length, succeededIndexes, failedIndexes };
  const plan: JobPlan = {
    create: [],
    remove: [],
    succeeded,
    failed: failedPods.length,
    active: active.length,
    ...(isIndexed ? { completedIndexes: indexText(succeededIndexes) } : {}),
    ...(isIndexed && job.spec.backoffLimitPerIndex !== undefined ? { failedIndexes: indexText(failedIndexes) } : {}),
    ...(deadlineAt !== undefined && deadlineAt > now ? { deadlineAt } : {}),
  };
  const end = endOf(job, counts, deadlineAt !== undefined && deadlineAt <= now);
  if (end) return { ...plan, remove: active, outcome: end.type, end };
  if (job.spec.suspend === true) return { ...plan, remove: active };
  // Without `completions` (a work queue) the first success means that no more pods are started.
  const left = completions === undefined ? (succeeded > 0 ? 0 : parallelism) : completions - succeeded - failedIndexes.size;
  const missing = Math.max(0, Math.min(parallelism, left) - active.length);
  const taken = new Set([...succeededIndexes, ...failedIndexes, ...active.map(indexOf)]);
  const create = isIndexed ? freeIndexes(completions ?? 0, taken, missing) : Array.from({ length: missing }, () => undefined);
  return { ...plan, create, remove: active.slice(Math.max(parallelism, 0)) };
}

const isOver = ({ status }: KubeObject): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

type Counts = {
  succeeded: number;
  failed: number;
  active: number;
  succeededIndexes: ReadonlySet<number>;
  failedIndexes: ReadonlySet<number>;
};

function endOf({ spec }: KubeObject, counts: Counts, isLate: boolean): JobEnd | undefined {
  const { completions, backoffLimit = 6, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const failed = (reason: string, message: string): JobEnd => ({ type: 'Failed', reason, message });
  if (isLate) return failed('DeadlineExceeded', 'Job was active longer than specified deadline');
  if (backoffLimitPerIndex === undefined && counts.failed > backoffLimit)
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  if (maxFailedIndexes !== undefined && counts.failedIndexes.size > maxFailedIndexes)
    return failed('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  const rule = metRule(spec, counts.succeededIndexes);
  if (rule >= 0) return { type: 'Complete', reason: 'SuccessPolicy', message: `Matched rules at index ${rule}` };
  if (counts.failedIndexes.size > 0 && counts.succeeded + counts.failedIndexes.size >= completions)
    return failed('FailedIndexes', 'Job has failed indexes');
  const isComplete = completions === undefined ? counts.succeeded > 0 && counts.active === 0 : counts.succeeded >= completions;
  return isComplete
    ? { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
    : undefined;
}

type SuccessRule = { succeededIndexes?: string; succeededCount?: number };

/** Place of the first rule of the success policy that is met; -1: none. */
function metRule(spec: KubeObject[string], succeeded: ReadonlySet<number>): number {
  const rules: SuccessRule[] = spec.successPolicy?.rules ?? [];
  return rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
    const named = readIndexes(succeededIndexes);
    const met = named.filter((index) => succeeded.has(index)).length;
    return met >= (succeededCount ?? named.length);
  });
}

function readIndexes(text: string): number[] {
  const indexes = text.split(',').flatMap((part) => {
    const [first = Number.NaN, last = first] = part.split('-').map(Number);
    const count = Math.min(INDEXES_MAX, last - first + 1);
    return Number.isInteger(count) ? Array.from({ length: Math.max(0, count) }, (_, i) => first + i) : [];
  });
  return indexes.slice(0, INDEXES_MAX);
}

/** Indexes that failed more often than each may. */
function exhausted({ spec }: KubeObject, failed: readonly KubeObject[], succeeded: ReadonlySet<number>): Set<number> {
  const limit: number | undefined = spec.backoffLimitPerIndex;
  if (limit === undefined) return new Set();
  const byIndex = Map.groupBy(failed, indexOf);
  return new Set([...byIndex].filter(([index, pods]) => pods.length > limit && !succeeded.has(index)).map(([index]) => index));
}

function deadlineOf({ spec, status }: KubeObject): number | undefined {
  const started = Date.parse(status?.startTime ?? '');
  if (typeof spec.activeDeadlineSeconds !== 'number' || Number.isNaN(started)) return undefined;
  return started + spec.activeDeadlineSeconds * 1000;
}

function indexOf(pod: KubeObject): number {
  return Number(pod.metadata.annotations?.[INDEX] ?? -1);
}

/** `0-2,5`: runs of three or more as a range, as upstream writes them. */
export function indexText(indexes: ReadonlySet<number>): string {
  const sorted = [...indexes].filter((index) => index >= 0).sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const index of sorted) {
    const last = runs.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs
    .map(([first, last]) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
    .join(',');
}

function freeIndexes(completions: number, taken: ReadonlySet<number>, count: number): number[] {
  const free: number[] = [];
  for (let index = 0; index < completions && free.length < count; index += 1) if (!taken.has(index)) free.push(index);
  return free;
}
