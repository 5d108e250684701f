/** String formats that a structural schema may ask for (`format`). Formats that are not listed are not checked, as upstream. */
import { isDns1123Subdomain } from '../names.ts';
import { parseTime } from '../time.ts';

const CHECKS: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['date', (value: string) => isTime(`${value}T00:00:00Z`)],
  ['date-time', isTime],
  ['byte', (value: string) => value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value)],
  ['uuid', (value: string) => /^[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}$/i.test(value)],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['ip', (value: string) => isIpv4(value) || isIpv6(value)],
  ['cidr', isCidr],
  ['uri', (value: string) => URL.canParse(value)],
  ['email', (value: string) => /^[^\s@]+@[^\s@]+$/.test(value)],
  ['hostname', (value: string) => isDns1123Subdomain(value.toLowerCase())],
]);

/** Does the text break the format? False for formats that nobody checks. */
export function violatesFormat(format: string, value: string): boolean {
  const check = CHECKS.get(format);
  return check !== undefined && !check(value);
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

function isTime(value: string): boolean {
  try {
    parseTime(value);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
