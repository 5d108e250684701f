/** One audit record per request, in the form of audit.k8s.io/v1 at level Metadata: who, what, with which outcome. Bodies and tokens are never in it. */
import type { FailureStatus } from '../../machinery/status.ts';
import type { RequestAttributes, User } from '../server.ts';

type AuditUser = { username: string; uid?: string; groups: readonly string[]; extra?: Record<string, readonly string[]> };

/** `audit.k8s.io/v1 Event`. Times are RFC 3339 with microseconds. */
export type AuditEvent = {
  kind: 'Event';
  apiVersion: 'audit.k8s.io/v1';
  level: 'Metadata';
  auditID: string;
  /** A watch is told when it begins, everything else when it ends. */
  stage: 'ResponseStarted' | 'ResponseComplete';
  requestURI: string;
  verb: string;
  user: AuditUser;
  impersonatedUser?: AuditUser;
  sourceIPs?: readonly string[];
  userAgent?: string;
  objectRef?: {
    resource: string;
    namespace?: string;
    name?: string;
    uid?: string;
    apiGroup?: string;
    apiVersion: string;
    subresource?: string;
  };
  responseStatus: { metadata: Record<string, never>; status?: string; message?: string; reason?: string; code: number };
  requestReceivedTimestamp: string;
  stageTimestamp: string;
  annotations?: Record<string, string>;
};

/** What is found out about a request on its way; the parts are filled as they become known. */
export type RequestTrace = {
  /** What admission adds to the record. */
  annotations?: Record<string, string>;
  /** Epoch ms. */
  receivedAt: number;
  user?: User;
  impersonated?: User;
  attributes?: RequestAttributes;
  decision?: { allowed: boolean; reason: string };
  /** What a write was about, where the URL does not name it. */
  written?: { name: string; uid: string };
  failure?: FailureStatus;
  /** A health check: asked all the time, and it says nothing about anybody. */
  isProbe?: boolean;
};

type Answered = {
  auditId: string;
  request: Request;
  remoteAddress: string | undefined;
  trace: RequestTrace;
  code: number;
  now: number;
};

const NOBODY: AuditUser = { username: '', groups: [] };
/** Requests that took longer say so, as upstream's do. */
const SLOW_MS = 500;

/** The record of one answered request. Pure. */
export function auditEvent({ auditId, request, remoteAddress, trace, code, now }: Answered): AuditEvent {
  const { attributes, user, impersonated, failure, receivedAt, written } = trace;
  const received = microTime(receivedAt);
  const userAgent = request.headers.get('user-agent');
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: auditId,
    stage: attributes?.verb === 'watch' && code === 200 ? 'ResponseStarted' : 'ResponseComplete',
    requestURI: pathOf(request.url),
    verb: attributes?.verb ?? request.method.toLowerCase(),
    user: user ? auditUser(user) : NOBODY,
    ...(impersonated ? { impersonatedUser: auditUser(impersonated) } : {}),
    ...(remoteAddress === undefined ? {} : { sourceIPs: [remoteAddress] }),
    ...(userAgent === null ? {} : { userAgent }),
    ...(attributes && attributes.path === undefined ? { objectRef: objectRef(attributes, written) } : {}),
    responseStatus: failure ? failed(failure) : { metadata: {}, code },
    requestReceivedTimestamp: received,
    stageTimestamp: now === receivedAt ? received : microTime(now),
    ...annotations(trace, now),
  };
}

function auditUser({ name, uid, groups, extra }: User): AuditUser {
  return { username: name, ...(uid ? { uid } : {}), groups, ...(extra ? { extra } : {}) };
}

function objectRef(attributes: RequestAttributes, written: RequestTrace['written']): NonNullable<AuditEvent['objectRef']> {
  const { resource, namespace, group, version, subresource } = attributes;
  const name = attributes.name || (written?.name ?? '');
  return {
    resource,
    ...(namespace === '' ? {} : { namespace }),
    ...(name === '' ? {} : { name }),
    ...(written ? { uid: written.uid } : {}),
    ...(group === '' ? {} : { apiGroup: group }),
    apiVersion: version,
    ...(subresource === '' ? {} : { subresource }),
  };
}

function failed({ message, reason, code }: FailureStatus): AuditEvent['responseStatus'] {
  return { metadata: {}, status: 'Failure', message, reason, code };
}

function annotations(
  { decision, receivedAt, annotations: admitted }: RequestTrace,
  now: number,
): Pick<AuditEvent, 'annotations'> {
  const texts: Record<string, string> = { ...admitted };
  if (decision) {
    texts['authorization.k8s.io/decision'] = decision.allowed ? 'allow' : 'forbid';
    texts['authorization.k8s.io/reason'] = decision.reason;
  }
  if (now - receivedAt >= SLOW_MS) texts['apiserver.latency.k8s.io/total'] = `${now - receivedAt}ms`;
  return Object.keys(texts).length > 0 ? { annotations: texts } : {};
}

/** `2026-01-01T00:00:00.000000Z`. */
function microTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`;
}

/** Path and query of an absolute URL. */
function pathOf(url: string): string {
  const scheme = url.indexOf('://');
  const start = scheme < 0 ? 0 : url.indexOf('/', scheme + 3);
  return start < 0 ? '/' : url.slice(start);
}
