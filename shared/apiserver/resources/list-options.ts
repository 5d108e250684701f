/**
 * The options of lists and watches, read and checked as kube-apiserver does (apimachinery, internalversion/validation): all complaints of
 * one request at once. Of a parameter that is given several times the first counts. Pure.
 */
import type { FieldError } from '../../apis/definition.ts';
import { forbidden, notSupported } from '../../apis/validation/fields.ts';
import { badRequest, invalid } from '../../machinery/status.ts';
import { WATCH_TIMEOUT_DEFAULT_MS, WATCH_TIMEOUT_MAX_MS } from '../limits.ts';
import { type ContinueToken, decodeContinue } from './continue.ts';
import { parseResourceVersion } from './read.ts';

/** Paging and version wishes of a list, validated. `limit` 0: all. */
export type ListOptions = { limit: number; token: ContinueToken | undefined; exact: number; notOlderThan: number };

/**
 * What a watch asks for. `start`: with the present state, with what comes after now, or with what came after `version`; the present state is
 * to be no older than `version`.
 */
export type WatchOptions = {
  version: number;
  start: 'present' | 'now' | 'version';
  initialEvents: boolean;
  bookmarks: boolean;
  timeoutMs: number;
};

/** Reads the options of a list or a deletecollection. Throws 400 and 422. */
export function parseListOptions(query: URLSearchParams): ListOptions {
  const { version, match, token } = read(query);
  const limit = Math.max(0, parseCount(query.get('limit')));
  parseCount(query.get('timeoutSeconds'));
  refuse([...listMatchErrors(match, version, token), ...initialEventsErrors(query)]);
  if (token !== '' && version !== '' && version !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  const parsed = parseResourceVersion(version);
  const exact = match === 'Exact' || (match === '' && limit > 0 && token === '') ? parsed : 0;
  return { limit, token: token === '' ? undefined : decodeContinue(token), exact, notOlderThan: exact === 0 ? parsed : 0 };
}

/** Reads the options of a watch. Throws 400, and 422 for combinations after which clients fall back to list and watch. */
export function parseWatchOptions(query: URLSearchParams): WatchOptions {
  const { version, match, token } = read(query);
  const asked = parseCount(query.get('timeoutSeconds')) * 1000;
  parseCount(query.get('limit'));
  const initial = query.get('sendInitialEvents');
  refuse(watchErrors(match, token, initial));
  const parsed = parseResourceVersion(version);
  const initialEvents = isTrue(initial);
  const fromNow = parsed === 0 && initial !== null;
  return {
    version: parsed,
    start: initialEvents || (parsed === 0 && !fromNow) ? 'present' : fromNow ? 'now' : 'version',
    initialEvents,
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutMs: asked > 0 ? Math.min(asked, WATCH_TIMEOUT_MAX_MS) : WATCH_TIMEOUT_DEFAULT_MS,
  };
}

/** A boolean of a query: present, and neither `false` (in any case: Python clients write `False`) nor `0`. */
export function isTrue(text: string | null): boolean {
  return text !== null && text !== '0' && text.toLowerCase() !== 'false';
}

/** A whole number of a query; 0 when absent. Throws 400. */
export function parseCount(text: string | null): number {
  if (text === null || text === '') return 0;
  if (!/^[-+]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  if (!Number.isSafeInteger(Number(text)))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return Number(text);
}

function read(query: URLSearchParams) {
  return {
    version: query.get('resourceVersion') ?? '',
    match: query.get('resourceVersionMatch') ?? '',
    token: query.get('continue') ?? '',
  };
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
}

const MATCH = 'resourceVersionMatch';
const WITH_CONTINUE = 'resourceVersionMatch is forbidden when continue is provided';

function listMatchErrors(match: string, version: string, token: string): FieldError[] {
  if (match === '') return [];
  return [
    ...(version === '' ? [forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided')] : []),
    ...(token === '' ? [] : [forbidden(MATCH, WITH_CONTINUE)]),
    ...(match === 'Exact' || match === 'NotOlderThan' ? [] : [notSupported(MATCH, match, ['Exact', 'NotOlderThan', ''])]),
    ...(match === 'Exact' && version === '0'
      ? [forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
      : []),
  ];
}

function initialEventsErrors(query: URLSearchParams): FieldError[] {
  if (query.get('sendInitialEvents') === null) return [];
  return [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
}

function watchErrors(match: string, token: string, initial: string | null): FieldError[] {
  const errors: FieldError[] = [];
  if (initial !== null && match !== 'NotOlderThan')
    errors.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (match === '') return errors;
  if (initial === null)
    errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
  if (token !== '') errors.push(forbidden(MATCH, WITH_CONTINUE));
  return errors;
}
