/**
 * Checks a value against a structural schema and says what is wrong as apiextensions does. Used for kinds with inline schemas (custom
 * resources, KubeAdmiral's kinds); built-in kinds are typed by `decode` and validated by code.
 */
import { canonicalJson } from '../canonical.ts';
import { SCHEMA_ERRORS_MAX } from '../limits.ts';
import type { JsonObject, JsonValue } from '../object.ts';
import { violatesFormat } from './formats.ts';
import type { ListSchema, MapSchema, ObjectSchema, ScalarSchema, Schema } from './schema.ts';

/** A field error in the shape of `FieldError` of shared/apis/definition.ts, which machinery may not import. */
export type FieldErrorLike = {
  type: 'Invalid' | 'Required' | 'NotSupported' | 'Duplicate' | 'TooLong' | 'TooMany' | 'TypeInvalid';
  field: string;
  detail: string;
};

type Errors = FieldErrorLike[];

/**
 * Errors of a decoded value, at most SCHEMA_ERRORS_MAX, in the order of the schema. `path` is where the value stands (`''` for a whole
 * object). Types of built-in kinds inside (metadata) are skipped: `decode` has checked them.
 */
export function validateSchema(schema: Schema, value: JsonValue, path: string): FieldErrorLike[] {
  const errors: Errors = [];
  validateValue(schema, value, path, errors);
  return errors.slice(0, SCHEMA_ERRORS_MAX);
}

function validateValue(schema: Schema, value: JsonValue, path: string, errors: Errors): void {
  if (errors.length >= SCHEMA_ERRORS_MAX || schema.kind === 'any' || (value === null && schema.nullable)) return;
  if (schema.kind === 'scalar' && value !== null) validateScalar(schema, value, path, errors);
  else if (schema.kind === 'list' && Array.isArray(value)) validateList(schema, value, path, errors);
  else if (schema.kind === 'object' && isObject(value)) validateObject(schema, value, path, errors);
  else if (schema.kind === 'map' && isObject(value)) validateMap(schema, value, path, errors);
  else errors.push(wrongType(schema, value, path));
}

function validateObject(schema: ObjectSchema, value: JsonObject, path: string, errors: Errors): void {
  for (const name of schema.required) {
    if (!Object.hasOwn(value, name) || value[name] === undefined) {
      errors.push({ type: 'Required', field: join(path, name), detail: 'Required value' });
    }
  }
  for (const [name, type] of schema.properties) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member !== undefined && type.definition === '') validateValue(type, member, join(path, name), errors);
  }
  if (!schema.additional) return;
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined && !schema.properties.has(name)) validateValue(schema.additional, member, join(path, name), errors);
  }
}

