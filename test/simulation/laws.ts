/**
 * The laws of docs/storage.md, checked on a history. The reference is the log that the committed writes spell: every reader must have seen that
 * log, every list its state at one version, every compare-and-set its order. Answers sentences; none means that all laws held.
 */
import type { Change, ListOutcome, StoredObject, WriteOperation } from '../../shared/ports/object-store.ts';
import type { Final, History, ListEvent, Span, Stretch, WriteEvent } from './history.ts';

/** One committed operation. */
type Entry = { version: number; operation: WriteOperation; write: WriteEvent };
/** The log of one scope in the order of its versions. */
type Log = readonly Entry[];

export function violations(history: History): string[] {
  const found: string[] = [];
  const logs = referenceLogs(history);
  const logOf = (scope: string): Log => logs.get(scope) ?? [];
  for (const [scope, log] of logs) found.push(...orderViolations(scope, log), ...casViolations(scope, log));
  for (const write of history.writes) found.push(...conflictViolations(write, logOf));
  for (const { ref, found: object, ...span } of history.gets) {
    if (!couldSee(logOf(ref.scope), ref, object, span))
      found.push(`get ${ref.name} answered ${show(object)}, which it never was meanwhile`);
  }
  for (const list of history.lists) found.push(...listViolations(list, logOf(list.scope)));
  for (const stretch of history.stretches) found.push(...stretchViolations(stretch, logOf(stretch.scope)));
  for (const final of history.finals) found.push(...finalViolations(final, logOf(final.scope), history));
  return found;
}

function referenceLogs({ writes }: History): Map<string, Entry[]> {
  const logs = new Map<string, Entry[]>();
  for (const write of writes) {
    if (write.outcome.type !== 'committed') continue;
    for (const [i, operation] of write.operations.entries()) {
      const log = logs.get(operation.object.scope) ?? [];
      logs.set(operation.object.scope, log);
      log.push({ version: Number(write.outcome.resourceVersions[i]), operation, write });
    }
  }
  for (const log of logs.values()) log.sort((a, b) => a.version - b.version);
  return logs;
}

const keyOf = ({ namespace, name }: { namespace: string; name: string }) => `${namespace}/${name}`;
const show = (object: StoredObject | undefined) =>
  object ? `${keyOf(object)}@${object.resourceVersion}=${object.body}` : 'nothing';

/** Versions are unique, and a write that began after another was answered has the higher one. */
function orderViolations(scope: string, log: Log): string[] {
  const found: string[] = [];
  // From the newest down: nothing with a higher version may have been answered before this one was asked.
  let earliestEnd = Number.POSITIVE_INFINITY;
  for (const [i, entry] of [...log].reverse().entries()) {
    const above = i === 0 ? undefined : log[log.length - i];
    if (above?.version === entry.version) found.push(`${scope}: version ${entry.version} was given twice`);
    if (earliestEnd < entry.write.start)
      found.push(`${scope}: version ${entry.version} was given after a higher one was answered`);
    earliestEnd = Math.min(earliestEnd, entry.write.end);
  }
  return found;
}

/** Each object's changes form one chain: every update and delete names exactly the version before it. */
function casViolations(scope: string, log: Log): string[] {
  const standing = new Map<string, string>();
  const found: string[] = [];
  for (const { version, operation } of log) {
    const key = keyOf(operation.object);
    const before = standing.get(key);
    const wanted = operation.type === 'create' ? undefined : operation.expected;
    if (before !== wanted)
      found.push(
        `${scope}: ${operation.type} ${key}@${version} expected ${wanted ?? 'nothing'}, but ${before ?? 'nothing'} stood there`,
      );
    if (operation.type === 'delete') standing.delete(key);
    else standing.set(key, String(version));
  }
  return found;
}

