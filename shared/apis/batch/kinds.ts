/** Kinds of `batch/v1`. */
import { type KindDeclarations, textAt } from '../declare.ts';

export const BATCH_KINDS: KindDeclarations = {
  cronjobs: { generation: true, unconditionalUpdate: true },
  jobs: {
    generation: true,
    unconditionalUpdate: true,
    defaultDeletion: 'Orphan',
    selectableFields: new Map([['status.successful', (object) => textAt('status', 'succeeded')(object) || '0']]),
  },
};
