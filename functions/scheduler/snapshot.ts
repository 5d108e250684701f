/** Loads everything that a placement depends on, and nothing else. */
import type { ObjectRef } from '../../shared/apis/stored.ts';
import {
  CLUSTER_OVERRIDE_POLICY_LABEL,
  matchedPolicy,
  OVERRIDE_POLICY_LABEL,
  type PolicyKey,
} from '../../shared/federation/policies/match.ts';
import { followerOwner } from '../../shared/federation/records.ts';
import type { FollowRef, LeaderPlacement, PlanSnapshot } from '../../shared/federation/snapshot.ts';
import { placedClusters } from '../../shared/federation/status/context.ts';
import { companionScopes, federatedRef, followRefOf, SCOPES } from '../../shared/federation/type-config.ts';
import { parseJson } from '../../shared/machinery/codec/json.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import type { StoreRecord } from '../../shared/ports/object-store.ts';
import type { Loaded } from '../../shared/runtime/objects.ts';
import type { SchedulerDeps } from './deps.ts';
import { LEADERS_MAX } from './limits.ts';
import type { Subject } from './subject.ts';

/** The pure snapshot, and the stored objects that the commit compares with. */
export type Taken = { snapshot: PlanSnapshot; decision: Loaded | undefined; records: readonly StoreRecord[] };

/** Takes the snapshot of a source that exists. `records` are the dispatch records of its FederatedObject. */
export async function takeSnapshot(deps: SchedulerDeps, subject: Subject, source: Loaded, owner: string): Promise<Taken> {
  const { type, federatedRef: federated } = subject;
  const { namespace, labels } = source.stored;
  const [clusters, namespaceObject, decision, records, leaders] = await Promise.all([
    deps.clusters.all(),
    namespace === '' ? undefined : deps.reader.get({ scope: SCOPES.namespaces, namespace: '', name: namespace }),
    deps.reader.get({ ...federated, scope: companionScopes(federated).decision }),
    deps.records.ofOwner(owner),
    leadersOf(deps, followRefOf(type, source.stored)),
  ]);
  const namespaceLabels = namespaceObject?.stored.labels ?? {};
  const key = matchedPolicy({ namespace, labels, namespaceLabels });
  const policy = key && { kind: key.kind, name: key.name, ...(await optional(deps, policyRef(key))) };
  const profileName: unknown = policy?.object?.spec?.schedulingProfile;
  const profile =
    typeof profileName === 'string' && profileName !== ''
      ? { name: profileName, ...(await optional(deps, { scope: SCOPES.profiles, namespace: '', name: profileName })) }
      : undefined;
  const snapshot: PlanSnapshot = {
    source: source.object,
    type: type.type,
    typeConfig: type.object,
    namespaceLabels,
    ...(subject.federated ? { federated: subject.federated.object } : {}),
    ...(decision ? { previous: decision.object } : {}),
    ...(policy ? { policy } : {}),
    ...(profile ? { profile } : {}),
    overridePolicies: await overridePolicies(deps, namespace, labels),
    clusters,
    leaders,
    reservations: deps.reservations.amounts(clusters, owner, deps.clock.now()),
  };
  return { snapshot, decision, records };
}

async function optional(deps: SchedulerDeps, ref: ObjectRef): Promise<{ object?: KubeObject }> {
  const loaded = await deps.reader.get(ref);
  return loaded ? { object: loaded.object } : {};
}

function policyRef({ kind, name, namespace }: PolicyKey): ObjectRef {
  const scope = kind === 'PropagationPolicy' ? SCOPES.propagationPolicies : SCOPES.clusterPropagationPolicies;
  return { scope, namespace, name };
}

async function overridePolicies(
  deps: SchedulerDeps,
  namespace: string,
  labels: Record<string, string>,
): Promise<PlanSnapshot['overridePolicies']> {
  const found: PlanSnapshot['overridePolicies'][number][] = [];
  const cluster = labels[CLUSTER_OVERRIDE_POLICY_LABEL];
  if (cluster !== undefined) {
    const ref = { scope: SCOPES.clusterOverridePolicies, namespace: '', name: cluster };
    found.push({ kind: 'ClusterOverridePolicy', name: cluster, ...(await optional(deps, ref)) });
  }
  const own = namespace === '' ? undefined : labels[OVERRIDE_POLICY_LABEL];
  if (own !== undefined) {
    const ref = { scope: SCOPES.overridePolicies, namespace, name: own };
    found.push({ kind: 'OverridePolicy', name: own, ...(await optional(deps, ref)) });
  }
  return found;
}

/** Where the leaders are that name this object among their followers. */
async function leadersOf(deps: SchedulerDeps, follower: FollowRef): Promise<LeaderPlacement[]> {
  const records = (await deps.records.ofOwner(followerOwner(follower))).slice(0, LEADERS_MAX);
  if (records.length === 0) return [];
  const types = await deps.types.all();
  const leaders: LeaderPlacement[] = [];
  for (const record of records) {
    const ref = parseJson(record.body) as unknown as FollowRef;
    const type = types.byKind.get(`${ref.group}/${ref.kind}`);
    const federated = type && (await deps.reader.get(federatedRef(type, ref)));
    if (federated && federated.object.metadata.deletionTimestamp === undefined)
      leaders.push({ ref, clusters: [...placedClusters(federated.object)].sort() });
  }
  return leaders;
}
