/**
 * Rules for names, label keys and values, in apimachinery's words (k8s.io/apimachinery/pkg/util/validation). Every function returns
 * the list of complaints, empty when the value is good; the caller puts them into a field error.
 */

/** Which rule a kind's `metadata.name` follows; the same words as `ResourceDefinition.nameRule`. */
export type NameRule = 'subdomain' | 'label' | 'label1035' | 'pathSegment' | 'labelOrGenerated';

/** Longest DNS-1123 label, label value and name part of a label key, in bytes. */
export const LABEL_BYTES_MAX = 63;
/** Longest DNS-1123 subdomain, in bytes. */
export const SUBDOMAIN_BYTES_MAX = 253;
/** All annotations of one object together, keys and values, in bytes. */
export const ANNOTATIONS_BYTES_MAX = 256 * 1024;

type Pattern = { regex: RegExp; complaint: string };

const LABEL_1123 = pattern(
  '[a-z0-9]([-a-z0-9]*[a-z0-9])?',
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  ['my-name', '123-abc'],
);
const SUBDOMAIN_1123 = pattern(
  '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*',
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  ['example.com'],
);
const LABEL_1035 = pattern(
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  ['my-name', 'abc-123'],
);
const QUALIFIED_NAME = pattern(
  '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]',
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  ['MyName', 'my.name', '123-abc'],
);
const LABEL_VALUE = pattern(
  '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?',
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  ['MyValue', 'my_value', '12345'],
);

/** Complaints about a complete name under a kind's rule. */
export function nameErrors(rule: NameRule, value: string): string[] {
  switch (rule) {
    case 'subdomain':
      return bounded(value, SUBDOMAIN_BYTES_MAX, 'characters', SUBDOMAIN_1123);
    case 'label':
    case 'labelOrGenerated':
      return labelErrors(value);
    case 'label1035':
      return bounded(value, LABEL_BYTES_MAX, 'characters', LABEL_1035);
    case 'pathSegment':
      return pathSegmentErrors(value);
  }
}

/** Complaints about `metadata.generateName`: a trailing dash is allowed, because a suffix will follow it. */
export function generateNameErrors(rule: NameRule, prefix: string): string[] {
  const masked = prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
  return rule === 'pathSegment' ? pathSegmentErrors(prefix) : nameErrors(rule, masked);
}

/** Complaints about a label key: an optional DNS subdomain, a slash, and a name of at most 63 bytes. */
export function labelKeyErrors(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${QUALIFIED_NAME.complaint} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const name = parts[parts.length - 1] ?? '';
  if (prefix === '') errors.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    errors.push(...bounded(prefix, SUBDOMAIN_BYTES_MAX, 'bytes', SUBDOMAIN_1123).map((text) => `prefix part ${text}`));
  }
  if (name === '') errors.push('name part must be non-empty');
  else if (byteLength(name) > LABEL_BYTES_MAX) errors.push(`name part ${tooLong(LABEL_BYTES_MAX, 'bytes')}`);
  if (!QUALIFIED_NAME.regex.test(name)) errors.push(`name part ${QUALIFIED_NAME.complaint}`);
  return errors;
}

/** Complaints about a label value: at most 63 bytes, empty allowed. */
export function labelValueErrors(value: string): string[] {
  return bounded(value, LABEL_BYTES_MAX, 'bytes', LABEL_VALUE);
}

/** Complaints about an annotation key: a label key in which upper case is allowed in the prefix too. */
export function annotationKeyErrors(key: string): string[] {
  return labelKeyErrors(key.toLowerCase());
}

/** Is it a DNS-1123 label of at most 63 bytes? */
export function isDns1123Label(value: string): boolean {
  return value.length <= LABEL_BYTES_MAX && LABEL_1123.regex.test(value);
}

/** Is it a DNS-1123 subdomain of at most 253 bytes? */
export function isDns1123Subdomain(value: string): boolean {
  return value.length <= SUBDOMAIN_BYTES_MAX && SUBDOMAIN_1123.regex.test(value);
}

/** Names of RBAC objects: anything that is one segment of a URL path. */
function pathSegmentErrors(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((character) => value.includes(character)).map((character) => `may not contain '${character}'`);
}

/** A subdomain where a label is asked for gets the shorter complaint. */
function labelErrors(value: string): string[] {
  const errors = bounded(value, LABEL_BYTES_MAX, 'characters', LABEL_1123);
  return SUBDOMAIN_1123.regex.test(value)
    ? errors.map((error) => (error === LABEL_1123.complaint ? 'must not contain dots' : error))
    : errors;
}

/** Upstream counts bytes everywhere, but says `characters` for names and `bytes` for labels. */
type Unit = 'characters' | 'bytes';

function bounded(value: string, bytesMax: number, unit: Unit, { regex, complaint }: Pattern): string[] {
  const errors: string[] = [];
  if (byteLength(value) > bytesMax) errors.push(tooLong(bytesMax, unit));
  if (!regex.test(value)) errors.push(complaint);
  return errors;
}

const tooLong = (bytesMax: number, unit: Unit): string => `must be no more than ${bytesMax} ${unit}`;

/** Go measures strings in bytes of UTF-8. */
const byteLength = (value: string): number => Buffer.byteLength(value);

/** The odd spacing between examples is upstream's (`RegexError`). */
function pattern(format: string, rule: string, examples: readonly string[]): Pattern {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return { regex: new RegExp(`^(?:${format})$`), complaint: `${rule} (e.g. ${shown}regex used for validation is '${format}')` };
}
