/** Plays the CronJob controller: a Job at each time of its schedule. Times are UTC; `spec.timeZone` is not played. */
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { formatTime } from '../../../shared/machinery/time.ts';
import { type ControllerContext, controllerReference, tolerateRace, writeStatus } from './context.ts';
import { isFinished } from './job.ts';
import { createdAt, nameOf } from './pods.ts';

const MINUTE_MS = 60_000;
const FIELD_RANGES: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
];
const MACROS: Record<string, string> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};
/** A schedule with no time within this many minutes (30 February) has none. */
const SEARCH_MAX_MINUTES = 366 * 24 * 60;

/** The next time after `after` (epoch ms) at which the schedule fires; undefined: never, or the schedule cannot be read. */
export function nextRun(schedule: string, after: number): number | undefined {
  // `?` says the same as `*`, as for upstream's parser.
  const fields = (MACROS[schedule.trim()] ?? schedule).trim().replaceAll('?', '*').split(/\s+/);
  if (fields.length !== FIELD_RANGES.length) return undefined;
  const sets = fields.map((field, i) => parseField(field, FIELD_RANGES[i] ?? [0, 0]));
  const [minutes, hours, days, months, weekdays] = sets;
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  const anyDay = [fields[2], fields[4]].some((field) => field === '*' || field === '*/1');
  let at = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  for (let i = 0; i < SEARCH_MAX_MINUTES; i += 1, at += MINUTE_MS) {
    const date = new Date(at);
    if (!minutes.has(date.getUTCMinutes()) || !hours.has(date.getUTCHours()) || !months.has(date.getUTCMonth() + 1)) continue;
    const dayFits = days.has(date.getUTCDate());
    const weekdayFits = weekdays.has(date.getUTCDay()) || (date.getUTCDay() === 0 && weekdays.has(7));
    // cron's rule: when both day fields are given, either may fit.
    if (anyDay ? dayFits && weekdayFits : dayFits || weekdayFits) return at;
  }
  return undefined;
}

function parseField(field: string, [low, high]: readonly [number, number]): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const match = /^(\*|\d+)(?:-(\d+))?(?:\/(\d+))?$/.exec(part);
    if (!match) return undefined;
    const first = match[1] === '*' ? low : Number(match[1]);
    const last = match[2] !== undefined ? Number(match[2]) : match[1] === '*' || match[3] !== undefined ? high : first;
    const step = Number(match[3] ?? 1);
    if (first < low || last > high || step < 1) return undefined;
    for (let value = first; value <= last; value += step) values.add(value);
  }
  return values;
}

export async function reconcileCronJob(context: ControllerContext, namespace: string, name: string): Promise<void> {
  const cron = context.cache.get('cronjobs', namespace, name);
  if (!cron || cron.metadata.deletionTimestamp) return;
  const now = context.clock.now();
  const jobs = context.cache.controlledBy('jobs', cron.metadata.uid ?? '');
  const active = jobs.filter((job) => !isFinished(job));
  const last = Date.parse(cron.status?.lastScheduleTime ?? '') || createdAt(cron);
  const due = nextRun(cron.spec.schedule as string, last);
  const status: Record<string, unknown> = { ...cron.status };
  if (
    due !== undefined &&
    due <= now &&
    cron.spec.suspend !== true &&
    !(cron.spec.concurrencyPolicy === 'Forbid' && active.length > 0)
  ) {
    if (cron.spec.concurrencyPolicy === 'Replace')
      for (const job of active)
        await tolerateRace(
          context.api.delete(context.kinds('jobs'), namespace, nameOf(job), { propagationPolicy: 'Background' }),
        );
    // Missed times are made up by one run, the latest, as upstream does.
    const run = latestRun(cron.spec.schedule as string, due, now);
    await tolerateRace(context.api.create(context.kinds('jobs'), jobOf(cron, run), { fieldManager: 'kube-controller-manager' }));
    status.lastScheduleTime = formatTime(run);
    await context.cache.refresh();
  }
  await trimHistory(context, cron, jobs);
  const running = context.cache.controlledBy('jobs', cron.metadata.uid ?? '').filter((job) => !isFinished(job));
  const { active: _active, ...rest } = status;
  const references = running.map((job) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    namespace,
    name: nameOf(job),
    uid: job.metadata.uid ?? '',
    resourceVersion: job.metadata.resourceVersion ?? '',
  }));
  await writeStatus(context, 'cronjobs', cron, { ...(references.length > 0 ? { active: references } : {}), ...rest });
  const next = nextRun(cron.spec.schedule as string, now);
  if (next !== undefined) context.wakeAt(`cronjobs/${namespace}/${name}`, next);
}

function latestRun(schedule: string, first: number, now: number): number {
  let run = first;
  for (let i = 0; i < 100; i += 1) {
    const next = nextRun(schedule, run);
    if (next === undefined || next > now) return run;
    run = next;
  }
  return run;
}

function jobOf(cron: KubeObject, run: number): KubeObject {
  const template = cron.spec.jobTemplate as KubeObject;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${nameOf(cron)}-${Math.floor(run / MINUTE_MS)}`,
      namespace: cron.metadata.namespace ?? '',
      labels: { ...template.metadata?.labels },
      annotations: { ...template.metadata?.annotations, 'batch.kubernetes.io/cronjob-scheduled-timestamp': formatTime(run) },
      ownerReferences: [controllerReference(cron)],
    },
    spec: structuredClone(template.spec),
  };
}

async function trimHistory(context: ControllerContext, cron: KubeObject, jobs: readonly KubeObject[]): Promise<void> {
  const finished = jobs.filter(isFinished).sort((a, b) => createdAt(b) - createdAt(a));
  const succeeded = finished.filter((job) => (job.status?.succeeded ?? 0) > 0);
  const failed = finished.filter((job) => (job.status?.succeeded ?? 0) === 0);
  const surplus = [
    ...succeeded.slice((cron.spec.successfulJobsHistoryLimit as number | undefined) ?? 3),
    ...failed.slice((cron.spec.failedJobsHistoryLimit as number | undefined) ?? 1),
  ];
  for (const job of surplus)
    await tolerateRace(
      context.api.delete(context.kinds('jobs'), job.metadata.namespace ?? '', nameOf(job), { propagationPolicy: 'Background' }),
    );
}
