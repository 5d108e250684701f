/** Request bodies: read with a limit, and decoded from JSON, YAML or protobuf. */
import { parseJson } from '../../machinery/codec/json.ts';
import { type ExpectedType, isProtobuf } from '../../machinery/codec/protobuf.ts';
import { parseYaml } from '../../machinery/codec/yaml.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import { badRequest, requestEntityTooLarge, unsupportedMediaType } from '../../machinery/status.ts';
import { BODY_BYTES_MAX } from '../limits.ts';
import { goJsonError, summarizeBody } from './go-json.ts';

/** A body as it came. Protobuf is in `bytes`, anything else in `text`. `mediaType` has no parameters; JSON when the client named none. */
export type RawBody = { mediaType: string; text: string; bytes: Uint8Array | undefined };

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const OBJECT_TYPES = ['application/json', 'application/yaml', PROTOBUF];
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
 * Decodes one object of the expected kind. Throws 415 for an unknown content type and 400 for what does not parse or is no object.
 */
export function decodeObject(body: RawBody, expected: ExpectedType, decodeProtobuf: DecodeProtobuf): JsonObject {
  if (!OBJECT_TYPES.includes(body.mediaType)) throw unsupportedMediaType(OBJECT_TYPES);
  const value = decodeValue(body, expected, decodeProtobuf);
  if (!isJsonObject(value))
    throw unrecognized(body, expected, `couldn't get version/kind; json parse error: ${notAnObject(value)}${GO_TYPE_META}`);
  return value;
}

function decodeValue(body: RawBody, expected: ExpectedType, decodeProtobuf: DecodeProtobuf): JsonValue {
  try {
    if (body.bytes) return decodeProtobuf(body.bytes, expected);
    return body.mediaType === 'application/yaml' ? parseYaml(body.text) : parseJson(body.text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (body.bytes) throw unrecognized(body, expected, protobufError(body.bytes, error));
    if (body.mediaType === 'application/yaml') throw unrecognized(body, expected, error.message);
    throw unrecognized(body, expected, `couldn't get version/kind; json parse error: ${goJsonError(body.text, error)}`);
  }
}

/** Bytes that are no envelope are told apart before anything is read from them. */
function protobufError(bytes: Uint8Array, { message }: Error): string {
  return isProtobuf(bytes) ? `couldn't get version/kind; ${message}` : message.replace(/^proto: /, '');
}

/** What upstream reads a kind from, as Go names its type. */
const GO_TYPE_META = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** Go's complaint about a JSON value that is no object; the Go type of what was expected follows. */
export function notAnObject(value: JsonValue): string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : value === null ? 'null' : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type `;
}

/** Parses JSON, or YAML where the text does not begin like a JSON object or array. Throws SyntaxError. */
export function parseJsonOrYaml(text: string): JsonValue {
  return /^\s*[{[]/.test(text) ? parseJson(text) : parseYaml(text);
}

function unrecognized(body: RawBody, { kind }: ExpectedType, why: string) {
  if (kind === 'DeleteOptions') return badRequest(why);
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summarizeBody(body)})`);
}

/** True for what JSON calls an object. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
