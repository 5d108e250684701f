/** Server-side apply over the store: the configuration is merged with field ownership; an absent object is created. */
import { parseYamlStrictly } from '../../machinery/codec/yaml.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import { conflictStatus } from '../../machinery/patch/apply/apply.ts';
import { parseApiVersion } from '../../machinery/resource.ts';
import { badRequest, conflict, failure, notFound } from '../../machinery/status.ts';
import type { Core, WriteContext, WriteResult } from '../core.ts';
import { isJsonObject, notAnObject, parseJsonOrYaml } from '../http/body.ts';
import { createObject, unnamed } from './create.ts';
import { cannotBeHandled, yamlProblem } from './decode.ts';
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
  refuseDuplicates(context, patch.text);
  return applyConfig(core, context, { config, force: patch.force }, mayCreate);
}

/** What is said twice is refused or warned of, never chosen from in silence. */
function refuseDuplicates({ fieldValidation, warn }: WriteContext, text: string): void {
  if (fieldValidation === 'Ignore') return;
  const { duplicates } = parseYamlStrictly(text);
  if (duplicates.length > 0 && fieldValidation === 'Strict')
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${yamlProblem(duplicates).join()}`);
  for (const duplicate of duplicates) warn(duplicate);
}

/** The same for a configuration that is at hand. */
export async function applyConfig(
  core: Core,
  context: WriteContext,
  { config, force }: { config: KubeObject; force: boolean },
  mayCreate: () => Promise<void>,
): Promise<WriteResult> {
  const onMissing = async () => {
    if (context.subresource !== '') throw notFound(resourceOf(context.definition), context.name);
    refuseAbsent(context, config);
    await mayCreate();
    const object = merge(context, undefined, config, force);
    delete object.metadata.resourceVersion;
    return createObject(core, context, object, { tracked: true });
  };
  return updateObject(
    core,
    context,
    (_live, copy) => ({ object: merge(context, copy(), config, force), tracked: true }),
    onMissing,
  );
}

/** A configuration that names a uid speaks of an object that was seen: it must not come back as another. A version is passed over. */
function refuseAbsent(context: WriteContext, { metadata }: KubeObject): void {
  if (!metadata.name) throw unnamed(context);
  if (metadata.name !== context.name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${context.name})`);
  if (metadata.uid) {
    const why = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`;
    throw conflict(resourceOf(context.definition), context.name, why);
  }
}

function merge(context: WriteContext, live: KubeObject | undefined, config: KubeObject, force: boolean): KubeObject {
  const outcome = applyOver(context, live, config, force);
  if (outcome.type === 'applied') return outcome.object;
  if (outcome.type === 'conflict') throw conflictStatus(resourceOf(context.definition), context.name, outcome.conflicts);
  throw outcome.code === 400 ? badRequest(outcome.message) : failure(500, '', outcome.message);
}

function readConfiguration({ definition }: WriteContext, text: string): KubeObject {
  const value = parseConfiguration(text);
  const { group, version } = parseApiVersion(String(value.apiVersion ?? ''));
  const kind = String(value.kind ?? '');
  if (group !== definition.group || version !== definition.version || kind !== definition.kind)
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${kind}`);
  const metadata = value.metadata ?? {};
  if (!isJsonObject(metadata)) throw cannotBeHandled(definition, 'metadata is no object');
  return { ...value, metadata } as unknown as KubeObject;
}

/** The object that the text of an apply patch holds, JSON or YAML. Throws 400. */
export function parseConfiguration(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = parseJsonOrYaml(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
  if (isJsonObject(value)) return value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${notAnObject(value)}map[string]interface {}`,
  );
}
