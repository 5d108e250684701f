/** The object that a created one is compared with: what a new Go value of the type prints. */
import type { JsonObject, JsonValue } from '../../object.ts';
import type { Schema } from '../../schema/schema.ts';
import { asMap, isEmptyMap } from './shape.ts';

/**
 * A new object of a built-in type has its struct members (`spec: {}`, `template: {}`), zeroes and nulls of members that are always
 * printed. Owners of a created object therefore own `f:containers` without the list itself, but `f:labels` with it. Custom resources
 * have nothing of the kind: they are untyped.
 */
export function emptyObject(schema: Schema): JsonObject {
  if (schema.kind !== 'object' || schema.definition === '') return {};
  const result: JsonObject = {};
  for (const [name, member] of schema.properties) {
    const empty = emptyMember(member, schema.required.includes(name));
    if (empty !== undefined) result[name] = empty;
  }
  return result;
}

function emptyMember(member: Schema, required: boolean): JsonValue | undefined {
  if (isStruct(member)) return emptyObject(member);
  if (!required) return undefined;
  return member.default ?? null;
}

/** Struct members that are no pointers have the default `{}` in the OpenAPI documents. */
function isStruct(member: Schema): boolean {
  const empty = asMap(member.default);
  return member.kind === 'object' && empty !== undefined && isEmptyMap(empty);
}
