/** Sends an object or a list in the form and media type that were negotiated. */
import { parseJson, stringifyJson } from '../../machinery/codec/json.ts';
import { stringifyYaml } from '../../machinery/codec/yaml.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { notAcceptable } from '../../machinery/status.ts';
import type { StoredObject } from '../../ports/object-store.ts';
import type { Accepted } from '../http/accept.ts';
import { respond, respondJson } from '../http/respond.ts';
import { type ListMeta, listBody, listText, objectText } from '../resources/forms.ts';
import { type Exchange, type ResourceExchange, shapeOf } from './exchange.ts';

const PRETTY_VALUES = new Set(['true', '1', '']);

/** A stored object. */
export function sendStored(exchange: ResourceExchange, code: number, stored: StoredObject): Response | Promise<Response> {
  const { shape, media } = shapeOf(exchange);
  return sendText(exchange, code, objectText(shape, stored), media);
}

export function sendList(
  exchange: ResourceExchange,
  items: readonly StoredObject[],
  meta: ListMeta,
): Response | Promise<Response> {
  const { shape, media } = shapeOf(exchange);
  if (media === 'application/json' && !isPretty(exchange)) return respondJson(exchange, 200, listBody(shape, items, meta));
  return sendText(exchange, 200, listText(shape, items, meta), media);
}

/** An object that is not stored: a Status, a Scale, a review. It has one form; who asks for a Table alone gets JSON. */
export function sendObject(exchange: Exchange, code: number, object: object): Response | Promise<Response> {
  const { plain } = exchange.core.negotiate(exchange.request.headers.get('accept'));
  return sendText(exchange, code, stringifyJson(object as JsonObject), plain?.media ?? 'application/json');
}

/** Compact JSON text as the media type asked for. */
export function sendText(exchange: Exchange, code: number, text: string, media: Accepted['media']): Response | Promise<Response> {
  if (media === 'application/json') return respondJson(exchange, code, isPretty(exchange) ? pretty(text) : text);
  const value = parseJson(text);
  if (media === 'application/yaml') return respond(exchange, code, media, stringifyYaml(value));
  const bytes = exchange.core.protobuf().encode(value as unknown as KubeObject);
  if (bytes === undefined) throw notAcceptable(['application/json', 'application/yaml']);
  return respond(exchange, code, media, new Uint8Array(bytes));
}

function isPretty({ target }: Exchange): boolean {
  const value = target.query.get('pretty');
  return value !== null && PRETTY_VALUES.has(value);
}

function pretty(text: string): string {
  return `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`;
}
