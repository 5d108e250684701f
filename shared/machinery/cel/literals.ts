/** Values of literals: numbers in range, text and bytes without their quotes and escapes. */
import { type CelValue, uint } from './values.ts';

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

/** Undefined: out of range. */
export function intLiteral(text: string, negative: boolean): bigint | undefined {
  const value = negative ? -BigInt(text) : BigInt(text);
  return value < INT_MIN || value > INT_MAX ? undefined : value;
}

export function uintLiteral(text: string): CelValue | undefined {
  const value = BigInt(text.slice(0, -1));
  return value > UINT_MAX ? undefined : uint(value);
}

export function doubleLiteral(text: string, negative: boolean): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? (negative ? -value : value) : undefined;
}

/** The text between the quotes. */
export function stringLiteral(text: string): string {
  const { body, raw } = unquote(text);
  return raw ? body : body.replace(ESCAPES, (_all, sequence: string) => unescapeText(sequence));
}

export function bytesLiteral(text: string): Uint8Array {
  const { body, raw } = unquote(text.slice(1));
  if (raw) return new TextEncoder().encode(body);
  const parts: number[] = [];
  let last = 0;
  for (const match of body.matchAll(ESCAPES)) {
    parts.push(...new TextEncoder().encode(body.slice(last, match.index)));
    const sequence = match[1] ?? '';
    parts.push(...(isByteEscape(sequence) ? [byteOf(sequence)] : new TextEncoder().encode(unescapeText(sequence))));
    last = match.index + match[0].length;
  }
  parts.push(...new TextEncoder().encode(body.slice(last)));
  return Uint8Array.from(parts);
}

function unquote(text: string): { body: string; raw: boolean } {
  const raw = /^[rR]/.test(text);
  const quoted = raw ? text.slice(1) : text;
  const width = quoted.startsWith('"""') || quoted.startsWith("'''") ? 3 : 1;
  return { body: quoted.slice(width, -width).replaceAll('\r\n', '\n'), raw };
}

const ESCAPES = /\\([abfnrtv"'\\?`]|[0-3][0-7]{2}|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})/g;
const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

function isByteEscape(sequence: string): boolean {
  return sequence.length === 3;
}

function byteOf(sequence: string): number {
  return /^[xX]/.test(sequence) ? Number.parseInt(sequence.slice(1), 16) : Number.parseInt(sequence, 8);
}

function unescapeText(sequence: string): string {
  if (sequence.length === 1) return CONTROLS.get(sequence) ?? sequence;
  const code = isByteEscape(sequence) ? byteOf(sequence) : Number.parseInt(sequence.slice(1), 16);
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code);
}
