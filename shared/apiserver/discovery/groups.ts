/** The registry as the documents of discovery: aggregated (`apidiscovery.k8s.io` v2 and v2beta1) and legacy lists. Pure. */
import type { Registry, ResourceDefinition } from '../../apis/definition.ts';
import { formatApiVersion } from '../../machinery/resource.ts';
import type { Subresource } from './served.ts';

/** What discovery speaks of: the groups of a registry, and the definitions that are answered. */
export type Served = { groups: ReturnType<Registry['groups']>; definitions: readonly ResourceDefinition[] };

const WRITE_VERBS = ['get', 'patch', 'update'];

/** Every subresource of a kind, `status` and `scale` included, sorted by name. */
export function subresourcesOf(definition: ResourceDefinition): Subresource[] {
  const { group, version, kind } = definition;
  const all = definition.subresources.filter((each) => each.name !== 'status' && each.name !== 'scale');
  if (definition.status) all.push({ name: 'status', group, version, kind, verbs: WRITE_VERBS });
  if (definition.scale) all.push({ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: WRITE_VERBS });
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function definitionsOf({ definitions }: Served, group: string, version: string): ResourceDefinition[] {
  const found = definitions.filter((each) => each.group === group && each.version === version);
  return found.sort((a, b) => (a.plural < b.plural ? -1 : 1));
}

/** A kind's own group and version are left empty, as upstream does; clients fill them in from the group they read. */
function responseKind(definition: ResourceDefinition, kind: { group: string; version: string; kind: string }) {
  const own = kind.group === definition.group && kind.version === definition.version;
  return { group: own ? '' : kind.group, version: own ? '' : kind.version, kind: kind.kind };
}

function aggregatedResource(definition: ResourceDefinition) {
  const subresources = subresourcesOf(definition);
  return {
    resource: definition.plural,
    responseKind: responseKind(definition, definition),
    scope: definition.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: definition.singular,
    verbs: definition.verbs,
    ...(definition.shortNames.length > 0 ? { shortNames: definition.shortNames } : {}),
    ...(definition.categories.length > 0 ? { categories: definition.categories } : {}),
    ...(subresources.length > 0 ? { subresources: subresources.map((each) => aggregatedSubresource(definition, each)) } : {}),
  };
}

function aggregatedSubresource(definition: ResourceDefinition, subresource: Subresource) {
  return {
    subresource: subresource.name,
    responseKind: responseKind(definition, subresource),
    verbs: subresource.verbs,
  };
}

/** `APIGroupDiscoveryList` of the core group (`/api`) or of all named groups (`/apis`). */
export function aggregatedList(served: Served, core: boolean, version: 'v2' | 'v2beta1') {
  const groups = served.groups.filter(({ group }) => (group === '') === core);
  const items = groups.map(({ group, versions }) => ({
    metadata: group === '' ? {} : { name: group },
    versions: versions.map((each) => ({
      version: each,
      resources: definitionsOf(served, group, each).map(aggregatedResource),
      freshness: 'Current',
    })),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items };
}

/** `APIVersions` of `/api`. */
export function coreVersions(served: Served) {
  const versions = served.groups.find(({ group }) => group === '')?.versions ?? [];
  return { kind: 'APIVersions', versions, serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '' }] };
}

function groupEntry({ group, versions, preferred }: ReturnType<Registry['groups']>[number]) {
  const entry = (version: string) => ({ groupVersion: formatApiVersion(group, version), version });
  return { name: group, versions: versions.map(entry), preferredVersion: entry(preferred) };
}

/** `APIGroupList` of `/apis`. */
export function groupList(served: Served) {
  const named = served.groups.filter(({ group }) => group !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(groupEntry) };
}

/** `APIGroup` of `/apis/{group}`; undefined when it is not served. */
export function groupDocument(served: Served, group: string) {
  const found = served.groups.find((each) => each.group === group && group !== '');
  return found ? { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(found) } : undefined;
}

/** `APIResourceList` of one group version; undefined when it is not served. */
export function resourceList(served: Served, group: string, version: string) {
  const definitions = definitionsOf(served, group, version);
  if (definitions.length === 0) return undefined;
  const resources = definitions.flatMap(legacyResources);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: formatApiVersion(group, version), resources };
}

function legacyResources(definition: ResourceDefinition) {
  const { namespaced, kind, plural, singular, verbs, shortNames, categories, storageVersionHash } = definition;
  const own = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(storageVersionHash ? { storageVersionHash } : {}),
  };
  const under = subresourcesOf(definition).map((each) => {
    const { group, version } = responseKind(definition, each);
    const elsewhere = version === '' ? {} : { group, version };
    return { name: `${plural}/${each.name}`, singularName: '', namespaced, ...elsewhere, kind: each.kind, verbs: each.verbs };
  });
  return [own, ...under];
}
