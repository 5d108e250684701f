/** One process at a time on one data folder: a lock file that names its holder, and survives nobody. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { controlPath, type LockInfo, lockPath } from '../../shared/cli/local-control.ts';

/** Somebody else holds the data; `holder` says who. */
export class LockedError extends Error {
  readonly holder: LockInfo;
  constructor(holder: LockInfo) {
    super(`process ${holder.pid} holds it since ${holder.startedAt}${holder.url === '' ? '' : ` and serves ${holder.url}`}`);
    this.holder = holder;
  }
}

export type Lock = { publish(url: string): Promise<void>; release(): Promise<void> };

/** How long a starting process may take before its control socket answers; an older silent lock is left over from another process of that number. */
const START_GRACE_MS = 30_000;

/** Takes the lock, or throws LockedError. A lock whose process is gone is taken over. */
export async function takeLock(dataDir: string, now: () => number): Promise<Lock> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = lockPath(dataDir);
  const info: LockInfo = { pid: process.pid, startedAt: new Date(now()).toISOString(), url: '' };
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (await createExclusively(path, info)) {
      return {
        publish: (url) => writeFile(path, JSON.stringify({ ...info, url })),
        release: () => rm(path, { force: true }),
      };
    }
    const holder = await readHolder(path);
    if (holder && (await isHeld(holder, dataDir, now()))) throw new LockedError(holder);
    await rm(path, { force: true });
  }
  throw new Error(`the lock ${path} could not be taken: another process takes it at the same time; try again`);
}

async function createExclusively(path: string, info: LockInfo): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(info), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function readHolder(path: string): Promise<LockInfo | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as LockInfo;
  } catch {
    return undefined;
  }
}

async function isHeld(holder: LockInfo, dataDir: string, now: number): Promise<boolean> {
  if (!isAlive(holder.pid)) return false;
  if (now - Date.parse(holder.startedAt) < START_GRACE_MS) return true;
  // The number may have passed to an unrelated process after a crash: only ours answers on the control socket.
  return answers(controlPath(dataDir));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request({ socketPath, path: '/', timeout: 2_000 }, (response) => {
      response.resume();
      resolve(true);
    });
    call.on('error', () => resolve(false));
    call.on('timeout', () => {
      call.destroy();
      resolve(false);
    });
    call.end();
  });
}
