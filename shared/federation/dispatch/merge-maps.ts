/** Labels and annotations of a copy: ours, and those that others put there. Behaviour copied from KubeAdmiral. */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { PROPAGATED_ANNOTATION_KEYS_ANNOTATION, PROPAGATED_LABEL_KEYS_ANNOTATION } from '../keys.ts';

type StringMap = Readonly<Record<string, string>>;

/** The template's entries win; the member's own are kept, unless they were propagated earlier and are now gone from the template. */
export function mergeStringMaps(
  template: StringMap | null | undefined,
  observed: StringMap | null | undefined,
  lastPropagatedKeys: readonly string[],
): Record<string, string> {
  const gone = new Set(lastPropagatedKeys);
  const kept = Object.entries(observed ?? {}).filter(([key]) => !gone.has(key));
  return { ...Object.fromEntries(kept), ...template };
}

/**
 * A merge patch that removes labels and annotations which an earlier control plane propagated by plain updates and which are gone from the
 * template: server-side apply removes only what it put there itself. Undefined when nothing is left over.
 */
export function leftoverPatch(desired: KubeObject, copy: KubeObject): JsonObject | undefined {
  const annotations = copy.metadata.annotations ?? {};
  const labelKeys = splitKeys(annotations[PROPAGATED_LABEL_KEYS_ANNOTATION]);
  const annotationKeys = splitKeys(annotations[PROPAGATED_ANNOTATION_KEYS_ANNOTATION]);
  const labels = removals(copy.metadata.labels ?? {}, mergeStringMaps(desired.metadata.labels, copy.metadata.labels, labelKeys));
  const others = removals(annotations, mergeStringMaps(desired.metadata.annotations, annotations, annotationKeys));
  if (!labels && !others) return undefined;
  return { metadata: { ...(labels ? { labels } : {}), ...(others ? { annotations: others } : {}) } };
}

function splitKeys(text: string | undefined): string[] {
  return text ? text.split(',') : [];
}

function removals(present: StringMap, wanted: StringMap): Record<string, null> | undefined {
  const gone = Object.keys(present).filter((key) => !Object.hasOwn(wanted, key));
  return gone.length === 0 ? undefined : Object.fromEntries(gone.map((key) => [key, null]));
}
