/** What our own engine answers to an expression, in the form in which the answers of kube-apiserver are recorded. */
import { compileExpression } from '../../../../shared/apis/admission/environment.ts';
import { celBudget, REQUEST_COST_MAX } from '../../../../shared/machinery/cel/cel.ts';
import { authorizerValue, resourceCheckValue } from '../../../../shared/machinery/cel/library/authorizer.ts';
import { PROBE } from './expressions.ts';

const ALLOW = () => ({ allowed: true, reason: '' });

const BINDINGS = {
  object: { ...PROBE, metadata: { ...PROBE.metadata, annotations: {} } },
  oldObject: null,
  request: { operation: 'CREATE', name: 'probe', namespace: 'default', userInfo: { username: 'kubernetes-admin' } },
  namespaceObject: { metadata: { name: 'default' } },
  authorizer: authorizerValue(ALLOW),
  'authorizer.requestResource': resourceCheckValue(ALLOW, {}),
};

const SCOPE = { hasParams: false, hasAuthorizer: true };

/** `bool`, or why it is no condition. */
export function compileAnswer(expression: string): string {
  const compiled = compileExpression(expression, 'condition', SCOPE);
  return compiled.ok ? 'bool' : compiled.error;
}

/** What the recorder's policy answers: the value as text, or the error. Undefined: it would not have been created. */
export function valueAnswer(expression: string): string | undefined {
  const probing = `dyn(${expression}) != dyn(${expression})`;
  const condition = compileExpression(probing, 'condition', SCOPE);
  const message = compileExpression(`'%s'.format([dyn(${expression})])`, 'message', { ...SCOPE, hasAuthorizer: false });
  if (!condition.ok || !message.ok) return undefined;
  const outcome = condition.program.evaluate(BINDINGS, celBudget(REQUEST_COST_MAX));
  if (!outcome.ok) return `expression '${probing}' resulted in error: ${outcome.error}`;
  if (outcome.value === true) return '(allowed)';
  const text = message.program.evaluate(BINDINGS, celBudget(REQUEST_COST_MAX));
  const shown = text.ok ? String(text.value).trim() : '';
  return shown === '' || shown.includes('\n') ? 'no text for this value' : shown;
}
