/** POST, PUT and PATCH of objects and their status. */
import { parseYamlStrictly } from '../../machinery/codec/yaml.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { duplicateKeys } from '../../machinery/schema/decode.ts';
import { badRequest, conflict, invalid, methodNotAllowed, unsupportedMediaType } from '../../machinery/status.ts';
import type { WriteContext, WriteResult } from '../core.ts';
import { decodeObject, readBody } from '../http/body.ts';
import { applyObject } from '../resources/apply.ts';
import { createObject, unnamed } from '../resources/create.ts';
import { cannotBeHandled, toObject } from '../resources/decode.ts';
import { isTrue } from '../resources/list-options.ts';
import { APPLY_PATCH, isApply, patchTypes, readPatch } from '../resources/patch.ts';
import { resourceOf, typeOf } from '../resources/read.ts';
import { updateObject } from '../resources/update.ts';
import { requireAllowed } from './authorize.ts';
import { type ResourceExchange, writeContext } from './exchange.ts';
import { sendStored } from './send.ts';

export async function handleCreate(exchange: ResourceExchange): Promise<Response> {
  const { core, resource, definition } = exchange;
  if (resource.name !== '' || (definition.namespaced && resource.namespace === '')) throw methodNotAllowed();
  const context = writeContext(exchange, { kind: 'CreateOptions' });
  const object = await readObject(exchange, context);
  return sendResult(exchange, await createObject(core, context, object, { tracked: false }));
}

/** PUT. Without resourceVersion it is unconditional where the kind allows; some kinds are created when absent. */
export async function handleUpdate(exchange: ResourceExchange): Promise<Response> {
  const { core, definition } = exchange;
  const context = writeContext(exchange, { kind: 'UpdateOptions' });
  const object = await readObject(exchange, context);
  refuseUnnamed(context, object);
  const version = object.metadata.resourceVersion;
  const onMissing =
    definition.createOnUpdate && context.subresource === '' ? () => createAbsent(exchange, context, object) : undefined;
  // An unconditional update may need several attempts, each from what the client sent: a failed one has changed its copy.
  const change = (live: KubeObject) => {
    if (!version && !definition.unconditionalUpdate) throw versionRequired(context);
    refuseOtherUid(context, object, live);
    return { object: version ? object : structuredClone(object), tracked: false };
  };
  return sendResult(exchange, await updateObject(core, context, change, onMissing));
}

function refuseUnnamed(context: WriteContext, { metadata }: KubeObject): void {
  if (!metadata.name) throw unnamed(context);
  if (metadata.name !== context.name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${context.name})`);
}

/** A PUT names the object that it replaces; a patch that changes the uid is invalid instead. */
function refuseOtherUid({ definition, name }: WriteContext, object: KubeObject, live: KubeObject): void {
  const { uid } = object.metadata;
  if (!uid || uid === live.metadata.uid) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
  throw conflict(resourceOf(definition), name, why);
}

function versionRequired({ definition, name }: WriteContext) {
  const detail = 'Invalid value: 0: must be specified for an update';
  return invalid({ group: definition.group, kind: definition.plural }, name, [
    { type: 'Invalid', field: 'metadata.resourceVersion', detail },
  ]);
}

async function createAbsent(exchange: ResourceExchange, context: WriteContext, object: KubeObject): Promise<WriteResult> {
  if (object.metadata.resourceVersion)
    throw conflict(
      resourceOf(context.definition),
      context.name,
      `StorageError: the object has resourceVersion ${object.metadata.resourceVersion}, and there is none of this name`,
    );
  await requireAllowed(exchange.core, { ...exchange.attributes, verb: 'create' });
  return createObject(exchange.core, context, object, { tracked: false });
}

export async function handlePatch(exchange: ResourceExchange): Promise<Response> {
  const { core, target, request } = exchange;
  const apply = isApply(request);
  const context = writeContext(exchange, { kind: 'PatchOptions', apply });
  const force = target.query.get('force');
  if (force !== null && !apply) throw forceForbidden();
  const body = await readBody(request);
  if (body.bytes) throw unsupportedMediaType(patchTypes(context));
  if (!apply) return sendResult(exchange, await updateObject(core, context, readPatch(context, body)));
  if (!patchTypes(context).includes(APPLY_PATCH)) throw unsupportedMediaType(patchTypes(context));
  const mayCreate = () => requireAllowed(core, { ...exchange.attributes, verb: 'create' });
  return sendResult(exchange, await applyObject(core, context, { text: body.text, force: isTrue(force) }, mayCreate));
}

function forceForbidden() {
  const detail = 'Forbidden: may not be specified for non-apply patch';
  return invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [{ type: 'Forbidden', field: 'force', detail }]);
}

/** Reads, decodes and checks a body that is an object of the exchange's kind. */
async function readObject(exchange: ResourceExchange, context: WriteContext): Promise<KubeObject> {
  const body = await readBody(exchange.request);
  const { definition, fieldValidation } = context;
  const value: JsonObject = decodeObject(body, typeOf(definition), exchange.core.protobuf().decode);
  const isChecked = fieldValidation !== 'Ignore';
  return toObject(definition, value, {
    mode: fieldValidation,
    duplicates: isChecked && body.mediaType === 'application/json' ? duplicateKeys(body.text) : [],
    ...(definition.builtIn && body.mediaType === 'application/json' ? { text: body.text } : {}),
    yamlDuplicates: isChecked && body.mediaType === 'application/yaml' ? parseYamlStrictly(body.text).duplicates : [],
    warn: context.warn,
    refuse: (why) => cannotBeHandled(definition, why),
  });
}

function sendResult(exchange: ResourceExchange, result: WriteResult): Response | Promise<Response> {
  const { name, uid } = result.stored;
  exchange.trace.written = { name, uid };
  return sendStored(exchange, result.type === 'created' ? 201 : 200, result.stored);
}
