/** Serves the discovery documents. Each is made once per registry and kept as text with its ETag. */
import { createHash } from 'node:crypto';
import type { Registry } from '../../apis/definition.ts';
import { unknownPath } from '../../machinery/status.ts';
import { type AcceptClause, covers, parseAccept } from '../http/accept.ts';
import { type ResponseContext, respond } from '../http/respond.ts';
import { aggregatedList, coreVersions, groupDocument, groupList, resourceList, type Served } from './groups.ts';
import { servedDefinitions, type ViewNames } from './served.ts';

/** One document, ready to be sent. `etag` is quoted. */
type Document = { body: string; etag: string };
type Known = { served: Served; documents: Map<string, Document> };
type AggregatedVersion = 'v2' | 'v2beta1';

export type Discovery = (
  context: ResponseContext,
  registry: Registry,
  request: { segments: readonly string[]; accept: string | null; ifNoneMatch: string | null },
) => Response | Promise<Response>;

/** Answers `/api`, `/apis`, `/apis/{group}` and the resource lists. Throws 404 for what is not served. */
export function createDiscovery(views: ViewNames): Discovery {
  const known = new WeakMap<Registry, Known>();
  return (context, registry, request) => {
    const { served, documents } = knownOf(known, registry, views);
    const [root, group, version] = request.segments;
    const aggregated = group === undefined ? aggregatedVersion(request.accept) : undefined;
    const key = `${request.segments.join('/')} ${aggregated ?? ''}`;
    const document = documents.get(key) ?? makeDocument(served, root === 'api', aggregated, group, version);
    documents.set(key, document);
    const type = aggregated
      ? `application/json;g=apidiscovery.k8s.io;v=${aggregated};as=APIGroupDiscoveryList`
      : 'application/json';
    if (!aggregated) return respond(context, 200, type, document.body);
    const headers = { ETag: document.etag, 'Cache-Control': 'public' };
    if (request.ifNoneMatch === document.etag)
      return new Response(null, { status: 304, headers: { ...headers, Vary: 'Accept' } });
    return respond(context, 200, type, document.body, headers);
  };
}

function knownOf(known: WeakMap<Registry, Known>, registry: Registry, views: ViewNames): Known {
  const found = known.get(registry);
  if (found) return found;
  const served = { groups: registry.groups(), definitions: servedDefinitions(registry, views) };
  const made: Known = { served, documents: new Map() };
  known.set(registry, made);
  return made;
}

/** The aggregated version the client likes best, unless it likes plain JSON better. */
function aggregatedVersion(accept: string | null): AggregatedVersion | undefined {
  const best = parseAccept(accept ?? '').find(isServed);
  if (best?.as !== 'APIGroupDiscoveryList') return undefined;
  return best.version === 'v2beta1' ? 'v2beta1' : 'v2';
}

function isServed(clause: AcceptClause): boolean {
  if (!covers(clause.type, 'application/json')) return false;
  if (clause.as === '') return true;
  const known = clause.version === 'v2' || clause.version === 'v2beta1';
  return clause.as === 'APIGroupDiscoveryList' && clause.group === 'apidiscovery.k8s.io' && known;
}

function makeDocument(
  served: Served,
  core: boolean,
  aggregated: AggregatedVersion | undefined,
  group: string | undefined,
  version: string | undefined,
): Document {
  const value = aggregated ? aggregatedList(served, core, aggregated) : legacyDocument(served, core, group, version);
  if (value === undefined) throw unknownPath();
  const body = JSON.stringify(value);
  return { body, etag: `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"` };
}

/** `/api/v1` has its version where `/apis/{group}` has the group. */
function legacyDocument(served: Served, core: boolean, second: string | undefined, third: string | undefined) {
  if (core) return second === undefined ? coreVersions(served) : resourceList(served, '', second);
  if (second === undefined) return groupList(served);
  return third === undefined ? groupDocument(served, second) : resourceList(served, second, third);
}
