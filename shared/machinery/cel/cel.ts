/**
 * CEL as Kubernetes 1.35 speaks it: the language, its libraries, its error texts and its cost limits. Rules of CustomResourceDefinitions, admission
 * policies and match conditions all come through this door. Pure, synchronous and bounded: what costs too much ends with an error.
 */
import type { Schema } from '../schema/schema.ts';
import { checkCel, type Scope, TYPE_NAMES } from './checker.ts';
import { COST_EXCEEDED, type Frame, type Step } from './frame.ts';
import { fromJson } from './json.ts';
import { KUBERNETES_FUNCTIONS } from './library/all.ts';
import { type AuthorizationCheck, isNeedsDecision } from './library/authorizer.ts';
import { instantiationProblem, validateTree } from './literal-checks.ts';
import { parseCel } from './parser.ts';
import { plan } from './plan.ts';
import { schemaType } from './schema-types.ts';
import { showComplaints } from './source.ts';
import { type CelType, DYN, showResult } from './types.ts';
import { type CelValue, isFault, typeValue } from './values.ts';

/** Cost that one evaluation may have (apiserver/pkg/apis/cel), whatever is left of the budget. */
export const CALL_COST_MAX = 1_000_000;
/** Cost that all expressions of one policy, or of one object's rules, may have together. */
export const REQUEST_COST_MAX = 10_000_000;

/** What a set of evaluations may still spend. Shared: every evaluation takes its cost from it. */
export type CelBudget = { remaining: number };

/** A budget for several evaluations. */
export function celBudget(total: number): CelBudget {
  return { remaining: total };
}

export type CelOutcome =
  | { ok: true; value: unknown }
  /** `exceeded`: ended by a cost limit; `needs`: an authorization decision is wanted before the same evaluation can succeed. */
  | { ok: false; error: string; exceeded?: boolean; needs?: AuthorizationCheck };

export type CelProgram = {
  /**
   * Bindings are JSON (numbers without fraction are int; a schema of the variable decides otherwise), CEL values, or functions that give either
   * when the variable is first looked at. Values come back as CEL values: int as bigint, lists as arrays.
   */
  evaluate(bindings: Record<string, unknown>, budget?: CelBudget): CelOutcome;
  /** The static type of the result. */
  type: CelType;
};

export type CelOptions = {
  /** Names in scope; dynamic unless typed below. */
  variables: readonly string[];
  /** Types of variables by schema: undeclared fields are refused, and values read by it. */
  schemaTypes?: Record<string, Schema>;
  /** Types of variables that no schema tells. Names may have dots. */
  types?: Record<string, CelType>;
  returns?: 'bool' | 'string' | 'any';
};

/** `kind`: whether the text is no valid expression, or one of the wrong type. */
export type CelCompiled = { ok: true; program: CelProgram } | { ok: false; error: string; kind: 'invalid' | 'type' };

/** Compiles an expression. Errors read as kube-apiserver's: `compilation failed: ERROR: <input>:1:6: ...`, `must evaluate to bool but got int`. */
export function compileCel(expression: string, options: CelOptions): CelCompiled {
  const parsed = parseCel(expression);
  if (!parsed.ok) return invalid(expression, parsed.complaints);
  const checked = checkCel(parsed.node, scopeOf(options), KUBERNETES_FUNCTIONS);
  const complaints = checked.complaints.length > 0 ? checked.complaints : validateTree(parsed.node, checked.members);
  if (complaints.length > 0) return invalid(expression, complaints);
  const wanted = options.returns ?? 'any';
  if (wanted !== 'any' && checked.type.kind !== wanted)
    return { ok: false, kind: 'type', error: `must evaluate to ${wanted} but got ${showResult(checked.type)}` };
  const problem = instantiationProblem(parsed.node, checked.calls);
  if (problem !== undefined) return { ok: false, kind: 'invalid', error: `program instantiation failed: ${problem}` };
  const step = plan({ calls: checked.calls, names: checked.names, constants: TYPE_CONSTANTS }, new Map(), parsed.node);
  const schemas = options.schemaTypes ?? {};
  return { ok: true, program: { type: checked.type, evaluate: (bindings, budget) => run(step, schemas, bindings, budget) } };
}

function invalid(expression: string, complaints: Parameters<typeof showComplaints>[1]): CelCompiled {
  return { ok: false, kind: 'invalid', error: `compilation failed: ${showComplaints(expression, complaints)}` };
}

const TYPE_CONSTANTS: ReadonlyMap<string, CelValue> = new Map([...TYPE_NAMES.keys()].map((name) => [name, typeValue(name)]));

function scopeOf({ variables, schemaTypes = {}, types = {} }: CelOptions): Scope {
  const scope = new Map<string, CelType>(TYPE_NAMES);
  for (const name of variables) scope.set(name, DYN);
  for (const [name, schema] of Object.entries(schemaTypes)) scope.set(name, schemaType(schema) ?? DYN);
  for (const [name, type] of Object.entries(types)) scope.set(name, type);
  return scope;
}

function run(
  step: Step,
  schemas: Record<string, Schema>,
  bindings: Record<string, unknown>,
  budget: CelBudget = { remaining: CALL_COST_MAX },
): CelOutcome {
  const known = new Map<string, CelValue>();
  const frame: Frame = {
    locals: [],
    cost: 0,
    costMax: Math.min(CALL_COST_MAX, budget.remaining),
    variable(name) {
      const found = known.get(name);
      if (found !== undefined) return found;
      const bound = Object.hasOwn(bindings, name) ? bindings[name] : undefined;
      const value = fromJson(
        typeof bound === 'function' ? bound() : bound,
        Object.hasOwn(schemas, name) ? schemas[name] : undefined,
      );
      known.set(name, value);
      return value;
    },
  };
  try {
    return { ok: true, value: step(frame) };
  } catch (error) {
    if (isNeedsDecision(error)) return { ok: false, error: error.fault, needs: error.needs };
    if (isFault(error)) return { ok: false, error: error.fault, ...(error.exceeded ? { exceeded: true } : {}) };
    // Values may be nested deeper than the stack is.
    if (error instanceof RangeError) return { ok: false, error: COST_EXCEEDED, exceeded: true };
    throw error;
  } finally {
    budget.remaining = Math.max(0, budget.remaining - frame.cost);
  }
}
