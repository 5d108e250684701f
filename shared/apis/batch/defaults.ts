/** Defaults of `batch/v1` kinds, and what the server adds to a Job (k8s.io/kubernetes/pkg/apis/batch, pkg/registry/batch/job). */
import type { KubeObject } from '../../machinery/object.ts';
import { fill, fillEmpty, forEachStruct, isStruct, type Struct, struct } from '../defaults/fill.ts';
import { defaultPodTemplate } from '../defaults/pod-spec.ts';

const BACKOFF_LIMIT = 6;
/** No limit of its own where every index has one. */
const BACKOFF_LIMIT_MAX = 2 ** 31 - 1;

export function defaultJob(job: KubeObject): void {
  const spec = struct(job, 'spec');
  defaultJobSpec(spec);
  const labels = spec.template?.metadata?.labels;
  if (isStruct(labels) && Object.keys(job.metadata.labels ?? {}).length === 0 && Object.keys(labels).length > 0)
    job.metadata.labels = { ...labels };
}

function defaultJobSpec(spec: Struct): void {
  if (spec.completions === undefined && spec.parallelism === undefined) fill(spec, { completions: 1 });
  fill(spec, {
    parallelism: 1,
    backoffLimit: spec.backoffLimitPerIndex === undefined ? BACKOFF_LIMIT : BACKOFF_LIMIT_MAX,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed',
  });
  forEachStruct(spec.podFailurePolicy?.rules, (rule) =>
    forEachStruct(rule.onPodConditions, (each) => fillEmpty(each, { status: 'True' })),
  );
  defaultPodTemplate(struct(spec, 'template'));
}

/** The Job inside a CronJob gets the defaults of its pod template only, as upstream. */
export function defaultCronJob(job: KubeObject): void {
  const spec = struct(job, 'spec');
  fillEmpty(spec, { concurrencyPolicy: 'Allow' });
  fill(spec, { suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 });
  const jobTemplate = struct(spec, 'jobTemplate');
  struct(jobTemplate, 'metadata');
  defaultPodTemplate(struct(struct(jobTemplate, 'spec'), 'template'));
}

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const JOB_NAME = 'batch.kubernetes.io/job-name';

/** A Job without a selector of its own is given one that only its pods can match; needs the Job's uid. */
function generateJobSelector(job: KubeObject): void {
  const spec = struct(job, 'spec');
  if (spec.manualSelector === true || !isStruct(spec.template)) return;
  const { uid = '', name = '' } = job.metadata;
  const labels = struct(struct(spec.template, 'metadata'), 'labels');
  fill(labels, { [CONTROLLER_UID]: uid, [JOB_NAME]: name, 'controller-uid': uid, 'job-name': name });
  const matchLabels = struct(struct(spec, 'selector'), 'matchLabels');
  fill(matchLabels, { [CONTROLLER_UID]: uid });
}

/** A new Job: no status yet, the generated selector, and the template's labels where it has none of its own. */
export function prepareJob(job: KubeObject): void {
  job.status = {};
  const hadLabels = Object.keys(job.metadata.labels ?? {}).length > 0;
  generateJobSelector(job);
  if (!hadLabels) defaultJob(job);
}
