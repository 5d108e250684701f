/** Lays an applied configuration over the live object. */
import { deepEqual, setOwn } from '../../equality.ts';
import type { JsonObject, JsonValue } from '../../object.ts';
import type { Schema } from '../../schema/schema.ts';
import {
  asList,
  asMap,
  isAtomic,
  isEmptyMap,
  itemSchema,
  memberSchema,
  shapeOf,
  UNSTRUCTURED,
  validItemElement,
} from './shape.ts';

/**
 * `live` with everything `config` says: nothing is removed, leaves take the configured value, sets and keyed lists are joined (order: the
 * configuration's, with live-only items kept beside their neighbours). Both fit `schema` and stay untouched; the result shares parts with them.
 * (structured-merge-diff: `TypedValue.Merge`.)
 */
export function mergeObjects(live: JsonObject, config: JsonObject, schema: Schema): JsonObject {
  return asMap(merge(live, config, schema)) ?? {};
}

function merge(live: JsonValue | undefined, config: JsonValue | undefined, schema: Schema): JsonValue | undefined {
  if (config === undefined || live === config) return live;
  if (live === undefined) return config;
  const shape = shapeOf(schema, config);
  if (shape === 'scalar' || isAtomic(schema, shape)) return deepEqual(live, config) ? live : config;
  if (shape === 'map') return mergeMaps(asMap(live), asMap(config), config, schema);
  return mergeLists(asList(live), asList(config), config, schema);
}

function mergeMaps(live: JsonObject | undefined, config: JsonObject | undefined, value: JsonValue, schema: Schema): JsonValue {
  if (live === undefined || isEmptyMap(live)) return value;
  if (config === undefined || isEmptyMap(config)) return live;
  const result: JsonObject = {};
  let changed = false;
  for (const name of Object.keys(live)) {
    const member = live[name];
    if (member === undefined) continue;
    const own = Object.hasOwn(config, name) ? config[name] : undefined;
    const merged = own === undefined ? member : merge(member, own, memberSchema(schema, name) ?? UNSTRUCTURED);
    changed ||= merged !== member;
    setOwn(result, name, merged);
  }
  for (const name of Object.keys(config)) {
    if (config[name] === undefined || Object.hasOwn(result, name)) continue;
    changed = true;
    setOwn(result, name, config[name]);
  }
  return changed ? result : live;
}

function mergeLists(
  live: readonly JsonValue[] | undefined,
  config: readonly JsonValue[] | undefined,
  value: JsonValue,
  schema: Schema,
): JsonValue {
  if (live === undefined || live.length === 0) return value;
  if (config === undefined || config.length === 0) return live as JsonValue[];
  const left = indexItems(live, schema);
  const right = indexItems(config, schema);
  const mergeItem = (element: string, item: JsonValue | undefined): JsonValue | undefined =>
    merge(item, right.byElement.get(element), itemSchema(schema));
  const merged = interleave(live, left, right, mergeItem);
  return merged.length === live.length && merged.every((item, index) => item === live[index]) ? (live as JsonValue[]) : merged;
}

/** Items of a list by element. An element that occurs twice has the value null: duplicates are never merged. */
type Indexed = { elements: readonly string[]; byElement: ReadonlyMap<string, JsonValue> };

function indexItems(list: readonly JsonValue[], schema: Schema): Indexed {
  const elements = list.map((item) => validItemElement(schema, item));
  const byElement = new Map<string, JsonValue>();
  for (const [index, element] of elements.entries()) {
    byElement.set(element, byElement.has(element) ? null : (list[index] ?? null));
  }
  return { elements, byElement };
}

/**
 * Walks both lists at once. Items that both have come in the configuration's order; a live-only item comes where it stands between
 * items that both have; a configured-only item comes as early as its own order allows.
 */
function interleave(
  live: readonly JsonValue[],
  left: Indexed,
  right: Indexed,
  mergeItem: (element: string, item: JsonValue | undefined) => JsonValue | undefined,
): JsonValue[] {
  const shared = right.elements.filter((element) => left.byElement.has(element));
  const merged = new Set<string>();
  const result: JsonValue[] = [];
  let [at, configAt, sharedAt] = [0, 0, 0];
  const push = (item: JsonValue | undefined): void => {
    if (item !== undefined) result.push(item);
  };
  while (at < left.elements.length || configAt < right.elements.length) {
    const [element, configured] = [left.elements[at], right.elements[configAt]];
    if (element !== undefined && configured !== undefined) {
      if (element === configured) {
        merged.add(element);
        push(mergeItem(element, left.byElement.get(element)));
        at += 1;
        configAt += 1;
        sharedAt += 1;
        continue;
      }
      if (right.byElement.has(element) && sharedAt < shared.length && shared[sharedAt] !== element) {
        at += 1; // both have it, but another shared item is due first
        continue;
      }
    }
    if (element !== undefined && !right.byElement.has(element)) {
      push(mergeItem(element, live[at]));
      at += 1;
      continue;
    }
    if (element !== undefined && merged.has(element)) at += 1;
    if (configured === undefined) continue;
    merged.add(configured);
    push(mergeItem(configured, left.byElement.get(configured)));
    configAt += 1;
    if (shared[sharedAt] === configured) sharedAt += 1;
  }
  return result;
}
