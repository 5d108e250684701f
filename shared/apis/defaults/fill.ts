/** Small steps that defaulting is made of. All of them change their first argument in place, and do nothing where a value is set. */
import type { KubeObject } from '../../machinery/object.ts';

/** A struct inside an object, opened as KubeObject opens it. */
export type Struct = KubeObject[string];

/** Sets members that are absent (or null). A function makes a fresh value: structures must not be shared between objects. */
export function fill(target: Struct, defaults: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(defaults)) {
    if (target[key] === undefined || target[key] === null) target[key] = typeof value === 'function' ? value() : value;
  }
}

/** Sets members that Go cannot tell from unset: absent, empty text, zero, empty list. */
export function fillEmpty(target: Struct, defaults: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(defaults)) {
    if (isEmpty(target[key])) target[key] = typeof value === 'function' ? value() : value;
  }
}

/** The struct at `key`, made when it is absent. */
export function struct(target: Struct, key: string): Struct {
  fill(target, { [key]: () => ({}) });
  return target[key];
}

/** Calls `change` with every struct of a list; anything else is passed over. */
export function forEachStruct(items: unknown, change: (item: Struct) => void): void {
  if (!Array.isArray(items)) return;
  for (const item of items) if (isStruct(item)) change(item);
}

export function isStruct(value: unknown): value is Struct {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
}

/** A step of creation: the object starts with this status. */
export function withStatus(status: Record<string, unknown> = {}): (object: KubeObject) => void {
  return (object) => {
    object.status = structuredClone(status);
  };
}
