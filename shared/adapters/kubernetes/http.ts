/** HTTP to one member over long-lived connections: every call has one deadline, and answers with a value. */
import { Agent, type Dispatcher } from 'undici';
import { parseJson } from '../../machinery/codec/json.ts';
import type { JsonObject } from '../../machinery/object.ts';
import type { MemberConnection, MemberFailure, MemberResult } from '../../ports/member-client.ts';
import { isDroppedConnection, networkFailure, statusFailure, unreachable } from './failures.ts';
import {
  CALL_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  CONNECTIONS_MAX,
  KEEP_ALIVE_MS,
  RESPONSE_BYTES_MAX,
  WATCH_SILENCE_MS,
} from './limits.ts';

export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: string;
  contentType?: string;
  accept?: string;
  timeoutMs?: number;
  /** False: the call must not be repeated on a dropped connection (a create). */
  repeatable?: boolean;
};

export type MemberHttp = {
  /** The body's text of a 2xx answer. */
  text(call: Call): Promise<MemberResult<string>>;
  /** The parsed body of a 2xx answer. */
  json(call: Call): Promise<MemberResult<JsonObject>>;
  /** Opens a stream that may last; rejects with what the network threw. */
  stream(path: string, signal: AbortSignal): Promise<{ body: AsyncIterable<Buffer> } | MemberFailure>;
  close(): Promise<void>;
};

/** Opens nothing yet: connections are made on first use and kept. */
export function createMemberHttp(connection: MemberConnection): MemberHttp {
  const server = new URL(connection.server);
  const prefix = server.pathname.replace(/\/$/, '');
  const calls = createAgent(connection, { connections: CONNECTIONS_MAX, maxResponseSize: RESPONSE_BYTES_MAX });
  // Held watches take a connection each, and must not take them from the calls.
  const streams = createAgent(connection, { maxResponseSize: -1, bodyTimeout: WATCH_SILENCE_MS });
  const authorization = connection.token ? { authorization: `Bearer ${connection.token}` } : {};
  const request = (call: Call): Promise<Dispatcher.ResponseData> =>
    calls.request({
      origin: server.origin,
      path: prefix + call.path,
      method: call.method,
      headers: {
        ...authorization,
        accept: call.accept ?? 'application/json',
        'user-agent': 'lamiral',
        ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
      },
      body: call.body ?? null,
      signal: AbortSignal.timeout(call.timeoutMs ?? CALL_TIMEOUT_MS),
    });
  const text = (call: Call): Promise<MemberResult<string>> => answer(connection, call, request);
  return {
    text,
    async json(call) {
      const result = await text(call);
      return result.type === 'ok' ? readJson(connection, result.value) : result;
    },
    async stream(path, signal) {
      const response = await streams.request({
        origin: server.origin,
        path: prefix + path,
        method: 'GET',
        headers: { ...authorization, accept: 'application/json', 'user-agent': 'lamiral' },
        signal,
      });
      if (response.statusCode === 200) return { body: response.body };
      return statusFailure(connection, response.statusCode, await response.body.text());
    },
    async close() {
      await Promise.all([calls.destroy(), streams.destroy()]);
    },
  };
}

function createAgent(connection: MemberConnection, options: Agent.Options): Agent {
  return new Agent({
    ...options,
    // One request at a time per connection: a slow answer delays nobody. Redirects are never followed (undici does not by itself).
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: {
      timeout: CONNECT_TIMEOUT_MS,
      rejectUnauthorized: !connection.insecure,
      ...(connection.caData ? { ca: connection.caData } : {}),
      ...(connection.certData ? { cert: connection.certData } : {}),
      ...(connection.keyData ? { key: connection.keyData } : {}),
    },
  });
}

async function answer(
  connection: MemberConnection,
  call: Call,
  request: (call: Call) => Promise<Dispatcher.ResponseData>,
): Promise<MemberResult<string>> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const response = await request(call);
      const body = await response.body.text();
      if (response.statusCode >= 200 && response.statusCode < 300) return { type: 'ok', value: body };
      return statusFailure(connection, response.statusCode, body);
    } catch (error) {
      // A kept connection that the member closed meanwhile: the request did nothing, or is safe to repeat.
      if (attempt === 0 && call.repeatable !== false && isDroppedConnection(error)) continue;
      return networkFailure(connection, error);
    }
  }
}

function readJson(connection: MemberConnection, text: string): MemberResult<JsonObject> {
  try {
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { type: 'ok', value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return unreachable(connection, 'other', 'it answered something that is not a Kubernetes object');
}
