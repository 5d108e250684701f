/** GET of objects, lists and watches. */
import { expired, methodNotAllowed, resourceVersionTooLarge } from '../../machinery/status.ts';
import { PROTOBUF } from '../http/accept.ts';
import { WATCH_TIMEOUT_DEFAULT_MS, WATCH_TIMEOUT_MAX_MS } from '../limits.ts';
import { forbiddenOption, listStored, parseCount, parseListOptions } from '../resources/list.ts';
import { parseResourceVersion, readStored, requireReached } from '../resources/read.ts';
import { parseSelection, type Selection } from '../resources/selection.ts';
import type { WatchRequest } from '../watch/client.ts';
import { type ResourceExchange, shapeOf } from './exchange.ts';
import { sendList, sendStored } from './send.ts';

export async function handleGet(exchange: ResourceExchange): Promise<Response> {
  const { core, definition, scope, resource, target } = exchange;
  const version = target.query.size === 0 ? 0 : parseResourceVersion(target.query.get('resourceVersion'));
  await requireReached(core, scope, version);
  const stored = await readStored(core, definition, { scope, namespace: resource.namespace, name: resource.name });
  return sendStored(exchange, 200, stored);
}

export async function handleList(exchange: ResourceExchange): Promise<Response> {
  const { core, scope, target } = exchange;
  const { items, meta } = await listStored(core, scope, selectionOf(exchange), parseListOptions(target.query));
  return sendList(exchange, items, meta);
}

/** Selectors of a request. A watch or list of one name may also have it in the URL (the deprecated `/watch/` paths). */
export function selectionOf(exchange: ResourceExchange): Selection {
  const { definition, storage, resource, target } = exchange;
  const labels = target.query.get('labelSelector') ?? '';
  const fields = target.query.get('fieldSelector') ?? '';
  const selection = parseSelection(definition, storage, resource.namespace, { labels, fields });
  return resource.name === '' ? selection : { ...selection, name: resource.name };
}

const STREAM_HEADERS = { 'Cache-Control': 'no-cache, private', 'X-Content-Type-Options': 'nosniff' };

/** A watch: the headers go out at once, before any event. */
export async function handleWatch(exchange: ResourceExchange): Promise<Response> {
  const { core, definition, scope, target, user, auditId } = exchange;
  if (!definition.verbs.includes('watch')) throw methodNotAllowed();
  const options = parseWatchOptions(target.query);
  const selection = selectionOf(exchange);
  const { shape, media } = shapeOf(exchange, 'watch');
  const head = await core.deps.store.lanes.head(scope);
  if (options.version > Number(head.current)) throw resourceVersionTooLarge(String(options.version), head.current);
  const after = options.fromPresent ? undefined : options.version;
  if (after !== undefined && after < Number(head.oldest)) throw expired(`too old resource version: ${after} (${head.oldest})`);
  const watch: WatchRequest = {
    scope,
    objects: core.objects(definition),
    selection,
    shape,
    after,
    bookmarks: options.bookmarks,
    initialBookmark: options.initialEvents && options.bookmarks,
    timeoutMs: options.timeoutMs,
  };
  const stream = core.watches.open(user.name, watch, Number(head.current));
  const type = media === PROTOBUF ? `${media};stream=watch` : media;
  return new Response(stream, { status: 200, headers: { ...STREAM_HEADERS, 'Content-Type': type, 'Audit-Id': auditId } });
}

type WatchOptions = { version: number; fromPresent: boolean; initialEvents: boolean; bookmarks: boolean; timeoutMs: number };

/** Throws 422 for combinations that kube-apiserver refuses: clients then fall back to list and watch. */
function parseWatchOptions(query: URLSearchParams): WatchOptions {
  const initial = query.get('sendInitialEvents');
  const match = query.get('resourceVersionMatch') ?? '';
  if (initial !== null && match !== 'NotOlderThan')
    throw forbiddenOption('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  if (match !== '' && initial === null)
    throw forbiddenOption(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  const version = parseResourceVersion(query.get('resourceVersion'));
  const initialEvents = isTrue(initial);
  const bookmarks = isTrue(query.get('allowWatchBookmarks'));
  const asked = parseCount(query.get('timeoutSeconds')) * 1000;
  const timeoutMs = asked > 0 ? Math.min(asked, WATCH_TIMEOUT_MAX_MS) : WATCH_TIMEOUT_DEFAULT_MS;
  const fromPresent = initialEvents || (version === 0 && initial === null);
  return { version, fromPresent, initialEvents, bookmarks, timeoutMs };
}

/** A boolean of a query, as upstream reads it: present and not `false` or `0`. */
export function isTrue(text: string | null): boolean {
  return text !== null && text !== 'false' && text !== '0';
}
