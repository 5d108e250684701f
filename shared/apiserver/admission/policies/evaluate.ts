/** What one policy says of one write, for one parameter (k8s.io/apiserver/pkg/admission/plugin/policy/validating/validator.go). */
import type { CompiledPolicy, CompiledValidation } from '../../../apis/admission/policy.ts';
import { type CelBudget, celBudget, REQUEST_COST_MAX } from '../../../machinery/cel/cel.ts';
import { type Bindings, type Evaluator, lazyVariables, matchConditions } from '../expressions.ts';

/** A check that failed, by its place among the validations. `reason` empty: it could not be evaluated. */
export type Denial = { index: number; message: string; reason: string };
export type Verdict = {
  denials: readonly Denial[];
  annotations: readonly { key: string; value: string }[];
  /** Annotations that failed deny whatever the binding asks for. */
  annotationErrors: readonly string[];
};

const MESSAGE_BYTES_MAX = 5 * 1024;
const NOTHING: Verdict = { denials: [], annotations: [], annotationErrors: [] };

/** Evaluates every check and annotation. */
export async function evaluatePolicy(policy: CompiledPolicy, evaluator: Evaluator, bindings: Bindings): Promise<Verdict> {
  const failed = (message: string, index = 0): Verdict =>
    policy.failurePolicy === 'Ignore' ? NOTHING : { ...NOTHING, denials: [{ index, message, reason: '' }] };
  const withAuthorizer = { ...bindings, ...evaluator.authorization };
  const conditions = await matchConditions(evaluator, policy.matchConditions, withAuthorizer);
  if (conditions.type === 'differs') return NOTHING;
  if (conditions.type === 'error') return failed(conditions.message);
  const budget = celBudget(REQUEST_COST_MAX);
  const composed = lazyVariables(policy.variables, withAuthorizer, budget);
  const denials: Denial[] = [];
  for (const [index, validation] of policy.validations.entries()) {
    const evaluated = await evaluator.evaluate(validation.condition, composed, budget);
    if (evaluated.type === 'spent') return failed(evaluated.message);
    if (evaluated.type === 'error') denials.push(...failed(evaluated.message, index).denials);
    else if (evaluated.value !== true)
      denials.push({
        index,
        message: await messageOf(validation, evaluator, composed, budget),
        reason: validation.reason === '' ? 'Invalid' : validation.reason,
      });
  }
  return { denials, ...(await annotationsOf(policy, evaluator, composed)) };
}

/** The text of a failed check: what its expression says, its message, or the expression that failed. */
async function messageOf(
  { condition, message, messageExpression }: CompiledValidation,
  evaluator: Evaluator,
  bindings: Bindings,
  budget: CelBudget,
): Promise<string> {
  const evaluated = messageExpression && (await evaluator.evaluate(messageExpression, bindings, budget));
  if (evaluated?.type === 'value' && typeof evaluated.value === 'string') {
    const text = evaluated.value.trim();
    if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MESSAGE_BYTES_MAX) return text;
  }
  return message.trim() || `failed expression: ${condition.expression.trim()}`;
}

async function annotationsOf(
  policy: CompiledPolicy,
  evaluator: Evaluator,
  bindings: Bindings,
): Promise<Pick<Verdict, 'annotations' | 'annotationErrors'>> {
  const budget = celBudget(REQUEST_COST_MAX);
  const annotations: { key: string; value: string }[] = [];
  const annotationErrors: string[] = [];
  for (const annotation of policy.auditAnnotations) {
    const evaluated = await evaluator.evaluate(annotation, bindings, budget);
    if (evaluated.type !== 'value') annotationErrors.push(evaluated.message);
    else if (typeof evaluated.value === 'string' && evaluated.value.trim() !== '')
      annotations.push({ key: annotation.key, value: evaluated.value.trim() });
  }
  return { annotations, annotationErrors: policy.failurePolicy === 'Ignore' ? [] : annotationErrors };
}
