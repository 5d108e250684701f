/** `format` of texts, as version 2 of cel-go's strings extension prints values (ext/formatting.go). */
import { goDouble } from '../go-double.ts';
import { showDuration, showTimestamp } from '../time.ts';
import {
  type CelDuration,
  type CelList,
  type CelMap,
  type CelTimestamp,
  type CelTypeValue,
  type CelUint,
  type CelValue,
  fail,
  isFault,
  kindOf,
  typeNameOf,
} from '../values.ts';

const CLAUSE = /%(?:%|(\.\d+)?([\s\S]?))/g;
const PRECISION = 6;
/** Digits that a clause may ask for. */
const PRECISION_MAX = 100;

/** Puts the arguments into the clauses of the text: %s %d %f %e %b %x %X %o, and %% for itself. */
export function formatText(text: string, args: CelList): string {
  let next = 0;
  return text.replace(CLAUSE, (all, precisionText: string | undefined, verb: string | undefined) => {
    if (all === '%%') return '%';
    const value = args[next];
    if (value === undefined) return fail(`index ${next} out of range`);
    next += 1;
    if (!verb) return fail('unexpected end of string');
    return clause(verb, value, Number(precisionText?.slice(1) ?? PRECISION));
  });
}

/** What is wrong with a text and the arguments that are literals (undefined: not known yet), by the index of the argument; -1: the text. */
export function formatProblems(text: string, args: readonly (CelValue | undefined)[]): { index: number; message: string }[] {
  const problems: { index: number; message: string }[] = [];
  let next = 0;
  for (const [all, precision, verb] of text.matchAll(CLAUSE)) {
    if (all === '%%') continue;
    if (next >= args.length) return [...problems, { index: -1, message: `index ${next} out of range` }];
    const message = clauseProblem(verb ?? '', args[next], Number(precision?.slice(1) ?? PRECISION));
    if (message !== undefined) problems.push({ index: message.startsWith('could not parse') || !verb ? -1 : next, message });
    next += 1;
  }
  return problems;
}

const VERBS = 'sdfebxXo';

function clauseProblem(verb: string, value: CelValue | undefined, precision: number): string | undefined {
  if (verb === '') return 'unexpected end of string';
  if (value === undefined && VERBS.includes(verb)) return undefined;
  try {
    clause(verb, value ?? null, precision);
    return undefined;
  } catch (error) {
    if (isFault(error)) return error.fault;
    throw error;
  }
}

function clause(verb: string, value: CelValue, precision: number): string {
  if (precision > PRECISION_MAX) return fail(`could not parse formatting clause: precision ${precision} is too large`);
  switch (verb) {
    case 's':
      return formatString(value);
    case 'd':
      return integerText(value, 10) ?? wrong('decimal clause can only be used on integers', value);
    case 'f':
      return grouped(numberOf(value, 'fixed-point clause can only be used on doubles').toFixed(precision));
    case 'e':
      return scientific(numberOf(value, 'scientific clause can only be used on doubles'), precision);
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integerText(value, 2) ?? wrong('only integers and bools can be formatted as binary', value);
    case 'x':
      return hex(value);
    case 'X':
      return hex(value).toUpperCase();
    case 'o':
      return integerText(value, 8) ?? wrong('octal clause can only be used on integers', value);
    default:
      return fail(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function wrong(why: string, value: CelValue): never {
  return fail(`error during formatting: ${why}, was given ${typeNameOf(value)}`);
}

function integerText(value: CelValue, base: number): string | undefined {
  if (typeof value === 'bigint') return value.toString(base);
  return kindOf(value) === 'uint' ? (value as CelUint).value.toString(base) : undefined;
}

function hex(value: CelValue): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integerText(value, 16) ?? wrong('only integers, byte buffers, and strings can be formatted as hex', value);
}

function numberOf(value: CelValue, why: string): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return Number.NaN;
  if (value === 'Infinity' || value === '-Infinity') return Number(value);
  return wrong(why, value);
}

/** Thousands are set apart, as upstream's default locale does. */
function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.');
  if (!/\d/.test(whole)) return text.replace('Infinity', '∞');
  const apart = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return fraction === undefined ? apart : `${apart}.${fraction}`;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function scientific(value: number, precision: number): string {
  if (!Number.isFinite(value)) return grouped(String(value));
  const [mantissa = '', exponent = '0'] = value.toExponential(precision).split('e');
  const digits = String(Math.abs(Number(exponent))).padStart(2, '0');
  const raised = [...digits].map((digit) => SUPERSCRIPTS[Number(digit)] ?? '').join('');
  return `${mantissa}×10${Number(exponent) < 0 ? '⁻' : ''}${raised}`;
}

/** `%s` of any value. Inside lists and maps text is quoted, and dates are written as CEL would. */
export function formatString(value: CelValue): string {
  switch (kindOf(value)) {
    case 'list':
      return `[${(value as CelList).map(formatInside).join(', ')}]`;
    case 'map':
      return formatMap(value as CelMap);
    case 'null':
      return 'null';
    case 'double':
      return goDouble(value as number);
    case 'uint':
      return String((value as CelUint).value);
    case 'bytes':
      return Buffer.from(value as Uint8Array).toString('utf8');
    case 'duration':
      return showDuration(value as CelDuration);
    case 'timestamp':
      return showTimestamp(value as CelTimestamp);
    case 'type':
      return (value as CelTypeValue).name;
    case 'string':
    case 'int':
    case 'bool':
      return String(value);
    default:
      return wrong(
        'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
        value,
      );
  }
}

function formatInside(value: CelValue): string {
  switch (kindOf(value)) {
    case 'string':
      return JSON.stringify(value);
    case 'bytes':
      return `b${JSON.stringify(Buffer.from(value as Uint8Array).toString('utf8'))}`;
    case 'double':
      return (value as number).toFixed(PRECISION);
    case 'duration':
      return `duration("${showDuration(value as CelDuration)}")`;
    case 'timestamp':
      return `timestamp("${showTimestamp(value as CelTimestamp)}")`;
    default:
      return formatString(value);
  }
}

function formatMap(map: CelMap): string {
  const pairs = map.keys().map((key) => [formatInside(key), formatInside(map.get(key) ?? null)] as const);
  return `{${pairs
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}:${value}`)
    .join(', ')}}`;
}