/** A refusal shows something that stood there meanwhile, and that did refuse it. */
function conflictViolations({ operations, outcome, ...span }: WriteEvent, logOf: (scope: string) => Log): string[] {
  if (outcome.type !== 'conflict') return [];
  const operation = operations[outcome.index];
  if (!operation) return [`a conflict names operation ${outcome.index} of ${operations.length}`];
  const { current } = outcome;
  const agrees = operation.type === 'create' ? current === undefined : current?.resourceVersion === operation.expected;
  const what = `${operation.type} ${keyOf(operation.object)} was refused showing ${show(current)}`;
  if (agrees) return [`${what}, which it expected`];
  return couldSee(logOf(operation.object.scope), operation.object, current, span)
    ? []
    : [`${what}, which it never was meanwhile`];
}

/** True when a read within the span may answer this: it is no older than what was answered before, and no newer than what was asked before its end. */
function couldSee(
  log: Log,
  ref: { namespace: string; name: string },
  object: StoredObject | undefined,
  { start, end }: Span,
): boolean {
  const mine = log.filter(({ operation }) => keyOf(operation.object) === keyOf(ref));
  const settled = mine.filter(({ write }) => write.end < start).length;
  const begun = mine.filter(({ write }) => write.start < end).length;
  for (let seen = settled; seen <= begun; seen += 1) {
    const last = mine[seen - 1];
    if (sameState(object, last)) return true;
  }
  return false;
}

function sameState(object: StoredObject | undefined, entry: Entry | undefined): boolean {
  if (!object || !entry || entry.operation.type === 'delete') return !object && (!entry || entry.operation.type === 'delete');
  return showEntry(entry) === show(object);
}

const showEntry = ({ operation, version }: Entry) => `${keyOf(operation.object)}@${version}=${operation.object.body}`;

/** The objects after every change up to a version, in key order. */
function stateAt(log: Log, version: number, namespace: string | undefined): string[] {
  const state = new Map<string, Entry>();
  for (const entry of log) {
    if (entry.version > version) break;
    const { object, type } = entry.operation;
    if (namespace !== undefined && object.namespace !== namespace) continue;
    if (type === 'delete') state.delete(`${object.namespace}\0${object.name}`);
    else state.set(`${object.namespace}\0${object.name}`, entry);
  }
  return [...state].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => showEntry(entry));
}

function listViolations(list: ListEvent, log: Log): string[] {
  const pages = list.outcomes.filter((outcome): outcome is Extract<ListOutcome, { type: 'page' }> => outcome.type === 'page');
  const first = pages[0];
  const last = list.outcomes.at(-1);
  const what = `list of ${list.scope} at ${first?.resourceVersion ?? list.asked}`;
  if (last?.type === 'future') return [`${what}: called the future, though it was seen`];
  if (last?.type === 'expired' && Number(last.oldest) <= Number(first?.resourceVersion ?? list.asked))
    return [`${what}: expired, though it is retained`];
  if (!first) return [];
  const version = Number(first.resourceVersion);
  const want = stateAt(log, version, list.namespace);
  const found: string[] = [];
  if (list.asked !== undefined && list.asked !== first.resourceVersion) found.push(`${what}: asked for ${list.asked}`);
  const settled = log.filter(({ write }) => write.end < list.start).at(-1)?.version ?? 0;
  if (list.asked === undefined && version < settled) found.push(`${what}: older than ${settled}, which was answered before`);
  if (pages.some(({ resourceVersion }) => resourceVersion !== first.resourceVersion))
    found.push(`${what}: pages of several versions`);
  const got = pages.flatMap(({ items }) => items.map(show));
  const complete = last?.type === 'page' && last.next === undefined;
  const wanted = complete ? want : want.slice(0, got.length);
  if (got.join() !== wanted.join()) found.push(`${what}: showed [${got.join()}], not [${wanted.join()}]`);
  return [...found, ...pageViolations(what, list, pages, want.length)];
}

