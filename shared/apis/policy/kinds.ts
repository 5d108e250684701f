/** Kinds of `policy/v1`. */

import type { KindDeclarations } from '../declare.ts';
import { withStatus } from '../defaults/fill.ts';
import { validateDisruptionBudget } from '../others/validation.ts';
import { DISRUPTION_BUDGET_COLUMNS } from './columns.ts';

export const POLICY_KINDS: KindDeclarations = {
  poddisruptionbudgets: {
    strategy: {
      validate: validateDisruptionBudget,
      prepareForCreate: withStatus({ currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 }),
    },
    columns: DISRUPTION_BUDGET_COLUMNS,
    generation: true,
  },
};
