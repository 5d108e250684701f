/**
 * Kubernetes `Status` errors, made by helpers named as in apimachinery (k8s.io/apimachinery/pkg/api/errors).
 * They are thrown inside the API server and turned into a response at the HTTP edge; nobody else catches them.
 */
import { quoteGo } from './go-quote.ts';
import { formatGroupResource, type GroupResource } from './resource.ts';

export type StatusCause = { reason?: string; message?: string; field?: string };

/** `v1 Status` of a failure. */
export type FailureStatus = {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string };
  status: 'Failure';
  message: string;
  reason: string;
  details?: { name?: string; group?: string; kind?: string; uid?: string; causes?: StatusCause[]; retryAfterSeconds?: number };
  code: number;
};

/** An API error on its way to the HTTP edge. `status` is the body that is sent; `message` equals `status.message`. */
export class StatusError extends Error {
  readonly status: FailureStatus;
  constructor(status: FailureStatus) {
    super(status.message);
    this.name = 'StatusError';
    this.status = status;
  }
}

type Details = NonNullable<FailureStatus['details']>;

/** Any failure; the helpers below are the usual ones. */
export function failure(code: number, reason: string, message: string, details?: Details): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details ? { details } : {}),
    code,
  });
}

const about = ({ group, resource }: GroupResource, name: string): Details => ({
  name,
  ...(group ? { group } : {}),
  kind: resource,
});

/** 404 of one object: `deployments.apps "web" not found`. */
export function notFound(resource: GroupResource, name: string): StatusError {
  return failure(404, 'NotFound', `${formatGroupResource(resource)} "${name}" not found`, about(resource, name));
}

/** 404 of a path that nothing serves. */
export function unknownPath(): StatusError {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** 409: the name is taken. */
export function alreadyExists(resource: GroupResource, name: string): StatusError {
  return failure(409, 'AlreadyExists', `${formatGroupResource(resource)} "${name}" already exists`, about(resource, name));
}

/** 409: stale resourceVersion, failed precondition. `why` completes the sentence. */
export function conflict(resource: GroupResource, name: string, why: string): StatusError {
  return failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${formatGroupResource(resource)} "${name}": ${why}`,
    about(resource, name),
  );
}

/** The `why` of a stale resourceVersion. */
export const OBJECT_WAS_MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export function badRequest(message: string): StatusError {
  return failure(400, 'BadRequest', message);
}

export function unauthorized(): StatusError {
  return failure(401, 'Unauthorized', 'Unauthorized');
}

/** 403 about one resource: `pods "p" is forbidden: why`. */
export function forbidden(resource: GroupResource, name: string, why: string): StatusError {
  const subject = name === '' ? formatGroupResource(resource) : `${formatGroupResource(resource)} "${name}"`;
  return failure(403, 'Forbidden', `${subject} is forbidden: ${why}`, about(resource, name));
}

export function methodNotAllowed(): StatusError {
  return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function notAcceptable(mediaTypes: readonly string[]): StatusError {
  return failure(406, 'NotAcceptable', `only the following media types are accepted: ${mediaTypes.join(', ')}`);
}

/** 410: a version or continue token that the log no longer holds. */
export function expired(message: string): StatusError {
  return failure(410, 'Expired', message);
}

export function requestEntityTooLarge(message: string): StatusError {
  return failure(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

/** A field error: `type` is the cause reason without its `FieldValue` prefix; the text after `field: ` is `detail`. */
export type InvalidField = { type: string; field: string; detail: string };

/** 422 with one cause per field. `kind` is the Kind, not the resource: `Deployment.apps "web" is invalid: ...`. */
export function invalid(kind: { group: string; kind: string }, name: string, errors: readonly InvalidField[]): StatusError {
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const texts = errors.map((error) => `${error.field}: ${error.detail}`);
  const joined = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const causes = errors.map((error) => ({
    reason: error.type === 'InternalError' ? error.type : `FieldValue${error.type}`,
    message: error.detail,
    field: error.field,
  }));
  const details: Details = { name, ...(kind.group ? { group: kind.group } : {}), kind: kind.kind, causes };
  return failure(422, 'Invalid', `${qualified} ${quoteGo(name)} is invalid: ${joined}`, details);
}

export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, 'TooManyRequests', message, { retryAfterSeconds });
}

export function internalError(message: string): StatusError {
  return failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function serviceUnavailable(message: string): StatusError {
  return failure(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 });
}

/** 504 of a resourceVersion that has not been reached. */
export function resourceVersionTooLarge(asked: string, current: string): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return failure(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes,
    retryAfterSeconds: 1,
  });
}
