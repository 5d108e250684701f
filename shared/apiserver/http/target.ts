/** What a URL asks for: `/apis/apps/v1/namespaces/default/deployments/web/status?dryRun=All` taken apart once. */
import { badRequest } from '../../machinery/status.ts';

/** A URL below `/api/v1` or `/apis/{group}/{version}`. Empty strings where a part is absent. */
export type ResourceTarget = {
  group: string;
  version: string;
  resource: string;
  /** Namespace of the URL; empty for cluster-wide requests. */
  namespace: string;
  name: string;
  subresource: string;
  /** What follows the subresource, without leading slash (`proxy` paths). */
  rest: string;
  /** The deprecated `/watch/` prefix was there. */
  watch: boolean;
};

export type Target = { path: string; query: URLSearchParams; segments: readonly string[]; resource: ResourceTarget | undefined };

/** Subresources of a namespace, which would otherwise read as resources in it. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/** Takes an absolute URL apart. Throws a 400 StatusError on bad percent-encoding. */
export function parseTarget(url: string): Target {
  const scheme = url.indexOf('://');
  const start = scheme < 0 ? 0 : url.indexOf('/', scheme + 3);
  const hash = url.indexOf('#', start);
  const end = hash < 0 ? url.length : hash;
  const mark = url.indexOf('?', start);
  const hasQuery = mark >= 0 && mark < end;
  const path = start < 0 ? '/' : url.slice(start, hasQuery ? mark : end);
  const query = new URLSearchParams(hasQuery ? url.slice(mark + 1, end) : '');
  const segments = splitPath(path);
  return { path, query, segments, resource: resourceTarget(segments) };
}

function splitPath(path: string): string[] {
  const segments = path.split('/');
  segments.shift();
  if (segments.at(-1) === '') segments.pop();
  if (!path.includes('%')) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    throw badRequest(`the path ${JSON.stringify(path)} is not valid percent-encoding`);
  }
}

function resourceTarget(segments: readonly string[]): ResourceTarget | undefined {
  const core = segments[0] === 'api';
  if (!core && segments[0] !== 'apis') return undefined;
  const group = core ? '' : (segments[1] ?? '');
  const version = segments[core ? 1 : 2] ?? '';
  let at = core ? 2 : 3;
  const watch = segments[at] === 'watch' && segments.length > at + 1;
  if (watch) at += 1;
  if (segments[at] === undefined) return undefined;
  if (segments[at] !== 'namespaces' || segments.length <= at + 2 || isNamespaceSubresource(segments, at))
    return named({ group, version, watch, namespace: '' }, segments, at);
  return named({ group, version, watch, namespace: segments[at + 1] ?? '' }, segments, at + 2);
}

function isNamespaceSubresource(segments: readonly string[], at: number): boolean {
  return segments.length === at + 3 && NAMESPACE_SUBRESOURCES.has(segments[at + 2] ?? '');
}

function named(
  prefix: Pick<ResourceTarget, 'group' | 'version' | 'watch' | 'namespace'>,
  segments: readonly string[],
  at: number,
): ResourceTarget {
  return {
    group: prefix.group,
    version: prefix.version,
    resource: segments[at] ?? '',
    namespace: prefix.namespace,
    name: segments[at + 1] ?? '',
    subresource: segments[at + 2] ?? '',
    rest: segments.slice(at + 3).join('/'),
    watch: prefix.watch,
  };
}
