/** The control socket: lets `lamiral cluster down|up` reach the running `dev`. Only this machine's user can open it. */
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { controlPath } from '../../shared/cli/local-control.ts';

/** What can be asked. `false`: there is no such simulated cluster. */
export type ControlActions = {
  down(cluster: string): Promise<boolean>;
  up(cluster: string): Promise<boolean>;
  names(): readonly string[];
};

/** Counters of the process since its start, for measurements: committed store and queue transactions, memory and processor time. */
export type Stats = { store: number; queue: number; rssBytes: number; cpuMs: number };

/** Opens the socket; resolves to a function that closes it. */
export async function openControl(dataDir: string, actions: ControlActions, stats: () => Stats): Promise<() => Promise<void>> {
  const path = controlPath(dataDir);
  if (process.platform !== 'win32') await rm(path, { force: true });
  const server = createServer((request, response) => {
    respond(actions, stats, request.method ?? '', request.url ?? '').then(
      ({ status, text }) => response.writeHead(status, { 'content-type': 'text/plain' }).end(text),
      (error: Error) => response.writeHead(500).end(`${error.message}\n`),
    );
  });
  await listen(server, path);
  if (process.platform !== 'win32') await chmod(path, 0o600);
  return async () => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    if (process.platform !== 'win32') await rm(path, { force: true });
  };
}

async function respond(
  actions: ControlActions,
  stats: () => Stats,
  method: string,
  url: string,
): Promise<{ status: number; text: string }> {
  if (url === '/') return { status: 200, text: 'lamiral dev\n' };
  if (url === '/stats') return { status: 200, text: JSON.stringify(stats()) };
  const match = /^\/clusters\/([^/]+)\/(down|up)$/.exec(url);
  if (!match || method !== 'POST') return { status: 404, text: `nothing is served at ${method} ${url}\n` };
  const name = decodeURIComponent(match[1] ?? '');
  const found = match[2] === 'down' ? await actions.down(name) : await actions.up(name);
  if (found) return { status: 200, text: 'ok\n' };
  return { status: 404, text: `there is no simulated cluster "${name}"; there are: ${actions.names().join(', ') || 'none'}\n` };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
