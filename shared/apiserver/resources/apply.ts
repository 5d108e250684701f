/** Server-side apply over the store: the configuration is merged with field ownership; an absent object is created. */
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import { conflictStatus } from '../../machinery/patch/apply/apply.ts';
import { formatApiVersion } from '../../machinery/resource.ts';
import { decode as decodeStructure, duplicateKeys, strictErrors } from '../../machinery/schema/decode.ts';
import { badRequest, conflict, failure, type StatusError } from '../../machinery/status.ts';
import type { Core, WriteContext, WriteResult } from '../core.ts';
import { isJsonObject, parseJsonOrYaml } from '../http/body.ts';
import { createObject } from './create.ts';
import { cannotBeHandled } from './decode.ts';
import { applyOver } from './owners.ts';
import { resourceOf } from './read.ts';
import { updateObject } from './update.ts';

/** Applies `text` (YAML or JSON). `mayCreate` is asked before an absent object is created, and throws when the user may not. */
export async function applyObject(
  core: Core,
  context: WriteContext,
  patch: { text: string; force: boolean },
  mayCreate: () => Promise<void>,
): Promise<WriteResult> {
  const config = readConfiguration(context, patch.text);
  const onMissing = async () => {
    if (context.subresource !== '') throw failureOfMissing(context);
    refuseAbsent(context, config);
    await mayCreate();
    return createObject(core, context, merge(context, undefined, config, patch.force), { tracked: true });
  };
  return updateObject(
    core,
    context,
    (_live, copy) => ({ object: merge(context, copy(), config, patch.force), tracked: true }),
    onMissing,
  );
}

function failureOfMissing(context: WriteContext): StatusError {
  const resource = resourceOf(context.definition);
  return failure(404, 'NotFound', `${resource.resource} "${context.name}" not found`, {
    name: context.name,
    kind: resource.resource,
  });
}

/** A configuration that names a uid or a version speaks of an object that was seen: it must not come back as another. */
function refuseAbsent(context: WriteContext, { metadata }: KubeObject): void {
  const resource = resourceOf(context.definition);
  if (metadata.name && metadata.name !== context.name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${context.name})`);
  metadata.name = context.name;
  if (metadata.uid)
    throw conflict(
      resource,
      context.name,
      `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`,
    );
  if (metadata.resourceVersion)
    throw conflict(
      resource,
      context.name,
      `resourceVersion mismatch: the provided object specified resourceVersion ${metadata.resourceVersion}, and no existing object was found`,
    );
}

function merge(context: WriteContext, live: KubeObject | undefined, config: KubeObject, force: boolean): KubeObject {
  const outcome = applyOver(context, live, config, force);
  if (outcome.type === 'applied') return outcome.object;
  if (outcome.type === 'conflict') throw conflictStatus(resourceOf(context.definition), context.name, outcome.conflicts);
  throw outcome.code === 400 ? badRequest(outcome.message) : failure(500, '', outcome.message);
}

function readConfiguration(context: WriteContext, text: string): KubeObject {
  const value = parseConfiguration(text);
  const { definition } = context;
  const apiVersion = formatApiVersion(definition.group, definition.version);
  if (value['apiVersion'] !== apiVersion)
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${String(value['apiVersion'])}, expected: ${apiVersion}`,
    );
  refuseStrictly(context, value, apiVersion, text);
  const metadata = value['metadata'] ?? {};
  if (!isJsonObject(metadata)) throw cannotBeHandled(definition, 'metadata is no object');
  return { ...value, metadata } as unknown as KubeObject;
}

function parseConfiguration(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = parseJsonOrYaml(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) throw badRequest(`error decoding YAML: ${error.message}`);
    throw error;
  }
  if (!isJsonObject(value)) throw badRequest('error decoding YAML: the patch is not an object');
  return value;
}

/** Strict refuses unknown and duplicate fields here; in other modes an unknown field is refused by the merge, which needs its type. */
function refuseStrictly(context: WriteContext, value: JsonObject, apiVersion: string, text: string): void {
  const { definition } = context;
  const schema = definition.schema();
  if (schema === undefined) return;
  const decoded = decodeStructure(schema, value, { apiVersion, kind: definition.kind });
  if (decoded.typeError !== undefined) throw cannotBeHandled(definition, decoded.typeError);
  if (context.fieldValidation !== 'Strict') return;
  const duplicates = /^\s*\{/.test(text) ? duplicateKeys(text) : [];
  const problems = strictErrors(decoded.unknownFields, duplicates);
  if (problems.length > 0) throw badRequest(`error strict decoding patch: ${problems.join(', ')}`);
}
