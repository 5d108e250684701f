/** Paths to a field of a schema, as rules and selectable fields name them: `.spec.x`, `['a.b']` (apiextensions' ValidFieldPath). */
import type { JsonObject, JsonValue } from '../../machinery/object.ts';

export type FoundField = { ok: true; path: string; schema: JsonObject } | { ok: false; why: string };

const STEP = /^\.([^.[\]]+)|^\['((?:\\.|[^'\\])*)'\]/;

/** Follows a path through a schema. `path` of the answer is as field errors write it, without a first dot. */
export function findField(text: string, root: JsonObject, options: { arrayNotation: boolean }): FoundField {
  let rest = text;
  let schema = root;
  let path = '';
  while (rest !== '') {
    if (rest.startsWith('[') && !options.arrayNotation) return { ok: false, why: 'array notation is not allowed' };
    const step = STEP.exec(rest);
    if (!step) return { ok: false, why: problemOf(rest) };
    const name = step[1] ?? (step[2] ?? '').replace(/\\(.)/g, '$1');
    const next = childOf(schema, name);
    if (next === undefined) return { ok: false, why: 'does not refer to a valid field' };
    path += next.isNamed ? `${path === '' ? '' : '.'}${name}` : `[${name}]`;
    schema = next.schema;
    rest = rest.slice(step[0].length);
  }
  return { ok: true, path, schema };
}

/** The path as errors write it; undefined where it leads nowhere. */
export function normalizeFieldPath(text: string, schema: JsonObject): string | undefined {
  const found = findField(text, schema, { arrayNotation: true });
  return found.ok ? found.path : undefined;
}

function childOf({ properties, additionalProperties }: JsonObject, name: string) {
  if (isObject(properties)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(schema) ? { schema, isNamed: true } : undefined;
  }
  return isObject(additionalProperties) ? { schema: additionalProperties, isNamed: false } : undefined;
}

function problemOf(rest: string): string {
  if (rest === '.' || rest === '[') return 'unexpected end of JSON path';
  if (rest.startsWith('[')) return `expected single quoted string but got ${/^\[([^.[\]]*|[.[\]])/.exec(rest)?.[1] ?? ''}`;
  if (rest.startsWith('.')) return 'does not refer to a valid field';
  return `expected [ or . but got: ${/^[^.[\]]+|^\]/.exec(rest)?.[0] ?? rest}`;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
