/**
 * Group commit. Jobs that arrive in one turn of the event loop run one after the other in one SQL transaction, so that they share
 * one flush to disk; each promise resolves only after COMMIT. A job checks before it writes, so it either does all it wants or nothing.
 */
import type { Database, Durability } from './database.ts';
import { GROUP_JOBS_MAX, POSITION_BLOCK } from './limits.ts';

/** One step of a transaction. */
export type Job<T> = {
  /** True: COMMIT waits for the disk (where the store is durable). False: what is lost with the power is found again by its sender. */
  durable: boolean;
  /** Runs inside the transaction; must not throw for expected outcomes. */
  run(): T;
  /** Runs after COMMIT, before the promise resolves. */
  committed?(result: T): void;
};

/** Where jobs are handed in. */
export type Committer = {
  /** Rejects when the medium fails (then nothing of the group was written), or when the store is closed. */
  submit<T>(job: Job<T>): Promise<T>;
  /** The next number in commit order. Only inside `run`. */
  nextPosition(): number;
  /** Called after a failed COMMIT: memory that mirrors tables must be read again. */
  onRollback(reload: () => void): void;
  /** Finishes what is pending and refuses the rest. */
  close(): void;
  isClosed(): boolean;
};

type Pending = { durable: boolean; run(): void; settle(error: unknown): void };

/** What every call answers once the store is closed. */
export function closedError(): Error {
  return new Error('the store is closed');
}

/** Serves one connection; `durability` `full` lets durable jobs wait for the disk. */
export function createCommitter(database: Database, durability: Durability): Committer {
  const positions = createPositions(database);
  const reloads: (() => void)[] = [positions.reload];
  const pending: Pending[] = [];
  let scheduled = false;
  let closed = false;
  let synchronous: Durability = 'full';

  const setSynchronous = (wanted: Durability) => {
    if (wanted === synchronous) return;
    database.exec(`PRAGMA synchronous = ${wanted}`);
    synchronous = wanted;
  };
  const commit = (group: readonly Pending[]) => {
    // The log keeps its order: a later flush makes earlier, unflushed commits durable too.
    setSynchronous(durability === 'full' && group.some((job) => job.durable) ? 'full' : 'normal');
    database.run('BEGIN');
    try {
      for (const job of group) job.run();
      database.run('COMMIT');
    } catch (error) {
      rollback(database);
      for (const reload of reloads) reload();
      return error ?? new Error('the transaction failed');
    }
    return undefined;
  };
  const flush = () => {
    scheduled = false;
    const group = pending.splice(0, GROUP_JOBS_MAX);
    if (group.length === 0) return;
    const error = commit(group);
    for (const job of group) job.settle(error);
    if (pending.length > 0) schedule();
  };
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    // After the requests that arrived with this turn, before the loop sleeps.
    setImmediate(flush);
  };

  return {
    submit<T>(job: Job<T>): Promise<T> {
      if (closed) return Promise.reject(closedError());
      return new Promise<T>((resolve, reject) => {
        pending.push(pendingJob(job, resolve, reject));
        schedule();
      });
    },
    nextPosition: positions.next,
    onRollback: (reload) => void reloads.push(reload),
    close() {
      closed = true;
      while (pending.length > 0) flush();
    },
    isClosed: () => closed,
  };
}

function pendingJob<T>(job: Job<T>, resolve: (value: T) => void, reject: (error: unknown) => void): Pending {
  let outcome: { result: T } | undefined;
  return {
    durable: job.durable,
    run() {
      outcome = { result: job.run() };
    },
    settle(error) {
      if (error !== undefined || !outcome) return reject(error);
      job.committed?.(outcome.result);
      resolve(outcome.result);
    },
  };
}

function rollback(database: Database): void {
  try {
    database.run('ROLLBACK');
  } catch {
    // SQLite already rolled back by itself (disk full, I/O error): nothing is open any more.
  }
}

/** Numbers in commit order, reserved in blocks so that no row needs to be written per number. */
function createPositions(database: Database): { next(): number; reload(): void } {
  let reserved = 0;
  let last = 0;
  const reload = () => {
    reserved = database.get<{ reserved: number }>('SELECT reserved FROM counter')?.reserved ?? 0;
    last = reserved;
  };
  reload();
  return {
    reload,
    next() {
      if (last >= reserved) {
        reserved = last + POSITION_BLOCK;
        database.run('UPDATE counter SET reserved = ?', reserved);
      }
      last += 1;
      return last;
    },
  };
}
