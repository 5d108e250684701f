/** Equality, order and arithmetic of values, with cel-go's errors: overflow is an error, numbers of different types compare by value. */
import {
  type CelDuration,
  type CelList,
  type CelMap,
  type CelOpaque,
  type CelOptional,
  type CelTimestamp,
  type CelTypeValue,
  type CelUint,
  type CelValue,
  checkRange,
  duration,
  fail,
  isList,
  KIND,
  kindOf,
  type ListMerge,
  MERGE,
  mapKey,
  NO_OVERLOAD,
  timestamp,
  uint,
  unordered,
  type ValueKind,
} from './values.ts';

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;
/** Years 1 to 9999, in seconds since 1970. */
const SECONDS_MIN = -62_135_596_800n;
const SECONDS_MAX = 253_402_300_799n;
const NANOS = 1_000_000_000n;

/** Equality across types is false, never an error; numbers are equal by value. */
export function equals(a: CelValue, b: CelValue): boolean {
  if (typeof a === 'string' || typeof a === 'boolean' || a === null) return a === b;
  const number = compareNumbers(a, b);
  if (number !== undefined) return number === 0;
  const kind = kindOf(a);
  return kind === kindOf(b) && equalsOfKind(kind, a, b);
}

function equalsOfKind(kind: ValueKind, a: CelValue, b: CelValue): boolean {
  switch (kind) {
    case 'list':
      return equalLists(a as CelList, b as CelList);
    case 'map':
      return equalMaps(a as CelMap, b as CelMap);
    case 'bytes':
      return Buffer.compare(a as Uint8Array, b as Uint8Array) === 0;
    case 'duration':
    case 'timestamp':
      return (a as CelDuration).nanos === (b as CelTimestamp | CelDuration).nanos;
    case 'type':
      return (a as CelTypeValue).name === (b as CelTypeValue).name;
    case 'opaque':
      return (a as CelOpaque).type === (b as CelOpaque).type && (a as CelOpaque).equals(b as CelOpaque);
    case 'optional':
      return equalOptionals(a as CelOptional, b as CelOptional);
    default:
      return a === b;
  }
}

function equalLists(a: CelList, b: CelList): boolean {
  const merge = a[MERGE];
  if (merge) return a.length === b.length && equalUnordered(merge, a, b);
  return a.length === b.length && a.every((each, index) => equals(each, b[index] ?? null));
}

function equalUnordered(merge: ListMerge, a: CelList, b: CelList): boolean {
  const find = finder(merge, b);
  return a.every((each) => {
    const other = find(each);
    return other !== undefined && equals(each, other);
  });
}

/** What tells an element apart as text; undefined for what has no such text. */
function elementKey({ keys }: ListMerge, element: CelValue): string | undefined {
  if (keys.length === 0) return mapKey(element);
  if (kindOf(element) !== 'map') return undefined;
  const parts = keys.map((key) => mapKey((element as CelMap).get(key) ?? ''));
  return parts.includes(undefined) ? undefined : JSON.stringify(parts);
}

/** Finds the element that stands for the same: the equal one of a set, the one with equal keys of a map. */
function finder(merge: ListMerge, list: CelList): (element: CelValue) => CelValue | undefined {
  const known = new Map<string, CelValue>();
  const others: CelValue[] = [];
  for (const each of list) {
    const key = elementKey(merge, each);
    if (key === undefined) others.push(each);
    else if (!known.has(key)) known.set(key, each);
  }
  return (element) => {
    const key = elementKey(merge, element);
    return key === undefined ? others.find((other) => equals(element, other)) : known.get(key);
  };
}

/** Elements of both; where order means nothing, an element that stands for the same takes the place of the first. */
function joinLists(a: CelList, b: CelList): CelList {
  const merge = a[MERGE];
  if (!merge) return [...a, ...b];
  const [inFirst, inSecond] = [finder(merge, a), finder(merge, b)];
  const kept = a.map((each) => inSecond(each) ?? each);
  return unordered([...kept, ...b.filter((other) => inFirst(other) === undefined)], merge);
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  return a.keys().every((key) => {
    const [mine, theirs] = [a.get(key), b.get(key)];
    return mine !== undefined && theirs !== undefined && equals(mine, theirs);
  });
}

function equalOptionals(a: CelOptional, b: CelOptional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value);
}

function numeric(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return typeof value === 'object' && value !== null && KIND in value && value[KIND] === 'uint' ? value.value : undefined;
}

/** Undefined: not both numbers, or one of them is NaN. */
function compareNumbers(a: CelValue, b: CelValue): number | undefined {
  const [first, second] = [numeric(a), numeric(b)];
  if (first === undefined || second === undefined) return undefined;
  return first < second ? -1 : first > second ? 1 : first === second || Number(first) === Number(second) ? 0 : Number.NaN;
}

