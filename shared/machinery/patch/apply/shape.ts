/**
 * A schema as server-side apply sees it: every value is a map, a list or a scalar; maps are granular or atomic, lists atomic, sets or keyed.
 * Parts without structure are deduced from the value: maps granular, lists atomic (structured-merge-diff's `__untyped_deduced_`).
 */
import type { JsonObject, JsonValue } from '../../object.ts';
import type { AnySchema, ListSchema, ObjectSchema, Schema } from '../../schema/schema.ts';
import { keyElement, valueElement } from './element.ts';

export type Shape = 'map' | 'list' | 'scalar';

/** A part without structure. */
export const UNSTRUCTURED: AnySchema = { kind: 'any', definition: '', nullable: true };

const RAW_EXTENSION = 'io.k8s.apimachinery.pkg.runtime.RawExtension';

/** What a value of this schema is walked as. Null and absent values of an unstructured part count as maps, as upstream has it. */
export function shapeOf(schema: Schema, value: JsonValue | undefined): Shape {
  switch (schema.kind) {
    case 'object':
    case 'map':
      return 'map';
    case 'list':
      return 'list';
    case 'scalar':
      return 'scalar';
    case 'any':
      return shapeOfValue(value);
  }
}

function shapeOfValue(value: JsonValue | undefined): Shape {
  if (Array.isArray(value)) return 'list';
  return value === null || value === undefined || typeof value === 'object' ? 'map' : 'scalar';
}

/** Is a map or list of this schema one single field, owned whole? */
export function isAtomic(schema: Schema, shape: 'map' | 'list'): boolean {
  switch (schema.kind) {
    case 'object':
    case 'map':
      return schema.atomic;
    case 'list':
      return schema.listType === 'atomic';
    default:
      return shape === 'list' || schema.definition === RAW_EXTENSION;
  }
}

/** The schema of a map's member; undefined: such a member is not declared. */
export function memberSchema(schema: Schema, name: string): Schema | undefined {
  switch (schema.kind) {
    case 'object':
      return schema.properties.get(name) ?? otherMembers(schema);
    case 'map':
      return schema.values;
    default:
      return UNSTRUCTURED;
  }
}

function otherMembers(schema: ObjectSchema): Schema | undefined {
  if (schema.additional !== undefined) return schema.additional;
  return schema.preserveUnknown || schema.properties.size === 0 ? UNSTRUCTURED : undefined;
}

/** Is it a member that the type names (a struct's field), not just any key of a map? */
export function isNamedMember(schema: Schema, name: string): boolean {
  return schema.kind === 'object' && schema.properties.has(name);
}

/** The schema of a list's items. */
export function itemSchema(schema: Schema): Schema {
  return schema.kind === 'list' ? schema.items : UNSTRUCTURED;
}

/** The members of a value that is walked as a map; undefined for null, absent and anything else. */
export function asMap(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

/** The items of a value that is walked as a list; undefined for null, absent and anything else. */
export function asList(value: JsonValue | undefined): JsonValue[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** No member at all? Members that are undefined count as absent. */
export function isEmptyMap(map: JsonObject): boolean {
  for (const name in map) if (map[name] !== undefined) return false;
  return true;
}

/** How an item of a set or keyed list is found again: its element, or why it has none. */
export type ItemElement = { type: 'ok'; element: string } | { type: 'invalid'; message: string };

/** The element of an item of a set or keyed list. A key that is absent takes its default from the item's schema. */
export function itemElement(list: ListSchema, item: JsonValue): ItemElement {
  return list.listType === 'set' ? setItemElement(item) : keyedItemElement(list, item);
}

/** As `itemElement`, for lists that were validated: items without an element are all the same, empty one. */
export function validItemElement(schema: Schema, item: JsonValue): string {
  if (schema.kind !== 'list') return '';
  const found = itemElement(schema, item);
  return found.type === 'ok' ? found.element : '';
}

function setItemElement(item: JsonValue): ItemElement {
  if (item === null) return invalid("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) return invalid('not supported: associative list with lists as elements');
  if (typeof item === 'object') return invalid("associative list without keys has an element that's a map type");
  return { type: 'ok', element: valueElement(item) };
}

function keyedItemElement(list: ListSchema, item: JsonValue): ItemElement {
  if (item === null) return invalid('associative list with keys may not have a null element');
  if (typeof item !== 'object' || Array.isArray(item)) return invalid('associative list with keys may not have non-map elements');
  const keys: [string, JsonValue][] = [];
  for (const name of list.listKeys) {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    const known = value === undefined ? keyDefault(list.items, name) : value;
    if (known !== undefined) keys.push([name, known]);
  }
  if (keys.length === 0) return invalid(withoutKeys(list.listKeys));
  if (keys.length > 1) keys.sort(([a], [b]) => (a < b ? -1 : 1));
  return { type: 'ok', element: keyElement(keys) };
}

function keyDefault(items: Schema, name: string): JsonValue | undefined {
  return items.kind === 'object' ? items.properties.get(name)?.default : undefined;
}

function withoutKeys(keys: readonly string[]): string {
  const names = `[${keys.map((key) => JSON.stringify(key)).join(' ')}]`;
  return `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`;
}

function invalid(message: string): ItemElement {
  return { type: 'invalid', message };
}
