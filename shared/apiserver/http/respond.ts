/** Responses with the headers that every Kubernetes answer carries. Bodies are text that is ready to be sent. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FailureStatus } from '../../machinery/status.ts';
import { GZIP_BYTES_MIN, WARNING_LENGTH_CUT, WARNINGS_LENGTH_MAX } from '../limits.ts';
import { PROTOBUF } from './accept.ts';

/** What a response needs to know of its request. */
export type ResponseContext = { auditId: string; acceptsGzip: boolean; warnings: readonly string[] };

export type Headers = Record<string, string>;

const gzipAsync = promisify(gzip);

/** A whole answer. Compressed above 128 kB where the client allows. */
export function respond(
  context: ResponseContext,
  code: number,
  contentType: string,
  body: string | Uint8Array<ArrayBuffer>,
  extra?: Headers,
): Response | Promise<Response> {
  const headers: Headers = {
    'Audit-Id': context.auditId,
    'Cache-Control': 'no-cache, private',
    'Content-Type': contentType,
    Vary: 'Accept',
    ...extra,
  };
  if (context.warnings.length > 0) headers.Warning = warningHeader(context.warnings);
  if (context.acceptsGzip && body.length > GZIP_BYTES_MIN) return compressed(code, headers, body);
  return new Response(body, { status: code, headers });
}

async function compressed(code: number, headers: Headers, body: string | Uint8Array): Promise<Response> {
  const packed = await gzipAsync(body, { level: 1 });
  return new Response(packed, {
    status: code,
    headers: { ...headers, 'Content-Encoding': 'gzip', Vary: 'Accept, Accept-Encoding' },
  });
}

/** A whole answer in JSON. */
export function respondJson(
  context: ResponseContext,
  code: number,
  body: string | Uint8Array<ArrayBuffer>,
  extra?: Headers,
): Response | Promise<Response> {
  return respond(context, code, 'application/json', body, extra);
}

/** A failure in protobuf. */
export type EncodeFailure = (status: FailureStatus) => Uint8Array | undefined;

/**
 * A failure, in JSON or as `encode` has it. 429 and 503 carry Retry-After: clients send such a request again by themselves, so nothing may
 * have been written.
 */
export function respondFailure(
  context: ResponseContext,
  status: FailureStatus,
  encode?: EncodeFailure,
): Response | Promise<Response> {
  const seconds = status.details?.retryAfterSeconds;
  const retry = seconds !== undefined && (status.code === 429 || status.code === 503);
  const extra = retry ? { 'Retry-After': String(seconds) } : undefined;
  const bytes = encode?.(status);
  if (bytes) return respond(context, status.code, PROTOBUF, new Uint8Array(bytes), extra);
  return respondJson(context, status.code, JSON.stringify(status, withoutEmpty), extra);
}

/** Go leaves empty strings out. */
function withoutEmpty(_key: string, value: unknown): unknown {
  return value === '' ? undefined : value;
}

/** `Warning: 299 - "text"`, all texts in one header: once they pass 4096 characters each is cut to 256 and the rest are dropped. */
export function warningHeader(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  const total = distinct.reduce((sum, text) => sum + text.length, 0);
  const parts: string[] = [];
  let length = 0;
  for (const text of distinct) {
    const kept = total > WARNINGS_LENGTH_MAX ? text.slice(0, WARNING_LENGTH_CUT) : text;
    length += kept.length;
    if (length > WARNINGS_LENGTH_MAX) break;
    parts.push(`299 - "${escapeWarning(kept)}"`);
  }
  return parts.join(', ');
}

/** Quotes are escaped, control characters become spaces, and UTF-8 bytes travel as Latin-1, which is what HTTP headers are to Node. */
function escapeWarning(text: string): string {
  const visible = text.replace(/\p{Cc}/gu, ' ').replace(/[\\"]/g, '\\$&');
  return Buffer.from(visible, 'utf8').toString('latin1');
}
