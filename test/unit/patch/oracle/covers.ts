/**
 * Compares what a pure function made with what the server stored. The server also defaults, allocates and drops: every difference must be one
 * that `server-fields.ts` names, with the value it names; everything else must be equal, order of lists included.
 */
import { deepEqual } from '../../../../shared/machinery/equality.ts';
import type { JsonObject, JsonValue } from '../../../../shared/machinery/object.ts';

/** What the server may change by itself. `path` has `[]` for list items: `spec.ports[].protocol`. */
export type ServerRights = { adds(path: string, value: JsonValue): boolean; drops(path: string): boolean };

/** All differences as texts; empty when `stored` is `made` completed by the server. */
export function differences(made: JsonObject, stored: JsonObject, rights: ServerRights): string[] {
  const found: string[] = [];
  compareMaps(made, stored, '', { rights, found });
  return found;
}

type Context = { rights: ServerRights; found: string[] };

function compare(made: JsonValue | undefined, stored: JsonValue | undefined, path: string, context: Context): void {
  if (stored === undefined) reportMissing(made ?? null, path, context);
  else if (made === undefined || (isEmpty(made) && !isEmpty(stored))) compareAdded(stored, path, context);
  else if (isMap(made) && isMap(stored)) compareMaps(made, stored, path, context);
  else if (Array.isArray(made) && Array.isArray(stored) && made.length === stored.length) {
    for (const [index, item] of made.entries()) compare(item, stored[index], `${path}[]`, context);
  } else if (!deepEqual(made, stored) && !(isEmpty(made) && isEmpty(stored))) {
    context.found.push(`${path}: made ${JSON.stringify(made)}, stored ${JSON.stringify(stored)}`);
  }
}

function compareMaps(made: JsonObject, stored: JsonObject, path: string, context: Context): void {
  for (const key of new Set([...Object.keys(made), ...Object.keys(stored)])) {
    const read = (map: JsonObject): JsonValue | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);
    compare(read(made), read(stored), path === '' ? key : `${path}.${key}`, context);
  }
}

/** Go drops empty values of optional fields. */
function reportMissing(made: JsonValue, path: string, context: Context): void {
  if (!isEmpty(made) && !context.rights.drops(path)) context.found.push(`${path}: made ${JSON.stringify(made)}, not stored`);
}

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMap(value) && Object.values(value).every((member) => member === undefined || isEmpty(member));
}

/** What is added as a whole may be added part by part. Null is what Go prints for a time or list that is not there. */
function compareAdded(stored: JsonValue, path: string, context: Context): void {
  if (stored === null || context.rights.adds(path, stored)) return;
  const members = isMap(stored) ? Object.entries(stored) : [];
  if (members.length === 0) context.found.push(`${path}: not made, stored ${JSON.stringify(stored)}`);
  for (const [key, value] of members) compare(undefined, value, `${path}.${key}`, context);
}

function isMap(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
