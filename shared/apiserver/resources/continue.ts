/** Continue tokens: upstream's shape, URL-safe base64 of `{"v":"meta.k8s.io/v1","rv":N,"start":"namespace/name\u0000"}`, and the list's time. Pure. */
import { badRequest } from '../../machinery/status.ts';

/**
 * Go on after this key. `resourceVersion` is empty for a continuation that is not consistent any more (rv -1 in the token). `begunAt`: when the list
 * began, epoch milliseconds; whole seconds survive (`t` in the token, which upstream does not have).
 */
export type ContinueToken = { resourceVersion: string; namespace: string; name: string; begunAt?: number };

const VERSION = 'meta.k8s.io/v1';
const SECOND_MS = 1000;

export function encodeContinue({ resourceVersion, namespace, name, begunAt }: ContinueToken): string {
  const rv = resourceVersion === '' ? -1 : Number(resourceVersion);
  const time = begunAt === undefined ? {} : { t: Math.floor(begunAt / SECOND_MS) };
  return Buffer.from(JSON.stringify({ v: VERSION, rv, start: `${namespace}/${name}\0`, ...time })).toString('base64url');
}

/** Throws 400 for anything that this server has not made. */
export function decodeContinue(text: string): ContinueToken {
  const { v, rv, start, t } = parse(text);
  if (v !== VERSION) throw invalidToken(`server does not recognize this encoded version ${String(v)}`);
  if (typeof start !== 'string' || !Number.isSafeInteger(rv)) throw invalidToken('incorrect encoded form');
  const key = start.endsWith('\0') ? start.slice(0, -1) : start;
  const slash = key.indexOf('/');
  if (slash < 0) throw invalidToken('incorrect encoded start');
  const version = Number(rv);
  return {
    resourceVersion: version < 0 ? '' : String(version),
    namespace: key.slice(0, slash),
    name: key.slice(slash + 1),
    ...(typeof t === 'number' ? { begunAt: t * SECOND_MS } : {}),
  };
}

const invalidToken = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);

function parse(text: string): { v?: unknown; rv?: unknown; start?: unknown; t?: unknown } {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    throw invalidToken('it is no base64 of JSON');
  }
}
