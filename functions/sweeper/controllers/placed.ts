/** Objects of the control plane that are placed on member clusters: their controllers run there, and what is made for them here would be in the way. */
import { MANAGED_LABEL } from '../../../shared/federation/keys.ts';
import { FEDERATE_FINALIZER } from '../../../shared/federation/plan/keys.ts';
import { CLUSTER_PROPAGATION_POLICY_LABEL, PROPAGATION_POLICY_LABEL } from '../../../shared/federation/policies/match.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import type { ControlDeps } from './controller.ts';
import { namespaceRef } from './write.ts';

const POLICIES = [PROPAGATION_POLICY_LABEL, CLUSTER_PROPAGATION_POLICY_LABEL];
const namesPolicy = (labels: Readonly<Record<string, string>> | undefined): boolean =>
  POLICIES.some((label) => labels?.[label] !== undefined);

/** Placed already, or about to be: a policy is named by the object or by its namespace. Always false on a member. */
export async function isPlaced(deps: Pick<ControlDeps, 'objects' | 'placesObjects'>, { metadata }: KubeObject): Promise<boolean> {
  if (deps.placesObjects !== true) return false;
  if (metadata.finalizers?.includes(FEDERATE_FINALIZER) || namesPolicy(metadata.labels)) return true;
  const { namespace = '' } = metadata;
  return namespace !== '' && namesPolicy((await deps.objects.get(namespaceRef(namespace)))?.labels);
}

/** A copy that the control plane sent here: it decides when the object goes. */
export function isCopy({ metadata }: KubeObject): boolean {
  return metadata.labels?.[MANAGED_LABEL] === 'true';
}
