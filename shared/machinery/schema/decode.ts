/**
 * Reads a JSON object as a kind: unknown members are pruned and named, nulls dropped, JSON types checked, times and quantities
 * brought to the form in which Go would print them. The argument is never changed and no prototype is ever reached.
 */
import { setOwn } from '../equality.ts';
import { STRICT_ERRORS_MAX } from '../limits.ts';
import type { JsonObject, JsonValue } from '../object.ts';
import { goFieldPath, goStructName, goTypeName, goValueName } from './go-names.ts';
import { decodeScalar, zeroOf } from './scalars.ts';
import type { ListSchema, MapSchema, ObjectSchema, ScalarSchema, Schema } from './schema.ts';

export { duplicateKeys, strictErrors, strictErrorsInText } from '../codec/duplicate-keys.ts';

/**
 * What came of a value. `unknownFields` as paths (`spec.containers[0].bar`), at most STRICT_ERRORS_MAX. `typeError` is the first
 * mismatch in Go's words (`json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`).
 */
export type Decoded = { value: JsonObject; unknownFields: string[]; typeError?: string };

type Walk = {
  /** Where we are, as strict errors show it: member names and list indices. */
  path: (string | number)[];
  /** Where we are, as Go's type errors show it: struct fields only. */
  fields: string[];
  /** The struct that holds each of `fields`. */
  owners: string[];
  struct: string;
  unknownFields: string[];
  typeError: string | undefined;
  /** Inside an inline schema (custom resources) types are left to validation: Go reads those as unstructured. */
  lenient: boolean;
};

/**
 * Decodes `value` as the kind that `schema` describes. `subject` names the root in errors where the schema has no name of its own.
 * Members of inline schemas (custom resources) keep values of a wrong type, for `compileValidator` to report.
 */
export function decode(schema: ObjectSchema, value: JsonObject, subject: { apiVersion: string; kind: string }): Decoded {
  const walk: Walk = {
    path: [],
    fields: [],
    owners: [],
    struct: schema.definition === '' ? subject.kind : goStructName(schema.definition),
    unknownFields: [],
    typeError: undefined,
    lenient: schema.definition === '',
  };
  const decoded = decodeObject(schema, value, walk);
  return {
    value: decoded,
    unknownFields: walk.unknownFields,
    ...(walk.typeError === undefined ? {} : { typeError: walk.typeError }),
  };
}

function decodeValue(schema: Schema, value: JsonValue, walk: Walk): JsonValue | undefined {
  switch (schema.kind) {
    case 'scalar':
      return walk.lenient && schema.definition === '' ? value : decodeLeaf(schema, value, walk);
    case 'any':
      return value;
    case 'object':
      return isObject(value) ? enterObject(schema, value, walk) : mismatch(schema, value, walk);
    case 'list':
      return Array.isArray(value) ? decodeList(schema, value, walk) : mismatch(schema, value, walk);
    case 'map':
      return isObject(value) ? decodeMap(schema, value, walk) : mismatch(schema, value, walk);
  }
}

function enterObject(schema: ObjectSchema, value: JsonObject, walk: Walk): JsonObject {
  const { struct, lenient, fields, owners } = walk;
  walk.lenient = schema.definition === '' && lenient;
  walk.struct = goStructName(schema.definition);
  // Metadata of untyped objects is read by itself: its errors name no field above it.
  if (lenient && !walk.lenient) Object.assign(walk, { fields: [], owners: [] });
  const decoded = decodeObject(schema, value, walk);
  Object.assign(walk, { fields, owners });
  walk.struct = struct;
  walk.lenient = lenient;
  return decoded;
}

function decodeObject(schema: ObjectSchema, value: JsonObject, walk: Walk): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    const type = schema.properties.get(key);
    if (type) {
      if (member === null) {
        // A null of a custom resource is for defaulting and validation to judge; Go's structs read it as absent.
        if (walk.lenient) setOwn(result, key, null);
        continue;
      }
      walk.path.push(key);
      walk.fields.push(key);
      walk.owners.push(walk.struct);
      const decoded = decodeValue(type, member, walk);
      walk.owners.pop();
      walk.fields.pop();
      walk.path.pop();
      if (decoded !== undefined) setOwn(result, key, decoded);
    } else if (schema.additional) keepAdditional(schema.additional, key, member, result, walk);
    else if (schema.preserveUnknown || (schema.embedded && isObjectField(key))) setOwn(result, key, member);
    else reportUnknown(key, walk);
  }
  return result;
}

function keepAdditional(type: Schema, key: string, member: JsonValue, result: JsonObject, walk: Walk): void {
  walk.path.push(key);
  const decoded = decodeValue(type, member, walk);
  walk.path.pop();
  if (decoded !== undefined) setOwn(result, key, decoded);
}

function decodeMap(schema: MapSchema, value: JsonObject, walk: Walk): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    walk.path.push(key);
    const decoded = decodeElement(schema.values, member, walk);
    walk.path.pop();
    if (decoded !== undefined) setOwn(result, key, decoded);
  }
  return result;
}

function decodeList(schema: ListSchema, value: readonly JsonValue[], walk: Walk): JsonValue[] {
  const result: JsonValue[] = [];
  for (let index = 0; index < value.length; index += 1) {
    walk.path.push(index);
    const decoded = decodeElement(schema.items, value[index] ?? null, walk);
    walk.path.pop();
    if (decoded !== undefined) result.push(decoded);
  }
  return result;
}

/** In a list or map Go reads null as the zero value, since the element itself must stay. */
function decodeElement(schema: Schema, value: JsonValue, walk: Walk): JsonValue | undefined {
  if (value !== null) return decodeValue(schema, value, walk);
  return walk.lenient ? null : zeroOf(schema);
}

function decodeLeaf(schema: ScalarSchema, value: JsonValue, walk: Walk): JsonValue | undefined {
  const result = decodeScalar(schema, value);
  if (result.type === 'value') return result.value;
  if (result.type === 'error') {
    walk.typeError ??= result.message;
    return undefined;
  }
  return cannotUnmarshal(result.found, result.wanted, walk);
}

function mismatch(schema: Schema, value: JsonValue, walk: Walk): JsonValue | undefined {
  if (walk.lenient && schema.definition === '') return value;
  return cannotUnmarshal(goValueName(value), goTypeName(schema), walk);
}

function cannotUnmarshal(found: string, wanted: string, walk: Walk): undefined {
  if (walk.typeError !== undefined) return undefined;
  const shown = walk.fields.map((field, index) => goFieldPath(walk.owners[index] ?? '', field));
  const target =
    walk.fields.length === 0
      ? `Go value of type ${wanted}`
      : `Go struct field ${walk.struct}.${shown.join('.')} of type ${wanted}`;
  walk.typeError = `json: cannot unmarshal ${found} into ${target}`;
  return undefined;
}

function reportUnknown(key: string, walk: Walk): void {
  if (walk.unknownFields.length >= STRICT_ERRORS_MAX) return;
  walk.path.push(key);
  walk.unknownFields.push(formatPath(walk.path));
  walk.path.pop();
}

function formatPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

function isObjectField(key: string): boolean {
  return key === 'apiVersion' || key === 'kind' || key === 'metadata';
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
