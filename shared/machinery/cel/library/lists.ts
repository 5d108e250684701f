/** Lists, sets and optional values (k8s.io/apiserver/pkg/cel/library/lists.go; ext/lists.go, ext/sets.go and optional types of cel-go). */
import { global, member, type Overload } from '../functions.ts';
import { compare, equals, sizeOf } from '../operators.ts';
import { type CelList, type CelOptional, type CelValue, duration, fail, isList, kindOf, NONE, some, uint } from '../values.ts';
import { add } from './operators.ts';

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const ZEROS: Readonly<Record<string, CelValue>> = { int: 0n, uint: uint(0n), double: 0, duration: duration(0n) };

/** Elements that `lists.range` may make, and that `flatten` may look into. */
const ELEMENTS_MAX = 100_000;

const walk = (list: CelValue = null): number => sizeOf(list);

function best(name: string, wanted: number): Overload['run'] {
  return (list) => {
    const [first, ...rest] = list as CelList;
    if (first === undefined) return fail(`${name} called on empty list`);
    return rest.reduce((found, each) => (compare(each, found) === wanted ? each : found), first);
  };
}

function isSorted(list: CelValue): CelValue {
  const items = list as CelList;
  return items.every((each, index) => index === 0 || compare(items[index - 1] ?? null, each) !== 1);
}

function sorted(items: CelList, keys: CelList): CelList {
  const order = items.map((item, index) => ({ item, key: keys[index] ?? null }));
  return order.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item);
}

function slice(list: CelValue, from: CelValue, to: CelValue): CelValue {
  const items = list as CelList;
  const [start, end] = [Number(from), Number(to)];
  if (start < 0 || end < 0) return fail(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end) return fail(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > items.length) return fail(`cannot slice(${start}, ${end}), list is length ${items.length}`);
  return items.slice(start, end);
}

function flatten(list: CelList, depth: number): CelValue[] {
  if (depth < 0) return fail('level must be non-negative');
  return depth === 0 ? [...list] : list.flatMap((each) => (isList(each) ? flatten(each, depth - 1) : [each]));
}

function flattenedSize(value: CelValue): number {
  return isList(value) ? value.reduce<number>((sum, each) => sum + flattenedSize(each), 1) : 1;
}

function distinct(list: CelList): CelList {
  const kept: CelValue[] = [];
  for (const each of list) if (!kept.some((other) => equals(other, each))) kept.push(each);
  return kept;
}

const square = (list: CelValue = null): number => sizeOf(list) ** 2;

const lists: readonly Overload[] = [
  ...COMPARABLE.flatMap((type) => [
    member('isSorted', `list(${type})`, 'bool', isSorted, walk),
    member('max', `list(${type})`, type, best('max', 1), walk),
    member('min', `list(${type})`, type, best('min', -1), walk),
    member('sort', `list(${type})`, `list(${type})`, (list) => sorted(list as CelList, list as CelList), square),
    member(
      '@sortByAssociatedKeys',
      `list(T), list(${type})`,
      'list(T)',
      (list, keys) => sorted(list as CelList, keys as CelList),
      square,
    ),
  ]),
  ...Object.entries(ZEROS).map(([type, zero]) =>
    member('sum', `list(${type})`, type, (list) => (list as CelList).reduce(add, zero), walk),
  ),
  member('indexOf', 'list(A), A', 'int', (list, item) => BigInt((list as CelList).findIndex((each) => equals(each, item))), walk),
  member(
    'lastIndexOf',
    'list(A), A',
    'int',
    (list, item) => BigInt((list as CelList).findLastIndex((each) => equals(each, item))),
    walk,
  ),
  member('slice', 'list(T), int, int', 'list(T)', slice, walk),
  member('flatten', 'list(list(T))', 'list(T)', (list) => flatten(list as CelList, 1), flattenedSize),
  member(
    'flatten',
    'list(dyn), int',
    'list(dyn)',
    (list, depth) => flatten(list as CelList, Math.min(Number(depth), 1000)),
    flattenedSize,
  ),
  global(
    'lists.range',
    'int',
    'list(int)',
    (count) => Array.from({ length: Math.max(0, Number(count)) }, (_none, index) => BigInt(index)),
    (count = 0n) =>
      Number(count) > ELEMENTS_MAX ? fail(`lists.range: more than ${ELEMENTS_MAX} elements`) : Math.max(1, Number(count)),
  ),
  member('reverse', 'list(T)', 'list(T)', (list) => (list as CelList).toReversed(), walk),
  member('distinct', 'list(T)', 'list(T)', (list) => distinct(list as CelList), square),
];

const holds = (list: CelValue, item: CelValue): boolean => (list as CelList).some((each) => equals(each, item));
const containsAll = (a: CelValue, b: CelValue): boolean => (b as CelList).every((each) => holds(a, each));
const product = (a: CelValue = null, b: CelValue = null): number => Math.max(1, sizeOf(a) * sizeOf(b));

const sets: readonly Overload[] = [
  global('sets.contains', 'list(T), list(T)', 'bool', containsAll, product),
  global(
    'sets.equivalent',
    'list(T), list(T)',
    'bool',
    (a, b) => containsAll(a, b) && containsAll(b, a),
    (a, b) => 2 * product(a, b),
  ),
  global('sets.intersects', 'list(T), list(T)', 'bool', (a, b) => (a as CelList).some((each) => holds(b, each)), product),
];

/** What CEL calls the zero value of a type. */
function isZero(value: CelValue): boolean {
  switch (kindOf(value)) {
    case 'list':
    case 'map':
    case 'bytes':
      return sizeOf(value) === 0;
    case 'duration':
      return (value as { nanos: bigint }).nanos === 0n;
    case 'uint':
      return (value as { value: bigint }).value === 0n;
    default:
      return value === null || value === '' || value === false || value === 0n || value === 0;
  }
}

const optionals: readonly Overload[] = [
  global('optional.of', 'V', 'optional(V)', (value) => some(value)),
  global('optional.ofNonZeroValue', 'V', 'optional(V)', (value) => (isZero(value) ? NONE : some(value))),
  global('optional.none', '', 'optional(V)', () => NONE),
  member('value', 'optional(V)', 'V', (optional) => (optional as CelOptional).value ?? unwrapped(optional as CelOptional)),
  member('hasValue', 'optional(V)', 'bool', (optional) => (optional as CelOptional).value !== undefined),
  member('or', 'optional(V), optional(V)', 'optional(V)', (a, b) => ((a as CelOptional).value === undefined ? b : a)),
  member('orValue', 'optional(V), V', 'V', (optional, other) => {
    const { value } = optional as CelOptional;
    return value === undefined ? other : value;
  }),
];

/** Null is a value too. */
function unwrapped({ value }: CelOptional): CelValue {
  return value === undefined ? fail('optional.none() dereference') : value;
}

export const LISTS: readonly Overload[] = [...lists, ...sets, ...optionals];
