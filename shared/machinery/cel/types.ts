/** Static types of CEL: what the checker computes. Shown in complaints as cel-go shows them. */

export type CelType =
  | { kind: SimpleKind }
  | { kind: 'list'; params: readonly [CelType] }
  | { kind: 'map'; params: readonly [CelType, CelType] }
  /** A type parameter, or a variable of the checker. */
  | { kind: 'param'; name: string }
  | { kind: 'opaque'; name: string; params: readonly CelType[] }
  | { kind: 'type'; params: readonly CelType[] }
  | ObjectType;

export type SimpleKind =
  | 'dyn'
  | 'error'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'duration'
  | 'timestamp';

/** A struct: only its declared fields may be selected. `field` is lazy, so that recursive schemas end. */
export type ObjectType = { kind: 'object'; name: string; field(name: string): CelType | undefined };

const simple = (kind: SimpleKind): CelType => ({ kind });
export const DYN = simple('dyn');
export const ERROR = simple('error');
export const BOOL = simple('bool');
export const INT = simple('int');
export const UINT = simple('uint');
export const DOUBLE = simple('double');
export const STRING = simple('string');
export const BYTES = simple('bytes');
export const NULL = simple('null');
export const DURATION = simple('duration');
export const TIMESTAMP = simple('timestamp');

export function listOf(element: CelType): CelType {
  return { kind: 'list', params: [element] };
}
export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', params: [key, value] };
}
export function opaqueType(name: string, params: readonly CelType[] = []): CelType {
  return { kind: 'opaque', name, params };
}
export function optionalOf(type: CelType): CelType {
  return opaqueType('optional_type', [type]);
}
/** A struct with these fields. */
export function objectOf(name: string, fields: Readonly<Record<string, CelType>>): ObjectType {
  const known = new Map(Object.entries(fields));
  return { kind: 'object', name, field: (field) => known.get(field) };
}

/** The parameters of a type; none for simple types and structs. */
export function paramsOf(type: CelType): readonly CelType[] {
  return 'params' in type ? type.params : [];
}

export function isOptionalType(type: CelType): type is CelType & { kind: 'opaque' } {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

/** As complaints show it: `map(string, list(int))`. */
export function showType(type: CelType): string {
  if (type.kind === 'error') return '!error!';
  if (type.kind === 'param') return type.name;
  const name = type.kind === 'object' || type.kind === 'opaque' ? type.name : type.kind;
  const params = paramsOf(type);
  return params.length === 0 ? name : `${name}(${params.map(showType).join(', ')})`;
}

const RUNTIME_NAMES: Readonly<Record<string, string>> = {
  duration: 'google.protobuf.Duration',
  timestamp: 'google.protobuf.Timestamp',
  null: 'null_type',
};

/** As the sentence about a wrong result shows it: the names that values have. */
export function showResult(type: CelType): string {
  const params = paramsOf(type);
  const name = type.kind === 'object' || type.kind === 'opaque' ? type.name : (RUNTIME_NAMES[type.kind] ?? showType(type));
  if (params.length === 0) return name;
  return `${type.kind === 'opaque' ? type.name : type.kind}(${params.map(showResult).join(', ')})`;
}

/** Are they the same type? */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if ((a.kind === 'param' || a.kind === 'opaque' || a.kind === 'object') && a.name !== (b as { name: string }).name) return false;
  const [first, second] = [paramsOf(a), paramsOf(b)];
  return first.length === second.length && first.every((each, index) => sameType(each, second[index] ?? ERROR));
}
