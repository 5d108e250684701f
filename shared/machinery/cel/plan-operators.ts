/** The binary operators, called without looking for an overload. */

import { CHARS_PER_COST, charge, type Frame } from './frame.ts';
import { isMap } from './functions.ts';
import { type Arithmetic, arithmetic, compare, contains, equals, sizeOf } from './operators.ts';
import { type CelOptional, type CelValue, fail, isList, kindOf, NONE, some } from './values.ts';

type Operator = (frame: Frame, a: CelValue, b: CelValue) => CelValue;

/** Undefined: a function like any other. */
export function callOperator(name: string): Operator | undefined {
  return OPERATORS.get(name);
}

/** What it costs to walk through the shorter of two. */
function shorterCost(a: CelValue, b: CelValue): number {
  return Math.ceil(Math.min(sizeOf(a), sizeOf(b)) / CHARS_PER_COST);
}

function comparison(holds: (order: number) => boolean): Operator {
  return (frame, a, b) => {
    charge(frame, shorterCost(a, b));
    const order = compare(a, b);
    return Number.isNaN(order) ? fail('NaN values cannot be ordered') : holds(order);
  };
}

function priced(cost: (a: CelValue, b: CelValue) => number, compute: (a: CelValue, b: CelValue) => CelValue): Operator {
  return (frame, a, b) => {
    charge(frame, cost(a, b));
    return compute(a, b);
  };
}

function computation(operator: Arithmetic): Operator {
  return (frame, a, b) => {
    const isText = typeof a === 'string' || a instanceof Uint8Array;
    charge(frame, operator === '+' && isText ? Math.ceil((sizeOf(a) + sizeOf(b)) / CHARS_PER_COST) : 1);
    // Lists are copied here, which upstream does not do: what is copied is charged.
    if (operator === '+' && isList(a)) charge(frame, Math.ceil((sizeOf(a) + sizeOf(b)) / CHARS_PER_COST));
    return arithmetic(operator, a, b);
  };
}

const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ...(['+', '-', '*', '/', '%'] as const).map((each): [string, Operator] => [`_${each}_`, computation(each)]),
  ['_<_', comparison((order) => order < 0)],
  ['_<=_', comparison((order) => order <= 0)],
  ['_>_', comparison((order) => order > 0)],
  ['_>=_', comparison((order) => order >= 0)],
  ['_==_', priced(shorterCost, equals)],
  ['_!=_', priced(shorterCost, (a, b) => !equals(a, b))],
  [
    '@in',
    priced(
      (_key, container) => (isList(container) ? Math.max(container.length, 1) : 1),
      (key, container) => contains(container, key),
    ),
  ],
  ['_[_]', priced(() => 1, indexOf)],
  ['_[?_]', priced(() => 1, optionalIndex)],
]);

function indexOf(container: CelValue, index: CelValue): CelValue {
  if (kindOf(container) === 'optional') return optionalIndex(container, index);
  const value = at(container, index);
  if (value !== undefined) return value;
  return fail(isList(container) ? `index out of bounds: ${showKey(index)}` : `no such key: ${showKey(index)}`);
}

function optionalIndex(container: CelValue, index: CelValue): CelValue {
  const target = kindOf(container) === 'optional' ? (container as CelOptional).value : container;
  const value = target === undefined ? undefined : at(target, index);
  return value === undefined ? NONE : some(value);
}

function at(container: CelValue, index: CelValue): CelValue | undefined {
  if (isMap(container)) return container.get(index);
  if (!isList(container)) return undefined;
  const position =
    typeof index === 'bigint' ? Number(index) : kindOf(index) === 'uint' ? Number((index as { value: bigint }).value) : index;
  if (typeof position !== 'number' || !Number.isInteger(position))
    return fail(`unsupported index type '${kindOf(index)}' in list`);
  return container[position];
}

function showKey(key: CelValue): string {
  return kindOf(key) === 'uint' ? String((key as { value: bigint }).value) : String(key);
}
