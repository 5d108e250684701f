/** What an applier gives up: fields it applied before and no longer does, unless somebody else owns them. */
import type { JsonObject } from '../../object.ts';
import { collectFields } from './collect.ts';
import { withNamedParents } from './field-schema.ts';
import { difference, emptySet, type FieldSet, intersection, isSubset, union } from './field-set.ts';
import type { ManagedSet, Managers } from './managers.ts';
import { removeFields } from './remove.ts';
import { inVersion, type Typed, type Versions } from './versions.ts';

/**
 * `merged` (in `versions.apiVersion`) without what `applier` drops. `last` is what it owned before; `managers` holds what everybody owns
 * now, its new set included. (structured-merge-diff: `Updater.prune`.)
 */
export function pruneFields(
  merged: JsonObject,
  last: ManagedSet | undefined,
  applier: string,
  managers: Managers,
  versions: Versions,
): JsonObject {
  if (last === undefined || last.set.size === 0) return merged;
  // Nothing is given up when the applier owns again all that it owned: its items and keys keep everything below them, too.
  const now = managers.get(applier)?.set ?? emptySet();
  if (last.apiVersion === versions.apiVersion && isSubset(last.set, now)) return merged;
  const seen = inVersion(versions, merged, versions.apiVersion, last.apiVersion);
  if (seen === undefined) return merged;
  const owned = withNamedParents(last.set, seen.schema);
  const removed = removeFields(seen.value, owned, seen.schema);
  const restored = restoreOwned(seen, removed, last.apiVersion, managers, versions);
  const pruned = restoreDangling(seen, restored, owned);
  return inVersion(versions, pruned, last.apiVersion, versions.apiVersion)?.value ?? pruned;
}

/** Puts back what anybody owns now. Versions other than the pruned one come after it: they may need fields to be there to convert. */
function restoreOwned(merged: Typed, pruned: JsonObject, version: string, managers: Managers, versions: Versions): JsonObject {
  const ownedByVersion = new Map<string, FieldSet>([[version, emptySet()]]);
  for (const { apiVersion, set } of managers.values()) {
    ownedByVersion.set(apiVersion, union(ownedByVersion.get(apiVersion) ?? emptySet(), set));
  }
  let [from, result] = [version, pruned];
  for (const [apiVersion, owned] of ownedByVersion) {
    const full = inVersion(versions, merged.value, version, apiVersion);
    const part = inVersion(versions, result, from, apiVersion);
    if (full === undefined || part === undefined) continue;
    result = removeUnowned(full, part.value, owned);
    from = apiVersion;
  }
  return inVersion(versions, result, from, version)?.value ?? result;
}

function removeUnowned({ value, schema }: Typed, pruned: JsonObject, owned: FieldSet): JsonObject {
  const all = withNamedParents(collectFields(value, schema), schema);
  const left = withNamedParents(collectFields(pruned, schema), schema);
  return removeFields(value, difference(all, union(left, withNamedParents(owned, schema))), schema);
}

/** Puts back what the applier did not own itself: fields of nobody, and of updaters, stay. */
function restoreDangling({ value, schema }: Typed, pruned: JsonObject, last: FieldSet): JsonObject {
  const all = withNamedParents(collectFields(value, schema), schema);
  const left = withNamedParents(collectFields(pruned, schema), schema);
  return removeFields(value, intersection(difference(all, left), last), schema);
}
