/**
 * LIST: the exact state of a scope at one version, however many turns of the event loop it takes. Each turn reads the log up to now, then a stretch
 * of keys: what has not changed since the version comes from the objects, what has changed from the images that the log kept.
 */
import type { ListOutcome, ListQuery, StoredObject } from '../../ports/object-store.ts';
import type { Database } from './database.ts';
import { COUNTED_PER_ROW, TAILS_MAX } from './limits.ts';
import { compareKeys, createOverlay, type Key, type Overlay, type Restored } from './overlay.ts';
import { storedObject, VERSION_COLUMNS, type VersionRow } from './rows.ts';
import type { Scope, Scopes } from './scopes.ts';
import { FIRST_N, formatVersion, positionAt } from './versions.ts';

/** `turnRows`: rows that one turn of the event loop may read. */
export type ListDeps = { database: Database; scopes: Scopes; tails: Tails; turnRows: number };

/** One running list. */
type Run = { deps: ListDeps; query: ListQuery; scopeNow: () => Scope; at: number; overlay: Overlay };
/** What a turn found: items after the last key, and the key to go on after (absent: the end). */
type Stretch = { items: StoredObject[]; end: Key | undefined };

const TURN = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Answers the query. Rejects with RangeError for a version that is none. */
export async function list(deps: ListDeps, query: ListQuery): Promise<ListOutcome> {
  const unwritten: Scope = { id: -1, name: query.scope, n: FIRST_N, min: FIRST_N, pins: new Set() };
  const scopeNow = () => deps.scopes.find(query.scope) ?? unwritten;
  const scope = scopeNow();
  const asked = query.from?.resourceVersion ?? query.exact;
  const at = asked === undefined ? scope.n : positionAt(asked);
  if (at > scope.n) return { type: 'future', current: formatVersion(scope.n) };
  if (at < scope.min) return { type: 'expired', oldest: formatVersion(scope.min) };
  // Compaction stops at the pin while this list runs.
  const pin = { n: at };
  scope.pins.add(pin);
  try {
    const overlay = createOverlay(deps.database, scopeNow, at, query.namespace);
    return await readPage({ deps, query, scopeNow, at, overlay });
  } finally {
    scope.pins.delete(pin);
  }
}

async function readPage(run: Run): Promise<ListOutcome> {
  const { query, deps } = run;
  const limit = query.limit === undefined || query.limit <= 0 ? Number.POSITIVE_INFINITY : query.limit;
  const items: StoredObject[] = [];
  let after: Key | undefined = startKey(query);
  while (after && items.length < limit) {
    const room = await catchUp(run);
    const stretch = readStretch(run, after, Math.min(limit - items.length, room));
    for (const item of stretch.items) items.push(item);
    after = stretch.end;
    if (after && items.length < limit) await TURN();
  }
  const resourceVersion = formatVersion(run.at);
  const last = items.at(-1);
  if (!after || !last) return { type: 'page', items, resourceVersion };
  const remaining = deps.tails.take(run.query, run.at, items.length) ?? (await countAfter(run, last));
  if (remaining === 0) return { type: 'page', items, resourceVersion };
  const next = { resourceVersion, namespace: last.namespace, name: last.name };
  deps.tails.keep({ ...query, from: next }, run.at, remaining);
  return { type: 'page', items, resourceVersion, next, remaining };
}

function startKey({ from, namespace }: ListQuery): Key {
  return from ? { namespace: from.namespace, name: from.name } : { namespace: namespace ?? '', name: '' };
}

/** Reads the log until nothing is missing, over as many turns as that needs; returns how many rows this turn may still read. */
async function catchUp({ overlay, deps }: Run): Promise<number> {
  for (;;) {
    const room = deps.turnRows - overlay.extend(deps.turnRows);
    if (overlay.isCurrent() && room > 0) return room;
    await TURN();
  }
}

const ALL = 'o.scope = ? AND (o.namespace, o.name) > (?, ?)';
const ONE = 'o.scope = ? AND o.namespace = ? AND o.name > ?';
const ORDERED = 'ORDER BY o.namespace, o.name LIMIT ?';
const JOINED = `SELECT ${VERSION_COLUMNS} FROM object o JOIN slot s ON s.position = o.position WHERE`;

