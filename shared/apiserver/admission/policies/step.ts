/** ValidatingAdmissionPolicy as a step of admission (k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go). */
import type { KubeObject } from '../../../machinery/object.ts';
import { failure, type StatusError } from '../../../machinery/status.ts';
import type { AdmissionRequest, AdmissionStep } from '../../server.ts';
import { requestAttributes, shownObject } from '../attributes.ts';
import type { AdmissionDeps } from '../chain.ts';
import { type Bindings, createEvaluator, type Evaluator } from '../expressions.ts';
import {
  admissionNamespace,
  createEquivalents,
  type Equivalents,
  findMatch,
  isExempt,
  isNamespaceKind,
  type Match,
  namespaceReader,
} from '../matching.ts';
import { refuse } from '../refuse.ts';
import { evaluatePolicy, type Verdict } from './evaluate.ts';
import { type Binding, createHooks, type Hook } from './hooks.ts';
import { collectParams } from './params.ts';

type Deps = Pick<AdmissionDeps, 'store' | 'clock' | 'registry' | 'authorize'>;

/** One reason to refuse, and who gave it. `binding` empty: the policy itself is at fault. */
type Refusal = { policy: string; binding: string; message: string; reason: string };

/** What one request needs again and again. */
type Visit = {
  deps: Deps;
  request: AdmissionRequest;
  equivalents: Equivalents;
  namespace(): Promise<KubeObject | undefined>;
  evaluator: Evaluator;
};

/** The step. While nothing is bound, a write costs one look at an empty list. */
export function validatingAdmissionPolicy(deps: Deps): AdmissionStep {
  const hooks = createHooks(deps);
  const equivalents = createEquivalents(deps.registry);
  return {
    name: 'ValidatingAdmissionPolicy',
    concerns: ({ definition }) => !isExempt(definition),
    async validate(request) {
      const inForce = await hooks();
      if (inForce.length === 0) return;
      const evaluator = createEvaluator(request, deps.authorize);
      const visit: Visit = { deps, request, equivalents, namespace: namespaceReader(deps, request), evaluator };
      const refusals: Refusal[] = [];
      for (const hook of inForce) refusals.push(...(await visitPolicy(visit, hook)));
      const [first] = refusals;
      if (first) throw denied(request, first);
    },
  };
}

async function visitPolicy(visit: Visit, hook: Hook): Promise<Refusal[]> {
  const { request, equivalents } = visit;
  const labelsOf = async () => {
    const namespace = await visit.namespace();
    return namespace && (namespace.metadata.labels ?? {});
  };
  const match = await findMatch(hook.criteria, request, equivalents, labelsOf);
  if (!match) return [];
  const refusals: Refusal[] = [];
  for (const binding of hook.bindings) {
    if (!(await findMatch(binding.criteria, request, equivalents, labelsOf))) continue;
    refusals.push(...(await visitBinding(visit, hook, binding, match)));
  }
  return refusals;
}

async function visitBinding(visit: Visit, hook: Hook, binding: Binding, match: Match): Promise<Refusal[]> {
  const { deps, request } = visit;
  const { policy } = hook;
  const refusal = (message: string, reason: string): Refusal => ({ policy: policy.name, binding: binding.name, message, reason });
  const collected = await collectParams(deps, hook.paramKind, binding.paramRef, admissionNamespace(request));
  if (collected.type === 'error')
    return policy.failurePolicy === 'Ignore' ? [] : [refusal(`failed to configure binding: ${collected.message}`, '')];
  const refusals: Refusal[] = [];
  for (const params of collected.params) {
    const bindings = await bindingsOf(visit, match, params);
    const verdict = await evaluatePolicy(policy, visit.evaluator, bindings);
    report(request, policy.name, binding, verdict);
    if (binding.actions.includes('Deny'))
      refusals.push(...verdict.denials.map(({ message, reason }) => refusal(message, reason)));
    refusals.push(...verdict.annotationErrors.map((message) => refusal(message, '')));
  }
  return refusals;
}

async function bindingsOf(visit: Visit, match: Match, params: KubeObject | undefined): Promise<Bindings> {
  const { deps, request } = visit;
  const { definition } = match;
  // A Namespace is in no namespace as far as expressions can see.
  const namespace = isNamespaceKind(request.definition) ? undefined : await visit.namespace();
  return {
    object: shownObject(deps, request, definition, request.object) ?? null,
    oldObject: shownObject(deps, request, definition, request.old) ?? null,
    request: requestAttributes(request, definition),
    namespaceObject: namespace ?? null,
    params: params ?? null,
  };
}

/** Warnings and audit annotations of what was found. */
function report(request: AdmissionRequest, policy: string, binding: Binding, { denials, annotations }: Verdict): void {
  for (const { message, index } of denials) {
    if (binding.actions.includes('Warn'))
      request.warn(`Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding.name}': ${message}`);
    if (binding.actions.includes('Audit')) {
      const found = { message, policy, binding: binding.name, expressionIndex: index, validationActions: binding.actions };
      request.annotate?.('validation.policy.admission.k8s.io/validation_failure', JSON.stringify([found]));
    }
  }
  for (const { key, value } of annotations) request.annotate?.(`${policy}/${key}`, value);
}

const CODES: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413, Invalid: 422 };

function denied(request: AdmissionRequest, { policy, binding, message, reason }: Refusal): StatusError {
  const by = binding === '' ? '' : ` with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const { status } = refuse(request, text);
  const word = reason === '' ? 'Invalid' : reason;
  return failure(CODES[word] ?? 422, word, status.message, { ...status.details, causes: [{ message: text }] });
}
