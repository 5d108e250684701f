/** The order of merged lists: what the patch orders keeps its order, what only the server has stays beside its neighbours. */
import type { JsonObject, JsonValue } from '../object.ts';
import { formatGo, goType } from './apply/go-text.ts';
import { PatchError } from './error.ts';

/** `order`: the items whose order is asked for (maps need only their key); `server`: the list before the patch. */
export type Ordering = {
  merged: readonly JsonValue[];
  order: readonly JsonValue[];
  mergeKey: string;
  server: readonly JsonValue[];
};

/** The merged items in order. Throws PatchError when items lack their key. */
export function orderList({ merged, order, mergeKey, server }: Ordering): JsonValue[] {
  const keyOf = keyReader(mergeKey);
  const wanted = positions(order, keyOf);
  const stood = positions(server, keyOf);
  const place = (item: JsonValue): number => stood.get(keyOf(item)) ?? -1;
  const rank = (item: JsonValue): number => wanted.get(keyOf(item)) ?? -1;
  const asked = merged.filter((item) => wanted.has(keyOf(item))).sort((a, b) => rank(a) - rank(b));
  const others = merged.filter((item) => !wanted.has(keyOf(item))).sort((a, b) => place(a) - place(b));
  return interleave(others, asked, place);
}

/** Inserts each server-only item before the first asked-for item that stood behind it. */
function interleave(others: readonly JsonValue[], asked: readonly JsonValue[], place: (item: JsonValue) => number): JsonValue[] {
  const result: JsonValue[] = [];
  let at = 0;
  for (const item of asked) {
    for (let other = others[at]; other !== undefined && stoodBefore(place(other), place(item)); other = others[at]) {
      result.push(other);
      at += 1;
    }
    result.push(item);
  }
  return [...result, ...others.slice(at)];
}

function stoodBefore(left: number, right: number): boolean {
  return left >= 0 && right >= 0 && left < right;
}

type KeyReader = (item: JsonValue) => JsonValue | undefined;

function keyReader(mergeKey: string): KeyReader {
  if (mergeKey === '') return scalarItself;
  return (item) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      throw failed(`expected a map[string]interface {}, but received a ${goType(item)}`);
    if (!hasMergeKey(item, mergeKey)) throw failed(`map: ${formatGo(item)} does not contain declared merge key: ${mergeKey}`);
    return item[mergeKey];
  };
}

function scalarItself(item: JsonValue): JsonValue {
  if (typeof item === 'object' && item !== null) throw failed(`map: ${formatGo(item)} does not contain declared merge key: `);
  return item;
}

/** The first place of each key. */
function positions(list: readonly JsonValue[], keyOf: KeyReader): Map<JsonValue | undefined, number> {
  const found = new Map<JsonValue | undefined, number>();
  for (const [index, item] of list.entries()) {
    const key = keyOf(item);
    if (!found.has(key)) found.set(key, index);
  }
  return found;
}

/** Does the item say its merge key? */
export function hasMergeKey(item: JsonObject, mergeKey: string): boolean {
  return Object.hasOwn(item, mergeKey) && item[mergeKey] !== undefined;
}

function failed(message: string): PatchError {
  return new PatchError('failed', message);
}
