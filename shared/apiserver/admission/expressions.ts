/** Evaluation of the expressions of a policy or a webhook for one write. */
import type { CompiledExpression } from '../../apis/admission/policy.ts';
import { type CelBudget, celBudget, REQUEST_COST_MAX } from '../../machinery/cel/cel.ts';
import {
  type AuthorizationCheck,
  type AuthorizationDecision,
  authorizerValue,
  resourceCheckValue,
} from '../../machinery/cel/library/authorizer.ts';
import { type CelValue, fail, KIND } from '../../machinery/cel/values.ts';
import type { AdmissionRequest, Authorize, User } from '../server.ts';

/** Cost of all match conditions of one webhook or policy together (apiserver/pkg/apis/cel). */
const CONDITIONS_COST_MAX = REQUEST_COST_MAX / 4;
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** What the expressions see; `variables` are those of a policy. */
export type Bindings = Record<string, unknown>;
export type Evaluated =
  | { type: 'value'; value: unknown }
  | { type: 'error'; message: string }
  | { type: 'spent'; message: string };

/** Runs expressions of one write. Decisions that they ask for are asked once per write. */
export type Evaluator = {
  evaluate(expression: CompiledExpression, bindings: Bindings, budget: CelBudget): Promise<Evaluated>;
  /** Values behind `authorizer` and `authorizer.requestResource`. */
  authorization: Bindings;
};

/** `authorize` absent: who makes the request may do nothing, as far as expressions can tell. */
export function createEvaluator(request: AdmissionRequest, authorize: Authorize | undefined): Evaluator {
  const decisions = new Map<string, AuthorizationDecision>();
  const decide = (check: AuthorizationCheck) => decisions.get(JSON.stringify(check));
  const { definition, subresource, namespace, name } = request;
  const about = { group: definition.group, resource: definition.plural, subresource, namespace, name };
  return {
    authorization: {
      authorizer: authorizerValue(decide),
      'authorizer.requestResource': resourceCheckValue(decide, about),
    },
    async evaluate({ program, error, expression }, bindings, budget) {
      if (!program) return { type: 'error', message: `compilation error: ${error}` };
      for (;;) {
        const before = budget.remaining;
        const outcome = program.evaluate(bindings, budget);
        if (outcome.ok) return { type: 'value', value: outcome.value };
        if (outcome.needs) {
          decisions.set(JSON.stringify(outcome.needs), await decisionOf(authorize, request.user, outcome.needs));
          budget.remaining = before;
        } else if (outcome.exceeded && budget.remaining === 0) return { type: 'spent', message: OUT_OF_BUDGET };
        else return { type: 'error', message: `expression '${expression}' resulted in error: ${outcome.error}` };
      }
    },
  };
}

async function decisionOf(
  authorize: Authorize | undefined,
  user: User,
  check: AuthorizationCheck,
): Promise<AuthorizationDecision> {
  const { serviceAccount, path, ...resource } = check;
  try {
    const attributes = { ...resource, version: '*', user: serviceAccount ? accountUser(serviceAccount) : user };
    const asked = path === undefined ? attributes : { ...attributes, path };
    return (await authorize?.(asked)) ?? { allowed: false, reason: '' };
  } catch (error) {
    return { allowed: false, reason: '', error: error instanceof Error ? error.message : String(error) };
  }
}

function accountUser(account: string): User {
  const [namespace = '', name = ''] = account.split('/');
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${namespace}:${name}`, groups };
}

export type Conditions = { type: 'matches' } | { type: 'differs' } | { type: 'error'; message: string };

/** All conditions must hold; one that is false decides even beside errors. */
export async function matchConditions(
  evaluator: Evaluator,
  conditions: readonly CompiledExpression[],
  bindings: Bindings,
): Promise<Conditions> {
  if (conditions.length === 0) return { type: 'matches' };
  const budget = celBudget(CONDITIONS_COST_MAX);
  const errors: string[] = [];
  for (const condition of conditions) {
    const evaluated = await evaluator.evaluate(condition, bindings, budget);
    if (evaluated.type === 'spent') return { type: 'error', message: evaluated.message };
    if (evaluated.type === 'error') errors.push(evaluated.message);
    else if (evaluated.value === false) return { type: 'differs' };
  }
  if (errors.length === 0) return { type: 'matches' };
  const distinct = [...new Set(errors)];
  return { type: 'error', message: distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]` };
}

/** The variable `variables`: each is computed when it is first looked at, and once. Its cost is taken from the budget. */
export function lazyVariables(
  variables: ReadonlyMap<string, CompiledExpression>,
  bindings: Bindings,
  budget: CelBudget,
): Bindings {
  const known = new Map<string, CelValue>();
  const all: Bindings = { ...bindings };
  const compute = (name: string, { program, error }: CompiledExpression): CelValue => {
    const found = known.get(name);
    if (found !== undefined) return found;
    if (!program) return fail(`composited variable "${name}" fails to compile: ${error}`);
    const outcome = program.evaluate(all, budget);
    if (outcome.ok) {
      known.set(name, outcome.value as CelValue);
      return outcome.value as CelValue;
    }
    if (outcome.needs) throw { fault: outcome.error, exceeded: true, needs: outcome.needs };
    if (outcome.exceeded && budget.remaining === 0) throw { fault: outcome.error, exceeded: true };
    return fail(`composited variable "${name}" fails to evaluate: ${outcome.error}`);
  };
  all.variables = {
    [KIND]: 'map',
    size: variables.size,
    objectType: 'kubernetes.variables',
    keys: () => [...variables.keys()],
    get: (key: CelValue) => {
      const variable = typeof key === 'string' ? variables.get(key) : undefined;
      return variable && compute(key as string, variable);
    },
  };
  return all;
}
