/** Plays the Job controller: pods until enough of them succeeded. */
import type { Condition, KubeObject } from '../../../shared/machinery/object.ts';
import { formatTime } from '../../../shared/machinery/time.ts';
import { type ControllerContext, tolerateRace, writeStatus } from './context.ts';
import { INDEX, type JobEnd, type JobPlan, planJob } from './job-plan.ts';
import { isReady, nameOf, podFromTemplate } from './pods.ts';

const HOSTNAME_MAX = 63;

export async function reconcileJob(context: ControllerContext, namespace: string, name: string): Promise<void> {
  const job = context.cache.get('jobs', namespace, name);
  if (!job || job.metadata.deletionTimestamp || isFinished(job)) return;
  const plan = planJob(job, context.cache.controlledBy('pods', job.metadata.uid ?? ''), context.clock.now());
  for (const index of plan.create)
    await context.api.create(context.kinds('pods'), jobPod(job, index), { fieldManager: 'kube-controller-manager' });
  for (const pod of plan.remove)
    await tolerateRace(context.api.delete(context.kinds('pods'), namespace, nameOf(pod), { uid: pod.metadata.uid ?? '' }));
  await context.cache.refresh();
  const pods = context.cache.controlledBy('pods', job.metadata.uid ?? '');
  const after = planJob(job, pods, context.clock.now());
  await writeStatus(context, 'jobs', job, jobStatus(job, after, pods, context.clock.now()));
  if (after.deadlineAt !== undefined) context.wakeAt(`jobs/${namespace}/${name}`, after.deadlineAt);
}

export function isFinished(job: KubeObject): boolean {
  const conditions = (job.status?.conditions ?? []) as { type: string; status: string }[];
  return conditions.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
}

/** A pod with an index has it in its name, its hostname, its labels and its environment. */
function jobPod(job: KubeObject, index: number | undefined): KubeObject {
  if (index === undefined) return podFromTemplate(job, job.spec.template as KubeObject);
  const mark = { [INDEX]: String(index) };
  const pod = podFromTemplate(job, job.spec.template as KubeObject, { labels: mark, annotations: mark });
  const hostname = `${nameOf(job)}-${index}`;
  const env = { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } } };
  const withIndex = (containers: KubeObject[string][] | undefined) =>
    containers?.map((container) => ({ ...container, env: [...(container.env ?? []), env] }));
  const initContainers = withIndex(pod.spec.initContainers);
  return {
    ...pod,
    metadata: { ...pod.metadata, generateName: `${hostname}-` },
    spec: {
      ...pod.spec,
      ...(pod.spec.hostname === undefined && hostname.length <= HOSTNAME_MAX ? { hostname } : {}),
      containers: withIndex(pod.spec.containers),
      ...(initContainers ? { initContainers } : {}),
    },
  };
}

function jobStatus(job: KubeObject, plan: JobPlan, pods: readonly KubeObject[], now: number): Record<string, unknown> {
  const time = formatTime(now);
  const active = plan.outcome ? 0 : plan.active;
  const ready = plan.outcome ? 0 : pods.filter((pod) => isReady(pod) && !pod.metadata.deletionTimestamp).length;
  const isSuspended = job.spec.suspend === true && !plan.outcome;
  const conditions = [...suspension(job, isSuspended, time), ...(plan.end ? finalConditions(plan.end, time) : [])];
  return {
    ...(conditions.length > 0 ? { conditions } : {}),
    // The clock of a suspended Job stands: it starts anew when it goes on.
    ...(isSuspended ? {} : { startTime: job.status?.startTime ?? time }),
    ...(plan.outcome === 'Complete' ? { completionTime: time } : {}),
    ...(active > 0 ? { active } : {}),
    ...(plan.succeeded > 0 ? { succeeded: plan.succeeded } : {}),
    ...(plan.failed > 0 ? { failed: plan.failed } : {}),
    ...(plan.completedIndexes ? { completedIndexes: plan.completedIndexes } : {}),
    ...(plan.failedIndexes === undefined ? {} : { failedIndexes: plan.failedIndexes }),
    terminating: 0,
    uncountedTerminatedPods: {},
    ready,
  };
}

/** Condition `Suspended`, once the Job was suspended. */
function suspension({ status }: KubeObject, isSuspended: boolean, time: string): Condition[] {
  const old = ((status?.conditions ?? []) as Condition[]).find(({ type }) => type === 'Suspended');
  if (!old && !isSuspended) return [];
  const value = isSuspended ? 'True' : 'False';
  if (old?.status === value) return [old];
  const [reason, message] = isSuspended ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed'];
  return [{ type: 'Suspended', status: value, lastProbeTime: time, lastTransitionTime: time, reason, message }];
}

/** What is told first (the end is in sight) and last (it has come). */
function finalConditions({ type, reason, message }: JobEnd, time: string): Condition[] {
  const entry = (kind: string): Condition => ({
    type: kind,
    status: 'True',
    lastProbeTime: time,
    lastTransitionTime: time,
    reason,
    message,
  });
  return type === 'Failed' ? [entry('FailureTarget'), entry('Failed')] : [entry('SuccessCriteriaMet'), entry('Complete')];
}
