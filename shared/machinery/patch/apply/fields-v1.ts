/** `fieldsV1` in and out of field sets. */
import type { JsonObject } from '../../object.ts';
import { canonicalElement, compareElements } from './element.ts';
import { emptySet, type FieldNode, type FieldSet, type FieldSetBuilder, LEAF } from './field-set.ts';

/** Reads `fieldsV1`. Elements of an unknown kind are dropped; throws SyntaxError when an element is malformed. */
export function parseFieldsV1(fields: JsonObject | undefined): FieldSet {
  if (fields === undefined) return emptySet();
  return parseLevel(fields).fields ?? emptySet();
}

/** A level is owned when it says so (`.`) or when nothing known is below it. */
function parseLevel(level: JsonObject): FieldNode {
  let owned = false;
  let fields: FieldSetBuilder | undefined;
  for (const key of Object.keys(level)) {
    if (key === '.') {
      owned = true;
      continue;
    }
    const element = canonicalElement(key);
    if (element === undefined) continue;
    fields ??= new Map();
    fields.set(element, parseChild(level[key]));
  }
  if (fields === undefined) return LEAF;
  return { owned, fields };
}

function parseChild(child: JsonObject[string]): FieldNode {
  if (typeof child !== 'object' || child === null || Array.isArray(child)) return LEAF;
  return parseLevel(child);
}

/** Writes `fieldsV1`, members in upstream's order, so that equal sets have equal text. */
export function formatFieldsV1(set: FieldSet): JsonObject {
  const result: JsonObject = {};
  fillLevel(result, set);
  return result;
}

function fillLevel(into: JsonObject, set: FieldSet): void {
  for (const key of set.size === 1 ? set.keys() : [...set.keys()].sort(compareElements)) {
    const node = set.get(key);
    const child: JsonObject = {};
    into[key] = child;
    if (node?.fields === undefined) continue;
    if (node.owned) child['.'] = {};
    fillLevel(child, node.fields);
  }
}
