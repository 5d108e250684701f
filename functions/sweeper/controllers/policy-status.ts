/** Status of ValidatingAdmissionPolicies: which generation was looked at, and what its expressions get wrong about the kinds that it is for. */
import { typeCheckPolicy } from '../../../shared/apis/admission/type-check.ts';
import type { ObjectRef } from '../../../shared/apis/stored.ts';
import { done, type ReconcileResult, requeueAfter } from '../../../shared/runtime/reconcile.ts';
import { WRITE_RETRY_MS } from '../limits.ts';
import type { ControlDeps } from './controller.ts';
import { update } from './write.ts';

/** `object` is the policy. A generation is looked at once, as upstream's controller does. */
export async function reconcilePolicyStatus(deps: ControlDeps, object: ObjectRef): Promise<ReconcileResult> {
  const policy = await deps.reader.get(object);
  if (!policy) return done('the policy is gone');
  const generation = policy.object.metadata.generation ?? 0;
  if (generation <= (policy.object.status?.observedGeneration ?? 0)) return done('it was looked at');
  const warnings = typeCheckPolicy(policy.object, deps.registry());
  const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
  const status = { ...policy.object.status, observedGeneration: generation, typeChecking };
  const isWritten = await update(deps, policy, { ...policy.object, status }, 'status');
  return isWritten ? done(`${warnings.length} warnings`) : requeueAfter(WRITE_RETRY_MS, 'the policy changed meanwhile');
}
