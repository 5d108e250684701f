/** Records: small versioned items beside the log. */
import type { Records, RecordWrite, StoreRecord } from '../../ports/object-store.ts';
import type { Committer } from './committer.ts';
import type { Database } from './database.ts';

type RecordRow = { owner: string; cluster: string; version: number; parked_for: string | null; body: string };

/** Applies record writes inside a transaction. */
export type RecordWriter = {
  /** True when the record moved since it was read. */
  isStale(write: RecordWrite): boolean;
  apply(write: RecordWrite): void;
};

/** Versions come from the store's own numbering, so a record that is removed and made again never shows an old version. */
export function createRecordWriter(database: Database, nextPosition: () => number): RecordWriter {
  return {
    isStale({ owner, cluster, expected }) {
      if (expected === undefined) return false;
      const version = database.get<{ version: number }>(
        'SELECT version FROM record WHERE owner = ? AND cluster = ?',
        owner,
        cluster,
      )?.version;
      return (version ?? 0) !== expected;
    },
    apply({ owner, cluster, body, parkedFor }) {
      if (body === null) {
        database.run('DELETE FROM record WHERE owner = ? AND cluster = ?', owner, cluster);
        return;
      }
      database.run(
        'INSERT OR REPLACE INTO record (owner, cluster, version, parked_for, body) VALUES (?, ?, ?, ?, ?)',
        owner,
        cluster,
        nextPosition(),
        parkedFor ?? null,
        body,
      );
    },
  };
}

/** The port. `onWritten` counts transactions that changed something. */
export function createRecords(database: Database, committer: Committer, writer: RecordWriter, onWritten: () => void): Records {
  return {
    async ofOwner(owner) {
      return database.all<RecordRow>('SELECT * FROM record WHERE owner = ? ORDER BY cluster', owner).map(toRecord);
    },
    async get(owner, cluster) {
      const row = database.get<RecordRow>('SELECT * FROM record WHERE owner = ? AND cluster = ?', owner, cluster);
      return row && toRecord(row);
    },
    async parkedFor(cluster, limit) {
      const sql = 'SELECT * FROM record WHERE parked_for = ? ORDER BY owner, cluster LIMIT ?';
      return database.all<RecordRow>(sql, cluster, limit).map(toRecord);
    },
    write(writes) {
      const run = () => {
        const stale: RecordWrite[] = [];
        // One after the other: the second write of one record must see the first.
        for (const write of writes) {
          if (writer.isStale(write)) stale.push(write);
          else writer.apply(write);
        }
        return { stale };
      };
      const committed = ({ stale }: { stale: RecordWrite[] }) => {
        if (stale.length < writes.length) onWritten();
      };
      return committer.submit({ durable: true, run, committed });
    },
  };
}

function toRecord({ owner, cluster, version, parked_for: parkedFor, body }: RecordRow): StoreRecord {
  return { owner, cluster, version, body, ...(parkedFor === null ? {} : { parkedFor }) };
}
