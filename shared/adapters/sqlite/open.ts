/** The door of the SQLite adapter: store and work queue over one file, or in memory. docs/storage.md tells what it promises. */
import { randomUUID } from 'node:crypto';
import type { Cursors, ObjectStore, Store, WriteOutcome } from '../../ports/object-store.ts';
import type { Clock } from '../../ports/system.ts';
import type { WorkQueue } from '../../ports/work-queue.ts';
import { type Committer, closedError, createCommitter } from './committer.ts';
import { compact } from './compact.ts';
import { type Database, type Durability, openDatabase } from './database.ts';
import { RECEIVES_MAX, TURN_ROWS } from './limits.ts';
import { createTails, list } from './list.ts';
import { createWorkQueue } from './queue/queue.ts';
import { createQueueTable } from './queue/table.ts';
import { readChanges, readDependents, readFeed } from './read.ts';
import { createRecords, createRecordWriter } from './records.ts';
import { createScopes, type Scopes } from './scopes.ts';
import { FIRST_N, formatVersion } from './versions.ts';
import { applyBatch, readCurrent, validateBatch } from './write.ts';

export type { Durability };

/** What opening needs. */
export type SqliteOptions = {
  /** A file, made when absent, or `:memory:`. */
  path: string;
  durability: Durability;
  clock: Clock;
  /** Deliveries before a message is dead; 5 when absent. */
  receivesMax?: number;
  /** Rows per turn of the event loop; 500 when absent. Tests make it small to interleave more. */
  turnRows?: number;
};

/** Store and queue over one file. */
export type SqliteStore = {
  store: Store;
  queue: WorkQueue;
  /**
   * What was committed since opening. `store`: write batches and Records.write calls that changed something, each counted once even where
   * several shared one SQL transaction. `queue`: calls that changed the queue or a cursor.
   */
  transactions(): { store: number; queue: number };
  /** Finishes what was begun, ends waiting receivers and frees the file. Later calls reject. */
  close(): Promise<void>;
};

type Parts = {
  database: Database;
  committer: Committer;
  scopes: Scopes;
  clock: Clock;
  turnRows: number;
  counts: { store: number; queue: number };
};

/** Opens the file for this process alone. Throws an Error that names the file when another process has it. */
export function openSqlite(options: SqliteOptions): SqliteStore {
  const { clock, turnRows = TURN_ROWS, receivesMax = RECEIVES_MAX } = options;
  const database = openDatabase(options.path);
  const committer = createCommitter(database, options.durability);
  const scopes = createScopes(database);
  committer.onRollback(scopes.reload);
  const counts = { store: 0, queue: 0 };
  const table = createQueueTable({ database, nextPosition: committer.nextPosition, receivesMax, opening: randomUUID() });
  committer.onRollback(table.reload);
  const onWritten = () => {
    counts.queue += 1;
  };
  const work = createWorkQueue({ table, committer, clock, onWritten });
  const close = async () => {
    if (committer.isClosed()) return;
    work.close();
    committer.close();
    database.close();
  };
  const store = createStore({ database, committer, scopes, clock, turnRows, counts }, close);
  return { store, queue: work.queue, transactions: () => ({ ...counts }), close };
}

function createStore(parts: Parts, close: () => Promise<void>): Store {
  const { database, committer, scopes, counts } = parts;
  const listeners = new Set<(changed: readonly string[]) => void>();
  const writer = createRecordWriter(database, committer.nextPosition);
  const open = () => {
    if (committer.isClosed()) throw closedError();
  };
  const countStore = () => {
    counts.store += 1;
  };
  return {
    objects: createObjects({ ...parts, open, notify: createNotifier(listeners), countStore, writer }),
    lanes: {
      async head(name) {
        open();
        const { n, min } = scopes.find(name) ?? { n: FIRST_N, min: FIRST_N };
        return { current: formatVersion(n), oldest: formatVersion(min) };
      },
      compact: (olderThanMs) => compact(parts, olderThanMs),
      onCommit(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    feed: {
      async read(cursor, limit) {
        open();
        return readFeed(parts, cursor, limit);
      },
    },
    records: createRecords(database, committer, writer, countStore),
    index: {
      async dependents(uid) {
        open();
        return readDependents(parts, uid);
      },
    },
    cursors: createCursors(parts),
    close,
  };
}

type ObjectsDeps = Parts & {
  open(): void;
  notify(changed: readonly string[]): void;
  countStore(): void;
  writer: ReturnType<typeof createRecordWriter>;
};

function createObjects(deps: ObjectsDeps): ObjectStore {
  const { committer, open, notify, writer } = deps;
  const writeDeps = { ...deps, records: writer, nextPosition: committer.nextPosition };
  const listDeps = { ...deps, tails: createTails() };
  return {
    async get(ref) {
      open();
      return readCurrent(deps, ref);
    },
    async write(batch) {
      validateBatch(batch);
      const committed = (outcome: WriteOutcome) => {
        if (outcome.type !== 'committed') return;
        deps.countStore();
        notify(batch.operations.map(({ object }) => object.scope));
      };
      return committer.submit({ durable: true, run: () => applyBatch(writeDeps, batch), committed });
    },
    async list(query) {
      open();
      return list(listDeps, query);
    },
    async changes(query) {
      open();
      return readChanges(deps, query);
    },
  };
}

/** Collects the scopes of a group of commits and tells them once, after the promises of the group have resolved. */
function createNotifier(listeners: ReadonlySet<(changed: readonly string[]) => void>): (changed: readonly string[]) => void {
  let waiting = new Set<string>();
  return (changed) => {
    if (waiting.size === 0 && changed.length > 0)
      queueMicrotask(() => {
        const told = [...waiting];
        waiting = new Set();
        for (const listener of listeners) listener(told);
      });
    for (const scope of changed) waiting.add(scope);
  };
}

function createCursors({ database, committer, counts }: Parts): Cursors {
  const value = (name: string) => database.get<{ value: string }>('SELECT value FROM cursor WHERE name = ?', name)?.value ?? '';
  return {
    async load(name) {
      if (committer.isClosed()) throw closedError();
      return value(name);
    },
    store(name, next, expected) {
      const run = () => {
        if (value(name) !== expected) return false;
        database.run('INSERT OR REPLACE INTO cursor VALUES (?, ?)', name, next);
        return true;
      };
      const committed = (moved: boolean) => {
        if (moved) counts.queue += 1;
      };
      return committer.submit({ durable: false, run, committed });
    },
  };
}
