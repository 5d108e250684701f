/** GET of objects, lists and watches. */
import { badRequest, expired, methodNotAllowed, resourceVersionTooLarge } from '../../machinery/status.ts';
import { PROTOBUF } from '../http/accept.ts';
import { listStored } from '../resources/list.ts';
import { parseListOptions, parseWatchOptions, type WatchOptions } from '../resources/list-options.ts';
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
  if (resource.name === '') return selection;
  if (fields !== '' && selection.name !== resource.name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return { ...selection, name: resource.name };
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
  const after = startOf(options, Number(head.current));
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

/** The version that the watch goes on from; undefined: it begins with the present state. */
function startOf({ start, version }: WatchOptions, head: number): number | undefined {
  if (start === 'present') return undefined;
  return start === 'now' ? head : version;
}
