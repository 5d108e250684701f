/** Does a value fit its schema, as server-side apply understands it? Texts are those of structured-merge-diff. */
import type { JsonValue } from '../../object.ts';
import type { ListSchema, ScalarSchema, Schema } from '../../schema/schema.ts';
import { formatElement } from './element.ts';
import { formatGo, formatGoSyntax, goType } from './go-text.ts';
import { asList, asMap, itemElement, itemSchema, memberSchema, shapeOf } from './shape.ts';

/** One mismatch; `path` is in the form `.spec.ports[0]`. */
type Mismatch = { path: string; message: string };

/** `rejectDuplicates`: items of sets and keyed lists must differ (applied objects); live objects may hold duplicates. */
export type ValidationMode = 'rejectDuplicates' | 'allowDuplicates';

/** All mismatches as one text (`.spec.foo: field not declared in schema`), or undefined when there are none. */
export function typeErrors(value: JsonValue, schema: Schema, mode: ValidationMode): string | undefined {
  const found: Mismatch[] = [];
  visit(value, schema, '', { mode, found });
  if (found.length === 0) return undefined;
  const texts = found.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return texts.length === 1 ? texts[0] : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
}

type Visit = { mode: ValidationMode; found: Mismatch[] };

function visit(value: JsonValue, schema: Schema, path: string, context: Visit): void {
  if (value === null) return;
  switch (shapeOf(schema, value)) {
    case 'map':
      visitMap(value, schema, path, context);
      break;
    case 'list':
      visitList(value, schema, path, context);
      break;
    case 'scalar':
      if (schema.kind === 'scalar') visitScalar(value, schema, path, context);
  }
}

function visitMap(value: JsonValue, schema: Schema, path: string, context: Visit): void {
  const map = asMap(value);
  if (map === undefined) {
    context.found.push({ path, message: `expected map, got &{${formatGo(value)}}` });
    return;
  }
  for (const name of Object.keys(map)) {
    const member = map[name];
    if (member === undefined) continue;
    const memberPath = `${path}.${name}`;
    const declared = memberSchema(schema, name);
    if (declared === undefined) {
      context.found.push({ path: memberPath, message: 'field not declared in schema' });
      return;
    }
    visit(member, declared, memberPath, context);
  }
}

function visitList(value: JsonValue, schema: Schema, path: string, context: Visit): void {
  const list = asList(value);
  if (list === undefined) {
    context.found.push({ path, message: `expected list, got &{${formatGo(value)}}` });
    return;
  }
  if (schema.kind === 'list' && schema.listType !== 'atomic') {
    visitItems(list, schema, path, context);
    return;
  }
  for (const [index, item] of list.entries()) visit(item, itemSchema(schema), `${path}[${index}]`, context);
}

function visitItems(list: readonly JsonValue[], schema: ListSchema, path: string, context: Visit): void {
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const found = itemElement(schema, item);
    if (found.type === 'invalid') {
      context.found.push({ path, message: `element ${index}: ${found.message}` });
      return;
    }
    if (context.mode === 'rejectDuplicates' && seen.has(found.element))
      context.found.push({ path, message: `duplicate entries for key ${formatElement(found.element)}` });
    seen.add(found.element);
    if (schema.listType === 'map') visit(item, schema.items, `${path}${formatElement(found.element)}`, context);
  }
}

function visitScalar(value: JsonValue, schema: ScalarSchema, path: string, context: Visit): void {
  const message = scalarError(value, schema);
  if (message !== undefined) context.found.push({ path, message });
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
