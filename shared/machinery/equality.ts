/** Equality and copies of JSON values. */

/** Same JSON value? Members that are undefined count as absent; the order of keys does not matter, that of lists does. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Number.isNaN(a) && Number.isNaN(b);
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return !Array.isArray(b) && equalObjects(a as Record<string, unknown>, b as Record<string, unknown>);
}

/** A copy that shares no object or list with the original. Members that are undefined are left out. */
export function cloneJson<T>(value: T): T {
  return copy(value) as T;
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    if (!deepEqual(a[index], b[index])) return false;
  }
  return true;
}

function equalObjects(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  let defined = 0;
  for (const key of Object.keys(a)) {
    const member = a[key];
    if (member === undefined) continue;
    defined += 1;
    if (!Object.hasOwn(b, key) || !deepEqual(member, b[key])) return false;
  }
  for (const key of Object.keys(b)) {
    if (b[key] !== undefined) defined -= 1;
  }
  return defined === 0;
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) setOwn(result, key, copy(member));
  }
  return result;
}

/**
 * Sets a member without ever reaching a prototype: assigning `__proto__` would replace the object's prototype instead of making a member.
 * Every walk that copies keys of users must go through this.
 */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else (target as Record<string, unknown>)[key] = value;
}
