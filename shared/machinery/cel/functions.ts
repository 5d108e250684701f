/** How functions are declared: a type in text, what it does, and what it costs. */
import { type CelType, listOf, mapOf, opaqueType, optionalOf, type SimpleKind } from './types.ts';
import type { CelList, CelMap, CelOpaque, CelValue } from './values.ts';
import { isList, kindOf } from './values.ts';

/** One form of a function. For members the first argument is what the function is called on. */
export type Overload = {
  name: string;
  member: boolean;
  args: readonly CelType[];
  result: CelType;
  run(...args: CelValue[]): CelValue;
  /** Cost of a call, known before it runs; absent: 1. */
  cost?(...args: CelValue[]): number;
  /** A quicker `run` where some arguments are literals (undefined: computed later). May fail as a run would. */
  specialize?(constants: readonly (CelValue | undefined)[]): Overload['run'] | undefined;
};

/** All forms of all functions, by name. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

type Run = Overload['run'];
type Cost = NonNullable<Overload['cost']>;

/** `x.name(...)`. `args` begins with the type of x. */
export function member(name: string, args: string, result: string, run: Run, cost?: Cost): Overload {
  return { name, member: true, args: typesOf(args), result: typeOf(result), run, ...(cost ? { cost } : {}) };
}

/** `name(...)`; the name may have dots. */
export function global(name: string, args: string, result: string, run: Run, cost?: Cost): Overload {
  return { ...member(name, args, result, run, cost), member: false };
}

/** Groups overloads by name, in their order. */
export function functionsOf(overloads: readonly Overload[]): Functions {
  const known = new Map<string, Overload[]>();
  for (const overload of overloads) known.set(overload.name, [...(known.get(overload.name) ?? []), overload]);
  return known;
}

const SIMPLE = new Set(['dyn', 'bool', 'int', 'uint', 'double', 'string', 'bytes', 'null', 'duration', 'timestamp']);

function typesOf(text: string): CelType[] {
  const types: CelType[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const char = text[index] ?? ',';
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char !== ',' || depth > 0) continue;
    const part = text.slice(start, index).trim();
    if (part !== '') types.push(typeOf(part));
    start = index + 1;
  }
  return types;
}

/** `list(A)`, `map(K, V)`, `optional(V)`, a simple type, a parameter (one capital letter), or the name of a library's type. */
function typeOf(text: string): CelType {
  const open = text.indexOf('(');
  if (open < 0) {
    if (SIMPLE.has(text)) return { kind: text as SimpleKind };
    return /^[A-Z]$/.test(text) ? { kind: 'param', name: text } : opaqueType(text);
  }
  const params = typesOf(text.slice(open + 1, -1));
  const [first = opaqueType(text), second = first] = params;
  switch (text.slice(0, open)) {
    case 'list':
      return listOf(first);
    case 'map':
      return mapOf(first, second);
    case 'optional':
      return optionalOf(first);
    case 'type':
      return { kind: 'type', params };
    default:
      return opaqueType(text.slice(0, open), params);
  }
}

/** May the value stand for the type, as far as one look tells? Of a list the first element is looked at. */
export function accepts(type: CelType, value: CelValue): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
      return true;
    case 'list': {
      if (!isList(value)) return false;
      const [first] = value as CelList;
      return first === undefined || accepts(type.params[0], first);
    }
    case 'object':
      return kindOf(value) === 'map' || kindOf(value) === 'null';
    case 'opaque':
      if (type.name === 'optional_type') return kindOf(value) === 'optional';
      return kindOf(value) === 'opaque' && (value as CelOpaque).type === type.name;
    default:
      return kindOf(value) === type.kind;
  }
}

/** The type that checks keys and values of a map by one look. */
export function isMap(value: CelValue): value is CelMap {
  return kindOf(value) === 'map';
}
