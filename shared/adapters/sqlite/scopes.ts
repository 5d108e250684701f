/** The state of every scope's log, mirrored in memory: this process alone has the file, so no read is needed to write. */
import type { Database } from './database.ts';
import { FIRST_N } from './versions.ts';

/** `n`: the newest position; `min`: the oldest that can be replayed from. `pins`: positions that running lists still need. */
export type Scope = { id: number; name: string; n: number; min: number; pins: Set<{ n: number }> };

/** All scopes that were ever written to. */
export type Scopes = {
  find(name: string): Scope | undefined;
  byId(id: number): Scope | undefined;
  /** Registers the scope at its first write. Inside a transaction only. */
  ensure(name: string): Scope;
  all(): readonly Scope[];
  reload(): void;
};

type SequenceRow = { id: number; scope: string; min: number; last: number | null };

/** Reads the table; `n` is the newest slot, or `min` where compaction dropped them all. */
export function createScopes(database: Database): Scopes {
  const byName = new Map<string, Scope>();
  const byNumber = new Map<number, Scope>();
  const keep = (scope: Scope) => {
    byName.set(scope.name, scope);
    byNumber.set(scope.id, scope);
    return scope;
  };
  const reload = () => {
    const pins = new Map([...byName].map(([name, scope]) => [name, scope.pins]));
    byName.clear();
    byNumber.clear();
    const rows = database.all<SequenceRow>(
      'SELECT id, scope, min, (SELECT max(n) FROM slot WHERE slot.scope = sequence.id) AS last FROM sequence',
    );
    for (const { id, scope, min, last } of rows)
      keep({ id, name: scope, n: Math.max(min, last ?? 0), min, pins: pins.get(scope) ?? new Set() });
  };
  reload();
  return {
    find: (name) => byName.get(name),
    byId: (id) => byNumber.get(id),
    all: () => [...byName.values()],
    reload,
    ensure(name) {
      const known = byName.get(name);
      if (known) return known;
      database.run('INSERT INTO sequence (scope, min) VALUES (?, ?)', name, FIRST_N);
      const id = database.get<{ id: number }>('SELECT id FROM sequence WHERE scope = ?', name)?.id ?? 0;
      return keep({ id, name, n: FIRST_N, min: FIRST_N, pins: new Set() });
    },
  };
}
