/**
 * Kubernetes' protobuf: kubectl and Go clients send bodies of built-in kinds in it and cannot be talked out of it. Driven by the
 * descriptor data of `shared/apis/data`; only the wire format and Go's rules for zero values are code.
 */
import type { JsonObject, JsonValue, KubeObject } from '../object.ts';
import { parseJson } from './json.ts';
import { normalizeMessage } from './protobuf/normalize.ts';
import { createPlans, type Plans, type ProtobufData } from './protobuf/plan.ts';
import { readMessage } from './protobuf/read.ts';
import { createReader, createWriter, finish, malformed, type WireReader, writeRaw } from './protobuf/wire.ts';
import { messageBytes } from './protobuf/write.ts';

export type { ProtobufData } from './protobuf/plan.ts';

/** What stands in for type information that an envelope lacks: the kind that the URL asks for. */
export type ExpectedType = { apiVersion: string; kind: string };

export type ProtobufCodec = {
  /** The object of an envelope (`k8s\0`), as JSON by Go's rules. Throws SyntaxError for bytes that are no envelope, and for unknown kinds. */
  decode(bytes: Uint8Array, expected?: ExpectedType): JsonObject;
  /** The envelope of an object; undefined when its kind has no protobuf form (custom resources, Table). */
  encode(object: KubeObject): Uint8Array | undefined;
  /** Do the bytes begin like an envelope? */
  isProtobuf(bytes: Uint8Array): boolean;
  /**
   * The object as Go would print it after reading it: zero values hidden by `omitempty` dropped, empty structs shown. Objects of kinds
   * without a protobuf form come back as they are.
   */
  normalize(object: KubeObject): KubeObject;
};

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const UNKNOWN = 'k8s.io.apimachinery.pkg.runtime.Unknown';

/** A codec over the data; plans of messages are made when first needed. */
export function createProtobufCodec(data: ProtobufData): ProtobufCodec {
  const plans = createPlans(data);
  const decode = (bytes: Uint8Array, expected?: ExpectedType): JsonObject => decodeEnvelope(plans, bytes, expected);
  return {
    decode,
    encode: (object) => encodeEnvelope(plans, object),
    isProtobuf,
    normalize(object) {
      const plan = plans.kind(object.apiVersion, object.kind);
      return plan ? (normalizeMessage(plan, object as JsonObject) as KubeObject) : object;
    },
  };
}

/** Do the bytes begin with the magic number of an envelope? */
export function isProtobuf(bytes: Uint8Array): boolean {
  return bytes.byteLength >= MAGIC.length && MAGIC.every((byte, index) => bytes[index] === byte);
}

function decodeEnvelope(plans: Plans, bytes: Uint8Array, expected: ExpectedType | undefined): JsonObject {
  if (!isProtobuf(bytes))
    throw malformed('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  const envelope = readEnvelope(plans, createReader(bytes.subarray(MAGIC.length)));
  const apiVersion = envelope.apiVersion || expected?.apiVersion || '';
  const kind = envelope.kind || expected?.kind || '';
  if (kind === '' || apiVersion === '') throw malformed(`Object '${kind === '' ? 'Kind' : 'apiVersion'}' is missing`);
  if (envelope.contentType.includes('json')) return { apiVersion, kind, ...asObject(parseJson(envelope.raw.toString('utf8'))) };
  const plan = plans.kind(apiVersion, kind);
  if (!plan) throw malformed(`no kind "${kind}" is registered for version "${apiVersion}"`);
  const object = readMessage(plan, createReader(envelope.raw), 0, (raw) => readEmbedded(plans, raw));
  return { apiVersion, kind, ...object };
}

function readEnvelope(plans: Plans, reader: WireReader): { apiVersion: string; kind: string; raw: Buffer; contentType: string } {
  const plan = plans.message(UNKNOWN);
  if (!plan) throw new Error(`protobuf data lack message ${UNKNOWN}`);
  const value = readMessage(plan, reader, 0, () => null);
  const text = (name: string): string => (typeof value[name] === 'string' ? value[name] : '');
  // `raw` has no JSON name of its own; the data call it "-".
  return {
    apiVersion: text('apiVersion'),
    kind: text('kind'),
    raw: Buffer.from(text('-'), 'base64'),
    contentType: text('contentType'),
  };
}

/** A RawExtension holds JSON text, or another envelope. */
function readEmbedded(plans: Plans, raw: Buffer): JsonValue {
  return isProtobuf(raw) ? decodeEnvelope(plans, raw, undefined) : parseJson(raw.toString('utf8'));
}

function encodeEnvelope(plans: Plans, object: KubeObject): Uint8Array | undefined {
  const plan = plans.kind(object.apiVersion, object.kind);
  const envelope = plans.message(UNKNOWN);
  if (!plan || !envelope) return undefined;
  const raw = messageBytes(plan, object as JsonObject).toString('base64');
  const writer = createWriter();
  writeRaw(writer, MAGIC);
  writeRaw(
    writer,
    messageBytes(envelope, { apiVersion: object.apiVersion, kind: object.kind, '-': raw, contentEncoding: '', contentType: '' }),
  );
  return finish(writer);
}

function asObject(value: JsonValue): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw malformed('embedded JSON is not an object');
}
