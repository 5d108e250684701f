/** Mutating webhooks as a step of admission (k8s.io/apiserver/pkg/admission/plugin/webhook/mutating). */
import { deepEqual } from '../../../machinery/equality.ts';
import { quoteGo } from '../../../machinery/go-quote.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../../machinery/object.ts';
import { applyJsonPatch, PatchError, parseJsonPatch } from '../../../machinery/patch/json.ts';
import { formatApiVersion } from '../../../machinery/resource.ts';
import { internalError } from '../../../machinery/status.ts';
import { isJsonObject } from '../../http/body.ts';
import { toObject } from '../../resources/decode.ts';
import { convertVersion } from '../../resources/storage.ts';
import type { AdmissionRequest, AdmissionStep } from '../../server.ts';
import { shownObject } from '../attributes.ts';
import type { AdmissionDeps } from '../chain.ts';
import { isExempt, type Match } from '../matching.ts';
import { type CallDeps, callWebhook } from './call.ts';
import { createWebhooks, type Webhook } from './hooks.ts';
import { createSelections, type Selection } from './select.ts';

/** The step. While nothing is configured, a write costs one look at an empty list. */
export function mutatingWebhooks(deps: AdmissionDeps & CallDeps): AdmissionStep {
  const webhooks = createWebhooks(deps, 'mutatingwebhookconfigurations');
  const selections = createSelections(deps);
  return {
    name: 'MutatingAdmissionWebhook',
    concerns: ({ definition }) => !isExempt(definition),
    async mutate(request) {
      const all = await webhooks();
      if (all.length > 0) await callAll(deps, all, request, selections(request));
    },
  };
}

/** Webhooks called so far in a request that may be called again, and what the object was after the last of them. */
type Round = { eligible: Set<string>; again: Set<string>; output: KubeObject | undefined };

/** One after the other, each on what the one before left. In the second round only those that others have changed the object after. */
async function callAll(
  deps: AdmissionDeps & CallDeps,
  all: readonly Webhook[],
  request: AdmissionRequest,
  select: Selection,
): Promise<void> {
  const isSecond = request.reinvocation?.round === 2;
  const round = (request.reinvocation?.state as Round | undefined) ?? {
    eligible: new Set(),
    again: new Set(),
    output: undefined,
  };
  if (isSecond && !deepEqual(round.output, request.object)) requireAgain(round);
  for (const hook of all) {
    if (isSecond && !round.again.has(hook.key)) continue;
    const match = await select(hook);
    if (!match) continue;
    const before = request.object;
    const allowed = await callWebhook(deps, hook, match, request, true);
    if (allowed?.patch !== undefined) request.object = patched(deps, hook, match, request, allowed.patch);
    const changed = before !== request.object && !deepEqual(before, request.object);
    if (changed) requireAgain(round);
    if (changed && request.reinvocation) request.reinvocation.needed = true;
    round.again.delete(hook.key);
    if (hook.reinvoked) round.eligible.add(hook.key);
  }
  round.output = structuredClone(request.object);
  if (request.reinvocation) request.reinvocation.state = round;
}

function requireAgain(round: Round): void {
  for (const key of round.eligible) round.again.add(key);
  round.eligible.clear();
}

/** The object after a patch: decoded as a body is, defaulted, and in the version of the request again. */
function patched(
  deps: AdmissionDeps,
  hook: Webhook,
  { definition }: Match,
  request: AdmissionRequest,
  patch: JsonValue,
): KubeObject {
  const shown = shownObject(deps, request, definition, request.object);
  if (shown === undefined)
    throw internalError(
      `admission webhook ${quoteGo(hook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  const changed = applied(shown as unknown as JsonObject, patch);
  if (!isJsonObject(changed)) throw internalError('the patch of a webhook left no object');
  const refuse = (why: string) => internalError(why);
  const object = toObject(definition, changed, { mode: 'Ignore', duplicates: [], warn: () => undefined, refuse });
  definition.strategy.applyDefaults?.(object);
  if (definition === request.definition) return object;
  const apiVersion = formatApiVersion(request.definition.group, request.definition.version);
  const back = convertVersion(deps.registry(), object as unknown as JsonObject, apiVersion);
  return (back?.object as unknown as KubeObject | undefined) ?? object;
}

function applied(object: JsonObject, patch: JsonValue): JsonValue {
  try {
    return applyJsonPatch(object, parseJsonPatch(patch));
  } catch (error) {
    if (error instanceof PatchError) throw internalError(error.message);
    throw error;
  }
}
