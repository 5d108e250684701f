/** Opens the file: pragmas, tables, and the lock that keeps a second process out. */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { BUSY_TIMEOUT_MS, CACHE_KIB, CHECKPOINT_PAGES } from './limits.ts';

/** Another live process has the file; the kernel frees it when that process ends, however it ends. */
export class FileInUseError extends Error {
  constructor(path: string, cause: unknown) {
    super(`${path} is open in another process; end that process or choose another data folder`, { cause });
    this.name = 'FileInUseError';
  }
}

/** How a store is kept: `full` survives loss of power, `normal` only the death of the process. */
export type Durability = 'full' | 'normal';

/** The connection, and statements by their text: each is prepared once and kept. */
export type Database = {
  /** First row as an object keyed by column, or undefined. */
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[];
  /** Rows as arrays of values: about a third faster where there are many. */
  rows<Row extends readonly unknown[]>(sql: string, ...values: SQLInputValue[]): Row[];
  /** Number of rows that were changed. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** Text that is not worth keeping: pragmas, tables. */
  exec(sql: string): void;
  close(): void;
};

const FORMAT = 1;
const MEMORY = ':memory:';

/**
 * `slot` holds every version's body once, in commit order; `object` points at the current one. So a write appends one large row
 * and touches one small one, and the state before a change is always at hand. `position` numbers rows of all tables in commit order.
 */
const TABLES = `
  CREATE TABLE counter (id INTEGER PRIMARY KEY CHECK (id = 1), reserved INTEGER NOT NULL);
  INSERT INTO counter VALUES (1, 0);
  CREATE TABLE sequence (id INTEGER PRIMARY KEY, scope TEXT NOT NULL UNIQUE, min INTEGER NOT NULL);
  CREATE TABLE slot (
    position INTEGER PRIMARY KEY, scope INTEGER NOT NULL, n INTEGER NOT NULL, type INTEGER NOT NULL, previous INTEGER NOT NULL,
    time INTEGER NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, uid TEXT NOT NULL, writer TEXT NOT NULL,
    owners TEXT NOT NULL, labels TEXT NOT NULL, fields TEXT NOT NULL, managed TEXT NOT NULL, body TEXT NOT NULL
  );
  CREATE UNIQUE INDEX slot_by_scope ON slot (scope, n);
  CREATE TABLE object (
    scope INTEGER NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, n INTEGER NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (scope, namespace, name)
  ) WITHOUT ROWID;
  CREATE TABLE owner (
    uid TEXT NOT NULL, scope INTEGER NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (uid, scope, namespace, name)
  ) WITHOUT ROWID;
  CREATE TABLE record (
    owner TEXT NOT NULL, cluster TEXT NOT NULL, version INTEGER NOT NULL, parked_for TEXT, body TEXT NOT NULL,
    PRIMARY KEY (owner, cluster)
  ) WITHOUT ROWID;
  CREATE INDEX record_parked ON record (parked_for, owner, cluster) WHERE parked_for IS NOT NULL;
  CREATE TABLE cursor (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE queue (
    position INTEGER PRIMARY KEY, queue TEXT NOT NULL, groupId TEXT NOT NULL, dedupeId TEXT NOT NULL,
    receives INTEGER NOT NULL, sentAt INTEGER NOT NULL, body TEXT NOT NULL
  );
  CREATE TABLE dedupe (queue TEXT NOT NULL, dedupeId TEXT NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY (queue, dedupeId)) WITHOUT ROWID;
  CREATE INDEX dedupe_expires ON dedupe (expires);
  CREATE TABLE timer (
    position INTEGER PRIMARY KEY, queue TEXT NOT NULL, due INTEGER NOT NULL, groupId TEXT NOT NULL, dedupeId TEXT NOT NULL, body TEXT NOT NULL
  );
  CREATE INDEX timer_due ON timer (queue, due);
  CREATE TABLE dead (
    position INTEGER PRIMARY KEY, queue TEXT NOT NULL, groupId TEXT NOT NULL, dedupeId TEXT NOT NULL,
    receives INTEGER NOT NULL, diedAt INTEGER NOT NULL, body TEXT NOT NULL
  );
  CREATE INDEX dead_by_queue ON dead (queue, position);
  PRAGMA user_version = ${FORMAT};
`;

/**
 * Opens or creates the file (mode 0600: it holds Secrets) and takes it for this process until `close` or death.
 * Throws an Error that names the file when another holds it or when it is of another format.
 */
export function openDatabase(path: string): Database {
  if (path !== MEMORY) closeSync(openSync(path, 'a', 0o600));
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    prepareFile(connection, path);
  } catch (error) {
    connection.close();
    throw explained(error, path);
  }
  return wrap(connection);
}

function prepareFile(connection: DatabaseSync, path: string): void {
  // Exclusive before the first access: the lock is the kernel's, so it ends with the process, however that dies, and no shared memory is needed.
  connection.exec('PRAGMA locking_mode = EXCLUSIVE');
  connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF;
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA journal_size_limit = 67108864`);
  connection.exec('BEGIN IMMEDIATE');
  const format = connection.prepare('PRAGMA user_version').get()?.user_version;
  if (format === 0) connection.exec(TABLES);
  connection.exec('COMMIT');
  if (format === 0 || format === FORMAT) return;
  throw new Error(
    `${path} has format ${format}; this version reads format ${FORMAT}. Use the version that wrote it, or delete the data.`,
  );
}

const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;

function explained(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  if (code === SQLITE_BUSY) return new FileInUseError(path, error);
  if (code === SQLITE_NOTADB) return new Error(`${path} is not a store: the file is no SQLite database`, { cause: error });
  return error;
}

function wrap(connection: DatabaseSync): Database {
  const byObject = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  const byArray = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  const prepared = (kept: typeof byObject, sql: string, arrays: boolean) => {
    const known = kept.get(sql);
    if (known) return known;
    const statement = connection.prepare(sql);
    statement.setReturnArrays(arrays);
    kept.set(sql, statement);
    return statement;
  };
  return {
    get: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(byObject, sql, false).get(...values) as Row | undefined,
    all: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(byObject, sql, false).all(...values) as Row[],
    rows: <Row extends readonly unknown[]>(sql: string, ...values: SQLInputValue[]) =>
      prepared(byArray, sql, true).all(...values) as unknown as Row[],
    run: (sql, ...values) => Number(prepared(byObject, sql, false).run(...values).changes),
    exec: (sql) => connection.exec(sql),
    close: () => connection.close(),
  };
}
