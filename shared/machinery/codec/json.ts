/**
 * JSON in and out without losing what JavaScript's numbers cannot hold: an integer beyond 2^53 becomes a bigint and is printed
 * as it came. Ordinary documents take the engine's fast path.
 */
import { NESTING_MAX } from '../limits.ts';
import type { JsonValue } from '../object.ts';

/** A run of 16 digits can exceed 2^53 and an exponent of three digits the range of doubles; only then is the slow path needed. */
const LONG_NUMBER = /\d{16}|(?:^|[\s:,[])-?\d[\d.]*[eE]\+?\d{3}/;
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON text. Throws SyntaxError, also for nesting deeper than NESTING_MAX and numbers that no double can hold.
 * `__proto__` becomes an ordinary own key (JSON.parse defines, it does not assign).
 */
export function parseJson(text: string): JsonValue {
  checkNesting(text);
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as JsonValue;
  return JSON.parse(text, keepLargeIntegers) as JsonValue;
}

/** Whoever walks the value later may recurse: so the depth is bounded on the text, before anything walks. */
function checkNesting(text: string): void {
  // Each level costs at least its two brackets.
  if (text.length < 2 * NESTING_MAX) return;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
      if (index < 0) return;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > NESTING_MAX) throw new SyntaxError(`exceeded max depth of ${NESTING_MAX}`);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Position of the quote that ends the string which starts at `start`; -1 when the text ends first. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
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
  if (INTEGER.test(source)) return BigInt(source);
  if (!Number.isFinite(value)) throw new SyntaxError(`number ${source} is out of range`);
  return value;
}

function printLargeIntegers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? (JSON as unknown as RawJson).rawJSON(value.toString()) : value;
}
