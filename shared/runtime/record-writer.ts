/**
 * Gathers the records that workers finish at about the same time into one store write: the clusters of one object, or the objects of one
 * batch. A record waits until everybody at work waits for it too, or `gatherMs`, whichever comes first.
 */
import type { Records, RecordWrite } from '../ports/object-store.ts';
import type { Clock } from '../ports/system.ts';
import { RECORD_GATHER_MS, RECORDS_PER_WRITE_MAX } from './limits.ts';

export type RecordWriter = {
  /** Writes one record. False: somebody else wrote it since it was read; nothing was written. Rejects when the store fails. */
  write(record: RecordWrite): Promise<boolean>;
  /** Says that a piece of work began that may end in a record; the returned function says that it ended. */
  begin(): () => void;
};

type Waiting = { record: RecordWrite; resolve: (written: boolean) => void; reject: (error: unknown) => void };

/** A gathering writer over the store's records. One per process and function. */
export function createRecordWriter(
  records: Pick<Records, 'write'>,
  clock: Clock,
  options: { gatherMs?: number; max?: number } = {},
): RecordWriter {
  const gatherMs = options.gatherMs ?? RECORD_GATHER_MS;
  const max = options.max ?? RECORDS_PER_WRITE_MAX;
  let waiting: Waiting[] = [];
  let working = 0;
  let timer: AbortController | undefined;

  const flush = (): void => {
    timer?.abort('flushed');
    timer = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) void writeBatch(records, batch);
  };
  const arm = (): void => {
    const armed = new AbortController();
    timer = armed;
    void clock.sleep(gatherMs, armed.signal).then(() => {
      if (timer === armed) flush();
    });
  };
  return {
    write(record) {
      return new Promise((resolve, reject) => {
        waiting.push({ record, resolve, reject });
        if (waiting.length >= max || waiting.length >= working) flush();
        else if (!timer) arm();
      });
    },
    begin() {
      working += 1;
      return () => {
        working -= 1;
        if (waiting.length > 0 && waiting.length >= working) flush();
      };
    },
  };
}

async function writeBatch(records: Pick<Records, 'write'>, batch: readonly Waiting[]): Promise<void> {
  try {
    const { stale } = await records.write(batch.map((entry) => entry.record));
    const lost = new Set(stale.map(keyOf));
    for (const entry of batch) entry.resolve(!lost.has(keyOf(entry.record)));
  } catch (error) {
    for (const entry of batch) entry.reject(error);
  }
}

function keyOf(record: RecordWrite): string {
  return `${record.owner}\n${record.cluster}`;
}
