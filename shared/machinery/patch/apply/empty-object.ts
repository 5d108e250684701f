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
    const isPrinted = schema.required.includes(name) || PRINTED_NULLS[schema.definition] === name;
    const empty = emptyMember(member, isPrinted);
    if (empty !== undefined) result[name] = empty;
  }
  return result;
}

/** Lists that print as null without being required, by type: Go's `omitempty` was forgotten there. */
const PRINTED_NULLS: Readonly<Record<string, string>> = {
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus': 'currentMetrics',
  'io.k8s.api.discovery.v1.EndpointSlice': 'ports',
  'io.k8s.api.rbac.v1.ClusterRole': 'rules',
  'io.k8s.api.rbac.v1.Role': 'rules',
  'io.k8s.api.resource.v1.DeviceClaim': 'requests',
};

function emptyMember(member: Schema, isPrinted: boolean): JsonValue | undefined {
  if (isStruct(member)) return emptyObject(member);
  if (isZero(member.default)) return member.default;
  return isPrinted ? null : undefined;
}

/** Scalars that are always printed have their zero as the default; other defaults are filled in later. */
function isZero(value: JsonValue | undefined): boolean {
  return value === '' || value === 0 || value === false;
}

/** Struct members that are no pointers have the default `{}` in the OpenAPI documents. */
function isStruct(member: Schema): boolean {
  const empty = asMap(member.default);
  return member.kind === 'object' && empty !== undefined && isEmptyMap(empty);
}
