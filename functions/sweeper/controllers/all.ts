/** Every controller by name. What wakes each: shared/runtime/control/routes.ts. */
import type { ObjectRef } from '../../../shared/apis/stored.ts';
import { type ReconcileResult, terminal } from '../../../shared/runtime/reconcile.ts';
import { reconcileCrd } from '../crd.ts';
import type { ControlDeps, Controller } from './controller.ts';
import { reconcileNamespaceContent } from './namespace-content.ts';

const CONTROLLERS: ReadonlyMap<string, Controller> = new Map<string, Controller>([
  ['namespace-content', reconcileNamespaceContent],
  ['crd', reconcileCrd],
]);

/** Runs one controller on one object. */
export async function reconcileControl(
  deps: ControlDeps,
  work: { controller: string; object: ObjectRef; attempt: number },
): Promise<ReconcileResult> {
  const controller = CONTROLLERS.get(work.controller);
  // A message of another version of this program.
  if (!controller) return terminal('UnknownController', `no controller is called ${work.controller}`);
  return controller(deps, work.object, work.attempt);
}
