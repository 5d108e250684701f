/**
 * Lazy readers of the generated type data in this folder, read from disk once per process. The answers are shared: callers must not
 * change them. A missing or broken file throws (the installation is damaged).
 */
import { readFileSync } from 'node:fs';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { once } from '../once.ts';

/** One resource of aggregated discovery (`apidiscovery.k8s.io/v2 APIResourceDiscovery`). */
export type DiscoveredResource = {
  resource: string;
  responseKind: { group: string; version: string; kind: string };
  scope: 'Namespaced' | 'Cluster';
  singularResource: string;
  verbs: readonly string[];
  shortNames?: readonly string[];
  categories?: readonly string[];
  subresources?: readonly {
    subresource: string;
    responseKind: { group: string; version: string; kind: string };
    verbs: readonly string[];
  }[];
};

/** A group of aggregated discovery; the core group has no name. Versions in order of preference. */
export type DiscoveredGroup = {
  metadata: { name?: string };
  versions: readonly { version: string; resources: readonly DiscoveredResource[] }[];
};

type LegacyList = { resources: readonly { name: string; storageVersionHash?: string }[] };

/** Sets of bootstrap objects that a fresh kube-apiserver holds. */
export type SeedSet =
  | 'clusterrolebindings'
  | 'clusterroles'
  | 'flowschemas'
  | 'namespaces'
  | 'priorityclasses'
  | 'prioritylevelconfigurations'
  | 'rolebindings'
  | 'roles';

function readText(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

/** OpenAPI v3 schemas of every built-in kind, by definition name. About 0.27 MB of text. */
export const typeDefinitions: () => Record<string, JsonObject> = once(
  () => JSON.parse(readText('types.json')) as Record<string, JsonObject>,
);

/** Groups as kube-apiserver discovers them: the core group, then the named ones in its order. */
export const discoveredGroups: () => readonly DiscoveredGroup[] = once(() =>
  ['aggregated-api.json', 'aggregated-apis.json'].flatMap(
    (file) => (JSON.parse(readText(`discovery/${file}`)) as { items: DiscoveredGroup[] }).items,
  ),
);

/** Hashes of legacy discovery, by plural name, of one group-version ('' and 'v1' for the core group). */
export function storageVersionHashes(group: string, version: string): ReadonlyMap<string, string> {
  const file = group === '' ? `discovery/api_${version}.json` : `discovery/apis_${group}_${version}.json`;
  const list = JSON.parse(readText(file)) as LegacyList;
  return new Map(list.resources.map((resource) => [resource.name, resource.storageVersionHash ?? '']));
}

/** Text of the OpenAPI v3 document of a built-in group-version, as it is served; undefined when it is not built in. */
export function openApiV3Text(group: string, version: string): string | undefined {
  const isBuiltIn = discoveredGroups().some(
    (known) => (known.metadata.name ?? '') === group && known.versions.some((served) => served.version === version),
  );
  if (!isBuiltIn) return undefined;
  return readText(`openapi-v3/${group === '' ? 'api' : `apis_${group}`}_${version}.json`);
}

/** Text of an OpenAPI v3 document that belongs to no group-version (`api`, `apis`, `apis/apps`, `version`); undefined when there is none. */
export function openApiV3PathText(path: string): string | undefined {
  if (!(path in openApiV3Index().paths) || /\/v\d/.test(path)) return undefined;
  if (!/^(api|apis|version|apis\/[a-z0-9.]+)$/.test(path)) return undefined;
  return readText(`openapi-v3/${path.replaceAll('/', '_')}.json`);
}

/** `/openapi/v3` of the server that the data came from. */
export const openApiV3Index: () => { paths: Record<string, { serverRelativeURL: string }> } = once(
  () => JSON.parse(readText('openapi-v3/index.json')) as { paths: Record<string, { serverRelativeURL: string }> },
);

/** Text of the `/openapi/v2` document of the built-in kinds: 1 MB, so it is not kept. */
export function openApiV2Text(): string {
  return readText('openapi-v2.json');
}

/** `protobuf.json` and `protobuf-gvk.json`: what `createProtobufCodec` takes. */
export const protobufData: () => { messages: JsonObject; gvk: Record<string, string> } = once(() => ({
  messages: JSON.parse(readText('protobuf.json')) as JsonObject,
  gvk: JSON.parse(readText('protobuf-gvk.json')) as Record<string, string>,
}));

/** A set of bootstrap objects. A fresh copy at each call. */
export function seedSet(name: SeedSet): KubeObject[] {
  return (JSON.parse(readText(`seeded/${name}.json`)) as { items: KubeObject[] }).items;
}
