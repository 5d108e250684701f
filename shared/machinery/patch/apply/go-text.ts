/** Values printed as Go's fmt prints them: messages of the API carry them word for word. */
import { quoteGo } from '../../go-quote.ts';
import type { JsonValue } from '../../object.ts';

export { quoteGo };

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
