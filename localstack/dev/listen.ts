/** Serves a Hono app over HTTPS on loopback. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { KeyPair } from '../tls.ts';

const HOST = '127.0.0.1';
/** kubectl and client-go keep connections for 90 s; closing earlier than the client races with its next request. */
const KEEP_ALIVE_MS = 120_000;
const PORTS_TRIED = 50;

/** The port that was asked for is in use by another program. */
export class PortTakenError extends Error {
  readonly port: number;
  constructor(port: number) {
    super(`port ${port} is taken by another program`);
    this.port = port;
  }
}

export type Listening = { url: string; port: number; close(): Promise<void> };

/** Listens on `wanted`; without `exact`, on the next free port above it. Throws PortTakenError. */
export async function serveHttps(app: Hono, pair: KeyPair, wanted: number, exact: boolean): Promise<Listening> {
  const server = createServer(
    { cert: pair.cert, key: pair.key, keepAliveTimeout: KEEP_ALIVE_MS, minVersion: 'TLSv1.2' },
    getRequestListener(app.fetch, { overrideGlobalObjects: true }),
  );
  server.requestTimeout = 60_000;
  server.headersTimeout = 20_000;
  for (let port = wanted; port < wanted + PORTS_TRIED; port += 1) {
    // A wanted port of 0 lets the system choose; a member whose old port was taken gets another one the same way.
    if (await tryListen(server, port)) {
      const bound = (server.address() as AddressInfo).port;
      return { port: bound, url: `https://${HOST}:${bound}`, close: () => closeServer(server) };
    }
    if (exact) throw new PortTakenError(port);
  }
  throw new PortTakenError(wanted);
}

function tryListen(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    };
    server.once('error', failed);
    server.listen(port, HOST, () => {
      server.off('error', failed);
      resolve(true);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    // What still runs gets a moment to end cleanly.
    setTimeout(() => server.closeAllConnections(), 1_000).unref();
  });
}
