/** The outermost handler: who asks, what for, and every failure as a Status. */
import type { KubeObject } from '../machinery/object.ts';
import { formatApiVersion } from '../machinery/resource.ts';
import { internalError, methodNotAllowed, StatusError, unknownPath } from '../machinery/status.ts';
import { auditEvent, type RequestTrace } from './audit/event.ts';
import { DISCOVERY_PATH, issuerDocument, KEYS_PATH } from './authn/issuer-documents.ts';
import { identify } from './authn/requester.ts';
import type { Core } from './core.ts';
import { createDiscovery, type Discovery } from './discovery/serve.ts';
import { requireAllowed } from './handlers/authorize.ts';
import type { Exchange } from './handlers/exchange.ts';
import { isHealthPath, serveHealth } from './health.ts';
import { PROTOBUF, parseAccept } from './http/accept.ts';
import { type EncodeFailure, type ResponseContext, respond, respondFailure, respondJson } from './http/respond.ts';
import { parseTarget, type Target } from './http/target.ts';
import { createOpenApi, type OpenApi } from './openapi/serve.ts';
import { routeResource } from './route.ts';
import type { Connection } from './server.ts';

type Documents = { discovery: Discovery; openApi: OpenApi };
type Context = ResponseContext & Pick<Exchange, 'warnings' | 'trace'>;
type Incoming = { request: Request; connection: Connection | undefined; response: Context };

/** A handler for every request. It never rejects. */
export function createFrontDoor(core: Core): (request: Request, connection?: Connection) => Promise<Response> {
  const documents: Documents = { discovery: createDiscovery(core.views), openApi: createOpenApi(core.deps) };
  return async (request, connection) => {
    const trace: RequestTrace = { receivedAt: core.deps.clock.now() };
    const response: Context = {
      auditId: auditIdOf(core, request),
      acceptsGzip: request.headers.get('accept-encoding')?.includes('gzip') ?? false,
      warnings: [],
      trace,
    };
    const answered = await answer(core, documents, { request, connection, response }).catch((error: unknown) => {
      trace.failure = statusOf(core, request, error).status;
      return respondFailure(response, trace.failure, failureEncoder(core, request));
    });
    audit(core, { request, connection, response }, answered);
    return answered;
  };
}

/** One record per request; health checks leave none. */
function audit({ deps }: Core, { request, connection, response }: Incoming, { status: code }: Response): void {
  const { auditId, trace } = response;
  if (!deps.audit || trace.isProbe) return;
  const remoteAddress = connection?.remoteAddress;
  deps.audit(auditEvent({ auditId, request, remoteAddress, trace, code, now: deps.clock.now() }));
}

/** Typed clients that put protobuf first read failures in it too. */
function failureEncoder(core: Core, request: Request): EncodeFailure | undefined {
  const accept = request.headers.get('accept');
  if (!accept?.includes(PROTOBUF)) return undefined;
  const first = parseAccept(accept).find((clause) => clause.as === '');
  return first?.type === PROTOBUF ? (status) => core.protobuf().encode(status as unknown as KubeObject) : undefined;
}

/** A caller's own id is kept, so that its logs and ours meet; what is no plain id is replaced. */
function auditIdOf(core: Core, request: Request): string {
  const given = request.headers.get('audit-id');
  return given !== null && /^[\w-]{1,128}$/.test(given) ? given : core.deps.ids.uid();
}

/** Anything that is no StatusError is a defect of ours: logged in full, answered without its inside. */
function statusOf(core: Core, request: Request, error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  const stack = error instanceof Error ? error.stack : String(error);
  core.deps.log.error('a request failed unexpectedly', { method: request.method, url: request.url, error: stack });
  return internalError('an unexpected error, see the log of the server');
}

async function answer(core: Core, documents: Documents, { request, connection, response }: Incoming): Promise<Response> {
  const target = parseTarget(request.url);
  response.trace.isProbe = isHealthPath(target.segments);
  if (response.trace.isProbe) return serveHealth(response, target.segments, target.query, core.deps.readiness);
  const user = await identify(core, request, connection, response.trace);
  const pending = core.deps.types?.pending();
  if (pending) await pending;
  const exchange: Exchange = { core, registry: core.deps.registry(), request, target, user, ...response };
  if (target.resource) return routeResource(exchange, target.resource);
  return servePath(exchange, documents, target);
}

/** First parts of the paths below which documents lie. */
const DOCUMENTS = new Set(['api', 'apis', 'openapi']);

/** Paths that name no resource. */
async function servePath(exchange: Exchange, documents: Documents, target: Target): Promise<Response> {
  const { core, registry, request, user } = exchange;
  const { segments, path, query } = target;
  const verb = request.method.toLowerCase();
  const nowhere = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
  await requireAllowed(core, { user, verb, ...nowhere, path }, exchange.trace);
  const own = ownDocument(exchange, target);
  if (own) return own;
  const accept = request.headers.get('accept');
  const ifNoneMatch = request.headers.get('if-none-match');
  if (segments[0] !== undefined && !DOCUMENTS.has(segments[0])) throw unknownPath();
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  switch (segments[0]) {
    case undefined:
      return respondJson(exchange, 200, JSON.stringify({ paths: rootPaths(exchange) }));
    case 'api':
    case 'apis':
      return documents.discovery(exchange, registry, { segments, accept, ifNoneMatch });
    case 'openapi':
      return documents.openApi(exchange, registry, { segments, query, accept, ifNoneMatch });
    default:
      throw unknownPath();
  }
}

/** The version, and what is said about tokens of ServiceAccounts. */
function ownDocument(exchange: Exchange, { path }: Target): Response | Promise<Response> | undefined {
  const { core, request } = exchange;
  if (path === '/version' || path === '/version/') return respondJson(exchange, 200, versionText(core));
  const { serviceAccounts } = core.deps;
  const document = serviceAccounts && issuerDocument(serviceAccounts, path, new URL(request.url).origin);
  if (!document) return undefined;
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  return respond(exchange, 200, document.contentType, document.text, document.headers);
}

function rootPaths({ core, registry }: Exchange): string[] {
  const groups = registry.groups().flatMap(({ group, versions }) => {
    const root = group === '' ? '/api' : `/apis/${group}`;
    return [root, ...versions.map((version) => (group === '' ? `/api/${version}` : `/apis/${formatApiVersion(group, version)}`))];
  });
  const own = core.deps.serviceAccounts ? [DISCOVERY_PATH, KEYS_PATH] : [];
  return [...groups, ...own, '/apis', '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'].sort();
}

function versionText({ deps }: Core): string {
  return JSON.stringify({
    ...deps.version,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'node',
    platform: 'node',
  });
}
