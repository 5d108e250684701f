/** From what the network or a member's API answered to a MemberFailure, with a sentence that says what, where, why and what to do. */
import { parseJson } from '../../machinery/codec/json.ts';
import type { MemberConnection, MemberFailure } from '../../ports/member-client.ts';
import { tlsTrouble } from './tls-failures.ts';

type Unreachable = Extract<MemberFailure, { type: 'unreachable' }>;
/** TLS has words for each of its troubles. */
type Plain = Exclude<Unreachable['reason'], 'tls'>;

/** The connection as a user knows it. */
export type Endpoint = Pick<MemberConnection, 'cluster' | 'server'>;

const CODES: ReadonlyMap<string, Plain> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['ETIMEDOUT', 'timeout'],
  ['EHOSTUNREACH', 'timeout'],
  ['ENETUNREACH', 'timeout'],
]);

const REMEDY: Record<Plain, string> = {
  timeout: 'Check the network path and that nothing drops packets to it; it is tried again by itself.',
  refused: 'Check that its API server runs and that spec.apiEndpoint is right; it is tried again by itself.',
  dns: 'Check the host name in spec.apiEndpoint.',
  unauthorized: "The token or certificate in the cluster's Secret is not accepted: renew it.",
  forbidden:
    "The account in the cluster's Secret lacks rights: bind it to cluster-admin, or to a role with all verbs on what is propagated, with get, " +
    'list and watch on nodes and pods, and with get on /healthz, /version, /api and /apis.',
  overloaded: 'It asks for patience; it is tried again by itself.',
  other: 'It is tried again by itself.',
};

const CAUSE: Record<Plain, string> = {
  timeout: 'no answer',
  refused: 'connection refused',
  dns: 'its host name does not resolve',
  unauthorized: 'it does not accept our credentials (401)',
  forbidden: 'it denies us the right to ask (403)',
  overloaded: 'it is overloaded',
  other: 'the connection failed',
};

/** An `unreachable` failure. `detail` is the lower layer's own word, kept short. */
export function unreachable(endpoint: Endpoint, reason: Plain, detail: string): Unreachable {
  const own = detail === '' ? '' : ` (${detail.slice(0, 200)})`;
  return failure(endpoint, reason, `${CAUSE[reason]}${own}`, REMEDY[reason]);
}

function failure(endpoint: Endpoint, reason: Unreachable['reason'], cause: string, remedy: string): Unreachable {
  const host = endpoint.server.replace(/^https?:\/\//, '');
  return { type: 'unreachable', reason, message: `cluster ${endpoint.cluster} at ${host}: ${cause}. ${remedy}` };
}

/** What a thrown network error means. */
export function networkFailure(endpoint: Endpoint, error: unknown): Unreachable {
  const root = rootError(error);
  if (root.name === 'TimeoutError' || root.name === 'AbortError') return unreachable(endpoint, 'timeout', '');
  const known = CODES.get(root.code);
  if (known) return unreachable(endpoint, known, '');
  const tls = tlsTrouble(root);
  return tls ? failure(endpoint, 'tls', tls.cause, tls.remedy) : unreachable(endpoint, 'other', root.message);
}

/** True for a connection that the peer had closed before or while we wrote: the request may simply be sent again. */
export function isDroppedConnection(error: unknown): boolean {
  const { code } = rootError(error);
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

type StatusBody = {
  reason?: string;
  message?: string;
  details?: { kind?: string; name?: string; causes?: { reason?: string; message?: string }[] };
};

/** What an HTTP status other than 2xx means for a call about an object. */
export function statusFailure(endpoint: Endpoint, code: number, body: string): MemberFailure {
  const status = readStatus(body);
  const message = status.message ?? `HTTP ${code}`;
  if (code === 401) return unreachable(endpoint, 'unauthorized', '');
  if (code === 429 || code === 503) return unreachable(endpoint, 'overloaded', `HTTP ${code}: ${message}`);
  // A 500 is about this object: an admission webhook that does not answer, mostly. It must not close the way for the others.
  if (code === 502 || code === 504) return unreachable(endpoint, 'other', `HTTP ${code}: ${message}`);
  if (code === 404) return { type: 'notFound', message, container: isContainerMissing(status) };
  if (code === 409 && status.reason !== 'AlreadyExists') return { type: 'conflict', message, managers: conflictManagers(status) };
  return { type: 'rejected', code, reason: status.reason ?? `HTTP${code}`, message };
}

function readStatus(body: string): StatusBody {
  try {
    const value = parseJson(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as StatusBody) : {};
  } catch {
    // A proxy's HTML page, or nothing: the status code has to do.
    return {};
  }
}

/** The object's namespace is missing, or nothing serves its resource (then the Status names no object). */
function isContainerMissing({ details, message }: StatusBody): boolean {
  if (details?.kind === 'namespaces') return true;
  return !details?.name || message === 'the server could not find the requested resource';
}

/** Field managers of `conflict with "kubectl" using apps/v1: .spec.replicas`. */
function conflictManagers({ details }: StatusBody): string[] {
  const managers = new Set<string>();
  for (const cause of details?.causes ?? []) {
    if (cause.reason !== 'FieldManagerConflict') continue;
    const quoted = /^conflict with "((?:[^"\\]|\\.)*)"/.exec(cause.message ?? '');
    if (quoted?.[1] !== undefined) managers.add(quoted[1]);
  }
  return [...managers];
}

type ErrorLike = { code: string; name: string; message: string };

/** The innermost cause: undici wraps what the socket said. */
function rootError(error: unknown): ErrorLike {
  let current: unknown = error;
  let found: ErrorLike = { code: '', name: '', message: String(error) };
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const code = 'code' in current && typeof current.code === 'string' ? current.code : '';
    found = { code: code || found.code, name: current.name, message: current.message };
    current = current.cause;
  }
  return found;
}