function pageViolations(
  what: string,
  { limit }: ListEvent,
  pages: readonly Extract<ListOutcome, { type: 'page' }>[],
  total: number,
): string[] {
  let shown = 0;
  return pages.flatMap(({ items, next, remaining }) => {
    shown += items.length;
    const found: string[] = [];
    if (limit !== undefined && items.length > limit) found.push(`${what}: ${items.length} items on a page of ${limit}`);
    if (next && items.length !== limit) found.push(`${what}: a page of ${items.length} goes on, though ${limit} were asked`);
    if (remaining !== (next ? total - shown : undefined))
      found.push(`${what}: ${remaining} said to remain of ${total} after ${shown}`);
    return found;
  });
}

/** A reader has seen exactly the log between two versions. */
function stretchViolations({ scope, from, to, changes, expired }: Stretch, log: Log): string[] {
  const want = log
    .filter(({ version }) => version > Number(from) && version <= Number(to))
    .map((entry) => showChange(log, entry));
  const got = changes.map(showSeen);
  const found: string[] = [];
  if (got.join() !== want.join())
    found.push(`${scope}: a reader from ${from} to ${to} saw [${got.join()}], not [${want.join()}]`);
  if (expired !== undefined && Number(expired) <= Number(to))
    found.push(`${scope}: a reader at ${to} was told it expired, though ${expired} is retained`);
  return found;
}

const TYPES = { create: 'added', update: 'modified', delete: 'deleted' } as const;

function showChange(log: Log, entry: Entry): string {
  const before = log.findLast(
    ({ version, operation }) => version < entry.version && keyOf(operation.object) === keyOf(entry.operation.object),
  );
  const stood = before && before.operation.type !== 'delete' ? before.operation.object : undefined;
  const labels = stood ? JSON.stringify(stood.labels) : '';
  return `${TYPES[entry.operation.type]} ${showEntry(entry)} was ${stood?.body ?? 'nothing'}${labels}`;
}

function showSeen({ type, object, before }: Change): string {
  return `${type} ${show(object)} was ${before?.body ?? 'nothing'}${before ? JSON.stringify(before.labels) : ''}`;
}

/** At the end: the objects are the replay of the log, readers have come to its end, and the feed has told all that is retained. */
function finalViolations({ scope, current, oldest, items }: Final, log: Log, { feed, stretches }: History): string[] {
  const found: string[] = [];
  const newest = log.at(-1)?.version ?? Number(current);
  if (Number(current) !== newest) found.push(`${scope}: the head is ${current}, the newest version ${newest}`);
  const want = stateAt(log, newest, undefined);
  if (items.map(show).join() !== want.join())
    found.push(`${scope}: holds [${items.map(show).join()}], the log says [${want.join()}]`);
  const lastStretch = stretches.findLast((stretch) => stretch.scope === scope);
  if (lastStretch && Number(lastStretch.to) < newest)
    found.push(`${scope}: the reader stopped at ${lastStretch.to} of ${newest}`);
  const fed = feed.filter((entry) => entry.scope === scope);
  const known = new Set(log.map(({ version, operation }) => `${TYPES[operation.type]} ${keyOf(operation.object)}@${version}`));
  const told = new Set(fed.map((entry) => `${entry.type} ${keyOf(entry)}@${entry.resourceVersion}`));
  for (const entry of told) if (!known.has(entry)) found.push(`${scope}: the feed told ${entry}, which never was`);
  for (const { version, operation } of log) {
    const entry = `${TYPES[operation.type]} ${keyOf(operation.object)}@${version}`;
    if (version > Number(oldest) && !told.has(entry)) found.push(`${scope}: the feed never told ${entry}`);
  }
  const lastByKey = new Map<string, number>();
  for (const entry of fed) {
    if (Number(entry.resourceVersion) < (lastByKey.get(keyOf(entry)) ?? 0))
      found.push(`${scope}: the feed told ${keyOf(entry)} out of order`);
    lastByKey.set(keyOf(entry), Number(entry.resourceVersion));
  }
  return found;
}
