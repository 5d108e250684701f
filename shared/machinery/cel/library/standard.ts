/** The standard functions of CEL: sizes, conversions, text, dates. Texts of errors are cel-go's. */
import { global, member, type Overload } from '../functions.ts';
import { goDouble } from '../go-double.ts';
import { sizeOf } from '../operators.ts';
import { type CelRegex, compileRegex, regexProblem } from '../regex.ts';
import { inZone, parseDuration, parseTimestamp, secondsOf, showDuration, showTimestamp } from '../time.ts';
import {
  type CelDuration,
  type CelTimestamp,
  type CelUint,
  type CelValue,
  checkRange,
  fail,
  kindOf,
  timestamp,
  typeNameOf,
  typeValue,
  uint,
} from '../values.ts';

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;
const NANOS = 1_000_000_000n;

const traversal = (value: CelValue): number => Math.ceil(sizeOf(value) / 10);

function unconvertible(from: CelValue, to: string): never {
  return fail(`type conversion error from '${typeNameOf(from)}' to '${to}'`);
}

function toInt(value: CelValue): CelValue {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') {
    const fits = value > -(2 ** 63) && value < 2 ** 63;
    return fits ? BigInt(Math.trunc(value)) : fail('integer overflow');
  }
  if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value) || value.length > 32) return unconvertible(value, 'int');
    const parsed = BigInt(value.replace(/^\+/, ''));
    return parsed < INT_MIN || parsed > INT_MAX ? unconvertible(value, 'int') : parsed;
  }
  if (kindOf(value) === 'uint') return checkRange((value as CelUint).value, INT_MIN, INT_MAX, 'integer overflow');
  return kindOf(value) === 'timestamp' ? secondsOf(value as CelTimestamp) : (value as CelDuration).nanos;
}

function toUint(value: CelValue): CelValue {
  if (typeof value === 'bigint') return uint(checkRange(value, 0n, UINT_MAX, 'unsigned integer overflow'));
  if (typeof value === 'number') {
    const fits = value >= 0 && value < 2 ** 64;
    return fits ? uint(BigInt(Math.trunc(value))) : fail('unsigned integer overflow');
  }
  if (typeof value !== 'string') return value;
  if (!/^\d+$/.test(value) || value.length > 32) return unconvertible(value, 'uint');
  const parsed = BigInt(value);
  return parsed > UINT_MAX ? unconvertible(value, 'uint') : uint(parsed);
}

function toDouble(value: CelValue): CelValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string') return Number((value as CelUint).value);
  if (/^[+-]?(?:inf|infinity)$/i.test(value)) return value.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(value)) return Number.NaN;
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value);
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : unconvertible(value, 'double');
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

function toBool(value: CelValue): CelValue {
  if (typeof value === 'boolean') return value;
  return BOOLEANS.get(value as string) ?? unconvertible(value, 'bool');
}

