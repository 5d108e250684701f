/**
 * Checks values against an `openAPIV3Schema` as apiextensions does (kube-openapi's validators): types, values, members, and the logic of
 * allOf, anyOf, oneOf and not. A schema is compiled once. With the old state of an object, what did not change is not complained about.
 */
import { canonicalJson } from '../canonical.ts';
import { deepEqual } from '../equality.ts';
import { SCHEMA_ERRORS_MAX } from '../limits.ts';
import type { JsonObject, JsonValue } from '../object.ts';
import type { FieldErrorLike } from './field-error.ts';
import { formatCheck } from './formats.ts';
import { compileLogic } from './logic.ts';
import { enumRule, invalid, numberRules, textRule } from './value-rules.ts';

/** Errors of a value at `path` (`''` for a whole object), at most SCHEMA_ERRORS_MAX; `old`: what stood there before, if anything. */
export type Validator = (value: JsonValue, path: string, old?: JsonValue) => FieldErrorLike[];

/** What a walk has found: errors, and how much of the schema was met, by which the nearest of several alternatives is told. */
export type Findings = { errors: FieldErrorLike[]; matches: number };

/** One node of the schema. `old` is undefined where nothing corresponds to the value. */
export type Node = (value: JsonValue, path: string, old: JsonValue | undefined, found: Findings) => void;

/** Compiles a schema and everything below it. */
export function compileValidator(schema: JsonObject): Validator {
  const node = compileNode(schema, true);
  return (value, path, old) => {
    const found: Findings = { errors: [], matches: 0 };
    node(value, path, old, found);
    return found.errors.slice(0, SCHEMA_ERRORS_MAX);
  };
}

function compileNode(schema: JsonObject, isRoot = false): Node {
  const type = typeRule(schema);
  const logic = compileLogic(schema, (inner) => compileNode(inner));
  const choices = enumRule(schema);
  const text = compileText(schema);
  const numbers = numberRules(schema);
  const list = compileList(schema);
  const members = compileMembers(schema, isRoot);
  return (value, path, old, found) => {
    const before = found.errors.length;
    add(found, type?.(value, path));
    if (value !== null) {
      found.matches += 6;
      logic?.(value, path, old, found);
      if (typeof value === 'string') text(value, path, found);
      else if (typeof value === 'number' || typeof value === 'bigint') for (const rule of numbers) add(found, rule(value, path));
      else if (Array.isArray(value)) list(value, path, old, found);
      else if (isObject(value)) members(value, path, old, found);
    }
    add(found, choices?.(value, path));
    if (found.errors.length > before && old !== undefined && deepEqual(old, value)) found.errors.length = before;
  };
}

/** The same complaint is told once. */
export function add(found: Findings, error: FieldErrorLike | undefined): void {
  if (error === undefined || found.errors.length >= SCHEMA_ERRORS_MAX) return;
  const isKnown = found.errors.some(({ field, detail }) => field === error.field && detail === error.detail);
  if (!isKnown) found.errors.push(error);
}

type TypeRule = (value: JsonValue, path: string) => FieldErrorLike | undefined;

/** A text with a format is left to the format, as upstream has it. */
function typeRule(schema: JsonObject): TypeRule | undefined {
  const wanted = typesOf(schema);
  if (wanted.length === 0) return undefined;
  const hasFormat = formatCheck(schema.format) !== undefined && !wanted.includes('integer') && !wanted.includes('number');
  const isNullable = schema.nullable === true;
  const name = wanted.join(',');
  return (value, path) => {
    if (value === null && isNullable) return undefined;
    const found = typeName(value);
    if (wanted.includes(found) || (found === 'integer' && wanted.includes('number'))) return undefined;
    if (hasFormat && (found === 'string' || found === 'array')) return undefined;
    const quoted = JSON.stringify(found);
    const detail = `Invalid value: ${quoted}: ${path} in body must be of type ${name}: ${quoted}`;
    return { type: 'TypeInvalid', field: path, detail };
  };
}

function typesOf(schema: JsonObject): string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return typeof schema.type === 'string' && schema.type !== '' ? [schema.type] : [];
}

