/** Lists under strategic merge patch: of maps by their merge key, of scalars as ordered sets. */
import type { JsonObject, JsonValue } from '../object.ts';
import type { Schema } from '../schema/schema.ts';
import { formatGo, goType } from './apply/go-text.ts';
import { PatchError } from './error.ts';
import { hasMergeKey, orderList } from './strategic-order.ts';

/** Merges two maps of a type: passed in, because lists hold maps that hold lists. */
export type Merger = (original: JsonObject, patch: JsonObject, type: Schema) => JsonObject;

/** `original` with the items of `patch` merged in, in the order of strategic merge patch. Throws PatchError. */
export function mergeLists(
  original: JsonValue[],
  patch: JsonValue[],
  items: Schema,
  mergeKey: string,
  merge: Merger,
): JsonValue[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (itemsOf(original, patch) === 'scalar') {
    const merged = [...new Set([...original, ...patch])];
    return orderList({ merged, order: patch, mergeKey, server: original });
  }
  if (mergeKey === '')
    throw failed(`cannot merge lists without merge key for ${items.kind === 'object' ? 'struct' : items.kind}`);
  const { kept, added } = followItemDirectives(original as JsonObject[], patch as JsonObject[], mergeKey);
  const merged = mergeItems(kept, added, items, mergeKey, merge);
  return orderList({ merged, order: added, mergeKey, server: kept });
}

/** `original` without the scalars listed. Lists of maps are merged, as upstream does: the directive is not for them. */
export function deleteScalars(
  original: JsonValue[],
  listed: JsonValue[],
  items: Schema,
  mergeKey: string,
  merge: Merger,
): JsonValue[] {
  if (original.length === 0 && listed.length === 0) return original;
  if (itemsOf(original, listed) === 'map') return mergeLists(original, listed, items, mergeKey, merge);
  const gone = new Set(listed);
  return original.filter((item) => !gone.has(item));
}

/** Are the items maps or scalars? Of two empty lists nobody can tell. Throws PatchError when they are lists, or not all of one type. */
export function itemsOf(original: readonly JsonValue[], patch: readonly JsonValue[]): 'map' | 'scalar' {
  const all = [...original, ...patch];
  if (all.length === 0) throw failed('no elements in any of the given slices');
  const [first] = all;
  const type = goType(first);
  if (Array.isArray(first)) throw failed('lists of lists are not supported');
  if (all.some((item) => goType(item) !== type))
    throw failed(`list element types are not identical: ${formatGo([[...original], [...patch]])}`);
  return type === MAP ? 'map' : 'scalar';
}

const MAP = 'map[string]interface {}';

type Directed = { kept: JsonObject[]; added: JsonObject[] };

/** `{"$patch":"delete", key}` removes an item, `{"$patch":"replace"}` all that the patch does not bring itself. */
function followItemDirectives(original: JsonObject[], patch: JsonObject[], mergeKey: string): Directed {
  let kept = original;
  let replaces = false;
  const added: JsonObject[] = [];
  for (const item of patch) {
    if (!Object.hasOwn(item, '$patch')) {
      added.push(item);
      continue;
    }
    const directive = item.$patch;
    if (directive === 'replace') replaces = true;
    else if (directive === 'delete') kept = withoutItem(kept, item, mergeKey);
    else if (directive === 'merge') throw failed('merging lists cannot yet be specified in the patch');
    else throw failed(`unknown patch type: ${formatGo(directive)} in map: ${formatGo(item)}`);
  }
  return replaces ? { kept: added, added: [] } : { kept, added };
}

function withoutItem(list: JsonObject[], item: JsonObject, mergeKey: string): JsonObject[] {
  if (!hasMergeKey(item, mergeKey)) throw failed(`map: ${formatGo(item)} does not contain declared merge key: ${mergeKey}`);
  return list.filter((other) => other[mergeKey] !== item[mergeKey]);
}

/** Each patch item into the first original item with its key; those without one come last, as they stand. */
function mergeItems(original: JsonObject[], patch: JsonObject[], items: Schema, mergeKey: string, merge: Merger): JsonObject[] {
  const result = [...original];
  for (const item of patch) {
    if (!hasMergeKey(item, mergeKey)) throw failed(`map: ${formatGo(item)} does not contain declared merge key: ${mergeKey}`);
    const at = result.findIndex((other) => hasMergeKey(other, mergeKey) && other[mergeKey] === item[mergeKey]);
    const found = result[at];
    if (found === undefined) result.push(item);
    else result[at] = merge(found, item, items);
  }
  return result;
}

function failed(message: string): PatchError {
  return new PatchError('failed', message);
}
