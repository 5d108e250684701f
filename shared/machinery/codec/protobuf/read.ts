/** From the wire to JSON: an object as Go would print it after reading the same bytes, nulls left out. */
import { setOwn } from '../../equality.ts';
import { PROTOBUF_NESTING_MAX } from '../../limits.ts';
import type { JsonObject, JsonValue } from '../../object.ts';
import type { FieldPlan, MessagePlan } from './plan.ts';
import { fromSpecial } from './special.ts';
import {
  malformed,
  readBytes,
  readDouble,
  readInt64,
  readLength,
  readString,
  readUint32,
  skipField,
  WIRE,
  type WireReader,
} from './wire.ts';
import { fillMissing, isZero, keepsZero } from './zero.ts';

/** Reads the embedded bytes of a RawExtension, which may be JSON or another envelope. */
export type ReadRaw = (bytes: Buffer) => JsonValue;

/** The rest of the reader's bytes as one message. Throws SyntaxError. */
export function readMessage(plan: MessagePlan, reader: WireReader, depth: number, readRaw: ReadRaw): JsonObject {
  const target: JsonObject = {};
  readInto(target, plan, reader, depth, readRaw);
  return target;
}

/** Fields land in `target`, which inlined messages share. Go's zero rules are applied when the last byte is read. */
function readInto(target: JsonObject, plan: MessagePlan, reader: WireReader, depth: number, readRaw: ReadRaw): void {
  if (depth > PROTOBUF_NESTING_MAX) throw malformed(`exceeded max depth of ${PROTOBUF_NESTING_MAX}`);
  let inlined: Set<FieldPlan> | undefined;
  while (reader.position < reader.end) {
    const tag = readUint32(reader);
    const field = plan.byNumber.get(tag >>> 3);
    if (!field) {
      skipField(reader, tag & 7);
    } else if (field.name === '') {
      inlined = (inlined ?? new Set()).add(field);
      within(reader, () => readInto(target, field.message(), reader, depth + 1, readRaw));
    } else readField(target, field, tag & 7, reader, depth, readRaw);
  }
  fillMissing(target, plan, inlined);
}

function readField(
  target: JsonObject,
  field: FieldPlan,
  wireType: number,
  reader: WireReader,
  depth: number,
  readRaw: ReadRaw,
): void {
  if (field.wrap === 'map') {
    readEntry(target, field, wireType, reader, depth, readRaw);
  } else if (field.wrap === 'list') {
    readElement(listOf(target, field.name), field, wireType, reader, depth, readRaw);
  } else {
    const value = readValue(field, wireType, reader, depth, readRaw);
    // A later occurrence of a single field replaces an earlier one, also when it is zero.
    if (value === null || (!field.pointer && isZero(value) && !keepsZero(field))) delete target[field.name];
    else target[field.name] = value;
  }
}

function readElement(
  list: JsonValue[],
  field: FieldPlan,
  wireType: number,
  reader: WireReader,
  depth: number,
  readRaw: ReadRaw,
): void {
  const packed = field.type === 'int' && wireType === WIRE.bytes;
  if (!packed) {
    list.push(readValue(field, wireType, reader, depth, readRaw));
    return;
  }
  within(reader, () => {
    while (reader.position < reader.end) list.push(readInt64(reader));
  });
}

/** A map is a list of little messages: key 1, value 2. */
function readEntry(
  target: JsonObject,
  field: FieldPlan,
  wireType: number,
  reader: WireReader,
  depth: number,
  readRaw: ReadRaw,
): void {
  if (wireType !== WIRE.bytes) throw malformed(`wrong wireType = ${wireType} for field ${field.name}`);
  const map = mapOf(target, field.name);
  within(reader, () => {
    let key = '';
    let value: JsonValue | undefined;
    while (reader.position < reader.end) {
      const tag = readUint32(reader);
      if (tag >>> 3 === 1 && (tag & 7) === WIRE.bytes) key = readString(reader);
      else if (tag >>> 3 === 2) value = readValue(field, tag & 7, reader, depth, readRaw);
      else skipField(reader, tag & 7);
    }
    setOwn(map, key, value ?? emptyElement(field, readRaw));
  });
}

function readValue(field: FieldPlan, wireType: number, reader: WireReader, depth: number, readRaw: ReadRaw): JsonValue {
  const expected =
    field.type === 'int' || field.type === 'bool' ? WIRE.varint : field.type === 'double' ? WIRE.fixed64 : WIRE.bytes;
  if (wireType !== expected) throw malformed(`wrong wireType = ${wireType} for field ${field.name}`);
  switch (field.type) {
    case 'string':
      return readString(reader);
    case 'int':
      return readInt64(reader);
    case 'bool':
      return readInt64(reader) !== 0;
    case 'double':
      return readDouble(reader);
    case 'bytes':
      return readBytes(reader).toString('base64');
    case 'message':
      return within(reader, () => readNested(field.message(), reader, depth + 1, readRaw));
  }
}

function readNested(plan: MessagePlan, reader: WireReader, depth: number, readRaw: ReadRaw): JsonValue {
  if (plan.special !== undefined) {
    return fromSpecial(plan, reader, readRaw, (inner) => readMessage(inner, reader, depth, readRaw));
  }
  return readMessage(plan, reader, depth, readRaw);
}

/** A map entry that came without its value holds the zero value of its type. */
function emptyElement(field: FieldPlan, readRaw: ReadRaw): JsonValue {
  switch (field.type) {
    case 'int':
    case 'double':
      return 0;
    case 'bool':
      return false;
    case 'message':
      return readNested(field.message(), { bytes: Buffer.alloc(0), position: 0, end: 0 }, 0, readRaw);
    default:
      return '';
  }
}

/** Runs `read` with the reader bounded to the length-delimited part at its position, and leaves it behind that part. */
function within<T>(reader: WireReader, read: () => T): T {
  const outer = reader.end;
  const end = readLength(reader);
  reader.end = end;
  const result = read();
  reader.position = end;
  reader.end = outer;
  return result;
}

function listOf(target: JsonObject, name: string): JsonValue[] {
  const known = target[name];
  if (Array.isArray(known)) return known;
  const list: JsonValue[] = [];
  target[name] = list;
  return list;
}

function mapOf(target: JsonObject, name: string): JsonObject {
  const known = target[name];
  if (typeof known === 'object' && known !== null && !Array.isArray(known)) return known;
  const map: JsonObject = {};
  target[name] = map;
  return map;
}
