/** The status function: what the members report, on the object that the user applied. */
import { type BatchHandler, createBatchHandler } from '../../shared/runtime/batch.ts';
import type { StatusDeps } from './deps.ts';
import { reconcileStatus } from './reconcile-status.ts';

export type { StatusDeps } from './deps.ts';
export { reconcileStatus } from './reconcile-status.ts';
export { createThrottle } from './throttle.ts';

/** The handler of the `status` queue. */
export function createStatusHandler(deps: StatusDeps): BatchHandler {
  return createBatchHandler(deps, {
    name: 'status',
    reconcile: async (work) => (work.type === 'status' ? reconcileStatus(deps, work) : undefined),
  });
}
