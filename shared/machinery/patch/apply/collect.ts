/** The fields a value mentions: what its applier owns. */
import type { JsonObject, JsonValue } from '../../object.ts';
import type { Schema } from '../../schema/schema.ts';
import { fieldElement } from './element.ts';
import { emptySet, type FieldNode, type FieldSet, type FieldSetBuilder, LEAF } from './field-set.ts';
import {
  asList,
  asMap,
  isAtomic,
  isEmptyMap,
  isNamedMember,
  itemSchema,
  memberSchema,
  shapeOf,
  UNSTRUCTURED,
  validItemElement,
} from './shape.ts';

/**
 * Every leaf and every item of `value`, an object that fits `schema`. Structs are not members themselves, unless empty; keys of maps and
 * items of lists are. (structured-merge-diff: `TypedValue.ToFieldSet`.)
 */
export function collectFields(value: JsonObject, schema: Schema): FieldSet {
  return collect(value, schema, false)?.fields ?? emptySet();
}

/** `owned`: the parent makes this node a member already. */
function collect(value: JsonValue, schema: Schema, owned: boolean): FieldNode | undefined {
  const shape = shapeOf(schema, value);
  if (shape === 'scalar' || isAtomic(schema, shape)) return LEAF;
  if (shape === 'map') return node(owned, memberFields(asMap(value), schema));
  return node(owned, itemFields(asList(value), schema));
}

function node(owned: boolean, fields: FieldSetBuilder | undefined): FieldNode | undefined {
  if (fields !== undefined && fields.size > 0) return { owned, fields };
  return owned ? LEAF : undefined;
}

function memberFields(map: JsonObject | undefined, schema: Schema): FieldSetBuilder | undefined {
  if (map === undefined) return undefined;
  const fields: FieldSetBuilder = new Map();
  for (const name of Object.keys(map)) {
    const member = map[name];
    if (member === undefined) continue;
    const owned = isNull(member) || !isNamedMember(schema, name);
    const found = collect(member, memberSchema(schema, name) ?? UNSTRUCTURED, owned);
    if (found !== undefined) fields.set(fieldElement(name), found);
  }
  return fields;
}

/** Null and `{}` are values: who applies them owns the field. */
function isNull(value: JsonValue): boolean {
  if (value === null) return true;
  const map = asMap(value);
  return map !== undefined && isEmptyMap(map);
}

/** Items that occur more than once are owned as one, without what is in them. */
function itemFields(list: readonly JsonValue[] | undefined, schema: Schema): FieldSetBuilder | undefined {
  if (list === undefined) return undefined;
  const fields: FieldSetBuilder = new Map();
  for (const item of list) {
    const element = validItemElement(schema, item);
    fields.set(element, fields.has(element) ? LEAF : (collect(item, itemSchema(schema), true) ?? LEAF));
  }
  return fields;
}
