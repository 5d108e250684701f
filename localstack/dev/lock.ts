/**
 * One process at a time on one data folder. The store's kernel lock decides, because it ends with its process however that dies; the lock file
 * beside it only tells who holds it.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { FileInUseError } from '../../shared/adapters/sqlite/database.ts';
import { type LockInfo, lockPath, readLock } from '../../shared/cli/local-control.ts';

/** Somebody else holds the data; the message says who, as far as is known. */
export class LockedError extends Error {
  constructor(holder: LockInfo | undefined) {
    super(
      holder
        ? `process ${holder.pid} holds it since ${holder.startedAt}${holder.url === '' ? '' : ` and serves ${holder.url}`}`
        : 'another process holds it',
    );
  }
}

export type Lock<T> = { held: T; publish(url: string): Promise<void>; release(): Promise<void> };

/** Opens what carries the lock (`open` throws FileInUseError when another process has it) and says so in the lock file. Throws LockedError. */
export async function takeLock<T>(dataDir: string, now: () => number, open: () => T): Promise<Lock<T>> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const held = await openOrName(dataDir, open);
  const path = lockPath(dataDir);
  const info: LockInfo = { pid: process.pid, startedAt: new Date(now()).toISOString(), url: '' };
  const write = (lock: LockInfo) => writeFile(path, JSON.stringify(lock), { mode: 0o600 });
  await write(info);
  return { held, publish: (url) => write({ ...info, url }), release: () => rm(path, { force: true }) };
}

async function openOrName<T>(dataDir: string, open: () => T): Promise<T> {
  try {
    return open();
  } catch (error) {
    if (error instanceof FileInUseError) throw new LockedError(await readLock(dataDir));
    throw error;
  }
}
