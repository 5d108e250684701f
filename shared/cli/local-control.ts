/** The control socket of a running `lamiral dev`: how other commands reach it. Paths and the one request. */
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { CommandError } from './command.ts';

/** Default data folder, relative to where a command is run. */
export const DATA_DIR = '.lamiral';

/** What `dev` writes into its lock: who holds the data. `startedAt` is RFC 3339. */
export type LockInfo = { pid: number; startedAt: string; url: string };

export const lockPath = (dataDir: string): string => join(dataDir, 'lock');

/** A named pipe on Windows, where a socket file cannot be. */
export function controlPath(dataDir: string): string {
  if (process.platform !== 'win32') return join(dataDir, 'control.sock');
  return `\\\\.\\pipe\\lamiral-${Buffer.from(dataDir).toString('hex').slice(-64)}`;
}

/** Who holds the data, or undefined. A lock that cannot be read counts as none. */
export async function readLock(dataDir: string): Promise<LockInfo | undefined> {
  try {
    return JSON.parse(await readFile(lockPath(dataDir), 'utf8')) as LockInfo;
  } catch {
    return undefined;
  }
}

/** One call to the running `dev`; throws a CommandError when none answers. Resolves to status and body. */
export async function callDev(dataDir: string, method: string, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: controlPath(dataDir), method, path, timeout: 10_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    call.on('timeout', () => call.destroy(new Error('no answer within 10 s')));
    call.on('error', () =>
      reject(
        new CommandError(
          `no running lamiral was found for the data in ${dataDir}`,
          'Start one with `npm start` (lamiral dev), or name its data with --data DIR.',
        ),
      ),
    );
    call.end();
  });
}
