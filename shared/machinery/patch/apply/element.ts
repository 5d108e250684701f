/**
 * Elements of a field path, in the text form that `fieldsV1` uses: `f:<name>` a member of a map, `k:<json>` a list item by its keys,
 * `v:<json>` an item of a set, `i:<n>` a list index. Equal elements have equal text, so sets are keyed by it.
 */
import { stringifyJson } from '../../codec/json.ts';
import type { JsonObject, JsonValue } from '../../object.ts';
import { quoteGo } from './go-text.ts';

/** The element of a member named `name`. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** The element of an item of a set. */
export function valueElement(value: JsonValue): string {
  return `v:${canonicalJson(value)}`;
}

/** The element of a list item with these keys, sorted by name beforehand. */
export function keyElement(keys: readonly (readonly [string, JsonValue])[]): string {
  return `k:{${keys.map(([name, value]) => `${canonicalJson(name)}:${canonicalJson(value)}`).join(',')}}`;
}

const UNUSUAL = /[\\<>&\u2028\u2029]/;
const ESCAPED = /\\./g;
const HTML = /[<>&\u2028\u2029]/g;

/** JSON as Go's encoder writes it: `<`, `>` and `&` escaped, keys as they are. */
function canonicalJson(value: JsonValue): string {
  const text = stringifyJson(value);
  if (!UNUSUAL.test(text)) return text;
  return escapeHtml(text.replace(ESCAPED, (found) => GO_ESCAPES.get(found) ?? found));
}

/** JSON text with the characters escaped that Go's encoders escape for HTML's sake. */
export function escapeHtml(json: string): string {
  return json.replace(HTML, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Escapes that JavaScript shortens and Go's encoder of field paths does not. */
const GO_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\b', '\\u0008'],
  ['\\f', '\\u000c'],
]);

/**
 * The canonical text of an element that was read from `fieldsV1`. Undefined: a kind of element that is not known (readers skip it).
 * Throws SyntaxError when it is malformed.
 */
export function canonicalElement(text: string): string | undefined {
  if (text.charCodeAt(1) !== COLON)
    throw new SyntaxError(text.length < 2 ? 'key must be 2 characters long' : `missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return text;
    case 'v':
      return valueElement(JSON.parse(rest) as JsonValue);
    case 'k':
      return PLAIN_NAME.test(text) ? text : keyElement(sortedEntries(parseKeys(rest)));
    case 'i':
      if (!/^-?\d+$/.test(rest)) throw new SyntaxError(`not an index: ${rest}`);
      return `i:${Number(rest)}`;
    default:
      return undefined;
  }
}

const COLON = 58;

/** Most list items go by a name without anything to escape: their element is canonical as it stands, and is compared without parsing. */
const PLAIN_NAME = /^k:\{"name":"[\w./-]*"\}$/;
const NAME_START = 'k:{"name":"'.length;

function parseKeys(text: string): JsonObject {
  const keys = JSON.parse(text) as JsonValue;
  if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) throw new SyntaxError(`not a list of keys: ${text}`);
  return keys;
}

function sortedEntries(keys: JsonObject): [string, JsonValue][] {
  const entries = Object.keys(keys).map((name): [string, JsonValue] => [name, keys[name] ?? null]);
  return entries.sort(([a], [b]) => compareText(a, b));
}

/** The order of elements in `fieldsV1`: fields by name, then keys, then values, then indexes. For `Array.sort`. */
export function compareElements(a: string, b: string): number {
  const [left, right] = [RANK.indexOf(a[0] ?? ''), RANK.indexOf(b[0] ?? '')];
  if (left !== right) return left - right;
  switch (a[0]) {
    case 'k':
      if (PLAIN_NAME.test(a) && PLAIN_NAME.test(b)) return compareText(a.slice(NAME_START, -2), b.slice(NAME_START, -2));
      return compareKeys(parseKeys(a.slice(2)), parseKeys(b.slice(2)));
    case 'v':
      return compareScalars(JSON.parse(a.slice(2)) as JsonValue, JSON.parse(b.slice(2)) as JsonValue);
    case 'i':
      return Number(a.slice(2)) - Number(b.slice(2));
    default:
      return compareText(a, b);
  }
}

const RANK = 'fkvi';

function compareKeys(a: JsonObject, b: JsonObject): number {
  const [left, right] = [sortedEntries(a), sortedEntries(b)];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const [leftName, leftValue] = left[index] ?? ['', null];
    const [rightName, rightValue] = right[index] ?? ['', null];
    const order = compareText(leftName, rightName) || compareScalars(leftValue, rightValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Numbers, then strings, then booleans; within a type by value. */
function compareScalars(a: JsonValue, b: JsonValue): number {
  const [left, right] = [scalarRank(a), scalarRank(b)];
  if (left !== right) return left - right;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return Number(a) - Number(b);
}

function scalarRank(value: JsonValue): number {
  if (typeof value === 'number' || typeof value === 'bigint') return 0;
  if (typeof value === 'string') return 1;
  return typeof value === 'boolean' ? 2 : 3;
}

const SURROGATE = /[\ud800-\udfff]/;

/** The order of UTF-8 bytes, which is Go's. It differs from JavaScript's only where surrogates occur. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** A path as error messages print it: `.spec.containers[name="c"].image`. */
export function formatPath(path: readonly string[]): string {
  return path.map(formatElement).join('');
}

/** One element as error messages print it: `.image`, `[name="c"]`, `[="x"]`, `[0]`. */
export function formatElement(element: string): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case 'k':
      return `[${sortedEntries(parseKeys(rest))
        .map(([name, value]) => `${name}=${formatValue(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${formatValue(JSON.parse(rest) as JsonValue)}]`;
    case 'i':
      return `[${rest}]`;
    default:
      return `.${rest}`;
  }
}

function formatValue(value: JsonValue): string {
  return typeof value === 'string' ? quoteGo(value) : stringifyJson(value);
}
