/**
 * Brings a JSON object to the form in which Go would print it again: zero values that `omitempty` hides are dropped, structs that are
 * no pointers (`status`, `strategy`, `resources`) appear. The descriptor data know which
 * is which; OpenAPI does not.
 */
import { setOwn } from '../../equality.ts';
import type { JsonObject, JsonValue } from '../../object.ts';
import type { FieldPlan, MessagePlan } from './plan.ts';
import { fillMissing, isZero, keepsZero } from './zero.ts';

/** What becomes of an empty list that is always shown: protobuf, and so the real server's store, does not tell it from none. */
export type EmptyLists = 'kept' | 'nil';

/** A new object; members that the plan does not know are kept as they are. Parts that need no change may be shared with the argument. */
export function normalizeMessage(plan: MessagePlan, value: JsonObject, empty: EmptyLists): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined || member === null) continue;
    const field = fieldNamed(plan, key);
    const normalized = field ? normalizeField(field, member, empty) : member;
    if (normalized !== undefined) setOwn(result, key, normalized);
  }
  fillMissing(result, plan, undefined);
  return result;
}

function normalizeField(field: FieldPlan, value: JsonValue, empty: EmptyLists): JsonValue | undefined {
  if (field.wrap === 'list') return normalizeList(field, value, empty);
  if (field.wrap === 'map') return normalizeMap(field, value, empty);
  if (!field.pointer && isZero(value) && !keepsZero(field)) return undefined;
  return normalizeElement(field, value, empty);
}

function normalizeList(field: FieldPlan, value: JsonValue, empty: EmptyLists): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  if (value.length === 0 && field.omitEmpty) return undefined;
  if (value.length === 0) return empty === 'nil' ? null : value;
  return field.type === 'message' ? value.map((item) => normalizeElement(field, item, empty)) : value;
}

function normalizeMap(field: FieldPlan, value: JsonValue, empty: EmptyLists): JsonValue | undefined {
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.length === 0 && field.omitEmpty) return undefined;
  if (field.type !== 'message' || field.message().special !== undefined) return value;
  const result: JsonObject = {};
  for (const key of keys) setOwn(result, key, normalizeElement(field, value[key] ?? null, empty));
  return result;
}

function normalizeElement(field: FieldPlan, value: JsonValue, empty: EmptyLists): JsonValue {
  if (field.type !== 'message' || !isObject(value)) return value;
  const plan = field.message();
  if (plan.special === undefined) return normalizeMessage(plan, value, empty);
  // A schema that stands where a list or a boolean could.
  const schema = plan.special.startsWith('schema') ? plan.fields.find((inner) => inner.name === 'schema') : undefined;
  return schema ? normalizeMessage(schema.message(), value, empty) : value;
}

/** The field of this JSON name, in the message itself or in one that Go inlines. */
function fieldNamed(plan: MessagePlan, name: string): FieldPlan | undefined {
  return (
    plan.byName.get(name) ?? plan.inlined.map((field) => fieldNamed(field.message(), name)).find((field) => field !== undefined)
  );
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
