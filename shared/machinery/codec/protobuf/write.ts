/** From JSON to the wire. Members that the descriptor does not know are left out; absent ones are not written, which reads as zero. */
import type { JsonObject, JsonValue } from '../../object.ts';
import { parseTime } from '../../time.ts';
import { stringifyJson } from '../json.ts';
import type { FieldPlan, MessagePlan, Special } from './plan.ts';
import { createWriter, finish, WIRE, type WireWriter, writeBytes, writeDouble, writeInt64, writeTag } from './wire.ts';

/** The bytes of one message. */
export function messageBytes(plan: MessagePlan, value: JsonObject): Buffer {
  const writer = createWriter();
  for (const field of plan.fields) {
    if (field.name === '') {
      const inlined = messageBytes(field.message(), value);
      if (inlined.length > 0) writePart(writer, field.number, inlined);
      continue;
    }
    const member = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (member !== undefined && member !== null) writeField(writer, field, member);
  }
  return finish(writer);
}

function writeField(writer: WireWriter, field: FieldPlan, value: JsonValue): void {
  if (field.wrap === 'list') {
    for (const item of Array.isArray(value) ? value : []) writeValue(writer, field, field.number, item);
  } else if (field.wrap === 'map') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const key of Object.keys(value)) writeEntry(writer, field, key, value[key] ?? null);
  } else writeValue(writer, field, field.number, value);
}

function writeEntry(writer: WireWriter, field: FieldPlan, key: string, value: JsonValue): void {
  const entry = createWriter();
  writePart(entry, 1, Buffer.from(key));
  writeValue(entry, field, 2, value);
  writePart(writer, field.number, finish(entry));
}

function writeValue(writer: WireWriter, field: FieldPlan, number: number, value: JsonValue): void {
  switch (field.type) {
    case 'string':
      writePart(writer, number, Buffer.from(textOf(value)));
      break;
    case 'bytes':
      writePart(writer, number, Buffer.from(textOf(value), 'base64'));
      break;
    case 'int':
      writeInteger(writer, number, integerOf(value));
      break;
    case 'bool':
      writeInteger(writer, number, value === true ? 1 : 0);
      break;
    case 'double':
      writeTag(writer, number, WIRE.fixed64);
      writeDouble(writer, Number(value ?? 0));
      break;
    case 'message':
      writePart(writer, number, nestedBytes(field.message(), value));
  }
}

function nestedBytes(plan: MessagePlan, value: JsonValue): Buffer {
  if (plan.special !== undefined) return specialBytes(plan, plan.special, value);
  return messageBytes(plan, typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {});
}

function specialBytes(plan: MessagePlan, special: Special, value: JsonValue): Buffer {
  const writer = createWriter();
  switch (special) {
    case 'time':
    case 'microTime':
      writeTime(writer, special, value);
      break;
    case 'quantity':
      writePart(writer, 1, Buffer.from(textOf(value)));
      break;
    case 'intOrString':
      writeIntOrString(writer, value);
      break;
    case 'rawJson':
    case 'rawExtension':
      writePart(writer, 1, Buffer.from(stringifyJson(value)));
      break;
    case 'items':
      for (const item of Array.isArray(value) ? value : []) writePart(writer, 1, Buffer.from(textOf(item)));
      break;
    default:
      writeUnion(writer, plan, special, value);
  }
  return finish(writer);
}

function writeTime(writer: WireWriter, special: 'time' | 'microTime', value: JsonValue): void {
  if (typeof value !== 'string') return;
  const seconds = Math.floor(parseTime(value) / 1000);
  const fraction = special === 'microTime' ? (/\.(\d{1,9})/.exec(value)?.[1] ?? '') : '';
  writeInteger(writer, 1, seconds);
  writeInteger(writer, 2, Number(fraction.padEnd(9, '0')));
}

/** All three members are written, as upstream does: 0 and "" are values here. */
function writeIntOrString(writer: WireWriter, value: JsonValue): void {
  const isText = typeof value === 'string';
  writeInteger(writer, 1, isText ? 1 : 0);
  writeInteger(writer, 2, isText ? 0 : integerOf(value));
  writePart(writer, 3, Buffer.from(isText ? value : ''));
}

/** JSON schemas in places that also take a list, a boolean or strings. */
function writeUnion(writer: WireWriter, plan: MessagePlan, special: Special, value: JsonValue): void {
  const schema = plan.fields.find((field) => field.name === 'schema');
  const list = plan.fields.find((field) => field.wrap === 'list');
  if (special === 'schemaOrBool') writeInteger(writer, 1, value === false ? 0 : 1);
  if (Array.isArray(value)) {
    if (list) writeField(writer, list, value);
  } else if (schema && typeof value === 'object' && value !== null) writeField(writer, schema, value);
}

function writePart(writer: WireWriter, number: number, bytes: Buffer): void {
  writeTag(writer, number, WIRE.bytes);
  writeBytes(writer, bytes);
}

function writeInteger(writer: WireWriter, number: number, value: number | bigint): void {
  writeTag(writer, number, WIRE.varint);
  writeInt64(writer, value);
}

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : String(value ?? ''));

function integerOf(value: JsonValue): number | bigint {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' ? Math.trunc(value) : 0;
}
