/**
 * What changed in a scope since a version H, as the state at H needs it: for every key written after H, the position of its image at H
 * (the `previous` of the key's first slot after H), or none where the key did not exist. Grows as the log grows while a list runs.
 */
import type { Database } from './database.ts';
import type { Scope } from './scopes.ts';

/** A key with the slot position of its state at H. */
export type Restored = { namespace: string; name: string; position: number };

export type Overlay = {
  /** Reads at most `rows` more slots; returns how many were read. */
  extend(rows: number): number;
  /** True when every slot up to the scope's newest was read. */
  isCurrent(): boolean;
  /** Keys that existed at H and changed since, after `from` and up to `to` (absent: to the end), in key order. */
  between(from: Key, to: Key | undefined): readonly Restored[];
};

/** A place in key order. */
export type Key = { namespace: string; name: string };

type SlotRow = readonly [n: number, namespace: string, name: string, previous: number];

/** `namespace` limits the keys that are kept. `scopeNow` is asked anew each time: a failed write replaces it. */
export function createOverlay(database: Database, scopeNow: () => Scope, at: number, namespace: string | undefined): Overlay {
  const seen = new Set<string>();
  const restored: Restored[] = [];
  let read = at;
  let sorted = true;
  return {
    isCurrent: () => read >= scopeNow().n,
    extend(rows) {
      const scope = scopeNow();
      if (read >= scope.n || rows <= 0) return 0;
      const sql = 'SELECT n, namespace, name, previous FROM slot WHERE scope = ? AND n > ? ORDER BY n LIMIT ?';
      const slots = database.rows<SlotRow>(sql, scope.id, read, rows);
      for (const [n, space, name, previous] of slots) {
        read = n;
        const key = `${space}\0${name}`;
        if (seen.has(key) || (namespace !== undefined && space !== namespace)) continue;
        seen.add(key);
        if (previous === 0) continue;
        restored.push({ namespace: space, name, position: previous });
        sorted = false;
      }
      return slots.length;
    },
    between(from, to) {
      if (restored.length === 0) return restored;
      if (!sorted) restored.sort(compareKeys);
      sorted = true;
      return restored.slice(firstAfter(restored, from), to ? firstAfter(restored, to) : restored.length);
    },
  };
}

/** Namespace, then name, by bytes: the order of SQLite's BINARY collation. */
export function compareKeys(a: Key, b: Key): number {
  return compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name);
}

const NOT_ASCII = /[^\0-\x7f]/;

function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  // UTF-16 and UTF-8 order differ beyond the basic plane only.
  if (NOT_ASCII.test(a) || NOT_ASCII.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** Index of the first key greater than `key`. */
function firstAfter(keys: readonly Key[], key: Key): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const candidate = keys[middle];
    if (candidate && compareKeys(candidate, key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
