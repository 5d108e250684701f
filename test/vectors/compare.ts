/** How an answer is compared with a vector's `expected`: by file, as the reference says. */
import type { JsonObject, JsonValue } from '../../shared/machinery/object.ts';
import { compareQuantities, parseQuantity } from '../../shared/machinery/quantity.ts';

/** `counts`: a missing key is 0. `dropEmpty`: null, 0, false and empty things are left out. `quantities`: strings by amount. `equal`: the same JSON. */
export type Comparison = 'counts' | 'dropEmpty' | 'quantities' | 'equal';

const COMPARISON_BY_FILE: Record<string, Comparison> = {
  planner: 'counts',
  planner_binpack: 'counts',
  kubefed_planner: 'counts',
  scheduling_unit: 'dropEmpty',
  status_aggregation: 'dropEmpty',
  webhook_unit: 'dropEmpty',
  cluster_resources: 'quantities',
};

const UNORDERED_NOTE = /\border\b.*\b(not defined|undefined)\b/;

/** The comparison that a file asks for. */
export function comparisonOf(file: string): Comparison {
  return Object.hasOwn(COMPARISON_BY_FILE, file) ? (COMPARISON_BY_FILE[file] ?? 'equal') : 'equal';
}

/** True when a record's note says that an order is undefined: lists are then compared as sets. */
export function isUnordered(note: string | undefined): boolean {
  return note !== undefined && UNORDERED_NOTE.test(note);
}

/** True when `actual` is what `expected` asks for. `expected.ignore` lists paths (`conditions[].lastProbeTime`) to leave out, read from the root and from `status`. */
export function matches(actual: JsonValue, expected: JsonValue, comparison: Comparison, unordered: boolean): boolean {
  const paths = ignoredPaths(expected);
  const left = prepared(actual, paths, comparison, unordered);
  const right = prepared(expected, paths, comparison, unordered);
  return equal(left, right, comparison);
}

function prepared(value: JsonValue, paths: readonly string[], comparison: Comparison, unordered: boolean): JsonValue {
  let copy = structuredClone(value);
  if (isObject(copy)) delete copy.ignore;
  for (const path of paths) {
    removePath(copy, path.split('.'));
    if (isObject(copy) && copy.status !== undefined) removePath(copy.status, path.split('.'));
  }
  if (comparison === 'dropEmpty') copy = dropEmpty(copy) ?? null;
  return unordered ? sorted(copy) : copy;
}

function ignoredPaths(expected: JsonValue): string[] {
  if (!isObject(expected) || !Array.isArray(expected.ignore)) return [];
  return expected.ignore.filter((path) => typeof path === 'string');
}

function removePath(value: JsonValue | undefined, steps: readonly string[]): void {
  const [step, ...rest] = steps;
  if (step === undefined || !isObject(value)) return;
  const many = step.endsWith('[]');
  const key = many ? step.slice(0, -2) : step;
  if (rest.length === 0) {
    delete value[key];
    return;
  }
  const next = value[key];
  const targets = many && Array.isArray(next) ? next : [next];
  for (const target of targets) removePath(target, rest);
}

function dropEmpty(value: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined || value === null || value === 0 || value === false || value === '') return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => dropEmpty(item) ?? null);
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const left = dropEmpty(member);
    if (left !== undefined) kept[key] = left;
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (text(a) < text(b) ? -1 : 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, member === undefined ? null : sorted(member)]));
}

const text = (value: JsonValue): string =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? String(part) : part));

function equal(left: JsonValue | undefined, right: JsonValue | undefined, comparison: Comparison): boolean {
  if (comparison === 'counts' && (left === undefined || right === undefined)) return isZero(left) && isZero(right);
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => equal(item, right[index], comparison));
  }
  if (isObject(left) && isObject(right)) {
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...keys].every((key) => equal(left[key], right[key], comparison));
  }
  if (comparison === 'quantities' && typeof left === 'string' && typeof right === 'string')
    return left === right || compareQuantities(parseQuantity(left), parseQuantity(right)) === 0;
  return left === right;
}

function isZero(value: JsonValue | undefined): boolean {
  if (isObject(value)) return Object.values(value).every(isZero);
  return value === undefined || value === 0;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