/** At most `want` items after a key, from one consistent moment: the log was read up to now in this very turn. */
function readStretch({ deps, query, scopeNow, at, overlay }: Run, after: Key, want: number): Stretch {
  const range = query.namespace === undefined ? ALL : ONE;
  const rows = deps.database.rows<VersionRow>(`${JOINED} ${range} ${ORDERED}`, scopeNow().id, after.namespace, after.name, want);
  const lastRow = rows.at(-1);
  const end = rows.length < want || !lastRow ? undefined : keyOf(lastRow);
  const restored = overlay.between(after, end);
  const unchanged = rows.filter(([n]) => n <= at);
  if (restored.length === 0) return { items: unchanged.map((row) => storedObject(query.scope, row)), end };
  const chosen = mergeByKey(unchanged, restored).slice(0, want);
  const items = chosen.map((entry) => storedObject(query.scope, 'position' in entry ? readImage(deps.database, entry) : entry));
  const cut = chosen.length < unchanged.length + restored.length;
  return { items, end: cut ? items.at(-1) : end };
}

function keyOf([, namespace, name]: VersionRow): Key {
  return { namespace, name };
}

function mergeByKey(rows: readonly VersionRow[], restored: readonly Restored[]): (VersionRow | Restored)[] {
  const merged: { key: Key; entry: VersionRow | Restored }[] = [
    ...rows.map((entry) => ({ key: keyOf(entry), entry })),
    ...restored.map((entry) => ({ key: entry, entry })),
  ];
  return merged.sort((a, b) => compareKeys(a.key, b.key)).map(({ entry }) => entry);
}

function readImage(database: Database, { position }: Restored): VersionRow {
  const row = database.rows<VersionRow>(`SELECT ${VERSION_COLUMNS} FROM slot s WHERE s.position = ?`, position)[0];
  if (!row) throw new Error(`the store has lost version ${position}: a slot that is retained names it as its previous state`);
  return row;
}

/** How many items follow a key at the list's version. */
async function countAfter(run: Run, last: Key): Promise<number> {
  let count = 0;
  let after: Key | undefined = { namespace: last.namespace, name: last.name };
  while (after) {
    await catchUp(run);
    const stretch: { unchanged: number; end: Key | undefined } = countStretch(run, after);
    count += stretch.unchanged + run.overlay.between(after, stretch.end).length;
    after = stretch.end;
    if (after) await TURN();
  }
  return count;
}

/** Unchanged keys among the next ones, and the last of these (absent: there are no more). */
function countStretch({ deps, query, scopeNow, at }: Run, after: Key): { unchanged: number; end: Key | undefined } {
  const range = query.namespace === undefined ? ALL : ONE;
  const most = deps.turnRows * COUNTED_PER_ROW;
  const start = [scopeNow().id, after.namespace, after.name] as const;
  const counted = `SELECT count(*) AS seen, total(n <= ?) AS unchanged FROM (SELECT o.n FROM object o WHERE ${range} ${ORDERED})`;
  const row = deps.database.get<{ seen: number; unchanged: number }>(counted, at, ...start, most);
  if (!row || row.seen < most) return { unchanged: row?.unchanged ?? 0, end: undefined };
  const last = `SELECT o.namespace, o.name FROM object o WHERE ${range} ${ORDERED} OFFSET ?`;
  return { unchanged: row.unchanged, end: deps.database.get<Key>(last, ...start, 1, most - 1) };
}

/** Remembers how many items followed a page, so that the next page of the chain need not count again. */
export type Tails = {
  /** What follows a page of `length` items that continues a remembered one. */
  take(query: ListQuery, at: number, length: number): number | undefined;
  keep(query: ListQuery, at: number, remaining: number): void;
};

/** Keeps the tails of the latest chains; an unknown one is counted again. */
export function createTails(): Tails {
  const byPage = new Map<string, number>();
  const pageKey = ({ scope, namespace, from }: ListQuery, at: number) =>
    JSON.stringify([scope, namespace ?? null, at, from?.namespace, from?.name]);
  return {
    take(query, at, length) {
      const before = query.from && byPage.get(pageKey(query, at));
      return before === undefined ? undefined : before - length;
    },
    keep(query, at, remaining) {
      byPage.set(pageKey(query, at), remaining);
      const oldest = byPage.keys().next();
      if (byPage.size > TAILS_MAX && !oldest.done) byPage.delete(oldest.value);
    },
  };
}
