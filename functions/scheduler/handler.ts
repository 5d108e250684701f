/** The scheduler function: places sources, and takes them back when they are deleted. */
import { type BatchHandler, createBatchHandler } from '../../shared/runtime/batch.ts';
import type { SchedulerDeps } from './deps.ts';
import { reconcileSchedule } from './reconcile-schedule.ts';

export type { SchedulerDeps } from './deps.ts';
export { reconcileSchedule } from './reconcile-schedule.ts';
export { createReservations } from './reservations.ts';

/** The handler of the `scheduler` queue. */
export function createSchedulerHandler(deps: SchedulerDeps): BatchHandler {
  return createBatchHandler(deps, {
    name: 'scheduler',
    reconcile: async (work) => (work.type === 'schedule' ? reconcileSchedule(deps, work) : undefined),
  });
}
