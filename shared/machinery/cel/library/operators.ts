/** What the checker must know of the operators: which types go together. They run without a look at this table. */
import { global, type Overload } from '../functions.ts';
import { arithmetic, negate } from '../operators.ts';
import { type CelValue, fail, NO_OVERLOAD } from '../values.ts';

/** Never called: the plan computes these itself. */
const planned = (): CelValue => fail(NO_OVERLOAD);

const NUMBERS = ['int', 'uint', 'double'];
const ORDERED = ['bool', 'string', 'bytes', 'timestamp', 'duration'];

const same = (types: readonly string[]) => types.map((type) => [type, type, type] as const);

const ARITHMETIC: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
  '+': [
    ...same([...NUMBERS, 'string', 'bytes', 'duration', 'list(A)']),
    ['timestamp', 'duration', 'timestamp'],
    ['duration', 'timestamp', 'timestamp'],
  ],
  '-': [...same([...NUMBERS, 'duration']), ['timestamp', 'timestamp', 'duration'], ['timestamp', 'duration', 'timestamp']],
  '*': same(NUMBERS),
  '/': same(NUMBERS),
  '%': same(['int', 'uint']),
};

const COMPARED = [
  ...[...ORDERED, ...NUMBERS].map((type) => [type, type] as const),
  // Numbers of different types compare by value.
  ...NUMBERS.flatMap((a) => NUMBERS.filter((b) => b !== a).map((b) => [a, b] as const)),
];

export const OPERATORS: readonly Overload[] = [
  ...Object.entries(ARITHMETIC).flatMap(([name, forms]) =>
    forms.map(([a, b, result]) => global(`_${name}_`, `${a}, ${b}`, result, planned)),
  ),
  ...['<', '<=', '>', '>='].flatMap((name) => COMPARED.map(([a, b]) => global(`_${name}_`, `${a}, ${b}`, 'bool', planned))),
  global('_==_', 'A, A', 'bool', planned),
  global('_!=_', 'A, A', 'bool', planned),
  global('@in', 'A, list(A)', 'bool', planned),
  global('@in', 'A, map(A, B)', 'bool', planned),
  global('_?_:_', 'bool, A, A', 'A', planned),
  global('_[_]', 'list(A), int', 'A', planned),
  global('_[_]', 'map(A, B), A', 'B', planned),
  global('_[_]', 'optional(list(V)), int', 'optional(V)', planned),
  global('_[_]', 'optional(map(K, V)), K', 'optional(V)', planned),
  global('_[?_]', 'list(V), int', 'optional(V)', planned),
  global('_[?_]', 'optional(list(V)), int', 'optional(V)', planned),
  global('_[?_]', 'map(K, V), K', 'optional(V)', planned),
  global('_[?_]', 'optional(map(K, V)), K', 'optional(V)', planned),
  global('!_', 'bool', 'bool', (value) => (typeof value === 'boolean' ? !value : fail(NO_OVERLOAD))),
  ...['int', 'double', 'duration'].map((type) => global('-_', type, type, negate)),
];

/** For libraries that add up values themselves. */
export function add(a: CelValue, b: CelValue): CelValue {
  return arithmetic('+', a, b);
}
