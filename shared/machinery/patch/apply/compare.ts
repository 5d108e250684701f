/** What differs between two objects of one schema, as field sets. */
import { deepEqual } from '../../equality.ts';
import type { JsonObject, JsonValue } from '../../object.ts';
import type { Schema } from '../../schema/schema.ts';
import { fieldElement } from './element.ts';
import { type FieldSet, type FieldSetBuilder, insertPath } from './field-set.ts';
import {
  asList,
  asMap,
  isAtomic,
  isEmptyMap,
  itemSchema,
  memberSchema,
  type Shape,
  shapeOf,
  UNSTRUCTURED,
  validItemElement,
} from './shape.ts';

/** No field is in more than one of the three. */
export type Comparison = { added: FieldSet; modified: FieldSet; removed: FieldSet };

/** Compares `before` and `after`. The order of items in sets and keyed lists is no difference. (structured-merge-diff: `TypedValue.Compare`.) */
export function compareObjects(before: JsonObject, after: JsonObject, schema: Schema): Comparison {
  const walk: Walk = { path: [], added: new Map(), modified: new Map(), removed: new Map() };
  compare(before, after, schema, walk);
  return walk;
}

type Walk = { path: string[]; added: FieldSetBuilder; modified: FieldSetBuilder; removed: FieldSetBuilder };
type Side = JsonValue | undefined;

function compare(before: Side, after: Side, schema: Schema, walk: Walk): void {
  if (before === after) return;
  const shape = shapeOf(schema, after === undefined ? before : after);
  if (schema.kind === 'any' && before !== undefined && after !== undefined) {
    const old = shapeOf(schema, before);
    if (old !== shape) compareAs(old, before, after, schema, walk); // an unstructured part changed its shape: its old one counts too
  }
  compareAs(shape, before, after, schema, walk);
}

function compareAs(shape: Shape, before: Side, after: Side, schema: Schema, walk: Walk): void {
  if (shape === 'scalar' || isAtomic(schema, shape) || !compareInside(shape, before, after, schema, walk)) {
    compareLeaf(before, after, walk);
    return;
  }
  if (before === undefined) insertPath(walk.added, walk.path);
  else if (after === undefined) insertPath(walk.removed, walk.path);
}

/** False: nothing is inside on either side, so the value itself is what counts (null, `{}` and `[]` differ). */
function compareInside(shape: 'map' | 'list', before: Side, after: Side, schema: Schema, walk: Walk): boolean {
  if (shape === 'map') {
    const [old, next] = [membersOf(before), membersOf(after)];
    if (old !== undefined || next !== undefined) compareMembers(old ?? {}, next ?? {}, schema, walk);
    return old !== undefined || next !== undefined;
  }
  const [old, next] = [asList(before) ?? [], asList(after) ?? []];
  if (old.length > 0 || next.length > 0) compareItems(old, next, schema, walk);
  return old.length > 0 || next.length > 0;
}

function membersOf(value: Side): JsonObject | undefined {
  const map = asMap(value);
  return map === undefined || isEmptyMap(map) ? undefined : map;
}

function compareLeaf(before: Side, after: Side, walk: Walk): void {
  if (before === undefined) insertPath(walk.added, walk.path);
  else if (after === undefined) insertPath(walk.removed, walk.path);
  else if (!deepEqual(before, after)) insertPath(walk.modified, walk.path);
}

function compareMembers(before: JsonObject, after: JsonObject, schema: Schema, walk: Walk): void {
  for (const name of Object.keys(before)) {
    const [old, next] = [before[name], Object.hasOwn(after, name) ? after[name] : undefined];
    if (old !== next) compareAt(fieldElement(name), old, next, memberSchema(schema, name) ?? UNSTRUCTURED, walk);
  }
  for (const name of Object.keys(after)) {
    if (Object.hasOwn(before, name)) continue;
    compareAt(fieldElement(name), undefined, after[name], memberSchema(schema, name) ?? UNSTRUCTURED, walk);
  }
}

function compareAt(element: string, before: Side, after: Side, schema: Schema, walk: Walk): void {
  walk.path.push(element);
  compare(before, after, schema, walk);
  walk.path.pop();
}

function compareItems(before: readonly JsonValue[], after: readonly JsonValue[], schema: Schema, walk: Walk): void {
  if (before === after) return;
  const [old, next] = [groupItems(before, schema), groupItems(after, schema)];
  for (const element of new Set([...old.keys(), ...next.keys()])) {
    compareGroups(element, old.get(element) ?? [], next.get(element) ?? [], schema, walk);
  }
}

function groupItems(list: readonly JsonValue[], schema: Schema): Map<string, JsonValue[]> {
  const groups = new Map<string, JsonValue[]>();
  for (const item of list) {
    const element = validItemElement(schema, item);
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}

/** Duplicates are compared as one atomic value, marked by the item's own path; a lone item field by field. */
function compareGroups(
  element: string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  schema: Schema,
  walk: Walk,
): void {
  if (before.length <= 1 && after.length <= 1) {
    compareAt(element, before[0], after[0], itemSchema(schema), walk);
    return;
  }
  const path = [...walk.path, element];
  if (before.length >= 2 && after.length >= 2) {
    if (!deepEqual(before, after)) insertPath(walk.modified, path);
    return;
  }
  if (before.length >= 2) {
    if (after.length === 1) compareAt(element, undefined, after[0], itemSchema(schema), walk);
    insertPath(walk.removed, path);
    return;
  }
  if (before.length === 1) compareAt(element, before[0], undefined, itemSchema(schema), walk);
  insertPath(walk.added, path);
}
