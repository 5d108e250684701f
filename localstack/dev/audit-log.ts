/** The audit log of one laptop: JSON lines in a file of its owner, written in batches beside the requests, turned over at a limit. */
import { appendFile, rename, stat } from 'node:fs/promises';
import type { AuditEvent } from '../../shared/apiserver/audit/event.ts';
import type { Log } from '../../shared/ports/system.ts';

/** A file above this becomes `<path>.1`, and the one that was that is gone. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** Lines wait this long for others to be written with. */
const FLUSH_MS = 200;
/** Events that wait while the disk is slow; what comes beyond is counted and dropped. */
const WAITING_MAX = 20_000;

export type AuditLog = {
  /** Takes an event at once; it is on disk within a moment. */
  write(event: AuditEvent): void;
  /** Writes what waits. */
  close(): Promise<void>;
};

/** Opens the log. A disk that refuses is said once per failure and never stops a request. Rejects when the path cannot be looked at. */
export async function openAuditLog(path: string, log: Log, fileBytesMax = FILE_BYTES_MAX): Promise<AuditLog> {
  let size = await sizeOf(path);
  let waiting: AuditEvent[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const flush = async (): Promise<void> => {
    timer = undefined;
    const events = waiting;
    waiting = [];
    if (events.length === 0) return;
    const text = `${events.map((event) => JSON.stringify(event)).join('\n')}\n`;
    try {
      if (size > 0 && size + text.length > fileBytesMax) {
        await rename(path, `${path}.1`);
        size = 0;
      }
      await appendFile(path, text, { mode: 0o600 });
      size += Buffer.byteLength(text);
    } catch (error) {
      log.error('audit records could not be written', { path, lost: events.length, error: String(error) });
    }
    if (dropped > 0) log.error('audit records were dropped: the disk is slower than the requests', { path, lost: dropped });
    dropped = 0;
  };
  const flushNext = () => {
    writing = writing.then(flush);
    return writing;
  };
  return {
    write(event) {
      if (waiting.length >= WAITING_MAX) {
        dropped += 1;
        return;
      }
      waiting.push(event);
      timer ??= setTimeout(flushNext, FLUSH_MS);
    },
    async close() {
      clearTimeout(timer);
      await flushNext();
    },
  };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
