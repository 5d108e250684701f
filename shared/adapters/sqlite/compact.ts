/** Compaction: raises `min` over the oldest slots and drops what no version at or above it needs. Objects are never touched. */
import type { Clock } from '../../ports/system.ts';
import type { Committer } from './committer.ts';
import type { Database } from './database.ts';
import type { Scopes } from './scopes.ts';

/** `turnRows`: slots that one transaction looks at. */
export type CompactDeps = { database: Database; scopes: Scopes; committer: Committer; clock: Clock; turnRows: number };

const DELETED = 2;
type SlotRow = readonly [n: number, time: number, type: number, previous: number, position: number];

/** Drops entries older than `olderThanMs`, in short transactions with turns between; returns how many can no longer be replayed. */
export async function compact(deps: CompactDeps, olderThanMs: number): Promise<number> {
  const before = deps.clock.now() - olderThanMs;
  let dropped = 0;
  for (const { name } of deps.scopes.all()) {
    for (;;) {
      const step = await deps.committer.submit({ durable: false, run: () => compactStep(deps, name, before) });
      dropped += step;
      if (step < deps.turnRows) break;
    }
  }
  return dropped;
}

/**
 * One stretch from `min` up. A slot that falls below `min` takes with it the state it replaced, which only it still named;
 * a deletion goes itself as well. What stays below `min` is the current state of an object, or the previous one of a retained slot.
 */
function compactStep({ database, scopes, turnRows }: CompactDeps, name: string, before: number): number {
  const scope = scopes.find(name);
  if (!scope) return 0;
  const ceiling = Math.min(scope.n, ...[...scope.pins].map(({ n }) => n));
  const sql = 'SELECT n, time, type, previous, position FROM slot WHERE scope = ? AND n > ? AND n <= ? ORDER BY n LIMIT ?';
  const slots = database.rows<SlotRow>(sql, scope.id, scope.min, ceiling, turnRows);
  const young = slots.findIndex(([, time]) => time > before);
  const old = young < 0 ? slots : slots.slice(0, young);
  for (const [, , type, previous, position] of old) {
    if (previous !== 0) database.run('DELETE FROM slot WHERE position = ?', previous);
    if (type === DELETED) database.run('DELETE FROM slot WHERE position = ?', position);
  }
  const newest = old.at(-1)?.[0];
  if (newest === undefined) return 0;
  scope.min = newest;
  database.run('UPDATE sequence SET min = ? WHERE id = ?', newest, scope.id);
  return old.length;
}
