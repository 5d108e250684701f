/**
 * JSON as values of CEL. Nothing is converted before an expression looks at it, and no key ever reaches a prototype. Without a schema, numbers
 * without a fraction are int; with one, the schema says what a number or a text stands for.
 */
import type { ObjectSchema, ScalarSchema, Schema } from '../schema/schema.ts';
import { escapeProperty } from './escape.ts';
import { propertyNames } from './schema-types.ts';
import { parseDate, parseDuration, parseTimestamp } from './time.ts';
import { type CelMap, type CelValue, fail, KIND, unordered } from './values.ts';

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;

/** Values that are CEL's own already pass as they are; undefined is null. */
export function fromJson(value: unknown, schema?: Schema): CelValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'object') return fromObject(value, schema);
  if (typeof value === 'number') return fromNumber(value, schema);
  if (typeof value === 'string') return schema?.kind === 'scalar' ? fromText(value, schema) : value;
  if (typeof value === 'bigint') return value < INT_MIN || value > INT_MAX || isDouble(schema) ? Number(value) : value;
  return typeof value === 'boolean' ? value : fail(`unsupported value of type ${typeof value}`);
}

function fromObject(value: object, schema: Schema | undefined): CelValue {
  if (KIND in value || value instanceof Uint8Array) return value as CelValue;
  if (Array.isArray(value)) {
    if (schema?.kind !== 'list') return value.map((item) => fromJson(item));
    const list = value.map((item) => fromJson(item, schema.items));
    if (schema.listType === 'atomic') return list;
    return unordered(list, { keys: schema.listType === 'map' ? schema.listKeys.map((key) => escapeProperty(key) ?? key) : [] });
  }
  return schema?.kind === 'object'
    ? fromStruct(value, schema)
    : fromMap(value, schema?.kind === 'map' ? schema.values : undefined);
}

function isDouble(schema: Schema | undefined): boolean {
  return schema?.kind === 'scalar' && schema.scalar === 'number';
}

function fromNumber(value: number, schema: Schema | undefined): CelValue {
  return Number.isSafeInteger(value) && !isDouble(schema) ? BigInt(value) : value;
}

function fromText(value: string, { scalar, format }: ScalarSchema): CelValue {
  if (scalar !== 'string') return value;
  switch (format) {
    case 'byte':
      return new Uint8Array(Buffer.from(value, 'base64'));
    case 'duration':
      return parseDuration(value) ?? fail(`Invalid duration ${value}`);
    case 'date':
      return parseDate(value) ?? fail(`Invalid date ${value}`);
    case 'date-time':
      return parseTimestamp(value) ?? fail(`Invalid datetime ${value}`);
    default:
      return value;
  }
}

function fromMap(source: object, values: Schema | undefined): CelMap {
  return lazyMap(
    source,
    (key) => key,
    () => values,
    () => Object.keys(source),
  );
}

/** Keys are property names in their escaped form, as the type of the schema declares them. */
function fromStruct(source: object, schema: ObjectSchema): CelMap {
  const names = propertyNames(schema);
  const map = lazyMap(
    source,
    (key) => names.get(key),
    (name) => schema.properties.get(name),
    () => [...names].filter(([, name]) => Object.hasOwn(source, name)).map(([escaped]) => escaped),
  );
  return { ...map, size: map.keys().length, objectType: schema.definition === '' ? 'object' : schema.definition };
}

function lazyMap(
  source: object,
  nameOf: (key: string) => string | undefined,
  schemaOf: (name: string) => Schema | undefined,
  keys: () => string[],
): CelMap {
  const known = new Map<string, CelValue>();
  return {
    [KIND]: 'map',
    get size() {
      return keys().length;
    },
    get(key) {
      if (typeof key !== 'string') return undefined;
      const found = known.get(key);
      if (found !== undefined) return found;
      const name = nameOf(key);
      if (name === undefined || !Object.hasOwn(source, name)) return undefined;
      const value = fromJson((source as Record<string, unknown>)[name], schemaOf(name));
      known.set(key, value);
      return value;
    },
    keys,
  };
}
