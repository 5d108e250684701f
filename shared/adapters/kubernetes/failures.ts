/** From what the network or a member's API answered to a MemberFailure, with a sentence that says what, where, why and what to do. */
import { parseJson } from '../../machinery/codec/json.ts';
import type { MemberConnection, MemberFailure } from '../../ports/member-client.ts';

type Unreachable = Extract<MemberFailure, { type: 'unreachable' }>;

/** The connection as a user knows it. */
export type Endpoint = Pick<MemberConnection, 'cluster' | 'server'>;

const CODES: ReadonlyMap<string, Unreachable['reason']> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['ETIMEDOUT', 'timeout'],
  ['EHOSTUNREACH', 'timeout'],
  ['ENETUNREACH', 'timeout'],
  ['EPROTO', 'tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'tls'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['CERT_NOT_YET_VALID', 'tls'],
  ['CERT_UNTRUSTED', 'tls'],
  ['CERT_SIGNATURE_FAILURE', 'tls'],
]);

const REMEDY: Record<Unreachable['reason'], string> = {
  timeout: 'Check the network path and that nothing drops packets to it; it is tried again by itself.',
  refused: 'Check that its API server runs and that spec.apiEndpoint is right; it is tried again by itself.',
  tls: "Put the cluster's own CA into certificate-authority-data of its Secret, and use an endpoint that its certificate names.",
  dns: 'Check the host name in spec.apiEndpoint.',
  unauthorized: "The token or certificate in the cluster's Secret is not accepted: renew it.",
  forbidden: "The account in the cluster's Secret lacks rights: give it the role of docs/members.md.",
  overloaded: 'It asks for patience; it is tried again by itself.',
  other: 'It is tried again by itself.',
};

const CAUSE: Record<Unreachable['reason'], string> = {
  timeout: 'no answer',
  refused: 'connection refused',
  tls: 'its certificate is not trusted',
  dns: 'its host name does not resolve',
  unauthorized: 'it does not accept our credentials (401)',
  forbidden: 'it denies us the right to ask (403)',
  overloaded: 'it is overloaded',
  other: 'the connection failed',
};

/** An `unreachable` failure. `detail` is the lower layer's own word, kept short. */
export function unreachable(endpoint: Endpoint, reason: Unreachable['reason'], detail: string): Unreachable {
  const own = detail === '' ? '' : ` (${detail.slice(0, 200)})`;
  const host = endpoint.server.replace(/^https?:\/\//, '');
  return {
    type: 'unreachable',
    reason,
    message: `cluster ${endpoint.cluster} at ${host}: ${CAUSE[reason]}${own}. ${REMEDY[reason]}`,
  };
}

/** What a thrown network error means. */
export function networkFailure(endpoint: Endpoint, error: unknown): Unreachable {
  const { code, name, message } = rootError(error);
  if (name === 'TimeoutError' || name === 'AbortError') return unreachable(endpoint, 'timeout', '');
  const known = CODES.get(code);
  if (known) return unreachable(endpoint, known, known === 'tls' || known === 'other' ? message : '');
  const tls = code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code.startsWith('CERT_');
  return unreachable(endpoint, tls ? 'tls' : 'other', message);
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
