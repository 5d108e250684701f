/**
 * Values of CEL while an expression runs. int is bigint, double is number, list is an array; everything else that JavaScript has no type of
 * its own for carries a symbol, which no JSON document can hold.
 */

/** Marks lists without order. */
export const MERGE: unique symbol = Symbol('cel.merge');

/** Marks values that are no plain JavaScript values. */
export const KIND: unique symbol = Symbol('cel.kind');

export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelList
  | CelUint
  | CelMap
  | CelDuration
  | CelTimestamp
  | CelOptional
  | CelTypeValue
  | CelOpaque;

/** `[MERGE]`: a list whose schema says that its order means nothing (`x-kubernetes-list-type`). */
export type CelList = readonly CelValue[] & { readonly [MERGE]?: ListMerge };
/** No keys: a set. Otherwise the properties, escaped, that tell elements apart. */
export type ListMerge = { keys: readonly string[] };
export type CelUint = { readonly [KIND]: 'uint'; readonly value: bigint };
/** Keys are bool, int, uint or string. Numbers that are equal are the same key. */
export type CelMap = {
  readonly [KIND]: 'map';
  readonly size: number;
  get(key: CelValue): CelValue | undefined;
  keys(): readonly CelValue[];
  /** Set when the map stands for an object with a schema: the name of its type. */
  readonly objectType?: string;
};
/** Nanoseconds. */
export type CelDuration = { readonly [KIND]: 'duration'; readonly nanos: bigint };
/** Nanoseconds since 1970, UTC. `offset`: minutes of the zone that it was written in, which only its text shows. */
export type CelTimestamp = { readonly [KIND]: 'timestamp'; readonly nanos: bigint; readonly offset?: number };
export type CelOptional = { readonly [KIND]: 'optional'; readonly value?: CelValue };
export type CelTypeValue = { readonly [KIND]: 'type'; readonly name: string };
/** A value of a Kubernetes library (`kubernetes.URL`); `equals` is asked for values of the same type. */
export type CelOpaque = {
  readonly [KIND]: 'opaque';
  readonly type: string;
  readonly data: unknown;
  equals(other: CelOpaque): boolean;
};

/** Why an expression ended without a value; thrown within an evaluation and caught at its door. */
export type CelFault = { readonly fault: string; readonly exceeded: boolean };

/** Ends what is being evaluated with an error that `||`, `&&` and the macros may absorb. */
export function fail(fault: string): never {
  throw { fault, exceeded: false } satisfies CelFault;
}

export function isFault(error: unknown): error is CelFault {
  return typeof error === 'object' && error !== null && 'fault' in error && !(error instanceof Error);
}

/** The value when it lies within; otherwise the evaluation fails with `why`. */
export function checkRange(value: bigint, min: bigint, max: bigint, why: string): bigint {
  return value < min || value > max ? fail(why) : value;
}

export const NO_OVERLOAD = 'no such overload';

export function uint(value: bigint): CelUint {
  return { [KIND]: 'uint', value };
}
export function duration(nanos: bigint): CelDuration {
  return { [KIND]: 'duration', nanos };
}
export function timestamp(nanos: bigint): CelTimestamp {
  return { [KIND]: 'timestamp', nanos };
}
export function typeValue(name: string): CelTypeValue {
  return { [KIND]: 'type', name };
}
export function some(value: CelValue): CelOptional {
  return { [KIND]: 'optional', value };
}
export const NONE: CelOptional = { [KIND]: 'optional' };

/** A library value. Without `equals` two are equal when their data are the same value. */
export function opaque(type: string, data: unknown, equals?: (other: unknown) => boolean): CelOpaque {
  return { [KIND]: 'opaque', type, data, equals: (other) => (equals ? equals(other.data) : data === other.data) };
}

/** What sort of value it is, by the names of CEL types; `optional` and library values too. */
export type ValueKind =
  | 'null'
  | 'bool'
  | 'int'
  | 'double'
  | 'string'
  | 'bytes'
  | 'list'
  | 'uint'
  | 'map'
  | 'duration'
  | 'timestamp'
  | 'optional'
  | 'type'
  | 'opaque';

export function kindOf(value: CelValue): ValueKind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
    default:
      if (value === null) return 'null';
      if (isList(value)) return 'list';
      return value instanceof Uint8Array ? 'bytes' : value[KIND];
  }
}

export function isList(value: CelValue): value is CelList {
  return Array.isArray(value);
}

/** The list, marked as one without order. */
export function unordered(list: CelValue[], merge: ListMerge): CelList {
  return Object.assign(list, { [MERGE]: merge });
}

/** The name that `type(x)` shows. */
export function typeNameOf(value: CelValue): string {
  const kind = kindOf(value);
  if (kind === 'null') return 'null_type';
  if (kind === 'optional') return 'optional_type';
  if (kind === 'duration') return 'google.protobuf.Duration';
  if (kind === 'timestamp') return 'google.protobuf.Timestamp';
  if (kind === 'opaque') return (value as CelOpaque).type;
  if (kind === 'map') return (value as CelMap).objectType ?? 'map';
  return kind;
}

/** How a map finds a key: numbers by value, whatever their type. Undefined: no value can be such a key. */
export function mapKey(key: CelValue): string | undefined {
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'bigint':
      return `n${key}`;
    case 'boolean':
      return `b${key}`;
    case 'number':
      return Number.isInteger(key) ? `n${BigInt(key)}` : undefined;
    default:
      return kindOf(key) === 'uint' ? `n${(key as CelUint).value}` : undefined;
  }
}

/** A map of entries that were computed. Keys must be of a type that `mapKey` knows. */
export function nativeMap(entries: ReadonlyMap<string, { key: CelValue; value: CelValue }>): CelMap {
  return {
    [KIND]: 'map',
    size: entries.size,
    get(key) {
      const found = mapKey(key);
      return found === undefined ? undefined : entries.get(found)?.value;
    },
    keys: () => [...entries.values()].map(({ key }) => key),
  };
}

/** A map with text keys. */
export function textMap(entries: Iterable<readonly [string, CelValue]>): CelMap {
  const known = new Map<string, { key: CelValue; value: CelValue }>();
  for (const [key, value] of entries) known.set(`s${key}`, { key, value });
  return nativeMap(known);
}
