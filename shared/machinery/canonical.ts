/** One text for equal values: hashes of desired objects and comparisons of stored ones stand on it. */
import { createHash } from 'node:crypto';
import { stringifyJson } from './codec/json.ts';
import type { JsonValue } from './object.ts';

/** JSON with the keys of every object in code-unit order and undefined members left out. */
export function canonicalJson(value: JsonValue | undefined): string {
  return stringifyJson(sortKeys(value ?? null));
}

/** Lower-case hexadecimal SHA-256 of the UTF-8 text. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  const entries: [string, JsonValue][] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) entries.push([key, sortKeys(member)]);
  }
  // fromEntries defines members, so `__proto__` stays an ordinary key.
  return Object.fromEntries(entries);
}
