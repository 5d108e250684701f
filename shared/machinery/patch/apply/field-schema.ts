/** Field sets seen with a schema: which parents count as members, and what became of fields whose type changed. */
import type { Schema } from '../../schema/schema.ts';
import { type FieldNode, type FieldSet, type FieldSetBuilder, LEAF } from './field-set.ts';
import { isAtomic, isNamedMember, itemSchema, memberSchema, UNSTRUCTURED } from './shape.ts';

/**
 * The set with every struct on the way to a member a member itself: `a.b.c` brings `a` when the type names it, but not the key `b` of a
 * map. (structured-merge-diff: `Set.EnsureNamedFieldsAreMembers`.)
 */
export function withNamedParents(set: FieldSet, schema: Schema): FieldSet {
  const result: FieldSetBuilder = new Map();
  for (const [element, node] of set) {
    if (node.fields === undefined) {
      result.set(element, node);
      continue;
    }
    const owned = node.owned || (element.startsWith('f:') && isNamedMember(schema, element.slice(2)));
    result.set(element, { owned, fields: withNamedParents(node.fields, below(schema, element) ?? UNSTRUCTURED) });
  }
  return result;
}

/**
 * The set as it reads under today's schema: what became atomic is owned whole, without the fields below. The very same set when nothing
 * changed. (structured-merge-diff: `ReconcileFieldSetWithSchema`; atomic to granular needs nothing.)
 */
export function reconcileWithSchema(set: FieldSet, schema: Schema): FieldSet {
  let result: FieldSetBuilder | undefined;
  for (const [element, node] of set) {
    const declared = below(schema, element);
    const reconciled = declared === undefined || node.fields === undefined ? node : reconcileNode(node, node.fields, declared);
    if (reconciled === node) continue;
    result ??= new Map(set);
    result.set(element, reconciled);
  }
  return result ?? set;
}

function reconcileNode(node: FieldNode, fields: FieldSet, schema: Schema): FieldNode {
  if (schema.kind === 'scalar' || schema.kind === 'any') return node;
  if (isAtomic(schema, schema.kind === 'list' ? 'list' : 'map')) return LEAF;
  const reconciled = reconcileWithSchema(fields, schema);
  return reconciled === fields ? node : { owned: node.owned, fields: reconciled };
}

/** The schema of what an element leads to; undefined: the schema knows no such field. */
function below(schema: Schema, element: string): Schema | undefined {
  if (element.startsWith('f:'))
    return schema.kind === 'list' || schema.kind === 'scalar' ? undefined : memberSchema(schema, element.slice(2));
  return schema.kind === 'list' ? itemSchema(schema) : undefined;
}
