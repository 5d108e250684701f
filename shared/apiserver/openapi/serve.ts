/**
 * `/openapi/v3` and `/openapi/v2`. Only hashes are kept: the documents are large, clients keep them, and making one again is quick.
 */
import { createHash } from 'node:crypto';
import type { Registry } from '../../apis/definition.ts';
import type { JsonObject } from '../../machinery/object.ts';
import { notAcceptable, unknownPath } from '../../machinery/status.ts';
import type { Clock } from '../../ports/system.ts';
import { covers, parseAccept } from '../http/accept.ts';
import { type ResponseContext, respond } from '../http/respond.ts';
import { type DescriptionSource, withDescriptions } from './descriptions.ts';
import { groupVersionPaths, versionThree, versionTwo } from './documents.ts';
import { encodeGnostic } from './gnostic.ts';

export type OpenApi = (
  context: ResponseContext,
  registry: Registry,
  request: { segments: readonly string[]; query: URLSearchParams; accept: string | null; ifNoneMatch: string | null },
) => Response | Promise<Response>;

type Request = Parameters<OpenApi>[2];
type Deps = { clock: Clock; descriptions?: DescriptionSource };
type Body = string | Uint8Array<ArrayBuffer>;
/** Hashes by what they are of: a v3 path, or a form of the v2 document. */
type Hashes = Map<string, string>;

const YEAR_SECONDS = 31_536_000;
const GNOSTIC = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** How old clients ask for it. Go cannot parse it as the type of an answer. */
const GNOSTIC_OLD = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/** Answers the OpenAPI paths. Throws 404 for a group-version that is not served and 406 for forms that it does not write. */
export function createOpenApi(deps: Deps): OpenApi {
  const byRegistry = new WeakMap<Registry, Hashes>();
  return (context, registry, request) => {
    const hashes = byRegistry.get(registry) ?? new Map<string, string>();
    byRegistry.set(registry, hashes);
    if (request.segments[1] === 'v2' && request.segments.length === 2) return serveTwo(context, registry, hashes, request);
    if (request.segments[1] !== 'v3') throw unknownPath();
    return serveThree(deps, context, registry, hashes, request);
  };
}

function hashOf(hashes: Hashes, key: string, make: () => Body): string {
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const hash = createHash('sha512').update(make()).digest('hex').toUpperCase();
  hashes.set(key, hash);
  return hash;
}

function serveTwo(
  context: ResponseContext,
  registry: Registry,
  hashes: Hashes,
  { accept, ifNoneMatch }: Request,
): Response | Promise<Response> {
  const type = typeOfTwo(accept);
  const etag = `"${hashOf(hashes, type, () => bodyOfTwo(registry, type))}"`;
  if (ifNoneMatch === etag) return notModified({ ETag: etag });
  return respond(context, 200, type, bodyOfTwo(registry, type), { ETag: etag });
}

function typeOfTwo(accept: string | null): string {
  for (const { type, as } of parseAccept(accept ?? '')) {
    if (as === '' && covers(type, 'application/json')) return 'application/json';
    if (type === GNOSTIC || type === GNOSTIC_OLD) return GNOSTIC;
  }
  throw notAcceptable(['application/json', GNOSTIC]);
}

function bodyOfTwo(registry: Registry, type: string): Body {
  const two = versionTwo(registry);
  if (type === GNOSTIC) return encodeGnostic('text' in two ? (JSON.parse(two.text) as JsonObject) : two.document);
  return 'text' in two ? two.text : JSON.stringify(two.document);
}

function serveThree(
  deps: Deps,
  context: ResponseContext,
  registry: Registry,
  hashes: Hashes,
  { segments, query, accept, ifNoneMatch }: Request,
): Response | Promise<Response> {
  if (!parseAccept(accept ?? '').some(({ type, as }) => as === '' && covers(type, 'application/json')))
    throw notAcceptable(['application/json']);
  const source = deps.descriptions;
  const sourceVersion = source?.version() ?? '';
  const path = segments.slice(2).join('/');
  if (path === '') return respond(context, 200, 'application/json', indexOf(registry, hashes, sourceVersion));
  const hash = threeHash(registry, hashes, path, sourceVersion);
  const asked = query.get('hash');
  if (asked !== null && asked !== '' && asked !== hash)
    return new Response(null, { status: 301, headers: { Location: `/openapi/v3/${path}?hash=${hash}` } });
  const lasting = {
    ETag: `"${hash}"`,
    ...(asked === hash ? { 'Cache-Control': 'public, immutable', Expires: inAYear(deps.clock) } : {}),
  };
  if (ifNoneMatch === lasting.ETag) return notModified(lasting);
  const text = requireThree(registry, path);
  if (source === undefined || sourceVersion === '') return respond(context, 200, 'application/json', text, lasting);
  return sendDescribed(context, source, { path, text, lasting });
}

/** Without the source's answer the document is sent as it is, and is not to be kept: its hash belongs to another text. */
async function sendDescribed(
  context: ResponseContext,
  source: DescriptionSource,
  { path, text, lasting }: { path: string; text: string; lasting: Record<string, string> },
): Promise<Response> {
  const described = await source.document(path);
  if (described === undefined) return respond(context, 200, 'application/json', text);
  const body = JSON.stringify(withDescriptions(JSON.parse(text) as JsonObject, described));
  return respond(context, 200, 'application/json', body, lasting);
}

const notModified = (headers: Record<string, string>) =>
  new Response(null, { status: 304, headers: { ...headers, Vary: 'Accept' } });
const inAYear = (clock: Clock) => new Date(clock.now() + YEAR_SECONDS * 1000).toUTCString();

function requireThree(registry: Registry, path: string): string {
  const text = versionThree(registry, path);
  if (text === undefined) throw unknownPath();
  return text;
}

/** The hash of what would be sent, known without asking the source of descriptions. */
function threeHash(registry: Registry, hashes: Hashes, path: string, sourceVersion: string): string {
  const plain = hashOf(hashes, path, () => requireThree(registry, path));
  return sourceVersion === '' ? plain : hashOf(hashes, `${path} ${sourceVersion}`, () => `${plain} ${sourceVersion}`);
}

function indexOf(registry: Registry, hashes: Hashes, sourceVersion: string): string {
  const entries = groupVersionPaths(registry).map((path): [string, JsonObject] => {
    const hash = threeHash(registry, hashes, path, sourceVersion);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
  });
  return JSON.stringify({ paths: Object.fromEntries(entries) });
}
