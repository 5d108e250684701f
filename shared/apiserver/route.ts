/** From a URL and a method to a handler. There is no route per kind: the registry says what exists and what may be asked of it. */
import type { ResourceDefinition } from '../apis/definition.ts';
import { methodNotAllowed, unknownPath } from '../machinery/status.ts';
import { deprecationOf } from './deprecated.ts';
import { isStoredPart } from './discovery/served.ts';
import { requireAllowed } from './handlers/authorize.ts';
import { handleDelete, handleDeleteCollection } from './handlers/delete.ts';
import { type Exchange, type ResourceExchange, resourceExchange, shapeOf } from './handlers/exchange.ts';
import { handleGet, handleList, handleWatch } from './handlers/read.ts';
import { handleScale, handleView, notServed } from './handlers/subresource.ts';
import { handleCreate, handlePatch, handleUpdate } from './handlers/write.ts';
import type { ResourceTarget } from './http/target.ts';
import { isTrue } from './resources/list-options.ts';
import type { RequestAttributes } from './server.ts';

type Handler = (exchange: ResourceExchange) => Promise<Response>;

const HANDLERS: Readonly<Record<string, Handler>> = {
  create: handleCreate,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
  get: handleGet,
  list: handleList,
  patch: handlePatch,
  update: handleUpdate,
  watch: handleWatch,
};

/** Verbs of requests that name an object, and of those that name a collection. */
const NAMED_VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
const COLLECTION_VERBS: Readonly<Record<string, string>> = {
  GET: 'list',
  HEAD: 'list',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'deletecollection',
};
const FIELD_NAME = /(?:^|,)metadata\.name=([^,]+)/;

/** Answers a request about a resource. Throws StatusError. */
export async function routeResource(given: Exchange, resource: ResourceTarget): Promise<Response> {
  const attributes = attributesOf(given, resource);
  await requireAllowed(given.core, attributes, given.trace);
  const { exchange, definition } = await findDefinition(given, resource);
  if (definition === undefined || isMisplaced(definition, resource)) throw unknownPath();
  const deprecation = definition.deprecation ?? deprecationOf(definition);
  if (deprecation !== undefined) exchange.warnings.push(deprecation);
  const full = resourceExchange(exchange, resource, definition, attributes);
  if (resource.subresource !== '') return routeSubresource(full);
  const view = definition.virtual ? exchange.core.views.get(`${definition.group}/${definition.plural}`) : undefined;
  if (definition.virtual && view === undefined) throw notServed(full);
  if (!(definition.verbs as readonly string[]).includes(attributes.verb)) throw methodNotAllowed();
  if (view) return handleView(full, view);
  const handler = HANDLERS[attributes.verb];
  // Names belong to single objects, and only collections are created into.
  const named = resource.name !== '';
  if (handler === undefined || (named && attributes.verb === 'create') || (!named && isNamedOnly(attributes.verb)))
    throw methodNotAllowed();
  refuseUnanswerable(full);
  return handler(full);
}

/** A write whose answer the client could not read must not happen: 406. */
function refuseUnanswerable(exchange: ResourceExchange): void {
  if (exchange.request.method !== 'GET') shapeOf(exchange);
}

/** A kind that is missing may have come a moment ago, through another process: the store is asked before the client is told. */
async function findDefinition(
  exchange: Exchange,
  { group, version, resource }: ResourceTarget,
): Promise<{ exchange: Exchange; definition: ResourceDefinition | undefined }> {
  const { types, registry } = exchange.core.deps;
  const known = exchange.registry.byResource(group, version, resource);
  if (known !== undefined || types === undefined) return { exchange, definition: known };
  await types.settle();
  const fresh = { ...exchange, registry: registry() };
  return { exchange: fresh, definition: fresh.registry.byResource(group, version, resource) };
}

const isNamedOnly = (verb: string) => verb === 'update' || verb === 'patch';

/** A namespaced kind is only listed without its namespace; a cluster-scoped one has none. */
function isMisplaced(definition: ResourceDefinition, resource: ResourceTarget): boolean {
  if (definition.namespaced) return resource.namespace === '' && resource.name !== '';
  return resource.namespace !== '';
}

/** Views first; then `/scale`; then what is a part of the object itself (`/status`, `/finalize`, `/approval`), which is stored with it. */
async function routeSubresource(exchange: ResourceExchange): Promise<Response> {
  const { core, definition, resource, attributes } = exchange;
  const { subresource } = resource;
  const view = core.views.get(`${definition.group}/${definition.plural}/${subresource}`);
  const declared = definition.subresources.find((each) => each.name === subresource);
  if (view) {
    if (declared !== undefined && !declared.verbs.includes(attributes.verb)) throw methodNotAllowed();
    return handleView(exchange, view);
  }
  if (subresource === 'scale' && definition.scale) return handleScale(exchange);
  if (subresource !== 'status' || !definition.status) {
    if (declared === undefined) throw unknownPath();
    if (!isStoredPart(definition, declared)) throw notServed(exchange);
  }
  if (resource.rest !== '') throw unknownPath();
  const verbs = declared?.verbs ?? ['get', 'patch', 'update'];
  const handler = HANDLERS[attributes.verb];
  if (handler === undefined || !verbs.includes(attributes.verb)) throw methodNotAllowed();
  refuseUnanswerable(exchange);
  return handler(exchange);
}

function attributesOf(exchange: Exchange, resource: ResourceTarget): RequestAttributes {
  const { request, target, user } = exchange;
  const { group, version, subresource } = resource;
  const watching = resource.watch || (target.query.size > 0 && isTrue(target.query.get('watch')));
  const collection = resource.name === '' || resource.watch;
  const verb = verbOf(request.method, collection, watching);
  const name = resource.name || (collection ? selectedName(target.query) : '');
  // As upstream, a namespace counts as lying in itself, so that rights in it may cover it.
  const namespace = resource.resource === 'namespaces' && group === '' ? resource.name : resource.namespace;
  return { user, verb, group, version, resource: resource.resource, subresource, namespace, name };
}

function verbOf(method: string, collection: boolean, watching: boolean): string {
  const verb = (collection ? COLLECTION_VERBS : NAMED_VERBS)[method];
  if (verb === undefined) throw methodNotAllowed();
  return verb === 'list' && watching ? 'watch' : verb;
}

/** A list or watch of one name is authorized for that name. */
function selectedName(query: URLSearchParams): string {
  if (query.size === 0) return '';
  return FIELD_NAME.exec(query.get('fieldSelector') ?? '')?.[1] ?? '';
}
