/** JSON Merge Patch (RFC 7386) with the details of gopkg.in/evanphx/json-patch.v4, which kube-apiserver uses. */
import { deepEqual, setOwn } from '../equality.ts';
import type { JsonObject, JsonValue } from '../object.ts';
import { withoutNulls } from './nulls.ts';

/**
 * The target with the patch merged in: null removes, objects merge, everything else replaces. What is new in the target loses its nulls, at
 * every depth and inside lists. Neither argument is changed; the result shares parts with both.
 */
export function applyMergePatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return withoutNulls(patch);
  return isObject(target) ? mergeObjects(target, patch) : withoutNulls(patch);
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(target)) {
    if (!Object.hasOwn(patch, key)) setOwn(result, key, target[key]);
    else if (patch[key] !== null) setOwn(result, key, mergeMember(target[key], patch[key]));
  }
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value !== null && value !== undefined && !Object.hasOwn(target, key)) setOwn(result, key, withoutNulls(value));
  }
  return result;
}

function mergeMember(target: JsonValue | undefined, patch: JsonValue | undefined): JsonValue | undefined {
  if (patch === undefined) return target;
  if (!isObject(target)) return withoutNulls(patch);
  return isObject(patch) ? mergeObjects(target, patch) : patch;
}

/** The merge patch that turns `from` into `to`. Members that are null in `to` cannot be expressed and are left out where `from` lacks them. */
export function createMergePatch(from: JsonValue, to: JsonValue): JsonValue {
  if (!isObject(from) || !isObject(to)) return to;
  const patch: JsonObject = {};
  for (const key of Object.keys(to)) {
    const [old, next] = [Object.hasOwn(from, key) ? from[key] : undefined, to[key]];
    if (next === undefined || deepEqual(old, next)) continue;
    setOwn(patch, key, isObject(old) && isObject(next) ? createMergePatch(old, next) : next);
  }
  for (const key of Object.keys(from)) {
    if (from[key] !== undefined && (!Object.hasOwn(to, key) || to[key] === undefined)) setOwn(patch, key, null);
  }
  return patch;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
