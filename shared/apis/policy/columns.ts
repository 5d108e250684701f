/** Columns of `policy/v1` kinds. */
import type { Column } from '../definition.ts';
import { AGE, count, integer, NAME, text } from '../printing/columns.ts';

const orNotSet = (value: unknown): string => (value === undefined || value === null ? 'N/A' : String(value));

export const DISRUPTION_BUDGET_COLUMNS: readonly Column[] = [
  NAME,
  text('Min Available', (budget) => orNotSet(budget.spec?.minAvailable)),
  text('Max Unavailable', (budget) => orNotSet(budget.spec?.maxUnavailable)),
  integer('Allowed Disruptions', (budget) => count(budget.status?.disruptionsAllowed)),
  AGE,
];
