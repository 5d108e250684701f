/** What a member serves: aggregated discovery where it is offered, else one document per group version. */
import type { JsonObject } from '../../machinery/object.ts';
import { parseApiVersion } from '../../machinery/resource.ts';
import type { MemberApiResource, MemberResult } from '../../ports/member-client.ts';
import type { MemberHttp } from './http.ts';

type Discovery = { resources: MemberApiResource[]; failures: string[] };

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const ACCEPT = `${AGGREGATED},${AGGREGATED.replace('v=v2;', 'v=v2beta1;')},application/json`;
/** Group documents asked for at once where discovery is not aggregated. */
const PARALLEL = 6;

/** Resources of all groups, subresources left out. A group that fails is a note, not a failure, unless nothing answers at all. */
export async function discover(http: MemberHttp): Promise<MemberResult<Discovery>> {
  const core = await http.json({ method: 'GET', path: '/api', accept: ACCEPT });
  if (core.type !== 'ok') return core;
  const groups = await http.json({ method: 'GET', path: '/apis', accept: ACCEPT });
  if (groups.type !== 'ok') return groups;
  const found: Discovery = { resources: [], failures: [] };
  const versions: string[] = [];
  for (const document of [core.value, groups.value]) {
    if (document.kind === 'APIGroupDiscoveryList') readAggregated(document, found);
    else versions.push(...legacyVersions(document));
  }
  for (let start = 0; start < versions.length; start += PARALLEL)
    await Promise.all(versions.slice(start, start + PARALLEL).map((version) => readLegacy(http, version, found)));
  return { type: 'ok', value: found };
}

type AggregatedGroup = {
  metadata?: { name?: string };
  versions?: {
    version: string;
    freshness?: string;
    resources?: { resource: string; responseKind?: { kind?: string }; scope?: string }[];
  }[];
};

function readAggregated(document: JsonObject, found: Discovery): void {
  for (const group of (document.items ?? []) as unknown as AggregatedGroup[]) {
    const name = group.metadata?.name ?? '';
    for (const { version, freshness, resources = [] } of group.versions ?? []) {
      if (freshness === 'Stale') found.failures.push(`${name}/${version}: its aggregated server does not answer`);
      for (const { resource, responseKind, scope } of resources) {
        if (!responseKind?.kind) continue;
        found.resources.push({
          group: name,
          version,
          kind: responseKind.kind,
          pluralName: resource,
          scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
        });
      }
    }
  }
}

type LegacyGroups = { versions?: string[]; groups?: { versions?: { groupVersion: string }[] }[] };

/** Paths of the group versions that a legacy `/api` or `/apis` document names. */
function legacyVersions(document: JsonObject): string[] {
  const { versions, groups } = document as unknown as LegacyGroups;
  const core = (versions ?? []).map((version) => `/api/${version}`);
  const named = (groups ?? []).flatMap((group) => (group.versions ?? []).map(({ groupVersion }) => `/apis/${groupVersion}`));
  return [...core, ...named];
}

type LegacyResources = { groupVersion?: string; resources?: { name: string; kind: string; namespaced?: boolean }[] };

async function readLegacy(http: MemberHttp, path: string, found: Discovery): Promise<void> {
  const result = await http.json({ method: 'GET', path });
  if (result.type !== 'ok') {
    found.failures.push(`${path}: ${result.message}`);
    return;
  }
  const { groupVersion = '', resources = [] } = result.value as unknown as LegacyResources;
  const { group, version } = parseApiVersion(groupVersion);
  for (const { name, kind, namespaced } of resources) {
    if (name.includes('/')) continue;
    found.resources.push({ group, version, kind, pluralName: name, scope: namespaced ? 'Namespaced' : 'Cluster' });
  }
}
