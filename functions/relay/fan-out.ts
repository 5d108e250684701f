/** Which objects a changed policy, profile, type or namespace concerns. Found by stored labels, without parsing a body. */
import { fromStored, type ObjectRef, type StoredObject } from '../../shared/apis/stored.ts';
import { dispatchOwner } from '../../shared/federation/records.ts';
import { type FederatedTypes, federatedType, SCOPES } from '../../shared/federation/type-config.ts';
import type { FeedEntry } from '../../shared/ports/object-store.ts';
import { listStored, refOf } from '../../shared/runtime/objects.ts';
import type { Outgoing } from '../../shared/runtime/send.ts';
import type { RelayDeps } from './deps.ts';
import { CLUSTERS_LOOKED_UP_MAX } from './limits.ts';

const PREFIX = 'kubeadmiral.io/';

/** The label by which objects (and, as a default, namespaces) name a policy of each scope. */
const POLICY_LABEL = new Map<string, string>([
  [SCOPES.propagationPolicies, `${PREFIX}propagation-policy-name`],
  [SCOPES.clusterPropagationPolicies, `${PREFIX}cluster-propagation-policy-name`],
  [SCOPES.overridePolicies, `${PREFIX}override-policy-name`],
  [SCOPES.clusterOverridePolicies, `${PREFIX}cluster-override-policy-name`],
]);
const PROPAGATION_LABELS = [`${PREFIX}propagation-policy-name`, `${PREFIX}cluster-propagation-policy-name`];

/** FederatedObjects that name the policy, and sources in namespaces that name it for those that name none. */
export async function* objectsOfPolicy(
  deps: RelayDeps,
  types: FederatedTypes,
  policy: Pick<FeedEntry, 'scope' | 'namespace' | 'name'>,
  cause: string,
): AsyncGenerator<Outgoing> {
  const label = POLICY_LABEL.get(policy.scope);
  if (label === undefined) return;
  const names = (stored: StoredObject) => stored.labels[label] === policy.name;
  const isClusterWide = policy.namespace === '';
  yield* scheduled(named(deps, SCOPES.federated, isClusterWide ? undefined : policy.namespace, names), cause);
  if (isClusterWide) yield* scheduled(named(deps, SCOPES.clusterFederated, undefined, names), cause);
  if (!PROPAGATION_LABELS.includes(label)) return;
  for (const namespace of await namespacesOf(deps, policy, names)) yield* defaultedObjects(deps, types, namespace, cause);
}

async function namespacesOf(
  deps: RelayDeps,
  policy: { namespace: string },
  names: (stored: StoredObject) => boolean,
): Promise<string[]> {
  if (policy.namespace !== '') {
    const namespace = await deps.objects.get({ scope: SCOPES.namespaces, namespace: '', name: policy.namespace });
    return namespace && names(namespace) ? [policy.namespace] : [];
  }
  const found: string[] = [];
  for await (const namespace of listStored(deps.objects, SCOPES.namespaces)) if (names(namespace)) found.push(namespace.name);
  return found;
}

/** Sources of a namespace that name no propagation policy: those that its labels speak for. */
async function* defaultedObjects(
  deps: RelayDeps,
  types: FederatedTypes,
  namespace: string,
  cause: string,
): AsyncGenerator<Outgoing> {
  const namesNone = (stored: StoredObject) => PROPAGATION_LABELS.every((label) => stored.labels[label] === undefined);
  for (const { scope, type } of types.all)
    if (type.scope === 'Namespaced') yield* scheduled(named(deps, scope, namespace, namesNone), cause);
}

/** Objects whose placement may follow their namespace's labels. */
export function objectsOfNamespace(
  deps: RelayDeps,
  types: FederatedTypes,
  entry: FeedEntry,
  cause: string,
): AsyncGenerator<Outgoing> {
  return defaultedObjects(deps, types, entry.name, cause);
}

/** Objects of all policies that name the profile. */
export async function* objectsOfProfile(
  deps: RelayDeps,
  types: FederatedTypes,
  entry: FeedEntry,
  cause: string,
): AsyncGenerator<Outgoing> {
  for (const scope of [SCOPES.propagationPolicies, SCOPES.clusterPropagationPolicies])
    for await (const stored of listStored(deps.objects, scope))
      if (fromStored(stored).spec?.schedulingProfile === entry.name) yield* objectsOfPolicy(deps, types, stored, cause);
}

/** All sources of a type whose FederatedTypeConfig came, changed or went. */
export async function* objectsOfType(
  deps: RelayDeps,
  types: FederatedTypes,
  entry: FeedEntry,
  cause: string,
): AsyncGenerator<Outgoing> {
  const config = await deps.reader.get(entry);
  const scope = config ? federatedType(config.object).scope : types.all.find((type) => type.name === entry.name)?.scope;
  if (scope !== undefined) yield* scheduled(listStored(deps.objects, scope), cause);
}

/** Every FederatedObject, for changes of clusters: a new plan; and where one of them has a copy, a status that says which reports are stale. */
export async function* allFederated(deps: RelayDeps, clusters: readonly string[], cause: string): AsyncGenerator<Outgoing> {
  for (const scope of [SCOPES.federated, SCOPES.clusterFederated])
    for await (const stored of listStored(deps.objects, scope)) {
      const ref = refOf(stored);
      yield { work: { type: 'schedule', source: ref, attempt: 0 }, cause };
      if (await mayHaveCopy(deps, ref, clusters)) yield { work: { type: 'status', federated: ref, attempt: 0 }, cause };
    }
}

/** Whether one of the clusters has a record of the object; of many clusters, one is taken to. */
async function mayHaveCopy(deps: RelayDeps, ref: ObjectRef, clusters: readonly string[]): Promise<boolean> {
  if (clusters.length > CLUSTERS_LOOKED_UP_MAX) return true;
  for (const cluster of clusters) if (await deps.records.get(dispatchOwner(ref), cluster)) return true;
  return false;
}

async function* named(
  deps: RelayDeps,
  scope: string,
  namespace: string | undefined,
  wanted: (stored: StoredObject) => boolean,
): AsyncGenerator<StoredObject> {
  for await (const stored of listStored(deps.objects, scope, namespace)) if (wanted(stored)) yield stored;
}

async function* scheduled(refs: AsyncIterable<ObjectRef>, cause: string): AsyncGenerator<Outgoing> {
  for await (const ref of refs) yield { work: { type: 'schedule', source: refOf(ref), attempt: 0 }, cause };
}
