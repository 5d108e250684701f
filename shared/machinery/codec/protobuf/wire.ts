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

/** Grows as it is written to. `parts` are joined at the end. */
export type WireWriter = { parts: Buffer[]; length: number };

export function createWriter(): WireWriter {
  return { parts: [], length: 0 };
}

/** Everything that was written. */
export function finish(writer: WireWriter): Buffer {
  return Buffer.concat(writer.parts, writer.length);
}

export function writeRaw(writer: WireWriter, bytes: Buffer): void {
  writer.parts.push(bytes);
  writer.length += bytes.length;
}

export function writeTag(writer: WireWriter, field: number, wireType: number): void {
  writeRaw(writer, varint(field * 8 + wireType));
}

/** Negative values take ten bytes, as two's complement of 64 bits. */
export function writeInt64(writer: WireWriter, value: number | bigint): void {
  writeRaw(writer, varint(value));
}

export function writeDouble(writer: WireWriter, value: number): void {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  writeRaw(writer, bytes);
}

/** Length and bytes. */
export function writeBytes(writer: WireWriter, bytes: Buffer): void {
  writeRaw(writer, varint(bytes.length));
  writeRaw(writer, bytes);
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

function varint(value: number | bigint): Buffer {
  if (typeof value === 'bigint' || value < 0) return longVarint(BigInt.asUintN(64, BigInt(value)));
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

function longVarint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) + 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
