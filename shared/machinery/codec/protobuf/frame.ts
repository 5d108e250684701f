/**
 * One event of a watch in protobuf: a frame of four bytes of length (big-endian) and a `WatchEvent`, which holds the envelope of its object
 * (apimachinery's length-delimited framer around its raw protobuf serializer).
 */
import { createWriter, finish, prependBytes, prependHead, prependText, writtenLength } from './wire.ts';

/** Fields of `WatchEvent {type, object}`, and of the `RawExtension {raw}` that is its object. */
const TYPE = 1;
const OBJECT = 2;
const RAW = 1;
const LENGTH_BYTES = 4;

/** `object` is what the codec's `encode` gave. */
export function eventFrame(type: string, object: Uint8Array): Uint8Array {
  const writer = createWriter();
  prependBytes(writer, object);
  prependHead(writer, RAW, 0);
  prependHead(writer, OBJECT, 0);
  const before = writtenLength(writer);
  prependText(writer, type);
  prependHead(writer, TYPE, before);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(writtenLength(writer));
  prependBytes(writer, length);
  return finish(writer);
}
