/** Columns of `batch/v1` kinds. */
import { formatHumanDuration } from '../../machinery/duration.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { selectorText } from '../apps/columns.ts';
import type { Column } from '../definition.ts';
import {
  AGE,
  ageOf,
  count,
  hasCondition,
  integer,
  list,
  NAME,
  templateColumns,
  text,
  timeOf,
  wide,
} from '../printing/columns.ts';

export const JOB_COLUMNS: readonly Column[] = [
  NAME,
  text('Status', jobStatus),
  text('Completions', completions),
  text('Duration', duration),
  AGE,
  ...templateColumns((job) => job.spec?.template),
  wide(text('Selector', (job) => selectorText(job.spec?.selector))),
];

function jobStatus(job: KubeObject): string {
  const { conditions } = job.status ?? {};
  if (hasCondition(conditions, 'Complete')) return 'Complete';
  if (hasCondition(conditions, 'Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp) return 'Terminating';
  if (hasCondition(conditions, 'Suspended')) return 'Suspended';
  if (hasCondition(conditions, 'FailureTarget')) return 'FailureTarget';
  return hasCondition(conditions, 'SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function completions(job: KubeObject): string {
  const succeeded = count(job.status?.succeeded);
  const { completions: wanted, parallelism } = job.spec ?? {};
  if (typeof wanted === 'number') return `${succeeded}/${wanted}`;
  return count(parallelism) > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration(job: KubeObject, now: number): string {
  const startedAt = timeOf(job.status?.startTime);
  if (startedAt === undefined) return '';
  return formatHumanDuration((timeOf(job.status?.completionTime) ?? now) - startedAt);
}

export const CRON_JOB_COLUMNS: readonly Column[] = [
  NAME,
  text('Schedule', (job) => job.spec?.schedule ?? ''),
  text('Timezone', (job) => job.spec?.timeZone ?? '<none>'),
  // A word in a boolean column, as upstream.
  { ...text('Suspend', (job) => suspended(job.spec?.suspend)), type: 'boolean' },
  integer('Active', (job) => list(job.status?.active).length),
  text('Last Schedule', (job, now) => (job.status?.lastScheduleTime ? ageOf(job.status.lastScheduleTime, now) : '<none>')),
  AGE,
  ...templateColumns((job) => job.spec?.jobTemplate?.spec?.template),
  wide(text('Selector', (job) => selectorText(job.spec?.jobTemplate?.spec?.selector))),
];

function suspended(value: unknown): string {
  if (typeof value !== 'boolean') return '<unset>';
  return value ? 'True' : 'False';
}
