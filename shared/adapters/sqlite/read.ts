/** Reads that take one turn: the log of a scope, the feed of all scopes, the owner index. */
import type { Change, ChangesOutcome, FeedEntry, ObjectRef } from '../../ports/object-store.ts';
import type { Database } from './database.ts';
import { TURN_ROWS } from './limits.ts';
import { CHANGE_TYPES, storedObject, unpackList, unpackMap, VERSION_COLUMNS, type VersionRow } from './rows.ts';
import type { Scopes } from './scopes.ts';
import { FIRST_N, formatVersion, positionAt } from './versions.ts';

type ChangeRow = readonly [
  ...VersionRow,
  type: number,
  labels: string | null,
  fields: string | null,
  managed: string | null,
  body: string | null,
];
const CHANGES = `SELECT ${VERSION_COLUMNS}, s.type, p.labels, p.fields, p.managed, p.body
  FROM slot s LEFT JOIN slot p ON p.position = s.previous WHERE s.scope = ? AND s.n > ? ORDER BY s.n LIMIT ?`;

/** The log after a version. A version of another lane counts as the position below it. */
export function readChanges(
  { database, scopes }: { database: Database; scopes: Scopes },
  query: { scope: string; after: string; limit: number },
): ChangesOutcome {
  const scope = scopes.find(query.scope) ?? { id: -1, n: FIRST_N, min: FIRST_N };
  const after = positionAt(query.after);
  if (after < scope.min) return { type: 'expired', oldest: formatVersion(scope.min) };
  if (after >= scope.n) return { type: 'changes', changes: [], position: query.after };
  const limit = Math.min(query.limit, TURN_ROWS);
  const changes = database.rows<ChangeRow>(CHANGES, scope.id, after, limit).map((row) => toChange(query.scope, row));
  return { type: 'changes', changes, position: changes.at(-1)?.object.resourceVersion ?? query.after };
}

function toChange(scope: string, row: ChangeRow): Change {
  const [, , , , , , , , , type, labels, fields, managedFields, body] = row;
  const object = storedObject(scope, row as unknown as VersionRow);
  const change: Change = { type: CHANGE_TYPES[type] ?? 'modified', object };
  if (labels === null || fields === null || managedFields === null || body === null) return change;
  return { ...change, before: { labels: unpackMap(labels), fields: unpackMap(fields), body, managedFields } };
}

type FeedRow = readonly [
  position: number,
  scope: number,
  n: number,
  type: number,
  namespace: string,
  name: string,
  uid: string,
  writer: string,
  owners: string,
];

/** The log of all scopes in commit order. Older than compaction: what still stands of each object, once. */
export function readFeed(
  { database, scopes }: { database: Database; scopes: Scopes },
  cursor: string,
  limit: number,
): { entries: readonly FeedEntry[]; cursor: string } {
  if (!/^\d*$/.test(cursor)) throw new RangeError(`invalid feed cursor: "${cursor}"`);
  const sql = `SELECT position, scope, n, type, namespace, name, uid, writer, owners FROM slot
    WHERE position > ? ORDER BY position LIMIT ?`;
  const rows = database.rows<FeedRow>(sql, cursor === '' ? 0 : Number(cursor), Math.min(limit, TURN_ROWS));
  const entries = rows.map(
    ([, scope, n, type, namespace, name, uid, writer, owners]): FeedEntry => ({
      scope: scopes.byId(scope)?.name ?? '',
      namespace,
      name,
      type: CHANGE_TYPES[type] ?? 'modified',
      uid,
      resourceVersion: formatVersion(n),
      writer,
      ownerUids: unpackList(owners),
    }),
  );
  return { entries, cursor: String(rows.at(-1)?.[0] ?? cursor) };
}

/** Objects that name a uid among their owners, by scope, namespace and name. */
export function readDependents({ database, scopes }: { database: Database; scopes: Scopes }, uid: string): ObjectRef[] {
  const sql = 'SELECT scope, namespace, name FROM owner WHERE uid = ?';
  return database
    .all<{ scope: number; namespace: string; name: string }>(sql, uid)
    .map(({ scope, namespace, name }) => ({ scope: scopes.byId(scope)?.name ?? '', namespace, name }));
}
