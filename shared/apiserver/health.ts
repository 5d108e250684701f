/** `/healthz`, `/livez`, `/readyz`, with `?verbose`, `?exclude=` and single checks below the path. Plain text, as upstream. */
import { type ResponseContext, respond } from './http/respond.ts';

/** A named check: undefined when all is well, else the reason. */
export type Check = () => Promise<string | undefined>;

const PATHS = new Set(['healthz', 'livez', 'readyz']);

export function isHealthPath(segments: readonly string[]): boolean {
  return PATHS.has(segments[0] ?? '') && segments.length <= 2;
}

/** Answers one health request: 200 `ok`, or 500 with a line per check. Liveness asks no dependency: a restart would not mend one. */
export async function serveHealth(
  context: ResponseContext,
  segments: readonly string[],
  query: URLSearchParams,
  readiness: ReadonlyMap<string, Check>,
): Promise<Response> {
  const [path = '', single] = segments;
  const checks = new Map<string, Check>([['ping', async () => undefined], ...(path === 'livez' ? [] : readiness)]);
  if (single !== undefined) return serveSingle(context, path, single, checks.get(single));
  const excluded = new Set(query.getAll('exclude'));
  const lines: string[] = [];
  let failed = false;
  for (const [name, check] of checks) {
    if (excluded.has(name)) lines.push(`[+]${name} excluded: ok`);
    else {
      const reason = await check();
      failed ||= reason !== undefined;
      lines.push(reason === undefined ? `[+]${name} ok` : `[-]${name} failed: ${reason}`);
    }
  }
  if (failed) return text(context, 500, `${lines.join('\n')}\n${path} check failed\n`);
  return text(context, 200, query.has('verbose') ? `${lines.join('\n')}\n${path} check passed\n` : 'ok');
}

async function serveSingle(context: ResponseContext, path: string, name: string, check: Check | undefined): Promise<Response> {
  if (check === undefined) return text(context, 404, `404 page not found: ${path} has no check ${name}\n`);
  const reason = await check();
  return reason === undefined ? text(context, 200, 'ok') : text(context, 500, `${reason}\n`);
}

function text(context: ResponseContext, code: number, body: string): Response | Promise<Response> {
  return respond(context, code, 'text/plain; charset=utf-8', body);
}
