/** What an unquoted YAML word means to Kubernetes: go-yaml v2's rules. */
import type { JsonValue } from '../object.ts';

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word): [string, boolean] => [word, true]),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word): [string, boolean] => [word, false]),
  ...['', '~', 'null', 'Null', 'NULL'].map((word): [string, null] => [word, null]),
]);
const NOT_A_NUMBER = /^(?:\.nan|\.NaN|\.NAN|[+-]?(?:\.inf|\.Inf|\.INF))$/;
/** A date is kept as text; only this much of it is needed to tell it from a number. */
const TIMESTAMP = /^\d{4}-\d{1,2}-\d{1,2}(?:$|[Tt ])/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const INTEGER = /^([-+]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]+|0|[1-9]\d*)$/;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** The JSON value of a plain scalar. Integers up to 64 bits are exact. Throws SyntaxError for infinities, which JSON lacks. */
export function resolvePlain(text: string): JsonValue {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  const numeric = (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e;
  if (!numeric) return text;
  if (NOT_A_NUMBER.test(text)) throw new SyntaxError(`yaml: unsupported value: ${text}`);
  if (TIMESTAMP.test(text)) return text;
  if (first === 0x2e) return FLOAT.test(text) ? finite(text) : text;
  const plain = text.includes('_') ? text.replaceAll('_', '') : text;
  return integer(plain) ?? (FLOAT.test(plain) ? finite(plain) : text);
}

/** Digits with an exponent of three digits or more: perhaps too large; quotes never hurt. */
const OUT_OF_RANGE = /^[-+]?[\d._]+[eE][-+]?\d{3}|^[-+]?[\d_]{300}/;

/** Would the text, left unquoted, be read as something else, or as a merge key? */
export function isAmbiguous(text: string): boolean {
  if (text === '<<' || NOT_A_NUMBER.test(text) || TIMESTAMP.test(text)) return true;
  // A number that no double can hold cannot be read at all.
  return OUT_OF_RANGE.test(text) || resolvePlain(text) !== text;
}

function integer(text: string): JsonValue | undefined {
  const match = INTEGER.exec(text);
  if (!match) return undefined;
  const [, sign, digits = ''] = match;
  if (digits.length < 16 && /^(?:0|[1-9]\d*)$/.test(digits)) return Number(text) + 0;
  const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase();
  const value = sign === '-' ? -BigInt(octal) : BigInt(octal);
  if (value < INT64_MIN || value > UINT64_MAX) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function finite(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new SyntaxError(`yaml: number ${text} is out of range`);
  return value;
}
