/** IP addresses and networks (k8s.io/apiserver/pkg/cel/library/ip.go, cidr.go). IPv4-mapped addresses and zones are refused. */
import { quoteGo } from '../../go-quote.ts';
import { global, member, type Overload } from '../functions.ts';
import { sizeOf } from '../operators.ts';
import { type CelOpaque, type CelValue, fail, opaque } from '../values.ts';

type Ip = { bits: 32 | 128; value: bigint };
type Cidr = { ip: Ip; prefix: number };
type Parsed<T> = { ok: true; value: T } | { ok: false; problem: string };

const IP = 'net.IP';
const CIDR = 'net.CIDR';

function parseAddress(text: string): Parsed<Ip> {
  const refuse = (why: string): Parsed<Ip> => ({ ok: false, problem: `ParseAddr(${quoteGo(text)}): ${why}` });
  const ipv4 = readIpv4(text);
  if (ipv4 !== undefined) return { ok: true, value: { bits: 32, value: ipv4 } };
  if (!text.includes(':')) return refuse(text.includes('.') ? ipv4Problem(text) : 'unable to parse IP');
  const value = readIpv6(text);
  return value === undefined ? refuse('unable to parse IP') : { ok: true, value: { bits: 128, value } };
}

function ipv4Problem(text: string): string {
  const parts = text.split('.');
  if (parts.some((part) => /^0\d/.test(part))) return 'IPv4 field has octet with leading zero';
  if (parts.some((part) => /^\d+$/.test(part) && Number(part) > 255)) return 'IPv4 field has value >255';
  if (parts.some((part) => part === '')) return 'IPv4 field must have at least one digit';
  if (parts.length > 4) return 'IPv4 address too long';
  return parts.length < 4 ? 'IPv4 address too short' : 'unexpected character';
}

function readIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function readIpv6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head = '', tail] = halves;
  const first = readGroups(head);
  const last = tail === undefined ? [] : readGroups(tail);
  if (!first || !last) return undefined;
  const missing = 8 - first.length - last.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...first, ...Array.from({ length: Math.max(missing, 0) }, () => 0), ...last].reduce(
    (sum, group) => sum * 65536n + BigInt(group),
    0n,
  );
}

function readGroups(text: string): number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: number[] = [];
  for (const [index, part] of parts.entries()) {
    const ipv4 = index === parts.length - 1 ? readIpv4(part) : undefined;
    if (ipv4 !== undefined) groups.push(Number(ipv4 >> 16n), Number(ipv4 & 0xffffn));
    else if (/^[\da-fA-F]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

const isMapped = ({ bits, value }: Ip): boolean => bits === 128 && value >> 32n === 0xffffn;

function parseIp(raw: string): Parsed<Ip> {
  const [address = '', zone] = raw.split('%', 2);
  const parsed = parseAddress(zone === undefined ? raw : address);
  if (!parsed.ok)
    return { ok: false, problem: `IP Address ${quoteGo(raw)} parse error during conversion from string: ${parsed.problem}` };
  if (zone !== undefined) return { ok: false, problem: `IP address ${quoteGo(raw)} with zone value is not allowed` };
  if (isMapped(parsed.value)) return { ok: false, problem: `IPv4-mapped IPv6 address ${quoteGo(raw)} is not allowed` };
  return parsed;
}

function parseCidr(raw: string): Parsed<Cidr> {
  const slash = raw.lastIndexOf('/');
  const refuse = (why: string): Parsed<Cidr> => ({
    ok: false,
    problem: `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${quoteGo(raw)}): ${why}`,
  });
  if (slash < 0) return refuse("no '/'");
  const parsed = parseAddress(raw.slice(0, slash));
  if (!parsed.ok) return refuse(parsed.problem);
  const digits = raw.slice(slash + 1);
  if (!/^(?:0|[1-9]\d*)$/.test(digits)) return refuse(`bad bits after slash: ${quoteGo(digits)}`);
  if (Number(digits) > parsed.value.bits) return refuse('prefix length out of range');
  if (isMapped(parsed.value))
    return {
      ok: false,
      problem: `network address parse error during conversion from string: IPv4-mapped IPv6 address ${quoteGo(raw)} is not allowed`,
    };
  return { ok: true, value: { ip: parsed.value, prefix: Number(digits) } };
}

/** The canonical text: longest run of zero groups shortened, lower case. */
function showIp({ bits, value }: Ip): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_none, index) => ((value >> BigInt(112 - index * 16)) & 0xffffn).toString(16));
  const zeros = [
    ...groups
      .map((group) => (group === '0' ? '0' : 'x'))
      .join('')
      .matchAll(/0{2,}/g),
  ];
  const longest = zeros.reduce<RegExpExecArray | undefined>(
    (best, run) => (best && best[0].length >= run[0].length ? best : run),
    undefined,
  );
  if (!longest) return groups.join(':');
  return `${groups.slice(0, longest.index).join(':')}::${groups.slice(longest.index + longest[0].length).join(':')}`;
}

