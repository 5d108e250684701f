/** IP addresses as text, without node:net (this room does no I/O). */

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** Dotted decimal; leading zeros are accepted, as kube-apiserver's lenient parser does. */
export function isIPv4(text: string): boolean {
  const match = IPV4.exec(text);
  return match?.slice(1).every((part) => Number(part) <= 255) ?? false;
}

/** Groups of hexadecimal digits, one `::`, and perhaps an IPv4 address at the end. */
export function isIPv6(text: string): boolean {
  if (!/^[0-9a-fA-F:.]+$/.test(text) || !text.includes(':')) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const tail = last.includes('.') ? (isIPv4(last) ? 2 : Number.NaN) : groups.length === 0 ? 0 : 1;
  const isHex = groups.slice(0, last.includes('.') ? -1 : undefined).every((group) => /^[0-9a-fA-F]{1,4}$/.test(group));
  const size = groups.length === 0 ? 0 : groups.length - 1 + tail;
  return isHex && (halves.length === 2 ? size <= 7 : size === 8);
}

export function isIP(text: string): boolean {
  return isIPv4(text) || isIPv6(text);
}

/** The address as a number of 32 or 128 bits. Undefined for text that is none. */
export function ipToNumber(text: string): { bits: 32 | 128; value: bigint } | undefined {
  if (isIPv4(text)) return { bits: 32, value: fold(text.split('.').map(Number), 8n) };
  if (!isIPv6(text)) return undefined;
  const [head = '', tail] = text.split('::');
  const front = groupsOf(head);
  const back = tail === undefined ? [] : groupsOf(tail);
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => 0);
  return { bits: 128, value: fold([...front, ...zeros, ...back], 16n) };
}

/** Does the network `outer` hold all of `inner` and more? Both as CIDR text that was checked before. */
export function isStrictSubnet(inner: string, outer: string): boolean {
  const a = networkOf(inner);
  const b = networkOf(outer);
  if (!a || !b || a.bits !== b.bits || a.prefix <= b.prefix) return false;
  const shift = BigInt(b.bits - b.prefix);
  return a.value >> shift === b.value >> shift;
}

function networkOf(cidr: string): { bits: number; value: bigint; prefix: number } | undefined {
  const [address = '', prefix = ''] = cidr.split('/');
  const number = ipToNumber(address);
  return number && { ...number, prefix: Number(prefix) };
}

function groupsOf(text: string): number[] {
  return text === ''
    ? []
    : text.split(':').flatMap((group) => {
        if (!group.includes('.')) return [Number.parseInt(group, 16)];
        const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
        return [a * 256 + b, c * 256 + d];
      });
}

function fold(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((value, part) => (value << bits) + BigInt(part), 0n);
}

/** The address as it is written in one way only (RFC 5952): no leading zeros, the longest run of zero groups as `::`. The text must be an address. */
export function canonicalIp(text: string): string {
  const ip = ipToNumber(text);
  if (!ip) return text;
  const parts = (count: number, bits: bigint) =>
    Array.from({ length: count }, (_, index) => Number((ip.value >> (BigInt(count - 1 - index) * bits)) & ((1n << bits) - 1n)));
  if (ip.bits === 32) return parts(4, 8n).join('.');
  const groups = parts(8, 16n).map((group) => group.toString(16));
  const run = longestZeros(groups);
  if (run.length < 2) return groups.join(':');
  return `${groups.slice(0, run.start).join(':')}::${groups.slice(run.start + run.length).join(':')}`;
}

/** The first of the longest runs of zero groups. */
function longestZeros(groups: readonly string[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === '0') length += 1;
    if (length > best.length) best = { start, length };
  }
  return best;
}
