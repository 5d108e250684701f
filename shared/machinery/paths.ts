/** Reading and writing by dotted path (`spec.template.spec.containers[0].image`), never through a prototype. */
import { setOwn } from './equality.ts';
import type { JsonObject, JsonValue } from './object.ts';

type Container = JsonObject | JsonValue[];
/** Splits `a.b[0]`, `a['x.y/z']` and `a["x"]`. */
const SEGMENT = /\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]|([^.[\]]+)/g;

/** Value at the path, or undefined where any step is missing. `object` may be any JSON object or typed view of one. */
export function getPath(object: object, path: string): JsonValue | undefined {
  let current: JsonValue | undefined = object as JsonObject;
  for (const segment of segmentsOf(path)) {
    current = step(current, segment);
    if (current === undefined) return undefined;
  }
  return current;
}

/** Sets the value at the path in place and makes missing objects on the way. A scalar on the way is replaced; lists are never extended. */
export function setPath(object: object, path: string, value: JsonValue): void {
  const segments = segmentsOf(path);
  const last = segments.pop();
  if (last === undefined) return;
  let current = object as Container;
  for (const segment of segments) {
    const next = step(current, segment);
    if (next !== null && typeof next === 'object') {
      current = next;
      continue;
    }
    const made: JsonObject = {};
    if (!put(current, segment, made)) return;
    current = made;
  }
  put(current, last, value);
}

/** Removes the value at the path in place; a missing path is no error. An element of a list is cut out. */
export function deletePath(object: object, path: string): void {
  const segments = segmentsOf(path);
  const last = segments.pop();
  if (last === undefined) return;
  let parent: JsonValue | undefined = object as JsonObject;
  for (const segment of segments) parent = step(parent, segment);
  if (parent === null || typeof parent !== 'object') return;
  if (!Array.isArray(parent)) delete parent[last];
  else if (isIndex(last, parent)) parent.splice(Number(last), 1);
}

function segmentsOf(path: string): string[] {
  if (!path.includes('[')) return path.split('.').filter((segment) => segment !== '');
  return [...path.matchAll(SEGMENT)].map((match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? '');
}

function step(value: JsonValue | undefined, segment: string): JsonValue | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  if (Array.isArray(value)) return isIndex(segment, value) ? value[Number(segment)] : undefined;
  return Object.hasOwn(value, segment) ? value[segment] : undefined;
}

function put(container: Container, segment: string, value: JsonValue): boolean {
  if (!Array.isArray(container)) {
    setOwn(container, segment, value);
    return true;
  }
  if (!isIndex(segment, container)) return false;
  container[Number(segment)] = value;
  return true;
}

function isIndex(segment: string, list: readonly JsonValue[]): boolean {
  return /^\d+$/.test(segment) && Number(segment) < list.length;
}
