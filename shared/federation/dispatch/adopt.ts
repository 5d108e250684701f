/** Whether a copy that stands on a member may be written to, and whether it is left behind. Rules of KubeAdmiral, with our guard against other lives. */
import type { KubeObject } from '../../machinery/object.ts';
import {
  ADOPTED_ANNOTATION,
  CLUSTERS_TO_ADOPT_ANNOTATION,
  CONFLICT_RESOLUTION_ANNOTATION,
  INTERNAL_CLUSTERS_TO_ADOPT_ANNOTATION,
  INTERNAL_CONFLICT_RESOLUTION_ANNOTATION,
  INTERNAL_ORPHAN_ANNOTATION,
  MANAGED_LABEL,
  ORPHAN_ANNOTATION,
} from '../keys.ts';
import { compilePattern } from './pattern.ts';

type Annotations = Readonly<Record<string, string>>;

/**
 * - `update`: ours already; `replaced` true: it is not the object that was last seen (made anew on the member, or by an earlier life of ours)
 * - `adopt`: it was there before us, and the annotations allow to take it
 * - `refuse`: it was there before us (`AlreadyExists`), or the member's admin keeps it from us (`ManagedLabelFalse`)
 */
export type Adoption =
  | { type: 'update'; replaced: boolean }
  | { type: 'adopt' }
  | { type: 'refuse'; state: 'AlreadyExists' | 'ManagedLabelFalse'; message: string };

/** What may be done to a copy. `annotations` are the FederatedObject's; `lastUid` is the uid of the copy as last recorded. */
export function judgeCopy(
  copy: KubeObject,
  input: { annotations: Annotations; cluster: string; lastUid: string | undefined },
): Adoption {
  const managed = copy.metadata.labels?.[MANAGED_LABEL];
  if (managed === 'false')
    return {
      type: 'refuse',
      state: 'ManagedLabelFalse',
      message: `label ${MANAGED_LABEL} of the copy is "false": it is not touched`,
    };
  const isLast = input.lastUid !== undefined && input.lastUid === copy.metadata.uid;
  if (managed === 'true' || isLast) return { type: 'update', replaced: input.lastUid !== undefined && !isLast };
  const { annotations, cluster } = input;
  const refuse = (why: string): Adoption => ({
    type: 'refuse',
    state: 'AlreadyExists',
    message: `an object of this name that is not managed exists in cluster ${cluster}: ${why}`,
  });
  if (!mayAdopt(annotations)) return refuse(howToAdopt(cluster));
  const may = mayAdoptInCluster(annotations, cluster);
  if (may.type === 'invalid') return refuse(`${may.message}. ${howToAdopt(cluster)}`);
  if (may.result) return { type: 'adopt' };
  return refuse(`annotation ${CLUSTERS_TO_ADOPT_ANNOTATION} does not name the cluster. ${howToAdopt(cluster)}`);
}

/** KubeAdmiral adopts with both annotations only. */
function howToAdopt(cluster: string): string {
  const here = JSON.stringify({ clusters: [cluster] });
  return (
    `to take it over, set on the source the annotations ${CONFLICT_RESOLUTION_ANNOTATION}: adopt and ` +
    `${CLUSTERS_TO_ADOPT_ANNOTATION}: '${here}', or '{"regexp":".*"}' for every cluster`
  );
}

/** Whether the FederatedObject takes over what exists, in any cluster. */
export function mayAdopt(annotations: Annotations): boolean {
  return (annotations[INTERNAL_CONFLICT_RESOLUTION_ANNOTATION] ?? annotations[CONFLICT_RESOLUTION_ANNOTATION]) === 'adopt';
}

export type MayAdopt = { type: 'ok'; result: boolean } | { type: 'invalid'; message: string };

/** Whether the annotation `clusters-to-adopt` (the internal one first) names the cluster: by name, or by a pattern that need not match all of the name. */
export function mayAdoptInCluster(annotations: Annotations, cluster: string): MayAdopt {
  const text = annotations[INTERNAL_CLUSTERS_TO_ADOPT_ANNOTATION] ?? annotations[CLUSTERS_TO_ADOPT_ANNOTATION];
  if (text === undefined) return { type: 'ok', result: false };
  const parsed = parseClustersToAdopt(text);
  if (!parsed)
    return { type: 'invalid', message: `annotation ${CLUSTERS_TO_ADOPT_ANNOTATION} is not {"clusters":[...],"regexp":"..."}` };
  if (parsed.clusters.includes(cluster)) return { type: 'ok', result: true };
  if (parsed.regexp === '') return { type: 'ok', result: false };
  const pattern = compilePattern(parsed.regexp);
  if (pattern.type === 'invalid')
    return { type: 'invalid', message: `annotation ${CLUSTERS_TO_ADOPT_ANNOTATION}: ${pattern.message}` };
  return { type: 'ok', result: pattern.matches(cluster) };
}

/** Which copies a FederatedObject leaves behind: `all`, `adopted`; undefined: none. The internal annotation counts first. */
export function orphanMode(annotations: Annotations): string | undefined {
  return annotations[INTERNAL_ORPHAN_ANNOTATION] ?? annotations[ORPHAN_ANNOTATION];
}

/**
 * Whether a copy stays on the member, unlabelled, when it is no longer wanted there. A Namespace that was there before us always does: what else
 * lies in it is not ours.
 */
export function isLeftBehind(copy: KubeObject, orphan: string | undefined): boolean {
  const isAdopted = copy.metadata.annotations?.[ADOPTED_ANNOTATION] === 'true';
  return orphan === 'all' || (isAdopted && (orphan === 'adopted' || copy.kind === 'Namespace'));
}

function parseClustersToAdopt(text: string): { clusters: string[]; regexp: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { clusters, regexp } = value as { clusters?: unknown; regexp?: unknown };
  const names = clusters ?? [];
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return undefined;
  return typeof (regexp ?? '') === 'string' ? { clusters: names, regexp: (regexp ?? '') as string } : undefined;
}
