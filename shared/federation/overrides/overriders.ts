/** The shapes of an override policy's rules, and what its families give. Field names are KubeAdmiral's. */
import type { JsonValue } from '../../machinery/object.ts';
import type { ClusterTerm } from '../policies/affinity.ts';
import type { ClusterOverride } from '../snapshot.ts';

/** One JSON patch operation of an override. */
export type OverridePatch = ClusterOverride['patches'][number];

export type ImageOperation = { imageComponent: string; operator?: string; value?: string };
export type ImageOverrider = {
  containerNames?: readonly string[] | null;
  imagePath?: string;
  operations?: readonly ImageOperation[] | null;
};
export type EntrypointOverrider = { containerName: string; operator?: string; value?: readonly string[] | null };
export type EnvVar = { name: string; [field: string]: JsonValue | undefined };
export type EnvOverrider = { containerName: string; operator?: string; value?: readonly EnvVar[] | null };
export type StringMapOverrider = { operator?: string; value?: Readonly<Record<string, string>> | null };
export type JsonPatchOverrider = { operator?: string; path: string; value?: JsonValue };

/** `overriders` of a rule: seven families, computed in this order. */
export type Overriders = {
  image?: readonly ImageOverrider[] | null;
  command?: readonly EntrypointOverrider[] | null;
  args?: readonly EntrypointOverrider[] | null;
  envs?: readonly EnvOverrider[] | null;
  annotations?: readonly StringMapOverrider[] | null;
  labels?: readonly StringMapOverrider[] | null;
  jsonpatch?: readonly JsonPatchOverrider[] | null;
};

export type TargetClusters = {
  clusters?: readonly string[] | null;
  clusterSelector?: Readonly<Record<string, string>> | null;
  clusterAffinity?: readonly ClusterTerm[] | null;
};

export type OverrideRule = { targetClusters?: TargetClusters | null; overriders?: Overriders | null };

/** Patches of one family or rule, or why they cannot be made. */
export type Patches = { type: 'ok'; patches: OverridePatch[] } | { type: 'invalid'; message: string };

export function ok(patches: OverridePatch[]): Patches {
  return { type: 'ok', patches };
}

export function invalid(message: string): { type: 'invalid'; message: string } {
  return { type: 'invalid', message };
}

/** One `replace` per path, sorted by path. */
export function replacements(valueByPath: ReadonlyMap<string, JsonValue>): Patches {
  const paths = [...valueByPath.keys()].sort();
  return ok(paths.map((path) => ({ op: 'replace', path, value: valueByPath.get(path) ?? null })));
}
