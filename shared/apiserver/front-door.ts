/** The outermost handler: who asks, what for, and every failure as a Status. */
import { formatApiVersion } from '../machinery/resource.ts';
import { failure, internalError, methodNotAllowed, StatusError, unauthorized, unknownPath } from '../machinery/status.ts';
import type { Core } from './core.ts';
import { createDiscovery, type Discovery } from './discovery/serve.ts';
import { requireAllowed } from './handlers/authorize.ts';
import type { Exchange } from './handlers/exchange.ts';
import { isHealthPath, serveHealth } from './health.ts';
import { type ResponseContext, respondFailure, respondJson } from './http/respond.ts';
import { parseTarget, type Target } from './http/target.ts';
import { createOpenApi, type OpenApi } from './openapi/serve.ts';
import { routeResource } from './route.ts';

type Documents = { discovery: Discovery; openApi: OpenApi };

/** A handler for every request. It never rejects. */
export function createFrontDoor(core: Core): (request: Request) => Promise<Response> {
  const documents: Documents = { discovery: createDiscovery(core.views), openApi: createOpenApi(core.deps.clock) };
  return async (request) => {
    const response: ResponseContext & { warnings: string[] } = {
      auditId: auditIdOf(core, request),
      acceptsGzip: request.headers.get('accept-encoding')?.includes('gzip') ?? false,
      warnings: [],
    };
    try {
      return await answer(core, documents, request, response);
    } catch (error) {
      return respondFailure(response, statusOf(core, request, error).status);
    }
  };
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

async function answer(
  core: Core,
  documents: Documents,
  request: Request,
  response: ResponseContext & { warnings: string[] },
): Promise<Response> {
  const target = parseTarget(request.url);
  if (isHealthPath(target.segments)) return serveHealth(response, target.segments, target.query, core.deps.readiness);
  if (target.path === '/version' || target.path === '/version/') return respondJson(response, 200, versionText(core));
  const user = await core.deps.authenticate(request);
  if (user === undefined) throw unauthorized();
  refuseImpersonation(request);
  const exchange: Exchange = { core, registry: core.deps.registry(), request, target, user, ...response };
  if (target.resource) return routeResource(exchange, target.resource);
  return servePath(exchange, documents, target);
}

/** Who asks to act as somebody else must not be answered as himself. */
function refuseImpersonation(request: Request): void {
  if (request.headers.get('impersonate-user') === null && request.headers.get('impersonate-group') === null) return;
  throw failure(403, 'Forbidden', 'this server does not support impersonation', {});
}

/** First parts of the paths below which documents lie. */
const DOCUMENTS = new Set(['api', 'apis', 'openapi']);

/** Paths that name no resource. */
async function servePath(exchange: Exchange, documents: Documents, target: Target): Promise<Response> {
  const { core, registry, request, user } = exchange;
  const { segments, path, query } = target;
  const verb = request.method.toLowerCase();
  const nowhere = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
  await requireAllowed(core, { user, verb, ...nowhere, path });
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

function rootPaths({ registry }: Exchange): string[] {
  const groups = registry.groups().flatMap(({ group, versions }) => {
    const root = group === '' ? '/api' : `/apis/${group}`;
    return [root, ...versions.map((version) => (group === '' ? `/api/${version}` : `/apis/${formatApiVersion(group, version)}`))];
  });
  return [...groups, '/apis', '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'].sort();
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
