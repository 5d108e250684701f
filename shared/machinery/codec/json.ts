/**
 * JSON in and out without losing what JavaScript's numbers cannot hold: an integer beyond 2^53 becomes a bigint and is printed
 * as it came. Ordinary documents take the engine's fast path.
 */
import type { JsonValue } from '../object.ts';

/** A run of 16 digits can exceed 2^53; only then is the slow path needed. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** Parses JSON text. Throws SyntaxError. `__proto__` becomes an ordinary own key (JSON.parse defines, it does not assign). */
export function parseJson(text: string): JsonValue {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as JsonValue;
  return JSON.parse(text, keepLargeIntegers) as JsonValue;
}

/** Compact JSON text. bigint values are printed as integers. */
export function stringifyJson(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, printLargeIntegers);
  }
}

type ParseContext = { source?: string };
type RawJson = { rawJSON(text: string): unknown };

function keepLargeIntegers(_key: string, value: unknown, context?: ParseContext): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return INTEGER.test(source) ? BigInt(source) : value;
}

function printLargeIntegers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? (JSON as unknown as RawJson).rawJSON(value.toString()) : value;
}
