/** FederatedTypeConfigs as workers read them, and the places of the objects that follow from a source. */

import type { ObjectRef } from '../apis/stored.ts';
import type { KubeObject } from '../machinery/object.ts';
import { parseApiVersion, scopeOf } from '../machinery/resource.ts';
import { federatedObjectName } from './naming.ts';
import type { FollowRef, SourceType } from './snapshot.ts';
import { decisionOfFederated } from './status/context.ts';

/** Group of KubeAdmiral's kinds and of our own. */
export const CORE_GROUP = 'core.kubeadmiral.io';
export const LAMIRAL_GROUP = 'lamiral.dev';

/** Scopes of what the workers read and write. */
export const SCOPES = {
  clusters: scopeOf({ group: CORE_GROUP, resource: 'federatedclusters' }),
  typeConfigs: scopeOf({ group: CORE_GROUP, resource: 'federatedtypeconfigs' }),
  federated: scopeOf({ group: CORE_GROUP, resource: 'federatedobjects' }),
  clusterFederated: scopeOf({ group: CORE_GROUP, resource: 'clusterfederatedobjects' }),
  propagationPolicies: scopeOf({ group: CORE_GROUP, resource: 'propagationpolicies' }),
  clusterPropagationPolicies: scopeOf({ group: CORE_GROUP, resource: 'clusterpropagationpolicies' }),
  overridePolicies: scopeOf({ group: CORE_GROUP, resource: 'overridepolicies' }),
  clusterOverridePolicies: scopeOf({ group: CORE_GROUP, resource: 'clusteroverridepolicies' }),
  profiles: scopeOf({ group: CORE_GROUP, resource: 'schedulingprofiles' }),
  collected: scopeOf({ group: CORE_GROUP, resource: 'collectedstatuses' }),
  clusterCollected: scopeOf({ group: CORE_GROUP, resource: 'clustercollectedstatuses' }),
  versions: scopeOf({ group: CORE_GROUP, resource: 'propagatedversions' }),
  clusterVersions: scopeOf({ group: CORE_GROUP, resource: 'clusterpropagatedversions' }),
  decisions: scopeOf({ group: LAMIRAL_GROUP, resource: 'schedulingdecisions' }),
  clusterDecisions: scopeOf({ group: LAMIRAL_GROUP, resource: 'clusterschedulingdecisions' }),
  namespaces: '/namespaces',
  secrets: '/secrets',
  events: '/events',
  replicaSets: 'apps/replicasets',
} as const;

/** One FederatedTypeConfig: `scope` is where its sources are stored, `object` the FederatedTypeConfig itself. */
export type FederatedType = { name: string; type: SourceType; scope: string; object: KubeObject };

/** All types, by the scope of their sources and by `group/kind`. */
export type FederatedTypes = {
  all: readonly FederatedType[];
  byScope: ReadonlyMap<string, FederatedType>;
  byKind: ReadonlyMap<string, FederatedType>;
};

/** Reads a FederatedTypeConfig. */
export function federatedType(config: KubeObject): FederatedType {
  const type = config.spec?.sourceType ?? {};
  const source: SourceType = {
    group: String(type.group ?? ''),
    version: String(type.version ?? ''),
    kind: String(type.kind ?? ''),
    pluralName: String(type.pluralName ?? ''),
    scope: type.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
  };
  const scope = scopeOf({ group: source.group, resource: source.pluralName });
  return { name: config.metadata.name ?? '', type: source, scope, object: config };
}

/** Indexes types. Of two for one resource the first by name counts (KubeAdmiral refuses the second). */
export function federatedTypes(types: readonly FederatedType[]): FederatedTypes {
  const live = types.filter((type) => type.object.metadata.deletionTimestamp === undefined);
  const byScope = new Map<string, FederatedType>();
  const byKind = new Map<string, FederatedType>();
  for (const type of live) {
    const kind = `${type.type.group}/${type.type.kind}`;
    if (!byScope.has(type.scope)) byScope.set(type.scope, type);
    if (!byKind.has(kind)) byKind.set(kind, type);
  }
  return { all: live, byScope, byKind };
}

/** Where the FederatedObject of a source lies. */
export function federatedRef(type: FederatedType, source: { namespace: string; name: string }): ObjectRef {
  const scope = type.type.scope === 'Cluster' ? SCOPES.clusterFederated : SCOPES.federated;
  return { scope, namespace: source.namespace, name: federatedObjectName(source.name, type.name) };
}

/** Scopes of what belongs to one FederatedObject and bears its name. */
export function companionScopes(federated: ObjectRef): { decision: string; collected: string; version: string } {
  if (federated.scope === SCOPES.clusterFederated)
    return { decision: SCOPES.clusterDecisions, collected: SCOPES.clusterCollected, version: SCOPES.clusterVersions };
  return { decision: SCOPES.decisions, collected: SCOPES.collected, version: SCOPES.versions };
}

/** The type and place of the source that a FederatedObject was made from: its controller. Undefined for one made by hand. */
export function sourceOf(types: FederatedTypes, federated: KubeObject): { type: FederatedType; ref: ObjectRef } | undefined {
  const owner = (federated.metadata.ownerReferences ?? []).find((reference) => reference.controller === true);
  if (!owner) return undefined;
  const type = types.byKind.get(`${parseApiVersion(owner.apiVersion).group}/${owner.kind}`);
  if (!type) return undefined;
  return { type, ref: { scope: type.scope, namespace: federated.metadata.namespace ?? '', name: owner.name } };
}

/** The type of what a FederatedObject carries, by its template: also for one made by hand. */
export function templateType(types: FederatedTypes, federated: KubeObject): FederatedType | undefined {
  const template = federated.spec?.template ?? {};
  return types.byKind.get(`${parseApiVersion(String(template.apiVersion ?? '')).group}/${String(template.kind ?? '')}`);
}

/** A source as followers and leaders name it. */
export function followRefOf(type: FederatedType, source: { namespace: string; name: string }): FollowRef {
  return { group: type.type.group, kind: type.type.kind, namespace: source.namespace, name: source.name };
}

/** Number of the decision that a FederatedObject carries; one made by hand counts by its generation. */
export function decisionOf(federated: KubeObject): number {
  return decisionOfFederated(federated) || (federated.metadata.generation ?? 1);
}
