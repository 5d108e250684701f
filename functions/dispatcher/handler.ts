/** The dispatcher function: one message per object and cluster, side by side over clusters, never more than a few at once per cluster. */
import { type BatchHandler, createBatchHandler } from '../../shared/runtime/batch.ts';
import { createKeyedLimit } from '../../shared/runtime/concurrency.ts';
import { done } from '../../shared/runtime/reconcile.ts';
import type { DispatcherDeps } from './deps.ts';
import { ROUNDS_PER_CLUSTER, ROUNDS_PER_SLOW_CLUSTER, SLOW_AGAIN_MS, SLOW_ROUND_MS } from './limits.ts';
import { reconcileDispatch } from './reconcile-dispatch.ts';
import { sendAgain } from './save.ts';

export type { DispatcherDeps } from './deps.ts';
export { reconcileDispatch } from './reconcile-dispatch.ts';

/** The handler of the `dispatcher` queue. */
export function createDispatcherHandler(deps: DispatcherDeps): BatchHandler {
  const limit = createKeyedLimit(ROUNDS_PER_CLUSTER, {
    clock: deps.clock,
    slowMs: SLOW_ROUND_MS,
    slowMax: ROUNDS_PER_SLOW_CLUSTER,
  });
  return createBatchHandler(deps, {
    name: 'dispatcher',
    concurrency: 64,
    async reconcile(work) {
      if (work.type !== 'dispatch') return undefined;
      const round = await limit.run(work.cluster, () => reconcileDispatch(deps, work));
      if (round.type === 'done') return round.value;
      // A worker's place is given to the work of other clusters.
      await sendAgain(deps, work.federated, work.cluster, { pace: 'poll', delayMs: SLOW_AGAIN_MS });
      return done(`cluster ${work.cluster} is slow: later`);
    },
  });
}
