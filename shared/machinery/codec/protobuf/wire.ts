/** Protocol buffers on the wire: varints, fixed-width numbers and length-delimited parts, read and written. */
import { isUtf8 } from 'node:buffer';

/** Wire types of the encoding. Groups (3 and 4) are not used by Kubernetes and are refused. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** A position in a buffer. `end` bounds the message that is being read. */
export type WireReader = { bytes: Buffer; position: number; end: number };

/** A reader of all the bytes, which are not copied. */
export function createReader(bytes: Uint8Array): WireReader {
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), position: 0, end: bytes.byteLength };
}

/** A complaint about bytes that are no message. */
export function malformed(why: string): SyntaxError {
  return new SyntaxError(`proto: ${why}`);
}

/** A varint below 2^32, as tags and lengths are. Throws SyntaxError. */
export function readUint32(reader: WireReader): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = readByte(reader);
    // Multiplied, because a shift would make bit 31 a sign.
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
  throw malformed('integer overflow');
}

/** A signed integer of up to 64 bits: a number where it is exact, a bigint beyond. Throws SyntaxError. */
export function readInt64(reader: WireReader): number | bigint {
  let small = 0;
  for (let shift = 0; shift < 49; shift += 7) {
    const byte = readByte(reader);
    small += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return small;
  }
  let large = BigInt(small);
  for (let shift = 49n; shift < 70n; shift += 7n) {
    const byte = readByte(reader);
    large |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return exact(BigInt.asIntN(64, large));
  }
  throw malformed('integer overflow');
}

/** A double in little-endian order. Throws SyntaxError. */
export function readDouble(reader: WireReader): number {
  const { position } = reader;
  if (position + 8 > reader.end) throw malformed('unexpected EOF');
  reader.position = position + 8;
  return reader.bytes.readDoubleLE(position);
}

/** Enters a length-delimited part: returns its end and leaves the position at its start. Throws SyntaxError. */
export function readLength(reader: WireReader): number {
  const length = readUint32(reader);
  const end = reader.position + length;
  if (end > reader.end) throw malformed('unexpected EOF');
  return end;
}

/** Text in UTF-8. Throws SyntaxError for bytes that are not. */
export function readString(reader: WireReader): string {
  const start = reader.position;
  const end = readLength(reader);
  const from = reader.position;
  reader.position = end;
  const text = reader.bytes.toString('utf8', from, end);
  // The replacement character may have been sent as such; only then is the costly check made.
  if (text.includes('\ufffd') && !isUtf8(reader.bytes.subarray(from, end)))
    throw malformed(`string at byte ${start} is not valid UTF-8`);
  return text;
}

/** Raw bytes; a view, not a copy. */
export function readBytes(reader: WireReader): Buffer {
  const end = readLength(reader);
  const from = reader.position;
  reader.position = end;
  return reader.bytes.subarray(from, end);
}

/** Passes over a field that nobody knows. Throws SyntaxError. */
export function skipField(reader: WireReader, wireType: number): void {
  switch (wireType) {
    case WIRE.varint:
      readInt64(reader);
      return;
    case WIRE.fixed64:
      reader.position += 8;
      break;
    case WIRE.fixed32:
      reader.position += 4;
      break;
    case WIRE.bytes:
      reader.position = readLength(reader);
      return;
    default:
      throw malformed(`illegal wireType ${wireType}`);
  }
  if (reader.position > reader.end) throw malformed('unexpected EOF');
}

/**
 * Written from the end to the front: a nested message is complete, and its length known, before its head is written. `position` is where
 * the written part begins.
 */
export type WireWriter = { buffer: Buffer; position: number };

const FIRST_CAPACITY = 1024;

export function createWriter(): WireWriter {
  return { buffer: Buffer.allocUnsafe(FIRST_CAPACITY), position: FIRST_CAPACITY };
}

/** Everything that was written; a view of the writer's buffer. */
export function finish(writer: WireWriter): Buffer {
  return writer.buffer.subarray(writer.position);
}

/** Puts bytes before what was written. */
export function prependBytes(writer: WireWriter, bytes: Uint8Array): void {
  reserve(writer, bytes.length);
  writer.position -= bytes.length;
  writer.buffer.set(bytes, writer.position);
}

/** Puts text in UTF-8 before what was written. */
export function prependText(writer: WireWriter, text: string): void {
  const length = Buffer.byteLength(text);
  reserve(writer, length);
  writer.position -= length;
  writer.buffer.write(text, writer.position, length, 'utf8');
}

/** Puts a double before what was written. */
export function prependDouble(writer: WireWriter, value: number): void {
  reserve(writer, 8);
  writer.position -= 8;
  writer.buffer.writeDoubleLE(value, writer.position);
}

/** Puts a varint before what was written. Negative values take ten bytes, as two's complement of 64 bits. */
export function prependInt64(writer: WireWriter, value: number | bigint): void {
  reserve(writer, 10);
  if (typeof value === 'bigint' || value < 0) prependLarge(writer, BigInt.asUintN(64, BigInt(value)));
  else prependSmall(writer, value);
}

/** Puts a field's tag before what was written. */
export function prependTag(writer: WireWriter, field: number, wireType: number): void {
  prependInt64(writer, field * 8 + wireType);
}

/** Makes what was written since `end` (the length written before it) the content of a length-delimited field. */
export function prependHead(writer: WireWriter, field: number, end: number): void {
  prependInt64(writer, writer.buffer.length - writer.position - end);
  prependTag(writer, field, WIRE.bytes);
}

/** How much was written: what `prependHead` takes. */
export function writtenLength(writer: WireWriter): number {
  return writer.buffer.length - writer.position;
}

function readByte(reader: WireReader): number {
  if (reader.position >= reader.end) throw malformed('unexpected EOF');
  const byte = reader.bytes[reader.position] ?? 0;
  reader.position += 1;
  return byte;
}

function exact(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Doubles the buffer, at least, keeping what was written at its end. */
function reserve(writer: WireWriter, length: number): void {
  if (writer.position >= length) return;
  const written = finish(writer);
  const capacity = Math.max(writer.buffer.length * 2, written.length + length);
  const buffer = Buffer.allocUnsafe(capacity);
  written.copy(buffer, capacity - written.length);
  writer.buffer = buffer;
  writer.position = capacity - written.length;
}

function prependSmall(writer: WireWriter, value: number): void {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length += 1;
  writer.position -= length;
  let rest = value;
  for (let index = 0; index < length; index += 1) {
    const last = index === length - 1;
    writer.buffer[writer.position + index] = last ? rest : (rest % 0x80) + 0x80;
    rest = Math.floor(rest / 0x80);
  }
}

function prependLarge(writer: WireWriter, value: bigint): void {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) + 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  writer.position -= bytes.length;
  writer.buffer.set(bytes, writer.position);
}
