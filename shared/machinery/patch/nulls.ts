/** Nulls of a patch mean removal; where there is nothing to remove they go. */
import { setOwn } from '../equality.ts';
import type { JsonObject, JsonValue } from '../object.ts';

/** The value without null members, at every depth and inside lists; null items of lists stay. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== null && member !== undefined) setOwn(result, key, withoutNulls(member));
  }
  return result;
}
