/** A short notation for structural OpenAPI v3 schemas of custom kinds. Each function answers a fresh JSON schema. */
import type { JsonObject, JsonValue } from '../../machinery/object.ts';

type Extra = JsonObject;

/** A struct. Names with a trailing `*` are required: `{ 'name*': text() }`. */
export function struct(fields: Record<string, JsonObject>, extra: Extra = {}): JsonObject {
  const required = Object.keys(fields).filter((name) => name.endsWith('*'));
  const properties = Object.entries(fields).map(([name, schema]) => [name.replace(/\*$/, ''), schema] as const);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required: required.map((name) => name.slice(0, -1)) } : {}),
    ...extra,
  };
}

/** A list of `items`; atomic, unless `extra` says otherwise. */
export function listOf(items: JsonObject, extra: Extra = {}): JsonObject {
  return { type: 'array', items, ...extra };
}

/** A list whose elements are told apart by their members `keys`. */
export function mapList(keys: readonly string[], items: JsonObject): JsonObject {
  return listOf(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys] });
}

/** A map from text to `values`. */
export function mapOf(values: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: values };
}

export function text(extra: Extra = {}): JsonObject {
  return { type: 'string', ...extra };
}

/** One of some texts. */
export function choice(values: readonly string[], extra: Extra = {}): JsonObject {
  return text({ enum: [...values], ...extra });
}

/** RFC 3339 time. */
export function time(): JsonObject {
  return text({ format: 'date-time' });
}

/** 64-bit whole number. */
export function int64(extra: Extra = {}): JsonObject {
  return { type: 'integer', format: 'int64', ...extra };
}

/** 64-bit whole number that is not below 0. */
export function countOf(extra: Extra = {}): JsonObject {
  return int64({ minimum: 0, ...extra });
}

export function bool(extra: Extra = {}): JsonObject {
  return { type: 'boolean', ...extra };
}

/** Any JSON value; unknown members are kept. */
export function anything(): JsonObject {
  return { 'x-kubernetes-preserve-unknown-fields': true };
}

/** An object of any shape. */
export function anyObject(): JsonObject {
  return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
}

/** A resource amount: a number, or text such as `500m` and `1Gi`. */
export function quantity(): JsonObject {
  return {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern:
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
    'x-kubernetes-int-or-string': true,
  };
}

/** The same schema with a default. */
export function withDefault(schema: JsonObject, value: JsonValue): JsonObject {
  return { ...schema, default: value };
}
