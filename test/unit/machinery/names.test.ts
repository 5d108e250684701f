import { describe, expect, test } from 'vitest';
import {
  annotationKeyErrors,
  generateNameErrors,
  isDns1123Label,
  isDns1123Subdomain,
  labelKeyErrors,
  labelValueErrors,
  type NameRule,
  nameErrors,
} from '../../../shared/machinery/names.ts';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const KEY_NAME =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

// The texts were recorded from kube-apiserver 1.35.4.
describe('names', () => {
  const cases: [sentence: string, rule: NameRule, value: string, want: string[]][] = [
    ['a subdomain of 253 characters is good', 'subdomain', 'v'.repeat(253), []],
    ['one of 254 is too long', 'subdomain', 'v'.repeat(254), ['must be no more than 253 characters']],
    ['upper case is refused', 'subdomain', 'A_', [SUBDOMAIN]],
    ['the empty name is refused', 'subdomain', '', [SUBDOMAIN]],
    ['a leading dot is refused', 'subdomain', '.a', [SUBDOMAIN]],
    ['a line break at the end is refused', 'subdomain', 'a\n', [SUBDOMAIN]],
    ['zero-width characters are refused', 'subdomain', 'a\u200bb', [SUBDOMAIN]],
    ['a label of 63 characters is good', 'label', 'v'.repeat(63), []],
    ['one of 64 is too long', 'label', 'v'.repeat(64), ['must be no more than 63 characters']],
    ['a leading dash is refused', 'label', '-a', [LABEL]],
    ['a label with a dot that would be a subdomain gets the short answer', 'label', 'a.b', ['must not contain dots']],
    ['both complaints come together', 'label', `${'v'.repeat(64)}.`, ['must be no more than 63 characters', LABEL]],
    ['a service name may not begin with a digit', 'label1035', '1a', [LABEL_1035]],
    ['a service name begins with a letter', 'label1035', 'a-1', []],
    ['an RBAC name may have colons and capitals', 'pathSegment', 'system:Node_1', []],
    ['an RBAC name is one path segment', 'pathSegment', 'a/b%', ["may not contain '/'", "may not contain '%'"]],
    ['an RBAC name is not the parent folder', 'pathSegment', '..', ["may not be '..'"]],
    ['prototype words are ordinary names', 'subdomain', 'constructor', []],
  ];
  test.each(cases)('%s', (_sentence, rule, value, want) => {
    expect(nameErrors(rule, value)).toEqual(want);
  });

  test('a prefix for generated names may end in a dash, a name may not', () => {
    expect(generateNameErrors('subdomain', 'web-')).toEqual([]);
    expect(generateNameErrors('pathSegment', 'system:')).toEqual([]);
    expect(generateNameErrors('subdomain', 'Web-')).toEqual([SUBDOMAIN]);
    expect(nameErrors('subdomain', 'web-')).toEqual([SUBDOMAIN]);
  });

  test('predicates agree with the rules at their limits', () => {
    expect([isDns1123Label('a'.repeat(63)), isDns1123Label('a'.repeat(64)), isDns1123Label('a.b')]).toEqual([true, false, false]);
    expect([isDns1123Subdomain('a.b'), isDns1123Subdomain('a'.repeat(254)), isDns1123Subdomain('a..b')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('label keys and values', () => {
  const keys: [sentence: string, key: string, want: string[]][] = [
    ['a plain name', 'app', []],
    ['a prefixed name', 'app.kubernetes.io/name', []],
    ['upper case is allowed in the name only', 'Example.com/Name', [`prefix part ${SUBDOMAIN}`]],
    [
      'two slashes',
      'a/b/c',
      [`a valid label key ${KEY_NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    ],
    ['an empty prefix', '/x', ['prefix part must be non-empty']],
    ['an empty name', 'a/', ['name part must be non-empty', `name part ${KEY_NAME}`]],
    ['64 bytes', 'k'.repeat(64), ['name part must be no more than 63 bytes']],
    ['a space', 'a b', [`name part ${KEY_NAME}`]],
    ['__proto__ begins with no letter', '__proto__', [`name part ${KEY_NAME}`]],
  ];
  test.each(keys)('key: %s', (_sentence, key, want) => {
    expect(labelKeyErrors(key)).toEqual(want);
  });

  test.each<[string, string, string[]]>([
    ['empty is good', '', []],
    ['63 bytes are good', 'v'.repeat(63), []],
    ['64 are not', 'v'.repeat(64), ['must be no more than 63 bytes']],
    ['a space is not', 'x y', [VALUE]],
    ['bytes count, not characters', 'ä'.repeat(32), ['must be no more than 63 bytes', VALUE]],
  ])('value: %s', (_sentence, value, want) => {
    expect(labelValueErrors(value)).toEqual(want);
  });

  test('an annotation key may have capitals everywhere', () => {
    expect(annotationKeyErrors('Example.COM/Name')).toEqual([]);
    expect(annotationKeyErrors('a b')).toHaveLength(1);
  });
});
