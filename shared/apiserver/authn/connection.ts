/** What the listener hands in beside the Request, through Hono's env. */
import type { Connection } from '../server.ts';

/** As @hono/node-server has it: Node's own request. */
type NodeBindings = { incoming?: { rawHeaders?: readonly string[]; socket?: { remoteAddress?: string } } };

/**
 * The connection behind a request. A listener that knows more (a certificate that a gateway has verified, headers as they came) gives a whole
 * `connection` in the env; Node's own request is understood as it is; nothing is known of any other.
 */
export function connectionOf(env: unknown): Connection | undefined {
  if (typeof env !== 'object' || env === null) return undefined;
  const { connection, incoming } = env as NodeBindings & { connection?: Connection };
  if (connection) return connection;
  if (!incoming?.rawHeaders) return undefined;
  const remoteAddress = incoming.socket?.remoteAddress;
  return { rawHeaders: incoming.rawHeaders, ...(remoteAddress === undefined ? {} : { remoteAddress }) };
}
