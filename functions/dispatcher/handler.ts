/** The dispatcher function: one message per object and cluster, side by side over clusters, never more than a few at once per cluster. */
import { type BatchHandler, createBatchHandler } from '../../shared/runtime/batch.ts';
import { createKeyedLimit } from '../../shared/runtime/concurrency.ts';
import type { DispatcherDeps } from './deps.ts';
import { ROUNDS_PER_CLUSTER } from './limits.ts';
import { reconcileDispatch } from './reconcile-dispatch.ts';

export type { DispatcherDeps } from './deps.ts';
export { reconcileDispatch } from './reconcile-dispatch.ts';

/** The handler of the `dispatcher` queue. */
export function createDispatcherHandler(deps: DispatcherDeps): BatchHandler {
  const limit = createKeyedLimit(ROUNDS_PER_CLUSTER);
  return createBatchHandler(deps, {
    name: 'dispatcher',
    concurrency: 64,
    async reconcile(work) {
      if (work.type !== 'dispatch') return undefined;
      return limit.run(work.cluster, () => reconcileDispatch(deps, work));
    },
  });
}
