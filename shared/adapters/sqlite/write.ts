/** One write: compare-and-set of 1 to 8 objects, their log slots, the owner index, and records, all or nothing. */
import type { NewObject, StoredObject, WriteBatch, WriteOperation, WriteOutcome } from '../../ports/object-store.ts';
import type { Clock } from '../../ports/system.ts';
import type { Database } from './database.ts';
import { BODY_BYTES_MAX, OPERATIONS_MAX } from './limits.ts';
import type { RecordWriter } from './records.ts';
import { packList, packMap, storedObject, unpackList, VERSION_COLUMNS, type VersionRow } from './rows.ts';
import type { Scope, Scopes } from './scopes.ts';
import { formatVersion } from './versions.ts';

const CURRENT = 'FROM object o JOIN slot s ON s.position = o.position WHERE o.scope = ? AND o.namespace = ? AND o.name = ?';
const ADDED = 0;
const MODIFIED = 1;
const DELETED = 2;

/** What stands under a key before the write. */
type Standing = { n: number; position: number; owners: string };

/** What a write needs; `nextPosition` numbers rows in commit order. */
export type WriteDeps = {
  database: Database;
  scopes: Scopes;
  records: RecordWriter;
  clock: Clock;
  nextPosition(): number;
};

/** Rejects what no store can take. Throws RangeError: such a batch is a bug of the caller, who answers 413 before. */
export function validateBatch({ operations, records = [] }: WriteBatch): void {
  if (operations.length > OPERATIONS_MAX)
    throw new RangeError(`a write holds at most ${OPERATIONS_MAX} objects, not ${operations.length}`);
  if (operations.length + records.length === 0) throw new RangeError('a write holds at least one object or record');
  const keys = new Set(operations.map(({ object }) => `${object.scope}\0${object.namespace}\0${object.name}`));
  if (keys.size < operations.length) throw new RangeError('a write names each object once');
  for (const { object } of operations) validateObject(object);
}

function validateObject({ scope, namespace, name, body, managedFields }: NewObject): void {
  if (scope === '' || name === '') throw new RangeError('an object needs a scope and a name');
  // A UTF-16 unit takes at most three bytes: most bodies need no counting.
  for (const text of [body, managedFields])
    if (text.length * 3 > BODY_BYTES_MAX && Buffer.byteLength(text) > BODY_BYTES_MAX)
      throw new RangeError(`the body of ${scope} ${namespace}/${name} is larger than ${BODY_BYTES_MAX} bytes`);
}

/** Runs one validated batch inside the open transaction. */
export function applyBatch(deps: WriteDeps, batch: WriteBatch): WriteOutcome {
  const standing = batch.operations.map(({ object }) => findStanding(deps, object));
  const index = batch.operations.findIndex((operation, i) => !mayWrite(operation, standing[i]));
  const refused = batch.operations[index];
  if (refused) return conflict(index, readCurrent(deps, refused.object));
  if (batch.records?.some((write) => deps.records.isStale(write))) return { type: 'conflict', index: -1 };
  const now = deps.clock.now();
  const resourceVersions = batch.operations.map((operation, i) =>
    putSlot(deps, operation, standing[i], { now, writer: batch.writer }),
  );
  for (const write of batch.records ?? []) deps.records.apply(write);
  return { type: 'committed', resourceVersions };
}

function conflict(index: number, current: StoredObject | undefined): WriteOutcome {
  return current ? { type: 'conflict', index, current } : { type: 'conflict', index };
}

function findStanding({ database, scopes }: WriteDeps, { scope, namespace, name }: NewObject): Standing | undefined {
  const id = scopes.find(scope)?.id;
  if (id === undefined) return undefined;
  return database.get<Standing>(`SELECT o.n, o.position, s.owners ${CURRENT}`, id, namespace, name);
}

/** Versions of one scope never repeat, so an equal version is the same state: no ABA. */
function mayWrite(operation: WriteOperation, standing: Standing | undefined): boolean {
  if (operation.type === 'create') return standing === undefined;
  return standing !== undefined && formatVersion(standing.n) === operation.expected;
}

/** The current object under a key. */
export function readCurrent(
  { database, scopes }: Pick<WriteDeps, 'database' | 'scopes'>,
  { scope, namespace, name }: { scope: string; namespace: string; name: string },
): StoredObject | undefined {
  const id = scopes.find(scope)?.id;
  if (id === undefined) return undefined;
  const row = database.rows<VersionRow>(`SELECT ${VERSION_COLUMNS} ${CURRENT}`, id, namespace, name)[0];
  return row && storedObject(scope, row);
}

type SlotContext = { now: number; writer: string };

/** Appends the version, moves the object to it, and returns its resourceVersion. */
function putSlot(
  deps: WriteDeps,
  { type, object }: WriteOperation,
  standing: Standing | undefined,
  context: SlotContext,
): string {
  const scope = deps.scopes.ensure(object.scope);
  scope.n += 1;
  const position = deps.nextPosition();
  const kind = type === 'delete' ? DELETED : standing ? MODIFIED : ADDED;
  deps.database.run(
    'INSERT INTO slot VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    position, scope.id, scope.n, kind, standing?.position ?? 0,
    context.now, object.namespace, object.name, object.uid, context.writer,
    packList(object.ownerUids), packMap(object.labels), packMap(object.fields), object.managedFields, object.body,
  ); // biome-ignore format: columns in the order of the table
  moveObject(deps, scope, object, { position, kind });
  indexOwners(deps.database, scope, object, { before: unpackList(standing?.owners ?? ''), deleted: kind === DELETED });
  return formatVersion(scope.n);
}

function moveObject(
  { database }: WriteDeps,
  scope: Scope,
  { namespace, name }: NewObject,
  slot: { position: number; kind: number },
): void {
  if (slot.kind === ADDED)
    database.run('INSERT INTO object VALUES (?, ?, ?, ?, ?)', scope.id, namespace, name, scope.n, slot.position);
  if (slot.kind === MODIFIED) {
    const sql = 'UPDATE object SET n = ?, position = ? WHERE scope = ? AND namespace = ? AND name = ?';
    database.run(sql, scope.n, slot.position, scope.id, namespace, name);
  }
  if (slot.kind === DELETED)
    database.run('DELETE FROM object WHERE scope = ? AND namespace = ? AND name = ?', scope.id, namespace, name);
}

function indexOwners(
  database: Database,
  scope: Scope,
  object: NewObject,
  past: { before: readonly string[]; deleted: boolean },
): void {
  const after = past.deleted ? [] : object.ownerUids;
  if (past.before.length === 0 && after.length === 0) return;
  for (const uid of past.before)
    if (!after.includes(uid))
      database.run(
        'DELETE FROM owner WHERE uid = ? AND scope = ? AND namespace = ? AND name = ?',
        uid,
        scope.id,
        object.namespace,
        object.name,
      );
  for (const uid of after)
    if (!past.before.includes(uid))
      database.run('INSERT OR IGNORE INTO owner VALUES (?, ?, ?, ?)', uid, scope.id, object.namespace, object.name);
}
