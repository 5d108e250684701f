/** Values printed as Go's fmt prints them: messages of the API carry them word for word. */
import type { JsonValue } from '../../object.ts';

const NAMED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const SPECIAL = /["\\\x00-\x1f\x7f]/g;

/** `%q` of a string. */
export function quoteGo(text: string): string {
  return `"${text.replace(SPECIAL, (char) => NAMED[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;
}

/** `%v` of a decoded JSON value: `map[a:1 b:[x y]]`, keys sorted. */
export function formatGo(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(formatGo).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${formatGo(value[key])}`).join(' ')}]`;
}

/** `%#v` of a decoded JSON value: `map[string]interface {}{"a":1}`. */
export function formatGoSyntax(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return quoteGo(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(formatGoSyntax).join(', ')}}`;
  if (typeof value !== 'object') return String(value);
  const keys = Object.keys(value).sort();
  return `map[string]interface {}{${keys.map((key) => `${quoteGo(key)}:${formatGoSyntax(value[key])}`).join(', ')}}`;
}

/** `%T` of a decoded JSON value. */
export function goType(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return typeof value === 'bigint' || Number.isInteger(value) ? 'int64' : 'float64';
}