function networkOf({ ip, prefix }: Cidr, value: bigint): bigint {
  const hostBits = BigInt(ip.bits - prefix);
  return (value >> hostBits) << hostBits;
}

const showCidr = ({ ip, prefix }: Cidr): string => `${showIp(ip)}/${prefix}`;
const containsIp = (cidr: Cidr, ip: Ip): boolean =>
  cidr.ip.bits === ip.bits && networkOf(cidr, ip.value) === networkOf(cidr, cidr.ip.value);

function taken<T>(parsed: Parsed<T>): T {
  return parsed.ok ? parsed.value : fail(parsed.problem);
}

function ipValue(ip: Ip): CelValue {
  return opaque(IP, ip, (other) => (other as Ip).bits === ip.bits && (other as Ip).value === ip.value);
}

function cidrValue(cidr: Cidr): CelValue {
  return opaque(CIDR, cidr, (other) => showCidr(other as Cidr) === showCidr(cidr));
}

const ipOf = (value: CelValue): Ip => (typeof value === 'string' ? taken(parseIp(value)) : ((value as CelOpaque).data as Ip));
const cidrOf = (value: CelValue): Cidr =>
  typeof value === 'string' ? taken(parseCidr(value)) : ((value as CelOpaque).data as Cidr);
const containsCidr = (outer: Cidr, inner: Cidr): boolean => outer.prefix <= inner.prefix && containsIp(outer, inner.ip);

/** `value >> shift` of an address equals a prefix. */
const begins = (ip: Ip, bits: 32 | 128, shift: bigint, prefix: bigint): boolean =>
  ip.bits === bits && ip.value >> shift === prefix;

const isLoopback = (ip: Ip): boolean => begins(ip, 32, 24n, 127n) || begins(ip, 128, 0n, 1n);
const isLinkLocalMulticast = (ip: Ip): boolean =>
  begins(ip, 32, 8n, 0xe00000n) || (ip.bits === 128 && ip.value >> 120n === 0xffn && ((ip.value >> 112n) & 0xfn) === 2n);
const isLinkLocalUnicast = (ip: Ip): boolean => begins(ip, 32, 16n, 0xa9fen) || begins(ip, 128, 118n, 0x3fan);
const isMulticast = (ip: Ip): boolean => begins(ip, 32, 28n, 14n) || begins(ip, 128, 120n, 0xffn);
const isGlobalUnicast = (ip: Ip): boolean =>
  ip.value !== 0n &&
  !(ip.bits === 32 && ip.value === 0xffffffffn) &&
  !isLoopback(ip) &&
  !isMulticast(ip) &&
  !isLinkLocalUnicast(ip);

const walk = (text: CelValue = null): number => Math.ceil(sizeOf(text) / 10);
const test = (name: string, holds: (ip: Ip) => boolean): Overload => member(name, IP, 'bool', (value) => holds(ipOf(value)));

export const IPS: readonly Overload[] = [
  global('ip', 'string', IP, (text) => ipValue(ipOf(text)), walk),
  global('isIP', 'string', 'bool', (text) => parseIp(text as string).ok, walk),
  global('ip.isCanonical', 'string', 'bool', (text) => showIp(ipOf(text)) === text, walk),
  global('string', IP, 'string', (value) => showIp(ipOf(value))),
  member('family', IP, 'int', (value) => (ipOf(value).bits === 32 ? 4n : 6n)),
  test('isUnspecified', ({ value }) => value === 0n),
  test('isLoopback', isLoopback),
  test('isLinkLocalMulticast', isLinkLocalMulticast),
  test('isLinkLocalUnicast', isLinkLocalUnicast),
  test('isGlobalUnicast', isGlobalUnicast),
  global('cidr', 'string', CIDR, (text) => cidrValue(cidrOf(text)), walk),
  global('isCIDR', 'string', 'bool', (text) => parseCidr(text as string).ok, walk),
  global('string', CIDR, 'string', (value) => showCidr(cidrOf(value))),
  ...['string', IP].map((type) =>
    member('containsIP', `${CIDR}, ${type}`, 'bool', (cidr, ip) => containsIp(cidrOf(cidr), ipOf(ip))),
  ),
  ...['string', CIDR].map((type) =>
    member('containsCIDR', `${CIDR}, ${type}`, 'bool', (outer, inner) => containsCidr(cidrOf(outer), cidrOf(inner))),
  ),
  member('ip', CIDR, IP, (value) => ipValue(cidrOf(value).ip)),
  member('prefixLength', CIDR, 'int', (value) => BigInt(cidrOf(value).prefix)),
  member('masked', CIDR, CIDR, (value) => {
    const cidr = cidrOf(value);
    return cidrValue({ ...cidr, ip: { ...cidr.ip, value: networkOf(cidr, cidr.ip.value) } });
  }),
];