/** Text of a value, as `string(x)` and messages show it. */
export function toText(value: CelValue): string {
  switch (kindOf(value)) {
    case 'string':
      return value as string;
    case 'double':
      return goDouble(value as number);
    case 'uint':
      return String((value as CelUint).value);
    case 'duration':
      return showDuration(value as CelDuration);
    case 'timestamp':
      return showTimestamp(value as CelTimestamp);
    case 'bytes':
      return decodeUtf8(value as Uint8Array);
    default:
      return String(value);
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function sizeInside(value: CelValue): CelValue {
  return BigInt(typeof value === 'string' ? codePoints(value) : sizeOf(value));
}

function codePoints(text: string): number {
  return /[\ud800-\udfff]/.test(text) ? [...text].length : text.length;
}

const conversions: readonly Overload[] = [
  ...['int', 'uint', 'double', 'string', 'timestamp', 'duration'].map((from) => global('int', from, 'int', toInt)),
  ...['uint', 'int', 'double', 'string'].map((from) => global('uint', from, 'uint', toUint)),
  ...['double', 'int', 'uint', 'string'].map((from) => global('double', from, 'double', toDouble)),
  ...['bool', 'string'].map((from) => global('bool', from, 'bool', toBool)),
  ...['string', 'bool', 'int', 'uint', 'double', 'timestamp', 'duration'].map((from) => global('string', from, 'string', toText)),
  global('string', 'bytes', 'string', toText, traversal),
  global('bytes', 'bytes', 'bytes', (value) => value),
  global('bytes', 'string', 'bytes', (value) => new TextEncoder().encode(value as string), traversal),
  global('duration', 'duration', 'duration', (value) => value),
  global(
    'duration',
    'string',
    'duration',
    (text) => parseDuration(text as string) ?? unconvertible(text, 'google.protobuf.Duration'),
  ),
  global('timestamp', 'timestamp', 'timestamp', (value) => value),
  global('timestamp', 'int', 'timestamp', (seconds) => fromSeconds(seconds as bigint)),
  global(
    'timestamp',
    'string',
    'timestamp',
    (text) => parseTimestamp(text as string) ?? unconvertible(text, 'google.protobuf.Timestamp'),
  ),
  global('dyn', 'A', 'dyn', (value) => value),
  global('type', 'A', 'type(A)', (value) => typeValue(typeNameOf(value))),
];

function fromSeconds(seconds: bigint): CelValue {
  return timestamp(checkRange(seconds, -62_135_596_800n, 253_402_300_799n, 'timestamp overflow') * NANOS);
}

const text: readonly Overload[] = [
  member('startsWith', 'string, string', 'bool', (a, b) => (a as string).startsWith(b as string), traversal),
  member('endsWith', 'string, string', 'bool', (a, b) => (a as string).endsWith(b as string), traversal),
  member(
    'contains',
    'string, string',
    'bool',
    (a, b) => (a as string).includes(b as string),
    (a = null, b = null) => traversal(a) * traversal(b),
  ),
  ...[member, global].map((form) =>
    withPattern(
      form(
        'matches',
        'string, string',
        'bool',
        (value, pattern) => compileRegex(pattern as string).test(value as string),
        regexCost,
      ),
      (regex) => (value) => regex.test(value as string),
    ),
  ),
];

/** An overload whose second argument is a regular expression: one that is a literal is compiled once. */
export function withPattern(overload: Overload, prepared: (regex: CelRegex) => Overload['run']): Overload {
  return {
    ...overload,
    specialize([, pattern]) {
      if (typeof pattern !== 'string' || regexProblem(pattern) !== undefined) return undefined;
      return prepared(compileRegex(pattern));
    },
  };
}

/** What a search by an expression costs: both lengths, multiplied. */
export function regexCost(value: CelValue = null, pattern: CelValue = null): number {
  return Math.ceil((1 + sizeOf(value)) / 10) * Math.ceil(sizeOf(pattern) / 4);
}

const sizes: readonly Overload[] = ['string', 'bytes', 'list(A)', 'map(A, B)'].flatMap((type) => [
  global('size', type, 'int', sizeInside),
  member('size', type, 'int', sizeInside),
]);

type Part = (date: Date) => number;

const startOfYear = (date: Date) => new Date(0).setUTCFullYear(date.getUTCFullYear(), 0, 1);

const DATE_PARTS: Readonly<Record<string, Part>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDayOfYear: (date) => Math.floor((date.getTime() - startOfYear(date)) / 86_400_000),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDate: (date) => date.getUTCDate(),
  getDayOfWeek: (date) => date.getUTCDay(),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

const dates: readonly Overload[] = Object.entries(DATE_PARTS).flatMap(([name, part]) => [
  member(name, 'timestamp', 'int', (value) => BigInt(part(inZone(value as CelTimestamp, '')))),
  member(name, 'timestamp, string', 'int', (value, zone) => BigInt(part(inZone(value as CelTimestamp, zone as string)))),
]);

const DURATION_PARTS: Readonly<Record<string, bigint>> = {
  getHours: 3600n * NANOS,
  getMinutes: 60n * NANOS,
  getSeconds: NANOS,
  getMilliseconds: 1_000_000n,
};

const durations: readonly Overload[] = Object.entries(DURATION_PARTS).map(([name, unit]) =>
  member(name, 'duration', 'int', (value) => (value as CelDuration).nanos / unit),
);

export const STANDARD: readonly Overload[] = [...conversions, ...text, ...sizes, ...dates, ...durations];
