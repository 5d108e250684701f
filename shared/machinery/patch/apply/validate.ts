/** Does a value fit its schema, as server-side apply understands it? Texts are those of structured-merge-diff. */
import type { JsonValue } from '../../object.ts';
import type { ListSchema, ScalarSchema, Schema } from '../../schema/schema.ts';
import { fieldElement, formatElement } from './element.ts';
import { formatGo, formatGoSyntax, goType } from './go-text.ts';
import { asList, asMap, itemElement, itemSchema, memberSchema, shapeOf } from './shape.ts';

/** Where the walk is: path elements, innermost first. Texts are made of it only when something does not fit. */
type Trail = { element: string; parent: Trail } | undefined;

type Mismatch = { trail: Trail; message: string };

/** `rejectDuplicates`: items of sets and keyed lists must differ (applied objects); live objects may hold duplicates. */
export type ValidationMode = 'rejectDuplicates' | 'allowDuplicates';

/** All mismatches as one text (`.spec.foo: field not declared in schema`), or undefined when there are none. */
export function typeErrors(value: JsonValue, schema: Schema, mode: ValidationMode): string | undefined {
  const found: Mismatch[] = [];
  visit(value, schema, undefined, { mode, found });
  if (found.length === 0) return undefined;
  const texts = found.map(({ trail, message }) => (trail === undefined ? message : `${formatTrail(trail)}: ${message}`));
  return texts.length === 1 ? texts[0] : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
}

function formatTrail(trail: Trail): string {
  return trail === undefined ? '' : `${formatTrail(trail.parent)}${formatElement(trail.element)}`;
}

type Visit = { mode: ValidationMode; found: Mismatch[] };

function visit(value: JsonValue, schema: Schema, trail: Trail, context: Visit): void {
  if (value === null) return;
  switch (shapeOf(schema, value)) {
    case 'map':
      visitMap(value, schema, trail, context);
      break;
    case 'list':
      visitList(value, schema, trail, context);
      break;
    case 'scalar':
      if (schema.kind === 'scalar') visitScalar(value, schema, trail, context);
  }
}

function visitMap(value: JsonValue, schema: Schema, trail: Trail, context: Visit): void {
  const map = asMap(value);
  if (map === undefined) {
    context.found.push({ trail, message: `expected map, got &{${formatGo(value)}}` });
    return;
  }
  for (const name of Object.keys(map)) {
    const member = map[name];
    if (member === undefined) continue;
    const memberTrail: Trail = { element: fieldElement(name), parent: trail };
    const declared = memberSchema(schema, name);
    if (declared === undefined) {
      context.found.push({ trail: memberTrail, message: 'field not declared in schema' });
      return;
    }
    visit(member, declared, memberTrail, context);
  }
}

function visitList(value: JsonValue, schema: Schema, trail: Trail, context: Visit): void {
  const list = asList(value);
  if (list === undefined) {
    context.found.push({ trail, message: `expected list, got &{${formatGo(value)}}` });
    return;
  }
  if (schema.kind === 'list' && schema.listType !== 'atomic') {
    visitItems(list, schema, trail, context);
    return;
  }
  for (const [index, item] of list.entries()) visit(item, itemSchema(schema), { element: `i:${index}`, parent: trail }, context);
}

function visitItems(list: readonly JsonValue[], schema: ListSchema, trail: Trail, context: Visit): void {
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const found = itemElement(schema, item);
    if (found.type === 'invalid') {
      context.found.push({ trail, message: `element ${index}: ${found.message}` });
      return;
    }
    if (context.mode === 'rejectDuplicates' && seen.has(found.element))
      context.found.push({ trail, message: `duplicate entries for key ${formatElement(found.element)}` });
    seen.add(found.element);
    if (schema.listType === 'map') visit(item, schema.items, { element: found.element, parent: trail }, context);
  }
}

function visitScalar(value: JsonValue, schema: ScalarSchema, trail: Trail, context: Visit): void {
  const message = scalarError(value, schema);
  if (message !== undefined) context.found.push({ trail, message });
}

function scalarError(value: JsonValue, schema: ScalarSchema): string | undefined {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (isUntyped(schema)) return typeof value === 'object' ? `expected any scalar, got &{${formatGo(value)}}` : undefined;
  switch (schema.scalar) {
    case 'integer':
    case 'number':
      return isNumber ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${formatGo(value)}}`;
    default:
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${formatGoSyntax(value)}}`;
  }
}

/** int-or-string, quantities, times and every other formatted string but bytes: any scalar is let through here. */
function isUntyped(schema: ScalarSchema): boolean {
  if (schema.scalar === 'intOrString' || schema.scalar === 'quantity') return true;
  return schema.scalar === 'string' && schema.format !== '' && schema.format !== 'byte';
}
