/** Every controller by name. What wakes each: shared/runtime/control/routes.ts. */
import type { ObjectRef } from '../../../shared/apis/stored.ts';
import { type ReconcileResult, terminal } from '../../../shared/runtime/reconcile.ts';
import { reconcileCrd } from '../crd.ts';
import { reconcileAccountToken } from './account-token.ts';
import { reconcileAggregation } from './cluster-role-aggregation.ts';
import type { ControlDeps, Controller } from './controller.ts';
import { reconcileDisruption } from './disruption.ts';
import { reconcileMirror } from './endpoint-mirror.ts';
import { reconcileEndpoints } from './endpoints.ts';
import { reconcileNamespaceContent } from './namespace-content.ts';
import { reconcilePolicyStatus } from './policy-status.ts';
import { reconcileProtection } from './protection.ts';
import { reconcileQuota } from './quota.ts';
import { reconcileServiceAddress, reconcileServiceCidr } from './service-address.ts';
import { reconcileTtl } from './ttl.ts';
import { reconcileVolume } from './volume-binder.ts';

const CONTROLLERS: ReadonlyMap<string, Controller> = new Map<string, Controller>([
  ['namespace-content', reconcileNamespaceContent],
  ['endpoints', reconcileEndpoints],
  ['endpoint-mirror', reconcileMirror],
  ['disruption', reconcileDisruption],
  ['quota', reconcileQuota],
  ['protection', reconcileProtection],
  ['volume-binder', reconcileVolume],
  ['service-address', reconcileServiceAddress],
  ['service-cidr', reconcileServiceCidr],
  ['ttl', reconcileTtl],
  ['crd', reconcileCrd],
  ['cluster-role-aggregation', reconcileAggregation],
  ['account-token', reconcileAccountToken],
  ['policy-status', reconcilePolicyStatus],
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
