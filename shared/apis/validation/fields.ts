/** Field errors in kube-apiserver's words (k8s.io/apimachinery/pkg/util/validation/field). Paths are dotted text: `spec.containers[0].image`. */
import { quoteGo } from '../../machinery/go-quote.ts';
import type { JsonValue, KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';

/** A part of a kind's own structure: opened as freely as KubeObject opens it. */
export type OwnField = KubeObject[string];

export const IMMUTABLE = 'field is immutable';
export const NOT_NEGATIVE = 'must be greater than or equal to 0';

/** `Invalid value: <value>: <why>`. Text is quoted, structures are JSON, nothing is `null`. */
export function invalid(field: string, value: unknown, why: string): FieldError {
  return { type: 'Invalid', field, detail: `Invalid value: ${show(value)}: ${why}` };
}

/** `Required value`, with a reason when there is one. */
export function required(field: string, why = ''): FieldError {
  return { type: 'Required', field, detail: why === '' ? 'Required value' : `Required value: ${why}` };
}

/** `Unsupported value: "x": supported values: "a", "b"`; the supported ones in the order given. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const known = supported.map((each) => `"${each}"`).join(', ');
  return { type: 'NotSupported', field, detail: `Unsupported value: ${show(value)}: supported values: ${known}` };
}

/** `Duplicate value: "a"`. */
export function duplicate(field: string, value: unknown): FieldError {
  return { type: 'Duplicate', field, detail: `Duplicate value: ${show(value)}` };
}

/** `Forbidden: <why>`. */
export function forbidden(field: string, why: string): FieldError {
  return { type: 'Forbidden', field, detail: `Forbidden: ${why}` };
}

/** `Not found: "a"`. */
export function notFound(field: string, value: unknown): FieldError {
  return { type: 'NotFound', field, detail: `Not found: ${show(value)}` };
}

/** `Too long: may not be more than N bytes`. */
export function tooLong(field: string, bytesMax: number): FieldError {
  return { type: 'TooLong', field, detail: `Too long: may not be more than ${bytesMax} bytes` };
}

/** `Too many: N: must have at most M items`. */
export function tooMany(field: string, actual: number, max: number): FieldError {
  const items = max === 1 ? 'item' : 'items';
  return { type: 'TooMany', field, detail: `Too many: ${actual}: must have at most ${max} ${items}` };
}

/** Not a number, or one that is not below zero: no error. */
export function nonNegative(field: string, value: unknown): FieldError[] {
  return typeof value === 'number' && value < 0 ? [invalid(field, value, NOT_NEGATIVE)] : [];
}

/** A value outside a closed set; absent values are not looked at. */
export function oneOf(field: string, value: unknown, supported: readonly string[]): FieldError[] {
  if (value === undefined || value === null || supported.includes(String(value))) return [];
  return [notSupported(field, value, supported)];
}

/** Like `oneOf`, and absent or empty is `Required value`. */
export function requiredOneOf(field: string, value: unknown, supported: readonly string[]): FieldError[] {
  return isEmptyText(value) ? [required(field)] : oneOf(field, value, supported);
}

/** Is it absent or the empty text (which Go does not tell apart)? */
export function isEmptyText(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Complaints turned into errors of one field and value. */
export function invalidEach(field: string, value: unknown, complaints: readonly string[]): FieldError[] {
  return complaints.map((why) => invalid(field, value, why));
}

/** Paths of the elements: calls `each` with every element and its path. Anything but a list has none. */
export function eachItem(
  field: string,
  items: unknown,
  each: (item: OwnField, path: string, index: number) => FieldError[],
): FieldError[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item, index) => each(item, `${field}[${index}]`, index));
}

function show(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return quoteGo(value);
  if (typeof value === 'bigint') return value.toString();
  return JSON.stringify(value as JsonValue);
}
