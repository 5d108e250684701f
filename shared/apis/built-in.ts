/** The built-in kinds: names from discovery, behaviour from the declarations of each group's folder. */
import { parseApiVersion } from '../machinery/resource.ts';
import { ADMISSION_KINDS } from './admission/kinds.ts';
import { APPS_KINDS } from './apps/kinds.ts';
import { AUTOSCALING_V1_KINDS, AUTOSCALING_V2_KINDS } from './autoscaling/kinds.ts';
import { BATCH_KINDS } from './batch/kinds.ts';
import { CORE_KINDS } from './core/kinds.ts';
import { type DiscoveredGroup, type DiscoveredResource, discoveredGroups, storageVersionHashes } from './data/load.ts';
import { defineResource, type KindDeclarations, type ResourceNames } from './declare.ts';
import type { ResourceDefinition, Verb } from './definition.ts';
import { EVENTS_KINDS } from './events/kinds.ts';
import { NETWORKING_KINDS } from './networking/kinds.ts';
import { once } from './once.ts';
import { CLUSTER_KINDS } from './others/cluster.ts';
import { POLICY_KINDS } from './policy/kinds.ts';
import { RBAC_KINDS } from './rbac/kinds.ts';
import { builtInSchema } from './schemas.ts';
import { STORAGE_KINDS } from './storage/kinds.ts';

const DECLARATIONS: Readonly<Record<string, KindDeclarations>> = {
  v1: CORE_KINDS,
  'apps/v1': APPS_KINDS,
  'batch/v1': BATCH_KINDS,
  'autoscaling/v1': AUTOSCALING_V1_KINDS,
  'autoscaling/v2': AUTOSCALING_V2_KINDS,
  'events.k8s.io/v1': EVENTS_KINDS,
  'networking.k8s.io/v1': NETWORKING_KINDS,
  'policy/v1': POLICY_KINDS,
  'rbac.authorization.k8s.io/v1': RBAC_KINDS,
  'storage.k8s.io/v1': STORAGE_KINDS,
  'admissionregistration.k8s.io/v1': ADMISSION_KINDS,
  ...CLUSTER_KINDS,
};

/** Every resource that Kubernetes 1.35 serves by default, in discovery's order. Computed once; definitions are shared and immutable. */
export const builtInDefinitions: () => readonly ResourceDefinition[] = once(() => discoveredGroups().flatMap(definitionsOf));

function definitionsOf(group: DiscoveredGroup): ResourceDefinition[] {
  const name = group.metadata.name ?? '';
  return group.versions.flatMap(({ version, resources }) => {
    const declarations = DECLARATIONS[name === '' ? version : `${name}/${version}`] ?? {};
    const hashes = storageVersionHashes(name, version);
    return resources.map((resource) =>
      defineResource(
        namesOf(name, version, resource, hashes.get(resource.resource) ?? ''),
        Object.hasOwn(declarations, resource.resource) ? declarations[resource.resource] : {},
      ),
    );
  });
}

function namesOf(group: string, version: string, discovered: DiscoveredResource, storageVersionHash: string): ResourceNames {
  const { kind } = discovered.responseKind;
  const subresources = discovered.subresources ?? [];
  return {
    group,
    version,
    kind,
    plural: discovered.resource,
    singular: discovered.singularResource,
    namespaced: discovered.scope === 'Namespaced',
    shortNames: discovered.shortNames ?? [],
    categories: discovered.categories ?? [],
    verbs: discovered.verbs as readonly Verb[],
    status: subresources.some((sub) => sub.subresource === 'status'),
    subresources: subresources
      .filter((sub) => sub.subresource !== 'status' && sub.subresource !== 'scale')
      .map((sub) => ({
        name: sub.subresource,
        // Discovery leaves group and version empty where they are the resource's own.
        group: sub.responseKind.version === '' ? group : sub.responseKind.group,
        version: sub.responseKind.version === '' ? version : sub.responseKind.version,
        kind: sub.responseKind.kind,
        verbs: sub.verbs,
      })),
    storageVersionHash,
    builtIn: true,
    schema: once(() => builtInSchema(group, version, kind)),
  };
}

/** The declarations of a group-version by `apiVersion`: for tests that hold them against discovery. */
export function declaredPlurals(): { group: string; version: string; plural: string }[] {
  return Object.entries(DECLARATIONS).flatMap(([apiVersion, kinds]) =>
    Object.keys(kinds).map((plural) => ({ ...parseApiVersion(apiVersion), plural })),
  );
}
