/** Tells a creator at once that nothing will place the object: which label is missing, in a Warning header. The object is accepted all the same. */
import type { AdmissionRequest, AdmissionStep } from '../../shared/apiserver/server.ts';
import { USUALLY_FOLLOW } from '../../shared/federation/followers/followers.ts';
import { NO_FEDERATED_RESOURCE_ANNOTATION, SYSTEM_NAMESPACE } from '../../shared/federation/keys.ts';
import {
  CLUSTER_PROPAGATION_POLICY_LABEL,
  matchedPolicy,
  PROPAGATION_POLICY_LABEL,
} from '../../shared/federation/policies/match.ts';
import { type FederatedTypes, SCOPES } from '../../shared/federation/type-config.ts';
import type { ObjectReader } from '../../shared/runtime/objects.ts';
import type { ScopeCache } from '../../shared/runtime/scope-cache.ts';

/** Kinds that do nothing where no controller runs. Shipped FederatedTypeConfigs leave them out, as KubeAdmiral's do. */
const RUN_ONLY_IN_MEMBERS = new Set(['/Pod', '/ReplicationController', 'apps/ReplicaSet', 'policy/PodDisruptionBudget']);

type Deps = { types: ScopeCache<FederatedTypes>; reader: ObjectReader };

/** Runs last and changes nothing. Objects of kinds that are not federated, or that opt out, get no warning. */
export function policyWarning(deps: Deps): AdmissionStep {
  return { name: 'PolicyWarning', validate: (request) => warnWithoutPolicy(deps, request) };
}

async function warnWithoutPolicy(deps: Deps, request: AdmissionRequest): Promise<void> {
  const { definition, operation, subresource, namespace, object } = request;
  if (operation !== 'create' || subresource !== '' || !object || namespace === SYSTEM_NAMESPACE) return;
  const kind = `${definition.group}/${definition.kind}`;
  if (USUALLY_FOLLOW.has(kind) || object.metadata.annotations?.[NO_FEDERATED_RESOURCE_ANNOTATION]) return;
  // ReplicaSets, Pods and others that a controller makes are their owner's business.
  if ((object.metadata.ownerReferences ?? []).some((owner) => owner.controller)) return;
  const { byKind } = await deps.types.all();
  if (!byKind.has(kind)) return warnUnfederated(request, kind);
  const labels = object.metadata.labels ?? {};
  const namespaceLabels = namespace === '' ? {} : await labelsOf(deps, namespace);
  if (matchedPolicy({ namespace, labels, namespaceLabels })) return;
  request.warn(warningText(definition.plural, request.name, namespace));
}

function warnUnfederated({ definition, name, warn }: AdmissionRequest, kind: string): void {
  if (!RUN_ONLY_IN_MEMBERS.has(kind)) return;
  warn(
    `${definition.plural} ${name} is stored but runs nowhere: no FederatedTypeConfig names ${definition.kind}, so it is sent to no cluster`,
  );
}

async function labelsOf(deps: Deps, namespace: string): Promise<Record<string, string>> {
  const found = await deps.reader.get({ scope: SCOPES.namespaces, namespace: '', name: namespace });
  return found?.object.metadata.labels ?? {};
}

function warningText(plural: string, name: string, namespace: string): string {
  if (namespace === '')
    return `${plural} ${name} is stored but placed in no cluster: it has no label ${CLUSTER_PROPAGATION_POLICY_LABEL}`;
  return `${plural} ${name} is stored but placed in no cluster: neither it nor namespace ${namespace} has a label ${PROPAGATION_POLICY_LABEL} or ${CLUSTER_PROPAGATION_POLICY_LABEL}`;
}
