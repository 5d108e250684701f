/**
 * Kubernetes' protobuf: kubectl and Go clients send bodies of built-in kinds in it and cannot be talked out of it. Driven by the
 * descriptor data of `shared/apis/data`; only the wire format and Go's rules for zero values are code.
 */
import type { JsonObject, JsonValue, KubeObject } from '../object.ts';
import { parseJson } from './json.ts';
import { type EmptyLists, normalizeMessage } from './protobuf/normalize.ts';
import { createPlans, type Plans, type ProtobufData } from './protobuf/plan.ts';
import { readMessage } from './protobuf/read.ts';
import {
  createReader,
  createWriter,
  finish,
  malformed,
  prependBytes,
  prependHead,
  prependText,
  readBytes,
  readString,
  readUint32,
  skipField,
  type WireReader,
  writtenLength,
} from './protobuf/wire.ts';
import { writeMessage } from './protobuf/write.ts';

export type { ProtobufData } from './protobuf/plan.ts';

/** What stands in for type information that an envelope lacks: the kind that the URL asks for. */
export type ExpectedType = { apiVersion: string; kind: string };

export type ProtobufCodec = {
  /** The object of an envelope (`k8s\0`), as JSON by Go's rules. Throws SyntaxError for bytes that are no envelope, and for unknown kinds. */
  decode(bytes: Uint8Array, expected?: ExpectedType): JsonObject;
  /** The envelope of an object; undefined when its kind has no protobuf form (custom resources, Table). */
  encode(object: KubeObject): Uint8Array | undefined;
  /** Has the kind a protobuf form? */
  hasForm(type: ExpectedType): boolean;
  /** Do the bytes begin like an envelope? */
  isProtobuf(bytes: Uint8Array): boolean;
  /**
   * The object as Go would print it after reading it: zero values hidden by `omitempty` dropped, empty structs shown. Objects of kinds
   * without a protobuf form come back as they are.
   */
  normalize(object: KubeObject): KubeObject;
  /** The same as it comes back from the real server's store: lists that are always shown are null when empty. */
  stored(object: KubeObject): KubeObject;
};

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
/** Tags of the envelope and of the type information in it: field number and the wire type of length-delimited parts. */
const TYPE_META = 0x0a;
const RAW = 0x12;
const CONTENT_TYPE = 0x22;
const API_VERSION = 0x0a;
const KIND = 0x12;

type Envelope = { apiVersion: string; kind: string; raw: Buffer; contentType: string };

/** A codec over the data; plans of messages are made when first needed. */
export function createProtobufCodec(data: ProtobufData): ProtobufCodec {
  const plans = createPlans(data);
  const decode = (bytes: Uint8Array, expected?: ExpectedType): JsonObject => decodeEnvelope(plans, bytes, expected);
  const normalized = (object: KubeObject, empty: EmptyLists): KubeObject => {
    const plan = plans.kind(object.apiVersion, object.kind);
    return plan ? (normalizeMessage(plan, object as JsonObject, empty) as KubeObject) : object;
  };
  return {
    decode,
    encode: (object) => encodeEnvelope(plans, object),
    hasForm: ({ apiVersion, kind }) => plans.kind(apiVersion, kind) !== undefined,
    isProtobuf,
    normalize: (object) => normalized(object, 'kept'),
    stored: (object) => normalized(object, 'nil'),
  };
}

/** Do the bytes begin with the magic number of an envelope? */
export function isProtobuf(bytes: Uint8Array): boolean {
  return bytes.byteLength >= MAGIC.length && MAGIC.every((byte, index) => bytes[index] === byte);
}

function decodeEnvelope(plans: Plans, bytes: Uint8Array, expected: ExpectedType | undefined): JsonObject {
  if (!isProtobuf(bytes))
    throw malformed('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  const envelope = readEnvelope(createReader(bytes.subarray(MAGIC.length)));
  const apiVersion = envelope.apiVersion || expected?.apiVersion || '';
  const kind = envelope.kind || expected?.kind || '';
  if (kind === '' || apiVersion === '') throw malformed(`Object '${kind === '' ? 'Kind' : 'apiVersion'}' is missing`);
  if (envelope.contentType.includes('json')) return { apiVersion, kind, ...asObject(parseJson(envelope.raw.toString('utf8'))) };
  const plan = plans.kind(apiVersion, kind);
  if (!plan) throw malformed(`no kind "${kind}" is registered for version "${apiVersion}"`);
  const object = readMessage(plan, createReader(envelope.raw), 0, (raw) => readEmbedded(plans, raw));
  return { apiVersion, kind, ...object };
}

/** `runtime.Unknown`: fields that no version of Kubernetes has changed, so that `raw` is read without a copy. */
function readEnvelope(reader: WireReader): Envelope {
  const envelope: Envelope = { apiVersion: '', kind: '', raw: Buffer.alloc(0), contentType: '' };
  while (reader.position < reader.end) {
    const tag = readUint32(reader);
    if (tag === RAW) envelope.raw = readBytes(reader);
    else if (tag === CONTENT_TYPE) envelope.contentType = readString(reader);
    else if (tag === TYPE_META) readTypeMeta(envelope, createReader(readBytes(reader)));
    else skipField(reader, tag & 7);
  }
  return envelope;
}

function readTypeMeta(envelope: Envelope, reader: WireReader): void {
  while (reader.position < reader.end) {
    const tag = readUint32(reader);
    if (tag === API_VERSION) envelope.apiVersion = readString(reader);
    else if (tag === KIND) envelope.kind = readString(reader);
    else skipField(reader, tag & 7);
  }
}

/** A RawExtension holds JSON text, or another envelope. */
function readEmbedded(plans: Plans, raw: Buffer): JsonValue {
  return isProtobuf(raw) ? decodeEnvelope(plans, raw, undefined) : parseJson(raw.toString('utf8'));
}

function encodeEnvelope(plans: Plans, object: KubeObject): Uint8Array | undefined {
  const plan = plans.kind(object.apiVersion, object.kind);
  if (!plan) return undefined;
  const writer = createWriter();
  writeMessage(writer, plan, object as JsonObject);
  prependHead(writer, RAW >>> 3, 0);
  const before = writtenLength(writer);
  for (const [tag, text] of [
    [KIND, object.kind],
    [API_VERSION, object.apiVersion],
  ] as const) {
    const start = writtenLength(writer);
    prependText(writer, text);
    prependHead(writer, tag >>> 3, start);
  }
  prependHead(writer, TYPE_META >>> 3, before);
  prependBytes(writer, MAGIC);
  return finish(writer);
}

function asObject(value: JsonValue): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw malformed('embedded JSON is not an object');
}
