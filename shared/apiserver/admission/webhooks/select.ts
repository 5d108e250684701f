/** Whether a webhook is called for a write (ShouldCallHook of k8s.io/apiserver/pkg/admission/plugin/webhook/generic). */
import type { KubeObject } from '../../../machinery/object.ts';
import { forbidden } from '../../../machinery/status.ts';
import type { AdmissionRequest } from '../../server.ts';
import { requestAttributes, shownObject } from '../attributes.ts';
import type { AdmissionDeps } from '../chain.ts';
import { createEvaluator, matchConditions } from '../expressions.ts';
import { createEquivalents, findMatch, type Match, namespaceReader } from '../matching.ts';
import type { Webhook } from './hooks.ts';

type Deps = Pick<AdmissionDeps, 'store' | 'registry' | 'authorize'>;
/** Chooses among the webhooks for one write. Throws 403 when conditions cannot be evaluated and failures count. */
export type Selection = (hook: Webhook) => Promise<Match | undefined>;

/** Made once per step, then once per write: the namespace is read at most once for it. */
export function createSelections(deps: Deps): (request: AdmissionRequest) => Selection {
  const equivalents = createEquivalents(deps.registry);
  return (request) => {
    const namespace = namespaceReader(deps, request);
    const labelsOf = async () => {
      const found: KubeObject | undefined = await namespace();
      return found && (found.metadata.labels ?? {});
    };
    return async (hook) => {
      const match = await findMatch(hook.criteria, request, equivalents, labelsOf);
      if (!match || hook.conditions.length === 0) return match;
      return (await conditionsHold(deps, request, hook, match)) ? match : undefined;
    };
  };
}

async function conditionsHold(deps: Deps, request: AdmissionRequest, hook: Webhook, { definition }: Match): Promise<boolean> {
  const evaluator = createEvaluator(request, deps.authorize);
  const bindings = {
    object: shownObject(deps, request, definition, request.object) ?? null,
    oldObject: shownObject(deps, request, definition, request.old) ?? null,
    request: requestAttributes(request, definition),
    namespaceObject: null,
    ...evaluator.authorization,
  };
  const result = await matchConditions(evaluator, hook.conditions, bindings);
  if (result.type !== 'error') return result.type === 'matches';
  if (hook.ignoresFailures) return false;
  const { group, plural } = request.definition;
  throw forbidden({ group, resource: plural }, request.name, result.message);
}
