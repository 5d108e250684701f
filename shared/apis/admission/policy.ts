/** A ValidatingAdmissionPolicy, its expressions compiled. One compilation serves validation, type checks and every request. */
import type { CelProgram } from '../../machinery/cel/cel.ts';
import { type CelType, DYN, type ObjectType } from '../../machinery/cel/types.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { compileExpression, type ExpressionPurpose, type ExpressionScope } from './environment.ts';

/** An expression with its program, or why it has none. */
export type CompiledExpression = { expression: string; program: CelProgram | undefined; error: string; field: string };

export type CompiledValidation = {
  condition: CompiledExpression;
  message: string;
  messageExpression?: CompiledExpression;
  reason: string;
};

export type CompiledPolicy = {
  name: string;
  failurePolicy: 'Fail' | 'Ignore';
  matchConditions: readonly (CompiledExpression & { name: string })[];
  variables: ReadonlyMap<string, CompiledExpression>;
  validations: readonly CompiledValidation[];
  auditAnnotations: readonly (CompiledExpression & { key: string })[];
};

/** What is known of the objects that the expressions see; absent for policies that are used, where everything is dynamic. */
export type KnownTypes = { objectType?: CelType; paramsType?: CelType };

type Spec = KubeObject[string];

/** Compiles every expression of a policy; those that do not compile keep their error. */
export function compilePolicy(policy: KubeObject, known: KnownTypes = {}): CompiledPolicy {
  const spec: Spec = policy.spec ?? {};
  const base = { hasParams: Boolean(spec.paramKind), ...known };
  const { variables, type } = compileVariables(spec.variables, { ...base, hasAuthorizer: true });
  const composed = type === undefined ? base : { ...base, variables: type };
  const compiled = (expression: string, purpose: ExpressionPurpose, field: string, hasAuthorizer = true) =>
    compileOne(expression, purpose, field, { ...composed, hasAuthorizer });
  return {
    name: policy.metadata.name ?? '',
    failurePolicy: spec.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    matchConditions: compileMatchConditions(spec.matchConditions, 'spec.matchConditions', base.hasParams, known),
    variables,
    validations: listOf(spec.validations).map((validation, index) => {
      const field = `spec.validations[${index}]`;
      const { expression = '', message = '', messageExpression = '', reason = '' } = validation ?? {};
      return {
        condition: compiled(expression, 'condition', `${field}.expression`),
        message,
        ...(messageExpression === ''
          ? {}
          : { messageExpression: compiled(messageExpression, 'message', `${field}.messageExpression`, false) }),
        reason,
      };
    }),
    auditAnnotations: listOf(spec.auditAnnotations).map((annotation, index) => ({
      key: annotation?.key ?? '',
      ...compiled(annotation?.valueExpression ?? '', 'annotation', `spec.auditAnnotations[${index}].valueExpression`),
    })),
  };
}

function listOf(value: unknown): Spec[] {
  return Array.isArray(value) ? value : [];
}

function compileOne(expression: string, purpose: ExpressionPurpose, field: string, scope: ExpressionScope): CompiledExpression {
  const compiled = compileExpression(expression, purpose, scope);
  return compiled.ok
    ? { expression, program: compiled.program, error: '', field }
    : { expression, program: undefined, error: compiled.error, field };
}

/** Conditions of a policy or a webhook; they see no composed variables. */
export function compileMatchConditions(
  conditions: unknown,
  field: string,
  hasParams: boolean,
  known: KnownTypes = {},
): (CompiledExpression & { name: string })[] {
  return listOf(conditions).map((condition, index) => ({
    name: condition?.name ?? '',
    ...compileOne(String(condition?.expression ?? '').trim(), 'condition', `${field}[${index}].expression`, {
      hasParams,
      hasAuthorizer: true,
      ...known,
    }),
  }));
}

/** Each variable sees those above it. */
export function compileVariables(
  variables: unknown,
  scope: ExpressionScope,
): { variables: ReadonlyMap<string, CompiledExpression>; type: ObjectType | undefined } {
  const compiled = new Map<string, CompiledExpression>();
  const types = new Map<string, CelType>();
  const type: ObjectType = { kind: 'object', name: 'kubernetes.variables', field: (name) => types.get(name) };
  for (const [index, variable] of listOf(variables).entries()) {
    const name = String(variable?.name ?? '');
    const field = `spec.variables[${index}].expression`;
    const one = compileOne(String(variable?.expression ?? ''), 'variable', field, { ...scope, variables: type });
    compiled.set(name, one);
    types.set(name, one.program?.type ?? DYN);
  }
  return { variables: compiled, type: compiled.size > 0 ? type : undefined };
}
