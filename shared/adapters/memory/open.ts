/** The in-memory store: the SQLite one on `:memory:`, so that there is one implementation. Nothing outlives the process. */
import type { Clock } from '../../ports/system.ts';
import { openSqlite, type SqliteStore } from '../sqlite/open.ts';

/** A fresh, empty store and queue. */
export function openMemory(options: { clock: Clock; receivesMax?: number; turnRows?: number }): SqliteStore {
  return openSqlite({ path: ':memory:', durability: 'normal', ...options });
}
