/** Collected fields: dotted paths that a kind's type asks for, copied out of a member's copy. */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { getPath, setPath } from '../../machinery/paths.ts';

/** What was found, nested as in the object, and the paths that were not, sorted. */
export type Collected = { collected: JsonObject; missing: string[] };

/** Copies the fields at `fields` (dotted paths). The values are shared with the object, not copied. */
export function collectFields(object: KubeObject, fields: readonly string[]): Collected {
  const collected: JsonObject = {};
  const missing: string[] = [];
  for (const path of fields) {
    const value = getPath(object, path);
    if (value === undefined) missing.push(path);
    else setPath(collected, path, value);
  }
  return { collected, missing: missing.sort() };
}

/** The fields that a FederatedTypeConfig collects; undefined when it collects none. */
export function collectedPaths(typeConfig: KubeObject): readonly string[] | undefined {
  const collection = typeConfig.spec?.statusCollection;
  if (collection?.enabled !== true) return undefined;
  return Array.isArray(collection.fields) ? (collection.fields as string[]) : [];
}

/** Whether the status of sources of this type is aggregated: yes, unless the type says no. */
export function isAggregated(typeConfig: KubeObject): boolean {
  return typeConfig.spec?.statusAggregation?.enabled !== false;
}
