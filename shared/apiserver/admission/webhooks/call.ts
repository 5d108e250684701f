/** One call of a webhook: the review that is sent, and what its answer means (webhook/request, webhook/errors of k8s.io/apiserver). */
import { parseJson } from '../../../machinery/codec/json.ts';
import { quoteGo } from '../../../machinery/go-quote.ts';
import type { JsonObject, JsonValue } from '../../../machinery/object.ts';
import { badRequest, type FailureStatus, internalError, StatusError } from '../../../machinery/status.ts';
import type { Ids } from '../../../ports/system.ts';
import { isJsonObject } from '../../http/body.ts';
import type { AdmissionRequest } from '../../server.ts';
import type { WebhookClient } from '../../webhook-client.ts';
import { requestAttributes, shownObject } from '../attributes.ts';
import type { AdmissionDeps } from '../chain.ts';
import type { Match } from '../matching.ts';
import type { Webhook } from './hooks.ts';

export type CallDeps = Pick<AdmissionDeps, 'registry' | 'log'> & { ids: Ids; client: WebhookClient };

/** What a webhook wants: nothing, or a patch of the object as it was shown. */
export type Allowed = { patch: JsonValue | undefined };

/**
 * Calls a webhook. Throws its refusal, and, where failures count, 500 for a call that failed; a failed call that does not count answers undefined.
 * Warnings and audit annotations are passed on.
 */
export async function callWebhook(
  deps: CallDeps,
  hook: Webhook,
  match: Match,
  request: AdmissionRequest,
  mutating: boolean,
): Promise<Allowed | undefined> {
  if (request.dryRun && hook.sideEffects !== 'None' && hook.sideEffects !== 'NoneOnDryRun')
    throw badRequest(`admission webhook ${quoteGo(hook.name)} does not support dry run`);
  const outcome = await exchange(deps, hook, match, request, mutating);
  if (outcome.type === 'failure') return onFailure(deps, hook, outcome.reason);
  const { response } = outcome;
  for (const [key, value] of Object.entries(isJsonObject(response.auditAnnotations) ? response.auditAnnotations : {}))
    request.annotate?.(`${hook.name}/${key}`, String(value));
  for (const warning of Array.isArray(response.warnings) ? response.warnings : []) request.warn(String(warning));
  if (response.allowed !== true) throw rejection(hook, response);
  const patch = readPatch(response);
  return patch.ok
    ? { patch: patch.value }
    : onFailure(deps, hook, `received undecodable patch in webhook response: ${patch.problem}`);
}

function onFailure({ log }: CallDeps, hook: Webhook, reason: string): undefined {
  const message = `failed calling webhook ${quoteGo(hook.name)}: ${reason}`;
  log.warn('a webhook failed', { webhook: hook.name, reason, failsOpen: hook.ignoresFailures });
  if (!hook.ignoresFailures) throw internalError(message);
  return undefined;
}

type Outcome = { type: 'response'; response: JsonObject } | { type: 'failure'; reason: string };

async function exchange(
  deps: CallDeps,
  hook: Webhook,
  match: Match,
  request: AdmissionRequest,
  mutating: boolean,
): Promise<Outcome> {
  if (!hook.reviewVersion)
    return {
      type: 'failure',
      reason: 'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    };
  const uid = deps.ids.uid();
  const shown = (object: AdmissionRequest['object']) =>
    (shownObject(deps, request, match.definition, object) ?? null) as JsonValue;
  const review: JsonObject = {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${hook.reviewVersion}`,
    request: {
      uid,
      ...requestAttributes(request, match.definition),
      object: shown(request.object),
      oldObject: shown(request.old),
    },
  };
  const answer = await deps.client.post(hook.client, review, hook.timeoutMs);
  if (answer.type === 'failure') return { type: 'failure', reason: `failed to call webhook: ${answer.reason}` };
  const problem = hook.reviewVersion === 'v1' ? reviewProblem(answer.body, uid, mutating) : undefined;
  if (problem !== undefined) return { type: 'failure', reason: `received invalid webhook response: ${problem}` };
  if (!isJsonObject(answer.body.response))
    return { type: 'failure', reason: 'received invalid webhook response: webhook response was absent' };
  return { type: 'response', response: answer.body.response };
}

const WANTED = 'admission.k8s.io/v1, Kind=AdmissionReview';

/** Why an answer is not the one that was asked for. */
function reviewProblem({ apiVersion, kind, response }: JsonObject, uid: string, mutating: boolean): string | undefined {
  if (!isJsonObject(response)) return 'webhook response was absent';
  if (response.uid !== uid) return `expected response.uid=${quoteGo(uid)}, got ${quoteGo(String(response.uid ?? ''))}`;
  const got = `${apiVersion ?? ''}, Kind=${kind ?? ''}`;
  if (got !== WANTED) return `expected webhook response of ${WANTED}, got ${got}`;
  const [hasPatch, hasType] = [isGiven(response.patch), response.patchType !== undefined && response.patchType !== null];
  if (!mutating && hasPatch) return 'validating webhook may not return response.patch';
  if (!mutating && hasType) return 'validating webhook may not return response.patchType';
  if (hasPatch && !hasType) return 'webhook returned response.patch but not response.patchType';
  if (!hasPatch && hasType) return 'webhook returned response.patchType but not response.patch';
  if (hasType && response.patchType !== 'JSONPatch')
    return response.patchType === ''
      ? 'webhook returned invalid response.patchType of ""'
      : `unsupported patch type ${quoteGo(String(response.patchType))}`;
  return undefined;
}

function isGiven(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function readPatch({ patch }: JsonObject): { ok: true; value: JsonValue | undefined } | { ok: false; problem: string } {
  if (!isGiven(patch)) return { ok: true, value: undefined };
  try {
    const value = parseJson(Buffer.from(String(patch), 'base64').toString('utf8'));
    return { ok: true, value: Array.isArray(value) && value.length === 0 ? undefined : value };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, problem: error.message };
    throw error;
  }
}

/** The webhook's own Status, made a failure that names it. */
function rejection({ name }: Webhook, response: JsonObject): StatusError {
  const given = isJsonObject(response.status) ? response.status : {};
  const deniedBy = `admission webhook ${quoteGo(name)} denied the request`;
  const code = typeof given.code === 'number' && given.code >= 400 ? given.code : 400;
  const said = String(given.message || given.reason || '');
  const status: FailureStatus = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: said === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${said}`,
    reason: String(given.reason ?? ''),
    ...(isJsonObject(given.details) ? { details: given.details as NonNullable<FailureStatus['details']> } : {}),
    code,
  };
  return new StatusError(status);
}
