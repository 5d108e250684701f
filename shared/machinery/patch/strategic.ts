/**
 * Strategic merge patch: a merge patch that knows, from the type, which lists merge by which key, and that takes directives (`$patch`,
 * `$retainKeys`, `$setElementOrder/x`, `$deleteFromPrimitiveList/x`). Behaviour and texts are those of apimachinery's `strategicpatch`
 * (Kubernetes 1.35), quirks included: values that are new to the document are taken as they stand, save `$patch` maps and nulls.
 */
import { setOwn } from '../equality.ts';
import type { JsonObject, JsonValue } from '../object.ts';
import type { ObjectSchema, Schema } from '../schema/schema.ts';
import { formatGo, goType } from './apply/go-text.ts';
import { PatchError } from './error.ts';
import { withoutNulls } from './nulls.ts';
import { deleteScalars, itemsOf, type Merger, mergeLists } from './strategic-list.ts';
import { orderList } from './strategic-order.ts';
import { itemType, lookUpMember } from './strategic-type.ts';

export { PatchError } from './error.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList';
const SET_ORDER = '$setElementOrder';

/** `original` with the patch applied. Neither is changed. Throws PatchError: `malformed` for directives of a wrong form, else `failed`. */
export function applyStrategicMergePatch(original: JsonObject, patch: JsonObject, schema: ObjectSchema): JsonObject {
  return mergeMaps(original, patch, schema);
}

const mergeMaps: Merger = (original, patch, type) => {
  if (Object.hasOwn(patch, DIRECTIVE)) return followDirective(patch);
  const result = retainKeys(original, patch);
  const ordered = new Set<string>();
  for (const key of Object.keys(patch)) {
    if (key.startsWith(SET_ORDER)) mergeOrdered(result, patch, key, type, ordered);
  }
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === undefined || key === RETAIN_KEYS || key.startsWith(SET_ORDER) || ordered.has(key)) continue;
    if (key.startsWith(DELETE_FROM)) deleteItems(result, listNamed(key, DELETE_FROM), value, type);
    else mergeMember(result, key, value, type);
  }
  return result;
};

function followDirective(patch: JsonObject): JsonObject {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw failed(`unknown patch type: ${formatGo(directive)} in map: ${formatGo(patch)}`);
}

/** A copy of the original, without what `$retainKeys` does not list. */
function retainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return { ...original };
  const listed = patch[RETAIN_KEYS];
  if (!Array.isArray(listed)) throw malformed('invalid patch format of retainKeys');
  const kept = new Set<JsonValue>(listed);
  for (const key of Object.keys(patch)) {
    const isDirective = key === RETAIN_KEYS || key.startsWith(DELETE_FROM) || key.startsWith(SET_ORDER);
    if (patch[key] !== null && !isDirective && !kept.has(key)) throw malformed('invalid patch format of retainKeys');
  }
  const result: JsonObject = {};
  for (const key of Object.keys(original)) if (kept.has(key)) setOwn(result, key, original[key]);
  return result;
}

function listNamed(key: string, prefix: string): string {
  const slash = key.indexOf('/');
  if (slash === prefix.length) return key.slice(slash + 1);
  throw malformed(
    prefix === DELETE_FROM ? 'invalid patch format of primitive list' : 'invalid patch format of setElementOrder list',
  );
}

/** `$setElementOrder/x` together with `x`: merges the list and puts it in the order that was asked for. */
function mergeOrdered(result: JsonObject, patch: JsonObject, directive: string, type: Schema, ordered: Set<string>): void {
  const order = listOf(patch[directive]);
  const key = listNamed(directive, SET_ORDER);
  const original = Object.hasOwn(result, key) ? listOf(result[key]) : undefined;
  const list = Object.hasOwn(patch, key) ? listOf(patch[key]) : undefined;
  const member = lookUpMember(type, key);
  const items = itemType(member.schema);
  refuseOtherOrder(list ?? [], order, member.mergeKey);
  if (original === undefined && list === undefined) return;
  const merged = mergeBoth(original, list, items, member);
  itemsOf(original ?? [], list ?? []);
  setOwn(result, key, orderList({ merged, order, mergeKey: member.mergeKey, server: original ?? [] }));
  ordered.add(key);
}

