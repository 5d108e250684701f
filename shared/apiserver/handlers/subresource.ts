/** Subresources and virtual resources: `/scale` of any kind that has one, and the views that `deps` bring. */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { badRequest, failure, methodNotAllowed, notAcceptable, unsupportedMediaType } from '../../machinery/status.ts';
import type { WriteContext } from '../core.ts';
import { decodeObject, isEmptyBody, isJsonObject, readBody } from '../http/body.ts';
import { applyConfig, parseConfiguration } from '../resources/apply.ts';
import { cannotBeHandled, toObject } from '../resources/decode.ts';
import { isTrue } from '../resources/list-options.ts';
import {
  APPLY_PATCH,
  invalidPatch,
  isApply,
  JSON_PATCH,
  MERGE_PATCH,
  patchFunction,
  STRATEGIC_PATCH,
} from '../resources/patch.ts';
import { readStored, typeOf } from '../resources/read.ts';
import { scaleOf, withScale } from '../resources/scale.ts';
import { decode } from '../resources/storage.ts';
import { updateObject } from '../resources/update.ts';
import type { View } from '../server.ts';
import { isDryRun, type ResourceExchange, writeContext } from './exchange.ts';
import { sendObject } from './send.ts';

const SCALE = { apiVersion: 'autoscaling/v1', kind: 'Scale' };

/** GET, PUT and PATCH of a Scale. Its version is its object's. */
export async function handleScale(exchange: ResourceExchange): Promise<Response> {
  const { core, definition, storage, scope, resource, request } = exchange;
  if (request.method === 'GET') {
    const stored = await readStored(core, definition, { scope, namespace: resource.namespace, name: resource.name });
    return sendObject(exchange, 200, scaleOf(definition, decode(definition, storage, stored)));
  }
  if (request.method !== 'PUT' && request.method !== 'PATCH') throw methodNotAllowed();
  const apply = request.method === 'PATCH' && isApply(request);
  const context = writeContext(exchange, { kind: request.method === 'PUT' ? 'UpdateOptions' : 'PatchOptions', apply });
  if (apply) return applyScale(exchange, context);
  const change = await readScaleChange(exchange, context);
  const result = await updateObject(core, context, (live, copy) => ({
    object: withScale(definition, copy(), change(scaleOf(definition, live) as unknown as JsonObject)),
    tracked: false,
  }));
  return sendObject(exchange, 200, scaleOf(definition, result.object));
}

/** An applied Scale is an applied object that says nothing but its count: owners and conflicts are the object's. */
async function applyScale(exchange: ResourceExchange, context: WriteContext): Promise<Response> {
  const { core, definition, target } = exchange;
  const scale = parseConfiguration((await readBody(exchange.request)).text);
  if (scale.apiVersion !== SCALE.apiVersion || scale.kind !== SCALE.kind)
    throw badRequest(`invalid object type: ${String(scale.apiVersion)}, Kind=${String(scale.kind)}`);
  const bare: KubeObject = { ...typeOf(definition), metadata: { name: context.name } };
  const config = withScale(definition, bare, scale);
  const force = isTrue(target.query.get('force'));
  const result = await applyConfig(core, context, { config, force }, async () => undefined);
  return sendObject(exchange, 200, scaleOf(definition, result.object));
}

/** The Scale that is asked for, as a function of the one that is. */
async function readScaleChange(exchange: ResourceExchange, context: WriteContext): Promise<(scale: JsonObject) => JsonObject> {
  const body = await readBody(exchange.request);
  if (exchange.request.method === 'PUT') {
    const scale = decodeObject(body, SCALE, exchange.core.protobuf().decode);
    return () => scale;
  }
  if (body.mediaType !== JSON_PATCH && body.mediaType !== MERGE_PATCH && body.mediaType !== STRATEGIC_PATCH)
    throw unsupportedMediaType([JSON_PATCH, MERGE_PATCH, APPLY_PATCH, STRATEGIC_PATCH]);
  // A Scale holds no lists: the strategic form says the same as the plain one.
  const apply = patchFunction(context, body.mediaType === STRATEGIC_PATCH ? { ...body, mediaType: MERGE_PATCH } : body);
  return (scale) => {
    const patched = apply(scale);
    if (!isJsonObject(patched)) throw badRequest('the patch does not leave a Scale');
    const replicas = isJsonObject(patched.spec) ? patched.spec.replicas : undefined;
    if (typeof replicas === 'string')
      throw invalidPatch(body.text, 'json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32');
    return patched;
  };
}

/** A view: reviews, tokens, evictions, logs. It is given the decoded body and answers an object of its own. */
export async function handleView(exchange: ResourceExchange, view: View): Promise<Response> {
  const { core, definition, attributes, target } = exchange;
  // Clients that ask for a Table and take nothing else are told so: a view has no columns.
  if (!core.negotiate(exchange.request.headers.get('accept')).some((form) => form.as === 'object'))
    throw notAcceptable(['application/json', 'application/yaml']);
  const dryRun = isDryRun(target.query, 'CreateOptions');
  const { code, object } = await view({ attributes, definition, body: await viewBody(exchange), query: target.query, dryRun });
  return sendObject(exchange, code, object);
}

async function viewBody(exchange: ResourceExchange): Promise<KubeObject | undefined> {
  const { core, definition, resource, request, warnings } = exchange;
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const body = await readBody(request);
  if (isEmptyBody(body)) return undefined;
  const expected = definition.subresources.find((each) => each.name === resource.subresource) ?? definition;
  const value = decodeObject(body, typeOf(expected), core.protobuf().decode);
  if (expected === definition) {
    const warn = (text: string) => warnings.push(text);
    return toObject(definition, value, { mode: 'Warn', duplicates: [], warn, refuse: (why) => cannotBeHandled(definition, why) });
  }
  const metadata = isJsonObject(value.metadata) ? value.metadata : {};
  return { ...value, ...typeOf(expected), metadata } as KubeObject;
}

/** A kind or subresource that Kubernetes has but this server does not answer, and does not list: 404, which every client prints and none repeats. */
export function notServed({ definition, resource }: ResourceExchange) {
  const what =
    resource.subresource === '' ? definition.plural : `${resource.subresource} of ${definition.plural} "${resource.name}"`;
  const message = `${what}: this server does not serve it`;
  return failure(404, 'NotFound', message, { name: resource.name, kind: definition.plural });
}