/** -1, 0 or 1; NaN beside a NaN. Fails for values without an order. */
export function compare(a: CelValue, b: CelValue): number {
  const number = compareNumbers(a, b);
  if (number !== undefined) return number;
  const kind = kindOf(a);
  if (kind !== kindOf(b)) fail(NO_OVERLOAD);
  switch (kind) {
    case 'string':
      return compareText(a as string, b as string);
    case 'bool':
      return Number(a) - Number(b);
    case 'bytes':
      return Buffer.compare(a as Uint8Array, b as Uint8Array);
    case 'duration':
    case 'timestamp': {
      const [first, second] = [(a as CelDuration).nanos, (b as CelDuration).nanos];
      return first < second ? -1 : first > second ? 1 : 0;
    }
    default:
      return fail(NO_OVERLOAD);
  }
}

/** By code point, as Go compares UTF-8. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!/[\ud800-\udfff]/.test(a + b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export type Arithmetic = '+' | '-' | '*' | '/' | '%';

/** One of the binary operators. */
export function arithmetic(operator: Arithmetic, a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint')
    return checkRange(integer(operator, a, b), INT_MIN, INT_MAX, 'integer overflow');
  if (typeof a === 'number' && typeof b === 'number') return double(operator, a, b);
  const [first, second] = [kindOf(a), kindOf(b)];
  if (first === 'uint' && second === 'uint')
    return uint(
      checkRange(integer(operator, (a as CelUint).value, (b as CelUint).value), 0n, UINT_MAX, 'unsigned integer overflow'),
    );
  if (operator === '+') return add(first, second, a, b);
  if (operator === '-') return subtract(first, second, a, b);
  return fail(NO_OVERLOAD);
}

function integer(operator: Arithmetic, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b === 0n ? fail('division by zero') : a / b;
    case '%':
      return b === 0n ? fail('modulus by zero') : a % b;
  }
}

function double(operator: Arithmetic, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return fail(NO_OVERLOAD);
  }
}

function add(first: ValueKind, second: ValueKind, a: CelValue, b: CelValue): CelValue {
  if (first === 'string' && second === 'string') return (a as string) + (b as string);
  if (first === 'list' && second === 'list') return joinLists(a as CelList, b as CelList);
  if (first === 'bytes' && second === 'bytes') return Uint8Array.from([...(a as Uint8Array), ...(b as Uint8Array)]);
  if (first === 'duration' && second === 'duration') return checkedDuration((a as CelDuration).nanos + (b as CelDuration).nanos);
  if (first === 'timestamp' && second === 'duration')
    return checkedTimestamp((a as CelTimestamp).nanos + (b as CelDuration).nanos);
  if (first === 'duration' && second === 'timestamp')
    return checkedTimestamp((a as CelDuration).nanos + (b as CelTimestamp).nanos);
  return fail(NO_OVERLOAD);
}

function subtract(first: ValueKind, second: ValueKind, a: CelValue, b: CelValue): CelValue {
  if (first === 'duration' && second === 'duration') return checkedDuration((a as CelDuration).nanos - (b as CelDuration).nanos);
  if (first === 'timestamp' && second === 'timestamp')
    return checkedDuration((a as CelTimestamp).nanos - (b as CelTimestamp).nanos);
  if (first === 'timestamp' && second === 'duration')
    return checkedTimestamp((a as CelTimestamp).nanos - (b as CelDuration).nanos);
  return fail(NO_OVERLOAD);
}

/** A duration of int64 nanoseconds, as Go keeps it. */
export function checkedDuration(nanos: bigint): CelDuration {
  return duration(checkRange(nanos, INT_MIN, INT_MAX, 'duration overflow'));
}

export function checkedTimestamp(nanos: bigint): CelTimestamp {
  const seconds = nanos >= 0n ? nanos / NANOS : -((-nanos + NANOS - 1n) / NANOS);
  return timestamp(seconds < SECONDS_MIN || seconds > SECONDS_MAX ? fail('timestamp overflow') : nanos);
}

export function negate(value: CelValue): CelValue {
  if (typeof value === 'bigint') return checkRange(-value, INT_MIN, INT_MAX, 'integer overflow');
  if (typeof value === 'number') return -value;
  return kindOf(value) === 'duration' ? checkedDuration(-(value as CelDuration).nanos) : fail(NO_OVERLOAD);
}

/** `key in container`. */
export function contains(container: CelValue, key: CelValue): boolean {
  if (isList(container)) return container.some((each) => equals(each, key));
  if (kindOf(container) === 'map') return (container as CelMap).get(key) !== undefined;
  return fail(NO_OVERLOAD);
}

/** How much there is to walk through: characters, bytes, elements; 1 for everything else. */
export function sizeOf(value: CelValue): number {
  if (typeof value === 'string' || isList(value) || value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if (value[KIND] === 'map') return value.size;
  return value[KIND] === 'optional' && value.value !== undefined ? sizeOf(value.value) : 1;
}
