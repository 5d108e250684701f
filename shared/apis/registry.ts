/** The registry: every kind that is served, found by resource, kind or stored scope. */
import type { Registry, ResourceDefinition } from './definition.ts';
import { storedScope } from './stored.ts';

/**
 * Indexes definitions. Groups and their versions keep the order in which they first appear; the first version of a group is preferred.
 * Throws when two definitions claim the same resource, or one kind in one version: a mistake in the declarations.
 */
export function createRegistry(definitions: readonly ResourceDefinition[]): Registry {
  const byResource = new Map<string, ResourceDefinition>();
  const byKind = new Map<string, ResourceDefinition>();
  const byScope = new Map<string, ResourceDefinition>();
  const versionsByGroup = new Map<string, string[]>();
  for (const definition of definitions) {
    const { group, version, plural, kind } = definition;
    insert(byResource, `${group}/${version}/${plural}`, definition);
    insert(byKind, `${group}/${version}/${kind}`, definition);
    if (!definition.virtual && isStorageForm(definition)) keepStorage(byScope, storedScope(definition), definition);
    const versions = versionsByGroup.get(group) ?? [];
    if (!versions.includes(version)) versions.push(version);
    versionsByGroup.set(group, versions);
  }
  const groups = [...versionsByGroup].map(([group, versions]) => ({ group, versions, preferred: versions[0] ?? '' }));
  return {
    all: () => definitions,
    byResource: (group, version, resource) => byResource.get(`${group}/${version}/${resource}`),
    byKind: (group, version, kind) => byKind.get(`${group}/${version}/${kind}`),
    byScope: (scope) => byScope.get(scope),
    groups: () => groups,
  };
}

/** Objects of a scope are written in the version that is not itself a view of another one. */
function isStorageForm(definition: ResourceDefinition): boolean {
  return definition.storedAs === undefined;
}

function insert(map: Map<string, ResourceDefinition>, key: string, definition: ResourceDefinition): void {
  if (map.has(key)) throw new Error(`two definitions of ${key}`);
  map.set(key, definition);
}

/** The first version, unless a later one is what objects are written in. */
function keepStorage(map: Map<string, ResourceDefinition>, key: string, definition: ResourceDefinition): void {
  if (!map.has(key) || definition.custom?.storageVersion === definition.version) map.set(key, definition);
}
