/** `/openapi/v3` and `/openapi/v2`. Upstream's documents are served as they are, others are made from the registry; each is hashed once. */
import { createHash } from 'node:crypto';
import { openApiV2Text, openApiV3PathText, openApiV3Text } from '../../apis/data/load.ts';
import type { Registry } from '../../apis/definition.ts';
import type { JsonObject } from '../../machinery/object.ts';
import { formatApiVersion } from '../../machinery/resource.ts';
import { notAcceptable, unknownPath } from '../../machinery/status.ts';
import type { Clock } from '../../ports/system.ts';
import { covers, parseAccept } from '../http/accept.ts';
import { type ResponseContext, respond, respondJson } from '../http/respond.ts';
import { openApiDocument } from './generate.ts';

export type OpenApi = (
  context: ResponseContext,
  registry: Registry,
  request: { segments: readonly string[]; query: URLSearchParams; accept: string | null; ifNoneMatch: string | null },
) => Response | Promise<Response>;

type Document = { body: string; hash: string };
type Known = { index: string | undefined; documents: Map<string, Document> };

const YEAR_SECONDS = 31_536_000;

/** Answers the OpenAPI paths. Throws 404 for a group-version that is not served and 406 for protobuf, which it does not write. */
export function createOpenApi(clock: Clock): OpenApi {
  const byRegistry = new WeakMap<Registry, Known>();
  return (context, registry, { segments, query, accept, ifNoneMatch }) => {
    if (!parseAccept(accept ?? '').some((clause) => clause.as === '' && covers(clause.type, 'application/json')))
      throw notAcceptable(['application/json']);
    if (segments[1] === 'v2' && segments.length === 2) return respondJson(context, 200, versionTwo(registry));
    if (segments[1] !== 'v3') throw unknownPath();
    const known = byRegistry.get(registry) ?? { index: undefined, documents: new Map<string, Document>() };
    byRegistry.set(registry, known);
    const path = segments.slice(2).join('/');
    if (path === '') return respondJson(context, 200, indexOf(known, registry));
    const document = documentOf(known, registry, path);
    const asked = query.get('hash');
    if (asked !== null && asked !== '' && asked !== document.hash) return moved(path, document.hash);
    return sendDocument(context, document, { immutable: asked === document.hash, ifNoneMatch, now: clock.now() });
  };
}

function moved(path: string, hash: string): Response {
  return new Response(null, { status: 301, headers: { Location: `/openapi/v3/${path}?hash=${hash}` } });
}

/** A document that was asked for by its hash never changes: clients keep it for a year. */
function sendDocument(
  context: ResponseContext,
  document: Document,
  { immutable, ifNoneMatch, now }: { immutable: boolean; ifNoneMatch: string | null; now: number },
): Response | Promise<Response> {
  const etag = `"${document.hash}"`;
  const lasting = { 'Cache-Control': 'public, immutable', Expires: new Date(now + YEAR_SECONDS * 1000).toUTCString() };
  const headers = { ETag: etag, ...(immutable ? lasting : {}) };
  if (ifNoneMatch === etag) return new Response(null, { status: 304, headers: { ...headers, Vary: 'Accept' } });
  return respond(context, 200, 'application/json', document.body, headers);
}

/** `api/v1` and `apis/{group}/{version}` of all that is served. */
function groupVersionPaths(registry: Registry): string[] {
  return registry
    .groups()
    .flatMap(({ group, versions }) =>
      versions.map((version) => `${group === '' ? 'api' : 'apis'}/${formatApiVersion(group, version)}`),
    );
}

function indexOf(known: Known, registry: Registry): string {
  known.index ??= JSON.stringify({
    paths: Object.fromEntries(groupVersionPaths(registry).map((path) => indexEntry(known, registry, path))),
  });
  return known.index;
}

function indexEntry(known: Known, registry: Registry, path: string): [string, JsonObject] {
  const { hash } = documentOf(known, registry, path);
  return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
}

function documentOf(known: Known, registry: Registry, path: string): Document {
  const found = known.documents.get(path);
  if (found) return found;
  const body = documentText(registry, path);
  if (body === undefined) throw unknownPath();
  const document = { body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() };
  known.documents.set(path, document);
  return document;
}

function documentText(registry: Registry, path: string): string | undefined {
  if (!groupVersionPaths(registry).includes(path)) return openApiV3PathText(path);
  const [root, second = '', third = ''] = path.split('/');
  const [group, version] = root === 'api' ? ['', second] : [second, third];
  const definitions = registry.all().filter((each) => each.group === group && each.version === version);
  // A group of upstream's to which a kind was added is described whole from the registry.
  const upstream = definitions.every((each) => each.builtIn) ? openApiV3Text(group, version) : undefined;
  return upstream ?? JSON.stringify(openApiDocument(`Lamiral ${path}`, definitions));
}

/** Upstream's document, with the definitions and paths of other kinds added. */
function versionTwo(registry: Registry): string {
  const others = registry.all().filter((definition) => !definition.builtIn);
  if (others.length === 0) return openApiV2Text();
  const base = JSON.parse(openApiV2Text()) as { definitions: JsonObject; paths: JsonObject };
  const added = openApiDocument('Lamiral', others) as unknown as { components: { schemas: JsonObject }; paths: JsonObject };
  const schemas = JSON.parse(
    JSON.stringify(added.components.schemas).replaceAll('#/components/schemas/', '#/definitions/'),
  ) as JsonObject;
  return JSON.stringify({
    ...base,
    definitions: { ...schemas, ...base.definitions },
    paths: { ...base.paths, ...plainPaths(added.paths) },
  });
}

/** In v2 a request body is a parameter; the kinds of the paths are what matters. */
function plainPaths(paths: JsonObject): JsonObject {
  const plain: JsonObject = {};
  for (const [path, item] of Object.entries(paths)) {
    const operations = Object.entries(item as JsonObject).map(([method, operation]) => {
      const { requestBody: _body, ...rest } = operation as JsonObject;
      const parameters = (rest.parameters as JsonObject[]).map(({ name }) => ({
        name: name ?? '',
        in: 'query',
        type: 'string',
      }));
      return [method, { ...rest, parameters, responses: { '200': { description: 'OK' } } }];
    });
    plain[path] = Object.fromEntries(operations) as JsonObject;
  }
  return plain;
}
