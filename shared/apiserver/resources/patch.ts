/** The four patch formats as changes of a live object (reference: Kubernetes' patch types and their error codes). */
import { parseJson } from '../../machinery/codec/json.ts';
import { quoteGo } from '../../machinery/go-quote.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import { formatGo } from '../../machinery/patch/apply/go-text.ts';
import { applyJsonPatch, PatchError, parseJsonPatch } from '../../machinery/patch/json.ts';
import { applyMergePatch } from '../../machinery/patch/merge.ts';
import { applyStrategicMergePatch } from '../../machinery/patch/strategic.ts';
import { formatApiVersion } from '../../machinery/resource.ts';
import { duplicateKeys } from '../../machinery/schema/decode.ts';
import {
  badRequest,
  failure,
  invalid,
  requestEntityTooLarge,
  type StatusError,
  unsupportedMediaType,
} from '../../machinery/status.ts';
import type { WriteContext } from '../core.ts';
import { isJsonObject, notAnObject } from '../http/body.ts';
import { goJsonError } from '../http/go-json.ts';
import { toObject } from './decode.ts';
import type { MakeChange } from './update.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/** Whether a request is a server-side apply. */
export function isApply(request: Request): boolean {
  return request.headers.get('content-type')?.startsWith(APPLY_PATCH) ?? false;
}

/** A patch as it came. */
export type PatchText = { mediaType: string; text: string };

/** The formats a kind takes: strategic merge patch is for built-in kinds only. */
export function patchTypes(context: WriteContext): string[] {
  const types = [JSON_PATCH, MERGE_PATCH];
  if (context.definition.builtIn) types.push(STRATEGIC_PATCH);
  if (context.definition.schema() !== undefined || context.subresource === '') types.push(APPLY_PATCH);
  return types;
}

/** Reads a JSON, merge or strategic merge patch once, and makes the change that applies it to whatever is live. Throws 400, 413, 415. */
export function readPatch(context: WriteContext, patch: PatchText): MakeChange {
  const apply = patchFunction(context, patch);
  return (_live, copy) => {
    const document = copy();
    const patched = failing(() => apply(document as unknown as JsonObject));
    return { object: toPatched(context, patched, patch), tracked: false };
  };
}

/** A patch as a function of any JSON document (`/scale` patches a Scale with it). */
export function patchFunction(context: WriteContext, patch: PatchText): (document: JsonObject) => JsonValue {
  if (!patchTypes(context).includes(patch.mediaType)) throw unsupportedMediaType(patchTypes(context));
  const value = parsePatch(patch.text);
  if (patch.mediaType === JSON_PATCH) {
    const operations = failing(() => parseJsonPatch(value));
    return (document) => applyJsonPatch(document, operations);
  }
  if (!isJsonObject(value)) throw badRequest(`error decoding patch: ${notAnObject(value)}map[string]interface {}`);
  if (patch.mediaType === MERGE_PATCH) return (document) => applyMergePatch(document, value);
  const schema = context.definition.schema();
  if (patch.mediaType !== STRATEGIC_PATCH || schema === undefined) throw unsupportedMediaType(patchTypes(context));
  return (document) => failingStrategic(() => applyStrategicMergePatch(document, value, schema));
}

function parsePatch(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`error decoding patch: ${goJsonError(text, error)}`);
    throw error;
  }
}

/** A strategic merge patch that cannot be merged is a plain 500 with the reason, as upstream has it. */
function failingStrategic<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof PatchError && error.type === 'failed') throw failure(500, '', error.message);
    throw error;
  }
}

/** Turns a PatchError into the Status of its type. */
function failing<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (error.type === 'malformed') throw badRequest(error.message);
    if (error.type === 'tooLarge') throw requestEntityTooLarge(error.message);
    throw failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {
      causes: [{ reason: 'UnexpectedServerResponse', message: error.message, field: 'patch' }],
    });
  }
}

/** What a patch makes must be an object of the kind: 422 on the patch itself otherwise. */
function toPatched(context: WriteContext, patched: JsonValue, { mediaType, text }: PatchText): KubeObject {
  // Upstream shows a strategic patch as Go prints the map it has become.
  const refuse = (why: string) => invalidPatch(mediaType === STRATEGIC_PATCH ? formatGo(parsePatch(text)) : text, why);
  if (!isJsonObject(patched)) throw refuse('the patch does not leave an object');
  const { definition } = context;
  if (patched.kind !== definition.kind || patched.apiVersion !== formatApiVersion(definition.group, definition.version))
    throw refuse('unknown conversion');
  const duplicates = context.fieldValidation === 'Ignore' ? [] : duplicateKeys(text);
  const strictness = {
    mode: context.fieldValidation,
    duplicates,
    warn: context.warn,
    refuse,
  };
  return toObject(context.definition, patched, strictness);
}

/** 422 on a patch that does not leave what it must. */
export function invalidPatch(text: string, why: string): StatusError {
  return invalid({ group: '', kind: '' }, '', [
    { type: 'Invalid', field: 'patch', detail: `Invalid value: ${quoteGo(text)}: ${why}` },
  ]);
}
