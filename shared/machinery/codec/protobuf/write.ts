/**
 * From JSON to the wire, last field first (see `wire.ts`). Members that the descriptor does not know are left out; absent ones are not
 * written, which reads as zero.
 */
import type { JsonObject, JsonValue } from '../../object.ts';
import { parseTime } from '../../time.ts';
import { stringifyJson } from '../json.ts';
import type { FieldPlan, MessagePlan, Special } from './plan.ts';
import {
  prependBytes,
  prependDouble,
  prependHead,
  prependInt64,
  prependTag,
  prependText,
  WIRE,
  type WireWriter,
  writtenLength,
} from './wire.ts';

/** Puts one message before what was written, without tag and length. */
export function writeMessage(writer: WireWriter, plan: MessagePlan, value: JsonObject): void {
  for (let index = plan.fields.length - 1; index >= 0; index -= 1) {
    const field = plan.fields[index];
    if (!field) continue;
    if (field.name === '') {
      writeInlined(writer, field, value);
      continue;
    }
    const member = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (member !== undefined && member !== null) writeField(writer, field, member);
  }
}

/** Members of an inlined message lie in the same object; without any, nothing is written. */
function writeInlined(writer: WireWriter, field: FieldPlan, value: JsonObject): void {
  const before = writtenLength(writer);
  writeMessage(writer, field.message(), value);
  if (writtenLength(writer) > before) prependHead(writer, field.number, before);
}

function writeField(writer: WireWriter, field: FieldPlan, value: JsonValue): void {
  if (field.wrap === 'list') {
    if (Array.isArray(value)) for (const item of value.toReversed()) writeValue(writer, field, field.number, item);
  } else if (field.wrap === 'map') {
    if (!isObject(value)) return;
    for (const key of Object.keys(value).reverse()) writeEntry(writer, field, key, value[key] ?? null);
  } else writeValue(writer, field, field.number, value);
}

function writeEntry(writer: WireWriter, field: FieldPlan, key: string, value: JsonValue): void {
  const before = writtenLength(writer);
  writeValue(writer, field, 2, value);
  writeText(writer, 1, key);
  prependHead(writer, field.number, before);
}

function writeValue(writer: WireWriter, field: FieldPlan, number: number, value: JsonValue): void {
  switch (field.type) {
    case 'string':
      writeText(writer, number, textOf(value));
      break;
    case 'bytes': {
      const before = writtenLength(writer);
      prependBytes(writer, Buffer.from(textOf(value), 'base64'));
      prependHead(writer, number, before);
      break;
    }
    case 'int':
      writeInteger(writer, number, integerOf(value));
      break;
    case 'bool':
      writeInteger(writer, number, value === true ? 1 : 0);
      break;
    case 'double':
      prependDouble(writer, Number(value ?? 0));
      prependTag(writer, number, WIRE.fixed64);
      break;
    case 'message': {
      const before = writtenLength(writer);
      writeNested(writer, field.message(), value);
      prependHead(writer, number, before);
    }
  }
}

function writeNested(writer: WireWriter, plan: MessagePlan, value: JsonValue): void {
  if (plan.special !== undefined) writeSpecial(writer, plan, plan.special, value);
  else if (isObject(value)) writeMessage(writer, plan, value);
}

function writeSpecial(writer: WireWriter, plan: MessagePlan, special: Special, value: JsonValue): void {
  switch (special) {
    case 'time':
    case 'microTime':
      writeTime(writer, special, value);
      break;
    case 'quantity':
      writeText(writer, 1, textOf(value));
      break;
    case 'intOrString':
      writeIntOrString(writer, value);
      break;
    case 'rawJson':
    case 'rawExtension':
      writeText(writer, 1, stringifyJson(value));
      break;
    case 'items':
      if (Array.isArray(value)) for (const item of value.toReversed()) writeText(writer, 1, textOf(item));
      break;
    default:
      writeUnion(writer, plan, special, value);
  }
}

function writeTime(writer: WireWriter, special: 'time' | 'microTime', value: JsonValue): void {
  if (typeof value !== 'string') return;
  const fraction = special === 'microTime' ? (/\.(\d{1,9})/.exec(value)?.[1] ?? '') : '';
  writeInteger(writer, 2, Number(fraction.padEnd(9, '0')));
  writeInteger(writer, 1, Math.floor(parseTime(value) / 1000));
}

/** All three members are written, as upstream does: 0 and "" are values here. */
function writeIntOrString(writer: WireWriter, value: JsonValue): void {
  const isText = typeof value === 'string';
  writeText(writer, 3, isText ? value : '');
  writeInteger(writer, 2, isText ? 0 : integerOf(value));
  writeInteger(writer, 1, isText ? 1 : 0);
}

/** JSON schemas in places that also take a list, a boolean or strings. */
function writeUnion(writer: WireWriter, plan: MessagePlan, special: Special, value: JsonValue): void {
  const field = plan.fields.find(({ name, wrap }) => (Array.isArray(value) ? wrap === 'list' : name === 'schema'));
  if (field && typeof value === 'object' && value !== null) writeField(writer, field, value);
  if (special === 'schemaOrBool') writeInteger(writer, 1, value === false ? 0 : 1);
}

function writeText(writer: WireWriter, number: number, text: string): void {
  const before = writtenLength(writer);
  prependText(writer, text);
  prependHead(writer, number, before);
}

function writeInteger(writer: WireWriter, number: number, value: number | bigint): void {
  prependInt64(writer, value);
  prependTag(writer, number, WIRE.varint);
}

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : String(value ?? ''));

function integerOf(value: JsonValue): number | bigint {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' ? Math.trunc(value) : 0;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
