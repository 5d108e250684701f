/** Request bodies: read with a limit, and decoded from JSON, YAML or protobuf. */
import { parseJson } from '../../machinery/codec/json.ts';
import type { ExpectedType } from '../../machinery/codec/protobuf.ts';
import { parseYaml } from '../../machinery/codec/yaml.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import { badRequest, requestEntityTooLarge, unsupportedMediaType } from '../../machinery/status.ts';
import { BODY_BYTES_MAX, BODY_DEPTH_MAX } from '../limits.ts';

/** A body as it came. Protobuf is in `bytes`, anything else in `text`. `mediaType` has no parameters; JSON when the client named none. */
export type RawBody = { mediaType: string; text: string; bytes: Uint8Array | undefined };

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const OBJECT_TYPES = ['application/json', 'application/yaml', PROTOBUF];
const OPEN = new Set(['{'.charCodeAt(0), '['.charCodeAt(0)]);
const CLOSE = new Set(['}'.charCodeAt(0), ']'.charCodeAt(0)]);
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);

/** Reads the body. Above 3 MiB: 413, without parsing anything (and, where the length is announced, without reading it). */
export async function readBody(request: Request): Promise<RawBody> {
  const mediaType = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() || 'application/json';
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) > BODY_BYTES_MAX) throw tooLarge();
  if (announced === null) return raw(mediaType, await readCounted(request));
  if (mediaType === PROTOBUF) return raw(mediaType, new Uint8Array(await request.arrayBuffer()));
  return { mediaType, text: await request.text(), bytes: undefined };
}

function raw(mediaType: string, bytes: Uint8Array): RawBody {
  if (mediaType === PROTOBUF) return { mediaType, text: '', bytes };
  return { mediaType, text: new TextDecoder().decode(bytes), bytes: undefined };
}

/** A body of unknown length is counted while it comes in. */
async function readCounted(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.byteLength;
    if (length > BODY_BYTES_MAX) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = () => requestEntityTooLarge(`limit is ${BODY_BYTES_MAX}`);

/** True when the body holds nothing. */
export function isEmptyBody(body: RawBody): boolean {
  return body.bytes ? body.bytes.length === 0 : body.text.trim() === '';
}

/** Reads protobuf; `expected` stands in for type information that an envelope lacks. */
export type DecodeProtobuf = (bytes: Uint8Array, expected: ExpectedType) => JsonObject;

/**
 * Decodes one object of the expected kind. Throws 415 for an unknown content type and 400 for what does not parse
 * or is no object.
 */
export function decodeObject(body: RawBody, expected: ExpectedType, decodeProtobuf: DecodeProtobuf): JsonObject {
  if (!OBJECT_TYPES.includes(body.mediaType)) throw unsupportedMediaType(OBJECT_TYPES);
  const value = decodeValue(body, expected, decodeProtobuf);
  if (!isJsonObject(value)) throw unrecognized(expected.kind, 'cannot unmarshal a value that is no object');
  return value;
}

function decodeValue(body: RawBody, expected: ExpectedType, decodeProtobuf: DecodeProtobuf): JsonValue {
  try {
    if (body.bytes) return decodeProtobuf(body.bytes, expected);
    return body.mediaType === 'application/yaml' ? parseYaml(body.text) : parseJsonBody(body.text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) throw unrecognized(expected.kind, error.message);
    throw error;
  }
}

/** Parses JSON text of bounded depth. Throws SyntaxError. */
export function parseJsonBody(text: string): JsonValue {
  if (isTooDeep(text)) throw new SyntaxError(`exceeded max depth of ${BODY_DEPTH_MAX}`);
  return parseJson(text);
}

/** Parses JSON, or YAML where the text does not begin like a JSON object or array. Throws SyntaxError. */
export function parseJsonOrYaml(text: string): JsonValue {
  return /^\s*[{[]/.test(text) ? parseJsonBody(text) : parseYaml(text);
}

function unrecognized(kind: string, why: string) {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; parse error: ${why}`,
  );
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Counts nesting without parsing: strings are skipped, so brackets in text do not count. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (OPEN.has(code)) {
      depth += 1;
      if (depth > BODY_DEPTH_MAX) return true;
    } else if (CLOSE.has(code)) depth -= 1;
  }
  return false;
}

function endOfString(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at;
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}
