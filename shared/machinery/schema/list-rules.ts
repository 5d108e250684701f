/** Lists that are sets or maps (`x-kubernetes-list-type`) hold each element once. */
import { canonicalJson } from '../canonical.ts';
import type { JsonObject, JsonValue } from '../object.ts';
import type { FieldErrorLike } from './field-error.ts';
import type { ListSchema, Schema } from './schema.ts';

/** Errors of all lists of a value, in the order of the value. */
export function validateLists(schema: Schema, value: JsonValue, path: string): FieldErrorLike[] {
  const errors: FieldErrorLike[] = [];
  visit(schema, value, path, errors);
  return errors;
}

function visit(schema: Schema, value: JsonValue, path: string, errors: FieldErrorLike[]): void {
  if (Array.isArray(value)) {
    if (schema.kind === 'list') visitList(schema, value, path, errors);
    return;
  }
  if (!isObject(value) || (schema.kind !== 'object' && schema.kind !== 'map')) return;
  for (const name of Object.keys(value)) {
    const member = value[name];
    const type = schema.kind === 'map' ? schema.values : (schema.properties.get(name) ?? schema.additional);
    if (type === undefined || member === undefined || type.definition !== '') continue;
    visit(type, member, schema.kind === 'map' ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`, errors);
  }
}

function visitList(schema: ListSchema, value: readonly JsonValue[], path: string, errors: FieldErrorLike[]): void {
  if (schema.listType === 'set') repeated(value, path, errors);
  if (schema.listType === 'map') visitMap(schema, value, path, errors);
  for (const [index, item] of value.entries()) visit(schema.items, item, `${path}[${index}]`, errors);
}

function visitMap({ listKeys }: ListSchema, value: readonly JsonValue[], path: string, errors: FieldErrorLike[]): void {
  const wrong = value.findIndex((item) => item !== null && !isObject(item));
  if (wrong < 0) {
    repeated(
      value.map((item) => keysOf(listKeys, item)),
      path,
      errors,
    );
    return;
  }
  const shown = canonicalJson(value[wrong] ?? null);
  const why = 'must be an object for an array of list-type map';
  errors.push({ type: 'Invalid', field: `${path}[${wrong}]`, detail: `Invalid value: ${shown}: ${why}` });
}

function keysOf(keys: readonly string[], item: JsonValue): JsonValue {
  if (!isObject(item)) return {};
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(item, key) ? [[key, item[key] ?? null]] : [])));
}

/** Complains of the second of several that are equal, and no more of them. */
function repeated(identities: readonly JsonValue[], path: string, errors: FieldErrorLike[]): void {
  const seen = new Map<string, number>();
  for (const [index, identity] of identities.entries()) {
    const text = canonicalJson(identity);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) errors.push({ type: 'Duplicate', field: `${path}[${index}]`, detail: `Duplicate value: ${text}` });
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
