/** Sends an object or a list in the form and media type that were negotiated. */
import { parseJson, stringifyJson } from '../../machinery/codec/json.ts';
import { stringifyYaml } from '../../machinery/codec/yaml.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { notAcceptable } from '../../machinery/status.ts';
import type { StoredObject } from '../../ports/object-store.ts';
import { type Accepted, PROTOBUF } from '../http/accept.ts';
import { respond, respondJson } from '../http/respond.ts';
import { PROTOBUF_LIST_ITEMS_MAX } from '../limits.ts';
import { type ListMeta, listBody, listText, objectBytes, objectText, protobufList, type Shape } from '../resources/forms.ts';
import { type Exchange, type ResourceExchange, shapeOf } from './exchange.ts';

const PRETTY_VALUES = new Set(['true', '1', '']);

/** A stored object. */
export function sendStored(exchange: ResourceExchange, code: number, stored: StoredObject): Response | Promise<Response> {
  const { shape, media } = shapeOf(exchange);
  if (shape.protobuf) return respond(exchange, code, media, objectBytes(shape, shape.protobuf, stored));
  return sendText(exchange, code, objectText(shape, stored), media);
}

/** A list. Who takes JSON beside protobuf gets a long one in JSON. */
export function sendList(
  exchange: ResourceExchange,
  items: readonly StoredObject[],
  meta: ListMeta,
): Response | Promise<Response> {
  const { shape, media } = shapeOf(exchange);
  const { protobuf } = shape;
  if (protobuf && (items.length <= PROTOBUF_LIST_ITEMS_MAX || !takesJson(exchange, shape)))
    return respond(exchange, 200, media, protobufList(shape, protobuf, items, meta));
  const isJson = protobuf !== undefined || media === 'application/json';
  if (isJson && !isPretty(exchange)) return respondJson(exchange, 200, listBody(shape, items, meta));
  return sendText(exchange, 200, listText(shape, items, meta), isJson ? 'application/json' : media);
}

function takesJson({ core, request }: Exchange, { as }: Shape): boolean {
  return core.negotiate(request.headers.get('accept')).some((form) => form.media === 'application/json' && form.as === as);
}

/** An object that is not stored: a Status, a Scale, a review. It has one form; who asks for a Table alone gets JSON. */
export function sendObject(exchange: Exchange, code: number, object: object): Response | Promise<Response> {
  const { core, request } = exchange;
  const forms = core.negotiate(request.headers.get('accept')).filter((form) => form.as === 'object');
  for (const { media } of forms) {
    if (media !== PROTOBUF) return sendText(exchange, code, stringifyJson(object as JsonObject), media);
    const bytes = core.protobuf().encode(object as KubeObject);
    if (bytes) return respond(exchange, code, media, new Uint8Array(bytes));
  }
  if (forms.length > 0) throw notAcceptable(['application/json', 'application/yaml']);
  return sendText(exchange, code, stringifyJson(object as JsonObject), 'application/json');
}

/** Compact JSON text, or the same as YAML. */
function sendText(exchange: Exchange, code: number, text: string, media: Accepted['media']): Response | Promise<Response> {
  if (media === 'application/yaml') return respond(exchange, code, media, stringifyYaml(parseJson(text)));
  return respondJson(exchange, code, isPretty(exchange) ? pretty(text) : text);
}

function isPretty({ target }: Exchange): boolean {
  const value = target.query.get('pretty');
  return value !== null && PRETTY_VALUES.has(value);
}

function pretty(text: string): string {
  return `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`;
}
