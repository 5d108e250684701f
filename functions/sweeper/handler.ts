/** The sweeper function: garbage collection, namespaces, and the slow pass. */
import { type BatchDeps, type BatchHandler, createBatchHandler } from '../../shared/runtime/batch.ts';
import { reconcileControl } from './controllers/all.ts';
import type { ControlDeps } from './controllers/controller.ts';
import { reconcileDeleting, reconcileOwnerGone } from './garbage.ts';
import { type PassDeps, reconcilePass } from './pass.ts';
import { reconcileNamespace } from './reconcile-namespace.ts';

export { reconcileControl } from './controllers/all.ts';
export type { ControlDeps } from './controllers/controller.ts';
export { type GarbageDeps, reconcileDeleting, reconcileOwnerGone } from './garbage.ts';
export { type PassDeps, reconcilePass } from './pass.ts';
export { reconcileNamespace } from './reconcile-namespace.ts';

export type SweeperDeps = PassDeps & BatchDeps & ControlDeps;

/** The handler of the `sweeper` queue. */
export function createSweeperHandler(deps: SweeperDeps): BatchHandler {
  return createBatchHandler(deps, {
    name: 'sweeper',
    async reconcile(work) {
      switch (work.type) {
        case 'ownerGone':
          return reconcileOwnerGone(deps, work.uid, work.attempt);
        case 'deleting':
          return reconcileDeleting(deps, work.object, work.attempt);
        case 'namespace':
          return reconcileNamespace(deps, work.name, work.attempt);
        case 'control':
          return reconcileControl(deps, work);
        case 'pass':
          return reconcilePass(deps);
        default:
          return undefined;
      }
    },
  });
}

/** Asks for a slow pass: called by a timer (`dev`) or a schedule (AWS). */
export async function sweepTick(deps: Pick<SweeperDeps, 'sender'>, period: string): Promise<void> {
  await deps.sender.send([{ work: { type: 'pass', attempt: 0 }, cause: `tick ${period}` }]);
}
