/** Kinds of `batch/v1`. */

import { type KindDeclarations, textAt } from '../declare.ts';
import { withStatus } from '../defaults/fill.ts';
import { CRON_JOB_COLUMNS, JOB_COLUMNS } from './columns.ts';
import { defaultCronJob, defaultJob, prepareJob } from './defaults.ts';
import { validateCronJob, validateJob, validateJobUpdate } from './validation.ts';

export const BATCH_KINDS: KindDeclarations = {
  cronjobs: {
    strategy: { validate: validateCronJob, applyDefaults: defaultCronJob, prepareForCreate: withStatus() },
    columns: CRON_JOB_COLUMNS,
    generation: true,
    unconditionalUpdate: true,
  },
  jobs: {
    strategy: {
      validate: validateJob,
      validateUpdate: validateJobUpdate,
      applyDefaults: defaultJob,
      prepareForCreate: prepareJob,
    },
    columns: JOB_COLUMNS,
    generation: true,
    unconditionalUpdate: true,
    defaultDeletion: 'Orphan',
    selectableFields: new Map([['status.successful', (object) => textAt('status', 'succeeded')(object) || '0']]),
  },
};
