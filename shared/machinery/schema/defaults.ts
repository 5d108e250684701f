/**
 * Defaults of structural schemas, as apiextensions applies them to custom resources. Built-in kinds do not use these: their OpenAPI
 * documents carry Go's zero values as `default`, and their real defaults are code (`shared/apis`).
 */
import { cloneJson, setOwn } from '../equality.ts';
import type { JsonObject, JsonValue } from '../object.ts';
import type { ObjectSchema, Schema } from './schema.ts';

/**
 * Fills what is missing and has a default, in place, and descends into what is there, new defaults included. A null where the schema
 * is not nullable is replaced by the default, or goes where there is none.
 */
export function applySchemaDefaults(schema: Schema, value: JsonValue): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (schema.kind === 'list') for (const item of value) applySchemaDefaults(schema.items, item);
    return;
  }
  if (schema.kind === 'object') applyToObject(schema, value);
  else if (schema.kind === 'map') applyToMembers(schema.values, value, () => true);
}

function applyToObject(schema: ObjectSchema, value: JsonObject): void {
  for (const [name, type] of schema.properties) {
    // Types of built-in kinds inside (metadata, embedded resources) are not structural schemas.
    if (type.definition !== '') continue;
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (type.default !== undefined && (member === undefined || (member === null && !type.nullable))) {
      setOwn(value, name, cloneJson(type.default));
    } else if (member === null && !type.nullable) delete value[name];
    const current = Object.hasOwn(value, name) ? value[name] : undefined;
    if (current !== undefined) applySchemaDefaults(type, current);
  }
  const { additional, properties } = schema;
  if (additional) applyToMembers(additional, value, (name) => !properties.has(name));
}

function applyToMembers(type: Schema, value: JsonObject, applies: (name: string) => boolean): void {
  for (const name of Object.keys(value)) {
    if (!applies(name)) continue;
    if (value[name] === null && !type.nullable) {
      if (type.default === undefined) delete value[name];
      else setOwn(value, name, cloneJson(type.default));
    }
    const member = value[name];
    if (member !== undefined) applySchemaDefaults(type, member);
  }
}