/** JSON's name of a value's type; a number without a fraction is an integer. */
function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function compileText(schema: JsonObject): (value: string, path: string, found: Findings) => void {
  const rule = textRule(schema);
  const check = formatCheck(schema.format);
  return (value, path, found) => {
    add(found, rule?.(value, path));
    if (check === undefined || check(value)) return;
    const quoted = JSON.stringify(value);
    const detail = `Invalid value: ${quoted}: ${path} in body must be of type ${String(schema.format)}: ${quoted}`;
    add(found, { type: 'TypeInvalid', field: path, detail });
  };
}

type ListNode = (value: JsonValue[], path: string, old: JsonValue | undefined, found: Findings) => void;

function compileList(schema: JsonObject): ListNode {
  const { items, minItems, maxItems } = schema;
  const item = isObject(items) ? compileNode(items) : undefined;
  const oldOf = correlateItems(schema);
  return (value, path, old, found) => {
    const before = oldOf(old);
    if (item) for (const [index, each] of value.entries()) item(each, `${path}[${index}]`, before(each), found);
    if (typeof minItems === 'number' && value.length < minItems)
      add(found, invalid(path, String(value.length), `should have at least ${minItems} items`));
    if (typeof maxItems === 'number' && value.length > maxItems) add(found, tooMany(path, value.length, maxItems));
  };
}

const NOTHING = (): undefined => undefined;

/** Items of a list correspond by their keys, and of no other kind of list at all. */
function correlateItems(schema: JsonObject): (old: JsonValue | undefined) => (item: JsonValue) => JsonValue | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(keys)) return () => NOTHING;
  const identity = (item: JsonValue) =>
    isObject(item) ? canonicalJson(keys.map((key) => ownMember(item, String(key)) ?? null)) : '';
  return (old) => {
    if (!Array.isArray(old)) return NOTHING;
    const byKey = new Map(old.map((item) => [identity(item), item]));
    return (item) => byKey.get(identity(item));
  };
}

function ownMember(value: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

type ObjectNode = (value: JsonObject, path: string, old: JsonValue | undefined, found: Findings) => void;

function compileMembers(schema: JsonObject, isRoot: boolean): ObjectNode {
  const { properties, additionalProperties, required, minProperties, maxProperties } = schema;
  const named = new Map(
    Object.entries(isObject(properties) ? properties : {}).flatMap(([name, each]) =>
      isObject(each) ? [[name, compileNode(each)] as const] : [],
    ),
  );
  const other = isObject(additionalProperties) ? compileNode(additionalProperties) : undefined;
  const needed = Array.isArray(required) ? required.map(String) : [];
  return (value, path, old, found) => {
    const before = isObject(old ?? null) ? (old as JsonObject) : undefined;
    checkCount(value, path, { minProperties, maxProperties }, found);
    for (const name of Object.keys(value)) {
      const member = value[name];
      const node = named.get(name) ?? other;
      if (node === undefined || member === undefined) continue;
      // What the version and the kind were before is not known: both states are shown in one version.
      const hidden = isRoot && (name === 'apiVersion' || name === 'kind');
      node(member, join(path, name), before && !hidden ? ownMember(before, name) : undefined, found);
    }
    for (const name of needed)
      if (ownMember(value, name) === undefined)
        add(found, { type: 'Required', field: join(path, name), detail: 'Required value' });
  };
}

type Counts = { minProperties: JsonValue | undefined; maxProperties: JsonValue | undefined };

function checkCount(value: JsonObject, path: string, { minProperties, maxProperties }: Counts, found: Findings): void {
  if (typeof minProperties !== 'number' && typeof maxProperties !== 'number') return;
  const count = Object.keys(value).length;
  if (typeof minProperties === 'number' && count < minProperties)
    add(found, invalid(path, String(count), `should have at least ${minProperties} properties`));
  if (typeof maxProperties === 'number' && count > maxProperties) add(found, tooMany(path, count, maxProperties));
}

function tooMany(field: string, count: number, max: number): FieldErrorLike {
  return { type: 'TooMany', field, detail: `Too many: ${count}: must have at most ${max} ${max === 1 ? 'item' : 'items'}` };
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