function validateMap(schema: MapSchema, value: JsonObject, path: string, errors: Errors): void {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  const { minProperties, maxProperties } = schema;
  if (minProperties !== undefined && names.length < minProperties) {
    errors.push(invalid(path, 'object', `${path} in body should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && names.length > maxProperties) errors.push(tooMany(path, names.length, maxProperties));
  for (const name of names) validateValue(schema.values, value[name] ?? null, join(path, name), errors);
}

function validateList(schema: ListSchema, value: readonly JsonValue[], path: string, errors: Errors): void {
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && value.length < minItems) {
    errors.push(invalid(path, String(value.length), `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(path, value.length, maxItems));
  for (const [index, item] of value.entries()) validateValue(schema.items, item, `${path}[${index}]`, errors);
  validateUnique(schema, value, path, errors);
}

/** Sets hold a value once, list-maps a combination of keys once; an absent key counts with its default. */
function validateUnique(schema: ListSchema, value: readonly JsonValue[], path: string, errors: Errors): void {
  if (schema.listType === 'atomic') return;
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const identity = schema.listType === 'set' ? item : keysOf(schema, item);
    const text = canonicalJson(identity);
    if (seen.has(text)) errors.push({ type: 'Duplicate', field: `${path}[${index}]`, detail: `Duplicate value: ${text}` });
    seen.add(text);
  }
}

function keysOf(schema: ListSchema, item: JsonValue): JsonValue {
  if (!isObject(item)) return item;
  const types = schema.items.kind === 'object' ? schema.items.properties : undefined;
  return Object.fromEntries(
    schema.listKeys.map((key) => [key, (Object.hasOwn(item, key) ? item[key] : undefined) ?? types?.get(key)?.default ?? null]),
  );
}

function validateScalar(schema: ScalarSchema, value: JsonValue, path: string, errors: Errors): void {
  if (!fitsType(schema, value)) {
    errors.push(wrongType(schema, value, path));
    return;
  }
  const allowed = schema.enum;
  if (allowed && !allowed.includes(value)) {
    const shown = allowed.map((choice) => JSON.stringify(choice)).join(', ');
    errors.push({
      type: 'NotSupported',
      field: path,
      detail: `Unsupported value: ${shownValue(value)}: supported values: ${shown}`,
    });
  }
  if (typeof value === 'string') validateText(schema, value, path, errors);
  else if (typeof value === 'number' || typeof value === 'bigint') validateNumber(schema, value, path, errors);
}

function validateText(schema: ScalarSchema, value: string, path: string, errors: Errors): void {
  const { minLength, maxLength, pattern, regex, format } = schema;
  // Lengths count code points, of which there are never more than code units.
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length;
  if (minLength !== undefined && length < minLength) {
    errors.push(invalid(path, JSON.stringify(value), `${path} in body should be at least ${minLength} chars long`));
  }
  if (maxLength !== undefined && length > maxLength) {
    errors.push({ type: 'TooLong', field: path, detail: `Too long: may not be more than ${maxLength} bytes` });
  }
  if (regex && !regex.test(value)) {
    errors.push(invalid(path, JSON.stringify(value), `${path} in body should match '${pattern}'`));
  }
  if (violatesFormat(format, value))
    errors.push(invalid(path, JSON.stringify(value), `${path} in body must be of type ${format}: ${JSON.stringify(value)}`));
}

function validateNumber({ minimum, maximum }: ScalarSchema, value: number | bigint, path: string, errors: Errors): void {
  if (minimum !== undefined && value < minimum) {
    errors.push(invalid(path, String(value), `${path} in body should be greater than or equal to ${minimum}`));
  }
  if (maximum !== undefined && value > maximum) {
    errors.push(invalid(path, String(value), `${path} in body should be less than or equal to ${maximum}`));
  }
}

function fitsType({ scalar, format }: ScalarSchema, value: JsonValue): boolean {
  switch (scalar) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return isNumber(value);
    case 'integer':
      return isInteger(value) && (format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31));
    case 'intOrString':
      return typeof value === 'string' || isInteger(value);
    case 'quantity':
      return typeof value === 'string' || isNumber(value);
  }
}

function wrongType(schema: Schema, value: JsonValue, path: string): FieldErrorLike {
  const name = typeName(schema);
  const found = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value === 'bigint' ? 'integer' : typeof value;
  const shown = found === 'number' && Number.isInteger(value) ? 'integer' : found;
  return {
    type: 'TypeInvalid',
    field: path,
    detail: `Invalid value: "${shown}": ${path} in body must be of type ${name}: "${shown}"`,
  };
}

function typeName(schema: Schema): string {
  if (schema.kind === 'list') return 'array';
  if (schema.kind !== 'scalar') return 'object';
  if (schema.scalar === 'intOrString') return 'integer,string';
  return schema.scalar === 'quantity' ? 'string' : schema.scalar;
}

function invalid(field: string, shown: string, text: string): FieldErrorLike {
  return { type: 'Invalid', field, detail: `Invalid value: ${shown}: ${text}` };
}

function tooMany(field: string, count: number, max: number): FieldErrorLike {
  return { type: 'TooMany', field, detail: `Too many: ${count}: must have at most ${max} items` };
}

const shownValue = (value: JsonValue): string => (typeof value === 'bigint' ? String(value) : JSON.stringify(value));
const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
const isNumber = (value: JsonValue): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';
const isInteger = (value: JsonValue): value is number | bigint => typeof value === 'bigint' || Number.isInteger(value);
const isObject = (value: JsonValue): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
