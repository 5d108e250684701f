/** Rules of `batch/v1` kinds (k8s.io/kubernetes/pkg/apis/batch/validation). */
import { deepEqual } from '../../machinery/equality.ts';
import { isDns1123Label } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import {
  IMMUTABLE,
  invalid,
  nonNegative,
  notSupported,
  type OwnField,
  oneOf,
  required,
  requiredOneOf,
} from '../validation/fields.ts';
import { validatePodTemplate } from '../validation/pod-spec.ts';
import { selectorMatch, validateLabelSelector } from '../validation/selector.ts';
import { cronComplaint } from './cron.ts';

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
/** A CronJob's Jobs get 11 more characters. */
const CRON_NAME_MAX = 52;
const MISMATCH = '`selector` does not match template `labels`';
const RESTARTS = ['OnFailure', 'Never'];

export function validateJob(job: KubeObject): FieldError[] {
  const spec = job.spec ?? {};
  const labels = spec.template?.metadata?.labels;
  return [
    ...generatedSelectorErrors(job),
    ...validateJobSpec('spec', spec),
    ...(spec.selector ? validateLabelSelector('spec.selector', spec.selector) : [required('spec.selector')]),
    ...(selectorMatch(spec.selector, labels) === 'differs' ? [invalid('spec.template.metadata.labels', labels, MISMATCH)] : []),
    ...indexedNameErrors(job),
  ];
}

export function validateJobUpdate(job: KubeObject, old: KubeObject): FieldError[] {
  const spec = job.spec ?? {};
  const before = old.spec ?? {};
  // An indexed Job may change its size together with its parallelism.
  const isElastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  return FIXED_FIELDS.filter((field) => !(field === 'completions' && isElastic) && !deepEqual(spec[field], before[field])).map(
    (field) => invalid(`spec.${field}`, spec[field], IMMUTABLE),
  );
}

const FIXED_FIELDS = [
  'completions',
  'selector',
  'template',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const;

export function validateCronJob(job: KubeObject): FieldError[] {
  const spec = job.spec ?? {};
  const inner = spec.jobTemplate?.spec ?? {};
  const { name = '' } = job.metadata;
  return [
    ...scheduleErrors(spec.schedule),
    ...nonNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds),
    ...timeZoneErrors(spec.timeZone),
    ...requiredOneOf('spec.concurrencyPolicy', spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']),
    ...validateJobSpec('spec.jobTemplate.spec', inner),
    ...(inner.selector ? [invalid('spec.jobTemplate.spec.selector', inner.selector, '`selector` will be auto-generated')] : []),
    ...(inner.manualSelector === true ? [notSupported('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false'])] : []),
    ...nonNegative('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit),
    ...nonNegative('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit),
    ...(name.length > CRON_NAME_MAX ? [invalid('metadata.name', name, `must be no more than ${CRON_NAME_MAX} characters`)] : []),
  ];
}

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

function validateJobSpec(field: string, spec: OwnField): FieldError[] {
  return [
    ...COUNTS.flatMap((count) => nonNegative(`${field}.${count}`, spec[count])),
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
      : []),
    ...indexErrors(field, spec),
    ...oneOf(`${field}.podReplacementPolicy`, spec.podReplacementPolicy, ['Failed', 'TerminatingOrFailed']),
    ...validatePodTemplate(`${field}.template`, spec.template),
    ...restartErrors(`${field}.template.spec.restartPolicy`, spec),
  ];
}

function indexErrors(field: string, spec: OwnField): FieldError[] {
  const mode = spec.completionMode ?? 'NonIndexed';
  if (mode === 'Indexed')
    return spec.completions === undefined ? [required(`${field}.completions`, 'when completion mode is Indexed')] : [];
  const errors = oneOf(`${field}.completionMode`, mode, ['NonIndexed', 'Indexed']);
  if (mode !== 'NonIndexed') return errors;
  for (const member of ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy']) {
    if (spec[member] !== undefined) errors.push(invalid(`${field}.${member}`, spec[member], 'requires indexed completion mode'));
  }
  return errors;
}

function restartErrors(field: string, spec: OwnField): FieldError[] {
  const policy = spec.template?.spec?.restartPolicy ?? '';
  if (policy === '' || policy === 'Always') return [required(field, 'valid values: "OnFailure", "Never"')];
  if (!RESTARTS.includes(policy)) return [notSupported(field, policy, RESTARTS)];
  const isAllowed = !spec.podFailurePolicy || policy === 'Never';
  return isAllowed ? [] : [invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** Without `manualSelector` the selector is the server's own, by the Job's uid. */
function generatedSelectorErrors(job: KubeObject): FieldError[] {
  const { selector, manualSelector } = job.spec ?? {};
  if (manualSelector === true || !selector) return [];
  const isOwn = deepEqual(selector, { matchLabels: { [CONTROLLER_UID]: job.metadata.uid } });
  return isOwn ? [] : [invalid('spec.selector', selector, '`selector` not auto-generated')];
}

/** Pods of an indexed Job are called after it and their index. */
function indexedNameErrors(job: KubeObject): FieldError[] {
  const { completionMode, completions } = job.spec ?? {};
  const { name = '' } = job.metadata;
  if (completionMode !== 'Indexed' || !(completions > 0)) return [];
  const last = `${name}-${completions - 1}`;
  return isDns1123Label(last)
    ? []
    : [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${last}`)];
}

function scheduleErrors(schedule: unknown): FieldError[] {
  const field = 'spec.schedule';
  if (typeof schedule !== 'string' || schedule === '') return [required(field)];
  const complaint = cronComplaint(schedule);
  return [
    ...(complaint ? [invalid(field, schedule, complaint)] : []),
    ...(schedule.includes('TZ')
      ? [invalid(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')]
      : []),
  ];
}

function timeZoneErrors(timeZone: unknown): FieldError[] {
  if (timeZone === undefined || timeZone === null) return [];
  const field = 'spec.timeZone';
  if (timeZone === '') return [invalid(field, timeZone, 'timeZone must be nil or non-empty string')];
  if (String(timeZone).toLowerCase() === 'local')
    return [invalid(field, timeZone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')];
  return isTimeZone(String(timeZone)) ? [] : [invalid(field, timeZone, `unknown time zone ${timeZone}`)];
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
