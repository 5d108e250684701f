/** The expressions of `x-kubernetes-validations`, compiled for one node of a schema (apiextensions' cel/compilation.go). */
import { type CelProgram, compileCel } from '../../machinery/cel/cel.ts';
import { schemaType } from '../../machinery/cel/schema-types.ts';
import { optionalOf } from '../../machinery/cel/types.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import { compileInline } from '../../machinery/schema/compile.ts';
import type { Schema } from '../../machinery/schema/schema.ts';
import { normalizeFieldPath } from './field-path.ts';

/** One entry of `x-kubernetes-validations`, as written. */
export type ValidationRule = {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
};

export type CompiledRule = {
  source: ValidationRule;
  /** Undefined for an empty rule, and where `error` says why there is none. */
  program: CelProgram | undefined;
  error: string | undefined;
  /** Asks about the change, not the state: run on updates only, unless the old state is optional. */
  usesOldSelf: boolean;
  message: CelProgram | undefined;
  messageError: string | undefined;
  /** `fieldPath` as errors show it, without its first dot; empty when there is none. */
  fieldPath: string;
};

/** The rules of a schema; none where it has none. */
export function rulesOf(schema: JsonObject): ValidationRule[] {
  const rules = schema['x-kubernetes-validations'];
  return Array.isArray(rules) ? (rules.filter(isObject) as ValidationRule[]) : [];
}

/** The type of `self` at a node. `isRoot`: of a whole object, whose metadata shows its name alone. */
export function selfSchema(schema: JsonObject, isRoot: boolean): Schema {
  if (!isRoot) return compileInline(schema);
  const text = { type: 'string' };
  const metadata = { type: 'object', properties: { name: text, generateName: text } };
  const properties = { ...(isObject(schema.properties) ? schema.properties : {}), apiVersion: text, kind: text, metadata };
  return compileInline({ ...schema, properties });
}

/** Compiles the rules of one node, in their order. */
export function compileNodeRules(schema: JsonObject, isRoot: boolean): CompiledRule[] {
  const rules = rulesOf(schema);
  if (rules.length === 0) return [];
  const self = selfSchema(schema, isRoot);
  return rules.map((rule) => compileRule(schema, self, rule));
}

function compileRule(schema: JsonObject, self: Schema, source: ValidationRule): CompiledRule {
  const none = { program: undefined, error: undefined, message: undefined, messageError: undefined };
  const fieldPath = source.fieldPath ? (normalizeFieldPath(source.fieldPath, schema) ?? '') : '';
  const empty: CompiledRule = { source, ...none, usesOldSelf: false, fieldPath };
  if ((source.rule ?? '').trim() === '') return empty;
  const compiled = compileExpression(source.rule, self, source.optionalOldSelf === true, 'bool');
  if (compiled.error !== undefined) return { ...empty, error: compiled.error };
  const rule: CompiledRule = { ...empty, program: compiled.program, usesOldSelf: compiled.usesOldSelf };
  if (!source.messageExpression) return rule;
  const message = compileExpression(source.messageExpression, self, source.optionalOldSelf === true, 'string');
  return { ...rule, message: message.program, messageError: message.error && `messageExpression ${message.error}` };
}

type Compiled = { program: CelProgram; error: undefined; usesOldSelf: boolean } | { program: undefined; error: string };

/** An expression that also compiles where there is no old state does not use it. */
function compileExpression(text: string, self: Schema, isOptional: boolean, returns: 'bool' | 'string'): Compiled {
  const plain = { variables: ['self'], schemaTypes: { self }, returns };
  const alone = compileCel(text, plain);
  if (alone.ok) return { program: alone.program, error: undefined, usesOldSelf: false };
  const type = schemaType(self);
  const both = compileCel(text, {
    variables: ['self', 'oldSelf'],
    schemaTypes: isOptional ? { self } : { self, oldSelf: self },
    ...(isOptional && type ? { types: { oldSelf: optionalOf(type) } } : {}),
    returns,
  });
  if (both.ok) return { program: both.program, error: undefined, usesOldSelf: true };
  const wrongType = returns === 'bool' ? 'cel expression must evaluate to a bool' : 'must evaluate to a string';
  return { program: undefined, error: both.kind === 'type' ? wrongType : both.error };
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
