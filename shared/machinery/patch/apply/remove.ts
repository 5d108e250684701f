/** Takes fields out of a value. */
import { setOwn } from '../../equality.ts';
import type { JsonObject, JsonValue } from '../../object.ts';
import type { Schema } from '../../schema/schema.ts';
import { fieldElement } from './element.ts';
import type { FieldSet } from './field-set.ts';
import { asList, asMap, isAtomic, itemSchema, memberSchema, shapeOf, UNSTRUCTURED, validItemElement } from './shape.ts';

/**
 * `value` without the members, items and everything below them that `fields` names. What loses its last member or item becomes null, which
 * decoding drops (Kubernetes 1.35; structured-merge-diff v6.3.0 `TypedValue.RemoveItems`). The value itself stays untouched.
 */
export function removeFields(value: JsonObject, fields: FieldSet, schema: Schema): JsonObject {
  if (fields.size === 0) return value;
  return asMap(remove(value, fields, schema)) ?? {};
}

function remove(value: JsonValue, fields: FieldSet, schema: Schema): JsonValue {
  const shape = shapeOf(schema, value);
  if (shape === 'scalar') return value;
  if (isAtomic(schema, shape)) return null;
  return shape === 'map' ? removeMembers(asMap(value), fields, schema) : removeItems(asList(value), fields, schema);
}

function removeMembers(map: JsonObject | undefined, fields: FieldSet, schema: Schema): JsonValue {
  if (map === undefined) return null;
  const result: JsonObject = {};
  let isEmpty = true;
  for (const name of Object.keys(map)) {
    const member = map[name];
    const found = fields.get(fieldElement(name));
    if (member === undefined || found?.owned) continue;
    isEmpty = false;
    setOwn(result, name, found?.fields ? remove(member, found.fields, memberSchema(schema, name) ?? UNSTRUCTURED) : member);
  }
  return isEmpty ? null : result;
}

function removeItems(list: readonly JsonValue[] | undefined, fields: FieldSet, schema: Schema): JsonValue {
  const result: JsonValue[] = [];
  for (const item of list ?? []) {
    const found = fields.get(validItemElement(schema, item));
    if (!found?.owned) result.push(found?.fields ? remove(item, found.fields, itemSchema(schema)) : item);
  }
  return result.length === 0 ? null : result;
}

/** Drops null members where the type has structure: what decoding into a typed object does. Parts without structure keep theirs. */
export function dropNulls(value: JsonObject, schema: Schema): JsonObject {
  return asMap(withoutNulls(value, schema)) ?? {};
}

function withoutNulls(value: JsonValue, schema: Schema): JsonValue {
  if (schema.kind === 'scalar' || schema.kind === 'any' || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return mapItems(value, (item) => withoutNulls(item, itemSchema(schema)));
  let result: JsonObject | undefined;
  for (const name of Object.keys(value)) {
    const member = value[name];
    const cleaned =
      member === undefined || member === null ? undefined : withoutNulls(member, memberSchema(schema, name) ?? UNSTRUCTURED);
    if (cleaned === member) continue;
    result ??= { ...value };
    if (cleaned === undefined) delete result[name];
    else setOwn(result, name, cleaned);
  }
  return result ?? value;
}

/** As `Array.map`, but the very same list when nothing changed. */
function mapItems(list: JsonValue[], change: (item: JsonValue) => JsonValue): JsonValue[] {
  const changed = list.map(change);
  return changed.every((item, index) => item === list[index]) ? list : changed;
}
