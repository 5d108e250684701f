/** What a schema says of one text, number or choice, in the words of kube-openapi's validators. Compiled once, asked per value. */
import { deepEqual } from '../equality.ts';
import { quoteGo } from '../go-quote.ts';
import type { JsonObject, JsonValue } from '../object.ts';
import type { FieldErrorLike } from './field-error.ts';
import { compilePattern } from './pattern.ts';

/** The first complaint about a value at a path; undefined when there is none. */
export type ValueRule<T> = (value: T, path: string) => FieldErrorLike | undefined;

const numberAt = (schema: JsonObject, name: string): number | undefined => {
  const value = schema[name];
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
};

/** `maxLength`, `minLength`, `pattern`, in this order; only the first that fails is told. Undefined: no rule. */
export function textRule(schema: JsonObject): ValueRule<string> | undefined {
  const maxLength = numberAt(schema, 'maxLength');
  const minLength = numberAt(schema, 'minLength');
  const { pattern } = schema;
  const matches = typeof pattern === 'string' && pattern !== '' ? compilePattern(pattern) : undefined;
  if (maxLength === undefined && minLength === undefined && matches === undefined) return undefined;
  return (value, path) => {
    if (maxLength !== undefined && isLonger(value, maxLength))
      return { type: 'TooLong', field: path, detail: `Too long: may not be more than ${maxLength} bytes` };
    if (minLength !== undefined && !isLonger(value, minLength - 1))
      return invalid(path, quoteGo(value), `should be at least ${minLength} chars long`);
    if (matches && !matches(value)) return invalid(path, quoteGo(value), `should match '${String(pattern)}'`);
    return undefined;
  };
}

/** Lengths count code points, of which there are never more than code units and never less than half. */
function isLonger(value: string, length: number): boolean {
  if (value.length <= length) return false;
  return value.length > 2 * length || [...value].length > length;
}

/** `multipleOf`, `maximum`, `minimum`; every one that fails is told. */
export function numberRules(schema: JsonObject): ValueRule<number | bigint>[] {
  const factor = numberAt(schema, 'multipleOf');
  const maximum = numberAt(schema, 'maximum');
  const minimum = numberAt(schema, 'minimum');
  const above = schema.exclusiveMaximum === true;
  const below = schema.exclusiveMinimum === true;
  const rules: ValueRule<number | bigint>[] = [];
  const add = (fails: (value: number | bigint) => boolean, text: string, limit: number) =>
    rules.push((value, path) =>
      fails(value) ? invalid(path, showNumber(value), `${text} ${showLimit(limit, value)}`) : undefined,
    );
  if (factor !== undefined && factor > 0) rules.push(wholeFactor(factor));
  if (factor !== undefined && factor > 0) add((value) => !isMultiple(value, factor), 'should be a multiple of', factor);
  if (maximum !== undefined)
    add((value) => value > maximum || (above && Number(value) === maximum), above ? 'should be less than' : AT_MOST, maximum);
  if (minimum !== undefined)
    add((value) => value < minimum || (below && Number(value) === minimum), below ? 'should be greater than' : AT_LEAST, minimum);
  return rules;
}

/** Upstream holds whole numbers against a whole factor, which a small one is not. */
function wholeFactor(factor: number): ValueRule<number | bigint> {
  const detail = (path: string) => `Invalid value: 0: factor MultipleOf declared for ${path} must be positive: 0`;
  return (value, path) => (isWhole(value) && factor < 1 ? { type: 'Invalid', field: path, detail: detail(path) } : undefined);
}

const AT_MOST = 'should be less than or equal to';
const AT_LEAST = 'should be greater than or equal to';

function isMultiple(value: number | bigint, factor: number): boolean {
  if (isWhole(value)) return factor < 1 || BigInt(value) % BigInt(Math.trunc(factor)) === 0n;
  return Number.isInteger(factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor);
}

const isWhole = (value: number | bigint): boolean => typeof value === 'bigint' || Number.isInteger(value);

/** Whole numbers are held against whole limits. */
function showLimit(limit: number, value: number | bigint): string {
  return isWhole(value) && Number.isInteger(limit) ? String(limit) : showNumber(limit);
}

/** As Go prints a number with `%v`. */
export function showNumber(value: number | bigint): string {
  if (isWhole(value) && (typeof value === 'bigint' || Math.abs(value) < 2 ** 63)) return BigInt(value).toString();
  const text = String(value);
  const exponent = Math.floor(Math.log10(Math.abs(Number(value))));
  if (exponent >= -4 && exponent < 21 && !text.includes('e')) return text;
  return Number(value)
    .toExponential()
    .replace(/e([+-])(\d)$/, 'e$10$2');
}

/** `enum`. The choices are shown as text, each quoted. */
export function enumRule(schema: JsonObject): ValueRule<JsonValue> | undefined {
  const choices = schema.enum;
  if (!Array.isArray(choices) || choices.length === 0) return undefined;
  const plain = new Set<JsonValue>(choices.filter((choice) => typeof choice !== 'object'));
  const structures = choices.filter((choice) => typeof choice === 'object' && choice !== null);
  const shown = choices.map((choice) => quoteGo(typeof choice === 'string' ? choice : showJson(choice))).join(', ');
  return (value, path) => {
    if (plain.has(value) || structures.some((choice) => deepEqual(choice, value))) return undefined;
    const found = typeof value === 'string' ? quoteGo(value) : showJson(value);
    return { type: 'NotSupported', field: path, detail: `Unsupported value: ${found}: supported values: ${shown}` };
  };
}

const showJson = (value: JsonValue): string => (typeof value === 'bigint' ? String(value) : JSON.stringify(value));

/** `Invalid value: <shown>: <path> in body <why>`. */
export function invalid(path: string, shown: string, why: string): FieldErrorLike {
  return { type: 'Invalid', field: path, detail: `Invalid value: ${shown}: ${path} in body ${why}` };
}
