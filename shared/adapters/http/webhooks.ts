/** HTTPS to webhooks over kept connections. Every failure is an answer, in the words that Go's client has for it. */

import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Http, HttpAnswer, HttpRequest } from '../../ports/system.ts';

/** Webhooks whose connections are kept. */
const AGENTS_MAX = 200;
const SOCKETS_MAX = 64;

/** `close` ends the kept connections. */
export function createHttp(): Http & { close(): void } {
  const agents = new Map<string, Agent>();
  const agentOf = ({ ca, connectTo }: HttpRequest): Agent => {
    const key = JSON.stringify([ca, connectTo]);
    const known = agents.get(key);
    if (known) return known;
    const made = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX, ...(ca === undefined ? {} : { ca }) });
    if (agents.size >= AGENTS_MAX) forget(agents);
    agents.set(key, made);
    return made;
  };
  return {
    send: (asked) => send(asked, agentOf(asked)),
    close: () => forget(agents),
  };
}

function forget(agents: Map<string, Agent>): void {
  for (const agent of agents.values()) agent.destroy();
  agents.clear();
}

function send(asked: HttpRequest, agent: Agent): Promise<HttpAnswer> {
  const { method, headers, body, connectTo, timeoutMs, bodyBytesMax } = asked;
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve({ type: 'failure', reason: reasonOf(asked, error) });
    try {
      const url = new URL(asked.url);
      const target = connectTo ? { host: connectTo.host, port: connectTo.port, servername: url.hostname } : {};
      const options = {
        agent,
        method,
        headers: { ...headers, host: url.host, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
        signal: AbortSignal.timeout(timeoutMs),
        ...target,
      };
      const sent = request(url, options, (response) => {
        read(response, bodyBytesMax).then(resolve, fail);
      });
      sent.on('error', fail);
      sent.end(body);
    } catch (error) {
      fail(error);
    }
  });
}

async function read(response: IncomingMessage, bodyBytesMax: number): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyBytesMax) {
      response.destroy();
      return { type: 'failure', reason: `the answer has more than ${bodyBytesMax} bytes` };
    }
    chunks.push(chunk);
  }
  return { type: 'answer', status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') };
}

const UNKNOWN_AUTHORITY = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
const CERTIFICATE_REASONS: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
};

function reasonOf({ url, connectTo }: HttpRequest, error: unknown): string {
  const { code = '', name = '', message = String(error) } = error as { code?: string; name?: string; message?: string };
  if (name === 'TimeoutError' || name === 'AbortError' || code === 'ABORT_ERR') return 'context deadline exceeded';
  const { hostname, port } = new URL(url);
  const address = connectTo ? `${connectTo.host}:${connectTo.port}` : `${hostname}:${port || 443}`;
  if (code === 'ECONNREFUSED') return `dial tcp ${address}: connect: connection refused`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname}: no such host`;
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `dial tcp ${address}: connect: no route to host`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `tls: failed to verify certificate: x509: certificate is not valid for ${hostname}`;
  if (code === 'ECONNRESET') return 'EOF';
  return CERTIFICATE_REASONS[code] ?? message;
}
