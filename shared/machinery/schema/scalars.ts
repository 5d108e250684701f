/** One scalar, read as Go's types would read it. */
import type { JsonValue } from '../object.ts';
import { canonicalQuantity } from '../quantity.ts';
import { canonicalMicroTime, canonicalTime } from '../time.ts';
import { goTypeName, goValueName } from './go-names.ts';
import type { ScalarSchema, Schema } from './schema.ts';

/** A value, a JSON type that does not fit (`found` into `wanted`), or a complaint of the type's own parser. */
export type ScalarResult =
  | { type: 'value'; value: JsonValue }
  | { type: 'mismatch'; found: string; wanted: string }
  | { type: 'error'; message: string };

const INT32_MAX = 2 ** 31 - 1;
const INT64_MAX = 2n ** 63n - 1n;
const QUANTITY_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Reads a scalar that is not null. Times, quantities and minus zero come back in canonical form. */
export function decodeScalar(schema: ScalarSchema, value: JsonValue): ScalarResult {
  switch (schema.scalar) {
    case 'string':
      return typeof value === 'string' ? decodeText(schema, value) : mismatch(schema, value);
    case 'boolean':
      return typeof value === 'boolean' ? { type: 'value', value } : mismatch(schema, value);
    case 'integer':
      return decodeInteger(value, goTypeName(schema));
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? { type: 'value', value } : mismatch(schema, value);
    case 'intOrString':
      return typeof value === 'string' ? { type: 'value', value } : decodeInteger(value, 'int32');
    case 'quantity':
      return decodeQuantity(value);
  }
}

/** The zero value that Go puts where a list or map holds null. */
export function zeroOf(schema: Schema): JsonValue {
  switch (schema.kind) {
    case 'object':
    case 'map':
      return {};
    case 'list':
      return [];
    case 'any':
      return null;
    case 'scalar':
      return zeroScalar(schema);
  }
}

function zeroScalar(schema: ScalarSchema): JsonValue {
  if (schema.scalar === 'string') return '';
  if (schema.scalar === 'boolean') return false;
  return schema.scalar === 'quantity' ? '0' : 0;
}

function decodeText(schema: ScalarSchema, value: string): ScalarResult {
  if (schema.format === 'date-time')
    return parsed(() => (schema.definition.endsWith('.MicroTime') ? canonicalMicroTime(value) : canonicalTime(value)));
  if (schema.format === 'byte') return decodeBase64(value);
  return { type: 'value', value };
}

function decodeInteger(value: JsonValue, wanted: string): ScalarResult {
  if (typeof value === 'number' && Number.isInteger(value)) {
    const fits = wanted === 'int32' ? value <= INT32_MAX && value >= -INT32_MAX - 1 : Number.isSafeInteger(value);
    // Minus zero is zero.
    if (fits) return { type: 'value', value: value + 0 };
  }
  if (typeof value === 'bigint' && wanted === 'int64' && value <= INT64_MAX && value >= -INT64_MAX - 1n)
    return { type: 'value', value };
  const found = typeof value === 'number' || typeof value === 'bigint' ? `number ${value}` : goValueName(value);
  return { type: 'mismatch', found, wanted };
}

function decodeQuantity(value: JsonValue): ScalarResult {
  if (typeof value === 'string') return parsed(() => canonicalQuantity(value));
  if (typeof value === 'number' || typeof value === 'bigint') return parsed(() => canonicalQuantity(String(value)));
  return { type: 'error', message: QUANTITY_FORMAT };
}

/** Standard base64 with padding; Go skips line breaks. */
function decodeBase64(value: string): ScalarResult {
  const wrong = value.search(/[^A-Za-z0-9+/=\r\n]/);
  if (wrong >= 0) return illegalBase64(wrong);
  const padding = value.indexOf('=');
  if (padding >= 0 && /[^=\r\n]/.test(value.slice(padding))) return illegalBase64(padding);
  const compact = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, '') : value;
  const rest = compact.length % 4;
  if (rest !== 0) return illegalBase64(value.length - (compact.endsWith('=') ? 0 : rest));
  return compact.endsWith('===') ? illegalBase64(value.length - 3) : { type: 'value', value };
}

function illegalBase64(at: number): ScalarResult {
  return { type: 'error', message: `illegal base64 data at input byte ${at}` };
}

function parsed(parse: () => string): ScalarResult {
  try {
    return { type: 'value', value: parse() };
  } catch (error) {
    if (error instanceof RangeError) return { type: 'error', message: error.message };
    throw error;
  }
}

function mismatch(schema: ScalarSchema, value: JsonValue): ScalarResult {
  // A time is read through a string first, so its own type never shows.
  return { type: 'mismatch', found: goValueName(value), wanted: goTypeName(schema) };
}
