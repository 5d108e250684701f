/** String formats that a structural schema may ask for (`format`), as strfmt checks them. Formats that are not listed are not checked, as upstream. */

import { isDns1123Subdomain } from '../names.ts';
import type { JsonValue } from '../object.ts';

type Check = (value: string) => boolean;
const matching = (regex: RegExp): Check => regex.test.bind(regex);
const uuid = (third: string, fourth: string): Check =>
  matching(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}-?[0-9a-f]{12}$`, 'i'));

/** By their names without dashes: `date-time` and `datetime` are one. */
const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['bsonobjectid', matching(/^[0-9a-f]{24}$/i)],
  ['uri', (value) => URL.canParse(value) || /^\/[^\s]*$/.test(value)],
  ['email', matching(/^(?:[^\s@<>]+|.*<[^\s@<>]+)@[^\s@<>]+>?$/)],
  ['hostname', (value) => isDns1123Subdomain(value.toLowerCase())],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', matching(/^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4,18}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2,9}[0-9a-f]{4})$/i)],
  ['uuid', uuid('[0-9a-f]{4}', '[0-9a-f]{4}')],
  ['uuid3', uuid('3[0-9a-f]{3}', '[0-9a-f]{4}')],
  ['uuid4', uuid('4[0-9a-f]{3}', '[89ab][0-9a-f]{3}')],
  ['uuid5', uuid('5[0-9a-f]{3}', '[89ab][0-9a-f]{3}')],
  ['isbn', (value) => isIsbn10(value) || isIsbn13(value)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matching(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['rgbcolor', isRgbColor],
  ['byte', (value) => value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (value) => value.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(value)],
  ['k8slongname', isDns1123Subdomain],
]);

/** The check of a format; undefined for one that nobody checks. */
export function formatCheck(format: JsonValue | undefined): Check | undefined {
  return typeof format === 'string' ? CHECKS.get(format.replaceAll('-', '')) : undefined;
}

/** Dotted decimal, four parts, no leading zeros. */
export function isIpv4(value: string): boolean {
  const parts = value.split('.', 5);
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** Groups of hexadecimal digits, `::` once at most, an IPv4 tail allowed. */
export function isIpv6(value: string): boolean {
  if (value.length > 45 || !value.includes(':')) return false;
  const halves = value.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups[groups.length - 1] ?? '';
  const tail = last.includes('.') ? 2 : 1;
  if (tail === 2 && !isIpv4(last)) return false;
  const plain = tail === 2 ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[\da-fA-F]{1,4}$/.test(group))) return false;
  const count = tail === 2 ? plain.length + 2 : plain.length;
  return halves.length === 2 ? count < 8 : count === 8;
}

function isCidr(value: string): boolean {
  const slash = value.indexOf('/');
  const [address, bits] = [value.slice(0, slash), value.slice(slash + 1)];
  if (slash < 0 || !/^\d{1,3}$/.test(bits)) return false;
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}

function isDate(value: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function isDateTime(value: string): boolean {
  const [date = '', time = ''] = value.toLowerCase().split('t', 2);
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time);
  return match !== null && isDate(date) && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59;
}

const UNITS = 'ns|us|µs|ms|s|m|h|d|w';

/** Go's notation (`1h30m`), or a number and a word (`22 ns`, `3 days`). */
function isDuration(value: string): boolean {
  if (/^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(value)) return true;
  const words =
    'nanos?|nanoseconds?|micros?|microseconds?|millis?|milliseconds?|seconds?|sec|minutes?|min|hours?|hr|days?|weeks?|wk';
  return new RegExp(`^\\d+\\s*(?:${UNITS}|${words})$`).test(value);
}

function isIsbn10(value: string): boolean {
  const digits = value.replace(/[\s-]+/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, index) => total + (index + 1) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(value: string): boolean {
  const digits = value.replace(/[\s-]+/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0;
}

const CARDS =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCreditCard(value: string): boolean {
  const digits = value.replace(/\D+/g, '');
  if (!CARDS.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = index % 2 === 0 ? Number(digit) : 2 * Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function isRgbColor(value: string): boolean {
  const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(value);
  return match?.slice(1).every((part) => Number(part) <= 255) ?? false;
}
