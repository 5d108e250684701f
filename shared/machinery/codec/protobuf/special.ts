/** Messages whose JSON is something else than their fields: times, quantities, embedded JSON, and the unions of JSON schemas. */
import type { JsonValue } from '../../object.ts';
import { canonicalQuantity } from '../../quantity.ts';
import { formatTime } from '../../time.ts';
import type { MessagePlan, Special } from './plan.ts';
import { malformed, readBytes, readInt64, readLength, readString, readUint32, skipField, WIRE, type WireReader } from './wire.ts';

type Parts = {
  numbers: Map<number, number | bigint>;
  texts: Map<number, string[]>;
  messages: Map<number, JsonValue[]>;
  raw: Buffer | undefined;
};
type ReadInner = (plan: MessagePlan) => JsonValue;

/** Where a union of schemas keeps its schema, its list, and the type of both. */
const SCHEMA_FIELD = 1;
const SCHEMA_FIELD_OF_BOOL = 2;

/** Reads the rest of the reader as a special message. null stands for Go's nil. Throws SyntaxError. */
export function fromSpecial(
  plan: MessagePlan,
  reader: WireReader,
  readRaw: (bytes: Buffer) => JsonValue,
  readInner: ReadInner,
): JsonValue {
  const special = plan.special as Special;
  const parts = collect(plan, reader, readInner);
  switch (special) {
    case 'time':
    case 'microTime':
      return timeText(parts, special);
    case 'quantity':
      return quantityText(firstText(parts, 1));
    case 'intOrString':
      return Number(parts.numbers.get(1) ?? 0) === 1 ? firstText(parts, 3) : (parts.numbers.get(2) ?? 0);
    case 'rawJson':
    case 'rawExtension':
      return parts.raw === undefined || parts.raw.length === 0 ? null : readRaw(parts.raw);
    case 'items':
      return parts.texts.get(1) ?? [];
    case 'schemaOrArray':
      return parts.messages.get(2) ?? parts.messages.get(SCHEMA_FIELD)?.[0] ?? null;
    case 'schemaOrBool':
      return parts.messages.get(SCHEMA_FIELD_OF_BOOL)?.[0] ?? Number(parts.numbers.get(1) ?? 0) === 1;
    case 'schemaOrStrings':
      return parts.texts.get(2) ?? parts.messages.get(SCHEMA_FIELD)?.[0] ?? null;
  }
}

function collect(plan: MessagePlan, reader: WireReader, readInner: ReadInner): Parts {
  const parts: Parts = { numbers: new Map(), texts: new Map(), messages: new Map(), raw: undefined };
  while (reader.position < reader.end) {
    const tag = readUint32(reader);
    const number = tag >>> 3;
    const field = plan.byNumber.get(number);
    const isBytes = (tag & 7) === WIRE.bytes;
    if (field && !isBytes && (tag & 7) === WIRE.varint && (field.type === 'int' || field.type === 'bool')) {
      parts.numbers.set(number, readInt64(reader));
    } else if (field?.type === 'string' && isBytes) append(parts.texts, number, readString(reader));
    else if (field?.type === 'bytes' && isBytes) parts.raw = readBytes(reader);
    else if (field?.type === 'message' && isBytes)
      append(
        parts.messages,
        number,
        bounded(reader, () => readInner(field.message())),
      );
    else skipField(reader, tag & 7);
  }
  return parts;
}

/** The zero time is Go's year 1, and absent in JSON. */
function timeText(parts: Parts, special: 'time' | 'microTime'): JsonValue {
  const seconds = parts.numbers.get(1);
  const nanos = Number(parts.numbers.get(2) ?? 0);
  // Upstream's encoder writes neither field of a zero time; the epoch itself is written with an explicit zero.
  if (seconds === undefined && nanos === 0) return null;
  const ms = Number(seconds ?? 0) * 1000;
  if (!Number.isFinite(ms) || Math.abs(ms) > 253_402_300_799_000) throw malformed('time out of range');
  const text = formatTime(ms);
  if (special === 'time') return text;
  const micros = String(Math.floor(nanos / 1000)).padStart(6, '0');
  return `${text.slice(0, -1)}.${micros}Z`;
}

function quantityText(text: string): string {
  if (text === '') return '0';
  try {
    return canonicalQuantity(text);
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError(error.message);
    throw error;
  }
}

function bounded<T>(reader: WireReader, read: () => T): T {
  const outer = reader.end;
  const end = readLength(reader);
  reader.end = end;
  const result = read();
  reader.position = end;
  reader.end = outer;
  return result;
}

function append<T>(lists: Map<number, T[]>, key: number, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

const firstText = (parts: Parts, field: number): string => parts.texts.get(field)?.at(-1) ?? '';
