/** The strings extension, version 2 (ext/strings.go of cel-go). Positions count code points. */
import { global, member, type Overload } from '../functions.ts';
import { sizeOf } from '../operators.ts';
import { compileRegex } from '../regex.ts';
import type { CelList, CelValue } from '../values.ts';
import { fail } from '../values.ts';
import { formatText } from './format-text.ts';
import { regexCost, withPattern } from './standard.ts';

const once = (value: CelValue = null): number => Math.ceil(sizeOf(value) / 10);
const twice = (value: CelValue = null): number => Math.ceil((2 * sizeOf(value)) / 10);

const chars = (text: CelValue): string[] => [...(text as string)];
const outOfRange = (index: CelValue): never => fail(`index out of range: ${index}`);

function charAt(text: CelValue, index: CelValue): CelValue {
  const all = chars(text);
  const at = Number(index);
  return at < 0 || at > all.length ? outOfRange(index) : (all[at] ?? '');
}

function indexOf(text: CelValue, part: CelValue, from: CelValue = 0n): CelValue {
  const wanted = chars(part);
  if (wanted.length === 0) return from;
  if (Number(from) < 0) return outOfRange(from);
  const all = chars(text);
  for (let at = Number(from); at <= all.length - wanted.length; at += 1) if (isAt(all, wanted, at)) return BigInt(at);
  return -1n;
}

function lastIndexOf(text: CelValue, part: CelValue, from?: CelValue): CelValue {
  const all = chars(text);
  const wanted = chars(part);
  if (wanted.length === 0) return from ?? BigInt(all.length);
  if (from !== undefined && Number(from) < 0) return outOfRange(from);
  if (from !== undefined && Number(from) >= all.length) return -1n;
  const start = from === undefined ? all.length - 1 : Number(from);
  for (let at = Math.min(start, all.length - wanted.length); at >= 0; at -= 1) if (isAt(all, wanted, at)) return BigInt(at);
  return -1n;
}

function isAt(all: readonly string[], wanted: readonly string[], at: number): boolean {
  return wanted.every((char, offset) => all[at + offset] === char);
}

function replace(text: CelValue, old: CelValue, fresh: CelValue, limit: CelValue = -1n): CelValue {
  const count = Number(limit);
  const [source, wanted] = [text as string, old as string];
  if (count < 0) return source.replaceAll(wanted, () => fresh as string);
  if (count === 0) return source;
  if (wanted === '') return replaceEmpty(source, fresh as string, count);
  const parts = source.split(wanted);
  const head = parts.slice(0, count + 1);
  const rest = parts.slice(count + 1);
  return [head.join(fresh as string), ...rest].join(wanted);
}

function replaceEmpty(source: string, fresh: string, count: number): string {
  const all = [...source];
  return all.map((char, index) => (index < count ? fresh + char : char)).join('') + (count > all.length ? fresh : '');
}

function split(text: CelValue, separator: CelValue, limit: CelValue = -1n): CelValue {
  const count = Number(limit);
  if (count === 0) return [];
  if (count === 1) return [text];
  const parts = separator === '' ? chars(text) : (text as string).split(separator as string);
  if (count < 0 || parts.length <= count) return parts;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator as string)];
}

function substring(text: CelValue, from: CelValue, to?: CelValue): CelValue {
  const all = chars(text);
  const start = Number(from);
  const end = to === undefined ? all.length : Number(to);
  if (start > end && to !== undefined) return fail(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0 || start > all.length) return outOfRange(from);
  if (end < 0 || end > all.length) return outOfRange(to ?? 0n);
  return all.slice(start, end).join('');
}

const ascii = (pattern: RegExp, change: (text: string) => string) => (text: CelValue) =>
  (text as string).replace(pattern, (run) => change(run));

/** Go's idea of white space. */
const TRIM = /^[\s\u0085]+|[\s\u0085]+$/gu;

function join(list: CelValue, separator: CelValue = ''): CelValue {
  return (list as CelList)
    .map((each) => (typeof each === 'string' ? each : fail(`join: invalid input: ${String(each)}`)))
    .join(separator as string);
}

const joinCost = (list: CelValue = null, separator: CelValue = ''): number =>
  (list as CelList).reduce<number>((sum, each) => sum + sizeOf(each) + sizeOf(separator), 1) / 5;

const QUOTED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: CelValue): CelValue {
  return `"${[...(text as string)].map((char) => QUOTED[char] ?? char).join('')}"`;
}

const findAll = (text: CelValue, pattern: CelValue, limit: CelValue = -1n): CelValue =>
  compileRegex(pattern as string).findAll(text as string, Number(limit));

export const STRINGS: readonly Overload[] = [
  member('charAt', 'string, int', 'string', charAt, once),
  member('indexOf', 'string, string', 'int', (text, part) => indexOf(text, part), once),
  member('indexOf', 'string, string, int', 'int', indexOf, once),
  member('lastIndexOf', 'string, string', 'int', (text, part) => lastIndexOf(text, part), once),
  member('lastIndexOf', 'string, string, int', 'int', lastIndexOf, once),
  member(
    'lowerAscii',
    'string',
    'string',
    ascii(/[A-Z]+/g, (run) => run.toLowerCase()),
    once,
  ),
  member(
    'upperAscii',
    'string',
    'string',
    ascii(/[a-z]+/g, (run) => run.toUpperCase()),
    once,
  ),
  member('replace', 'string, string, string', 'string', (text, old, fresh) => replace(text, old, fresh), twice),
  member('replace', 'string, string, string, int', 'string', replace, twice),
  member('split', 'string, string', 'list(string)', (text, separator) => split(text, separator), twice),
  member('split', 'string, string, int', 'list(string)', split, twice),
  member('substring', 'string, int', 'string', (text, from) => substring(text, from), once),
  member('substring', 'string, int, int', 'string', substring, once),
  member('trim', 'string', 'string', (text) => (text as string).replace(TRIM, ''), once),
  member('join', 'list(string)', 'string', (list) => join(list), joinCost),
  member('join', 'list(string), string', 'string', join, joinCost),
  member('format', 'string, list(dyn)', 'string', (text, args) => formatText(text as string, args as CelList), once),
  global('strings.quote', 'string', 'string', quote, once),
  withPattern(
    member(
      'find',
      'string, string',
      'string',
      (text, pattern) => compileRegex(pattern as string).find(text as string),
      regexCost,
    ),
    (regex) => (text) => regex.find(text as string),
  ),
  withPattern(
    member('findAll', 'string, string', 'list(string)', (text, pattern) => findAll(text, pattern), regexCost),
    (regex) => (text) => regex.findAll(text as string, -1),
  ),
  withPattern(
    member('findAll', 'string, string, int', 'list(string)', findAll, regexCost),
    (regex) =>
      (text, _pattern, limit = -1n) =>
        regex.findAll(text as string, Number(limit)),
  ),
];