type ListMember = { mergeKey: string; strategy: string };

function mergeBoth(
  original: JsonValue[] | undefined,
  list: JsonValue[] | undefined,
  items: Schema,
  member: ListMember,
): JsonValue[] {
  if (list === undefined) return original ?? [];
  if (original === undefined) return listOf(withoutDirectives(list));
  return member.strategy === 'merge' ? mergeLists(original, list, items, member.mergeKey, mergeMaps) : list;
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw failed(`expected a []interface {}, but received a ${goType(value)}`);
}

/** What the patch lists must come in the order that `$setElementOrder` gives. Items to delete do not count; a last `replace` does. */
function refuseOtherOrder(list: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string): void {
  if (list.length === 0 || order.length === 0) return;
  const wanted = mergeKey === '' ? list : list.filter((item) => !isObject(item) || item[DIRECTIVE] !== 'delete');
  let [at, orderAt] = [0, 0];
  while (at < wanted.length && orderAt < order.length) {
    const [item, asked] = [wanted[at] ?? null, order[orderAt] ?? null];
    if (isDirective(item)) {
      at += 1;
      continue;
    }
    if (keyOf(item, mergeKey) === keyOf(asked, mergeKey)) at += 1;
    orderAt += 1;
  }
  if (at >= wanted.length) return;
  throw failed(`The order in patch list:\n${formatGo([...list])}\n doesn't match ${SET_ORDER} list:\n${formatGo([...order])}\n`);
}

function keyOf(item: JsonValue, mergeKey: string): JsonValue | undefined {
  if (mergeKey === '') return item;
  if (!isObject(item)) throw failed(`expected a map[string]interface {}, but received a ${goType(item)}`);
  if (!Object.hasOwn(item, mergeKey)) throw failed(`map: ${formatGo(item)} does not contain declared merge key: ${mergeKey}`);
  return item[mergeKey];
}

function deleteItems(result: JsonObject, key: string, value: JsonValue, type: Schema): void {
  const original = Object.hasOwn(result, key) ? result[key] : undefined;
  if (value === null) {
    delete result[key];
    return;
  }
  if (!Array.isArray(original) || !Array.isArray(value)) return;
  const member = lookUpMember(type, key);
  setOwn(result, key, deleteScalars(original, value, itemType(member.schema), member.mergeKey, mergeMaps));
}

function mergeMember(result: JsonObject, key: string, value: JsonValue, type: Schema): void {
  if (value === null) {
    delete result[key];
    return;
  }
  const original = Object.hasOwn(result, key) ? result[key] : undefined;
  if (isObject(original) && isObject(value)) {
    const member = lookUpMember(type, key);
    setOwn(result, key, member.strategy === 'replace' ? value : mergeMaps(original, value, member.schema));
  } else if (Array.isArray(original) && Array.isArray(value)) {
    const member = lookUpMember(type, key);
    const items = itemType(member.schema);
    setOwn(result, key, member.strategy === 'merge' ? mergeLists(original, value, items, member.mergeKey, mergeMaps) : value);
  } else {
    const taken = withoutDirectives(withoutNulls(value));
    if (taken === undefined) delete result[key];
    else setOwn(result, key, taken);
  }
}

/** Maps that hold a `$patch` go, at every depth; undefined when the value is one itself. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (isDirective(value)) return undefined;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    const kept = member === undefined ? undefined : withoutDirectives(member);
    if (kept !== undefined) setOwn(result, key, kept);
  }
  return result;
}

function isDirective(value: JsonValue): boolean {
  return isObject(value) && Object.hasOwn(value, DIRECTIVE);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function failed(message: string): PatchError {
  return new PatchError('failed', message);
}

function malformed(message: string): PatchError {
  return new PatchError('malformed', message);
}
