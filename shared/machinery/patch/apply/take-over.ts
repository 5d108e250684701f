/** Who loses what when an object changes. */
import type { JsonObject } from '../../object.ts';
import { type Comparison, compareObjects } from './compare.ts';
import { difference, emptySet, type FieldSet, intersection, union } from './field-set.ts';
import type { Managers } from './managers.ts';
import { filterReset, type ResetFields } from './reset-fields.ts';
import { inVersion, type Versions } from './versions.ts';

/** A change of the object, before and after, in `versions.apiVersion`. */
export type Change = { before: JsonObject; after: JsonObject; versions: Versions; reset: ResetFields };

/** What others own of the changed fields, by actor id. */
export type Conflicts = ReadonlyMap<string, FieldSet>;

/** `conflicts`: fields of others that the change adds or modifies; `removed`: fields that it removes, by version of the owner. */
export type TakeOver = { conflicts: Conflicts; removed: ReadonlyMap<string, FieldSet>; goneVersions: ReadonlySet<string> };

/** What a change is in one version, without fields that are reset; undefined when there is no such version. */
export type Comparer = (apiVersion: string) => Comparison | undefined;

/** Compares each version at most once, and only when asked. */
export function createComparer({ before, after, versions, reset }: Change): Comparer {
  const known = new Map<string, Comparison | undefined>();
  return (apiVersion) => {
    if (known.has(apiVersion)) return known.get(apiVersion);
    const old = inVersion(versions, before, versions.apiVersion, apiVersion);
    const next = inVersion(versions, after, versions.apiVersion, apiVersion);
    const found = old && next ? filtered(compareObjects(old.value, next.value, old.schema), reset) : undefined;
    known.set(apiVersion, found);
    return found;
  };
}

function filtered({ added, modified, removed }: Comparison, reset: ResetFields): Comparison {
  return { added: filterReset(added, reset), modified: filterReset(modified, reset), removed: filterReset(removed, reset) };
}

/** Compares a change with what everybody but `actor` owns. */
export function findTakeOver(compare: Comparer, managers: Managers, actor: string | undefined): TakeOver {
  const conflicts = new Map<string, FieldSet>();
  const removed = new Map<string, FieldSet>();
  const goneVersions = new Set<string>();
  for (const [id, owner] of managers) {
    if (id === actor) continue;
    const comparison = compare(owner.apiVersion);
    if (comparison === undefined) {
      goneVersions.add(owner.apiVersion);
      continue;
    }
    const taken = intersection(owner.set, union(comparison.modified, comparison.added));
    if (taken.size > 0) conflicts.set(id, taken);
    if (comparison.removed.size > 0) removed.set(id, comparison.removed);
  }
  return { conflicts, removed, goneVersions };
}

/** The owners after a take-over: conflicts and removed fields leave their sets; who owns nothing is dropped. */
export function settle(managers: Managers, { conflicts, removed, goneVersions }: TakeOver): Managers {
  const settled: Managers = new Map();
  for (const [id, owner] of managers) {
    if (goneVersions.has(owner.apiVersion)) continue;
    const set = difference(difference(owner.set, conflicts.get(id) ?? emptySet()), removed.get(id) ?? emptySet());
    if (set.size > 0) settled.set(id, set === owner.set ? owner : { ...owner, set });
  }
  return settled;
}
