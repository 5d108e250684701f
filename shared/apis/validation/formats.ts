/** Grammars of values, each answering complaints in kube-apiserver's words (k8s.io/apimachinery/pkg/util/validation). */
import { ipToNumber, isIP, isIPv4 } from './ip.ts';

export const PORT_RANGE = 'must be between 1 and 65535, inclusive';
const KEY_BYTES_MAX = 253;
const PORT_NAME_BYTES_MAX = 15;

/** 1 to 65535. */
export function portNumberErrors(port: unknown): string[] {
  return typeof port === 'number' && port >= 1 && port <= 65_535 ? [] : [PORT_RANGE];
}

/** An IANA service name: at most 15 of a-z, 0-9 and inner single hyphens, with a letter. */
export function portNameErrors(name: string): string[] {
  const errors: string[] = [];
  if (name.length > PORT_NAME_BYTES_MAX) errors.push(`must be no more than ${PORT_NAME_BYTES_MAX} characters`);
  if (!/^[-a-z0-9]+$/.test(name)) errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) errors.push('must contain at least one letter (a-z)');
  if (name.includes('--')) errors.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

/** A key of ConfigMap and Secret data: a file name. */
export function configKeyErrors(key: string): string[] {
  const errors: string[] = [];
  if (Buffer.byteLength(key) > KEY_BYTES_MAX) errors.push(`must be no more than ${KEY_BYTES_MAX} characters`);
  if (!/^[-._a-zA-Z0-9]+$/.test(key))
    errors.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  if (key === '.') return [...errors, "must not be '.'"];
  if (key === '..') return [...errors, "must not be '..'"];
  return key.startsWith('..') ? [...errors, "must not start with '..'"] : errors;
}

/** Names of environment variables: printable ASCII without `=`. */
export function environmentNameErrors(name: string): string[] {
  return /^[\x20-\x3c\x3e-\x7e]*$/.test(name)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** `25%`. */
export function percentErrors(text: string): string[] {
  return /^[0-9]+%$/.test(text)
    ? []
    : [
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ];
}

/** A path below a directory: relative, and never upwards. */
export function localPathErrors(path: string): string[] {
  const errors = path.startsWith('/') ? ['must be a relative path'] : [];
  return path.split('/').includes('..') ? [...errors, "must not contain '..'"] : errors;
}

/** IPv4 or IPv6. */
export function ipErrors(address: unknown): string[] {
  return typeof address === 'string' && isIP(address) ? [] : ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
}

/** Addresses that no endpoint can have. The text must be an address. */
export function endpointIpErrors(address: string): string[] {
  const ip = ipToNumber(address);
  if (!ip) return ['must be a valid IP address'];
  const isV4 = ip.bits === 32;
  const starts = (prefix: bigint, bits: number) => ip.value >> BigInt(ip.bits - bits) === prefix;
  if (ip.value === 0n) return [`may not be unspecified (${address})`];
  if (isV4 ? starts(127n, 8) : ip.value === 1n) return ['may not be in the loopback range (127.0.0.0/8, ::1/128)'];
  if (isV4 ? starts(0xa9fen, 16) : starts(0x3fan, 10)) return ['may not be in the link-local range (169.254.0.0/16, fe80::/10)'];
  const isMulticast = isV4 ? starts(0xe00000n, 24) : starts(0xff02n, 16);
  return isMulticast ? ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'] : [];
}

/** An address, and one that an endpoint can have. */
export function externalIpErrors(address: unknown): string[] {
  const errors = ipErrors(address);
  return errors.length > 0 ? errors : endpointIpErrors(String(address));
}

/** `10.0.0.0/8`. */
export function cidrErrors(text: unknown): string[] {
  const complaint = ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'];
  const [address = '', bits = '', ...rest] = String(text).split('/');
  if (rest.length > 0 || !isIP(address) || !/^\d{1,3}$/.test(bits)) return complaint;
  return Number(bits) <= (isIPv4(address) ? 32 : 128) ? [] : complaint;
}

/** `acme.io/foo`: a DNS subdomain, a slash, a path. */
export function isDomainPrefixedPath(text: string): boolean {
  const slash = text.indexOf('/');
  return slash > 0 && slash < text.length - 1;
}

/** `*.example.com`. */
export function wildcardDomainErrors(host: string): string[] {
  return /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(host)
    ? []
    : [
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ];
}
