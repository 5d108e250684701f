/** Plays the Job controller: pods until enough of them succeeded. */
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { formatTime } from '../../../shared/machinery/time.ts';
import { type ControllerContext, tolerateRace, writeStatus } from './context.ts';
import { isReady, nameOf, podFromTemplate } from './pods.ts';

const INDEX = 'batch.kubernetes.io/job-completion-index';

export type JobPlan = {
  create: (number | undefined)[];
  remove: KubeObject[];
  succeeded: number;
  failed: number;
  active: number;
  outcome?: 'Complete' | 'Failed';
};

/** What is to be made or removed now; an Indexed job names the index of each pod. */
export function planJob(job: KubeObject, pods: readonly KubeObject[]): JobPlan {
  const parallelism = (job.spec.parallelism as number | undefined) ?? 1;
  const completions = job.spec.completions as number | undefined;
  const backoffLimit = (job.spec.backoffLimit as number | undefined) ?? 6;
  const done = pods.filter((pod) => pod.status?.phase === 'Succeeded');
  const failed = pods.filter((pod) => pod.status?.phase === 'Failed').length;
  const active = pods.filter(
    (pod) => pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed' && !pod.metadata.deletionTimestamp,
  );
  const indexed = job.spec.completionMode === 'Indexed';
  const succeeded = indexed ? new Set(done.map(indexOf)).size : done.length;
  const counts = { succeeded, failed, active: active.length };
  if (failed > backoffLimit) return { ...counts, create: [], remove: active, outcome: 'Failed' };
  const complete = completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;
  if (complete) return { ...counts, create: [], remove: active, outcome: 'Complete' };
  if (job.spec.suspend === true) return { ...counts, create: [], remove: active };
  // Without `completions` (a work queue) the first success means that no more pods are started.
  const left = completions === undefined ? (succeeded > 0 ? 0 : parallelism) : completions - succeeded;
  const missing = Math.max(0, Math.min(parallelism, left) - active.length);
  const create = indexed
    ? missingIndexes(completions ?? 0, [...done, ...active], missing)
    : Array.from({ length: missing }, () => undefined);
  return { ...counts, create, remove: active.slice(Math.max(parallelism, 0)) };
}

function indexOf(pod: KubeObject): number {
  return Number(pod.metadata.annotations?.[INDEX] ?? -1);
}

function missingIndexes(completions: number, pods: readonly KubeObject[], count: number): number[] {
  const taken = new Set(pods.map(indexOf));
  const free: number[] = [];
  for (let index = 0; index < completions && free.length < count; index += 1) if (!taken.has(index)) free.push(index);
  return free;
}

export async function reconcileJob(context: ControllerContext, namespace: string, name: string): Promise<void> {
  const job = context.cache.get('jobs', namespace, name);
  if (!job || job.metadata.deletionTimestamp || isFinished(job)) return;
  const plan = planJob(job, context.cache.controlledBy('pods', job.metadata.uid ?? ''));
  for (const index of plan.create)
    await context.api.create(context.kinds('pods'), jobPod(job, index), { fieldManager: 'kube-controller-manager' });
  for (const pod of plan.remove)
    await tolerateRace(context.api.delete(context.kinds('pods'), namespace, nameOf(pod), { uid: pod.metadata.uid ?? '' }));
  await context.cache.refresh();
  const pods = context.cache.controlledBy('pods', job.metadata.uid ?? '');
  await writeStatus(context, 'jobs', job, jobStatus(job, planJob(job, pods), pods, context.clock.now()));
}

export function isFinished(job: KubeObject): boolean {
  const conditions = (job.status?.conditions ?? []) as { type: string; status: string }[];
  return conditions.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
}

function jobPod(job: KubeObject, index: number | undefined): KubeObject {
  if (index === undefined) return podFromTemplate(job, job.spec.template as KubeObject);
  const mark = { [INDEX]: String(index) };
  return podFromTemplate(job, job.spec.template as KubeObject, { labels: mark, annotations: mark });
}

function jobStatus(job: KubeObject, plan: JobPlan, pods: readonly KubeObject[], now: number): Record<string, unknown> {
  const time = formatTime(now);
  const active = plan.outcome ? 0 : plan.active;
  const ready = plan.outcome ? 0 : pods.filter((pod) => isReady(pod) && !pod.metadata.deletionTimestamp).length;
  return {
    ...(plan.outcome ? { conditions: finalConditions(plan.outcome, time) } : {}),
    startTime: job.status?.startTime ?? time,
    ...(plan.outcome === 'Complete' ? { completionTime: time } : {}),
    ...(active > 0 ? { active } : {}),
    ...(plan.succeeded > 0 ? { succeeded: plan.succeeded } : {}),
    ...(plan.failed > 0 ? { failed: plan.failed } : {}),
    terminating: 0,
    uncountedTerminatedPods: {},
    ready,
  };
}

function finalConditions(outcome: 'Complete' | 'Failed', time: string): Record<string, unknown>[] {
  const entry = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    lastProbeTime: time,
    lastTransitionTime: time,
    reason,
    message,
  });
  if (outcome === 'Failed') {
    const message = 'Job has reached the specified backoff limit';
    return [entry('FailureTarget', 'BackoffLimitExceeded', message), entry('Failed', 'BackoffLimitExceeded', message)];
  }
  const message = 'Reached expected number of succeeded pods';
  return [entry('SuccessCriteriaMet', 'CompletionsReached', message), entry('Complete', 'CompletionsReached', message)];
}
