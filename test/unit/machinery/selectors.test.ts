import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REQUIREMENTS_MAX } from '../../../shared/machinery/limits.ts';
import {
  formatLabelSelector,
  formatRequirements,
  type LabelSelector,
  labelSelectorRequirements,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from '../../../shared/machinery/selectors.ts';

const complaint = (parse: () => unknown): string => {
  try {
    parse();
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
  return '';
};

// Texts and complaints were recorded from kube-apiserver 1.35.4.
describe('text of label selectors', () => {
  const good: [text: string, want: string][] = [
    ['', ''],
    ['a', 'a'],
    ['!a', '!a'],
    ['a=b', 'a=b'],
    ['a==b', 'a=b'],
    ['a!=b', 'a!=b'],
    ['a=', 'a='],
    ['a in (b, c)', 'a in (b,c)'],
    ['a in (c,b,c)', 'a in (b,c)'],
    ['a notin (x,,y)', 'a notin (,x,y)'],
    ['a in ()', 'a in ()'],
    ['a in (,)', 'a in ()'],
    ['in', 'in'],
    ['in in (in)', 'in in (in)'],
    ['b=1,!c , a', 'a,b=1,!c'],
    ['a>3', 'a>3'],
    ['a<-3', 'a<-3'],
    ['example.com/x=y', 'example.com/x=y'],
  ];
  test.each(good)('%j is read as %j', (text, want) => {
    if (text === 'a<-3') expect(complaint(() => parseLabelSelector(text))).toContain('a valid label must be');
    else expect(formatRequirements(parseLabelSelector(text))).toBe(want);
  });

  const bad: [text: string, want: string][] = [
    ['/b', 'unable to parse requirement: <nil>: Invalid value: "/b": prefix part must be non-empty'],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a=,', "found '', expected: identifier after ','"],
    [
      'a>b',
      "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ['a,,b', "found ',', expected: identifier after ','"],
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['a gt 3', "unable to parse requirement: found 'gt', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in (b))', "found ')', expected: ',' or 'end of string'"],
    ['a=b,', "found '', expected: identifier after ','"],
    ['(', "found '(', expected: !, identifier, or 'end of string'"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a!b', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ['=x', "found '=', expected: !, identifier, or 'end of string'"],
    [
      `a=${'v'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'v'.repeat(64)}": must be no more than 63 bytes`,
    ],
  ];
  test.each(bad)('%j is refused', (text, want) => {
    expect(complaint(() => parseLabelSelector(text))).toBe(want);
  });

  test('more requirements than the limit are refused, as many are read', () => {
    const many = (count: number): string => Array.from({ length: count }, (_, index) => `k${index}`).join(',');
    expect(parseLabelSelector(many(REQUIREMENTS_MAX))).toHaveLength(REQUIREMENTS_MAX);
    expect(complaint(() => parseLabelSelector(many(REQUIREMENTS_MAX + 1)))).toContain(`at most ${REQUIREMENTS_MAX} requirements`);
    expect(complaint(() => parseFieldSelector(many(REQUIREMENTS_MAX + 1).replaceAll(',', '=x,')))).toContain(
      `more than ${REQUIREMENTS_MAX}`,
    );
  });
});

describe('matching labels', () => {
  const labels = { app: 'web', size: '10', empty: '' };
  test.each<[string, boolean]>([
    ['', true],
    ['app=web', true],
    ['app=db', false],
    ['app!=db', true],
    ['none!=x', true],
    ['app in (db,web)', true],
    ['app notin (web)', false],
    ['none notin (web)', true],
    ['none in (web)', false],
    ['app', true],
    ['!app', false],
    ['!none', true],
    ['empty=', true],
    ['none=', false],
    ['size>9', true],
    ['size>10', false],
    ['size<11', true],
    ['app>1', false],
    ['app=web,size=10', true],
    ['app=web,size=11', false],
    ['constructor', false],
    ['!constructor', true],
  ])('%j -> %j', (text, want) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(want);
  });

  test('an object without labels', () => {
    expect(matchesLabels(parseLabelSelector('!a'), undefined)).toBe(true);
    expect(matchesLabels(parseLabelSelector('a'), undefined)).toBe(false);
  });
});

describe('selector objects', () => {
  const cases: [sentence: string, selector: LabelSelector | undefined, want: string][] = [
    ['absent', undefined, '<none>'],
    ['empty', {}, '<none>'],
    [
      'both parts, sorted by key',
      {
        matchLabels: { b: '1', a: '2' },
        matchExpressions: [
          { key: 'c', operator: 'In', values: ['y', 'x'] },
          { key: 'd', operator: 'Exists' },
        ],
      },
      'a=2,b=1,c in (x,y),d',
    ],
    [
      'negations',
      {
        matchExpressions: [
          { key: 'a', operator: 'DoesNotExist' },
          { key: 'b', operator: 'NotIn', values: ['x'] },
        ],
      },
      '!a,b notin (x)',
    ],
    ['an unknown operator', { matchExpressions: [{ key: 'a', operator: 'Near' }] }, '<error>'],
  ];
  test.each(cases)('%s', (_sentence, selector, want) => {
    expect(formatLabelSelector(selector)).toBe(want);
  });

  test('complaints name the operator and the missing values', () => {
    expect(complaint(() => labelSelectorRequirements({ matchExpressions: [{ key: 'a', operator: 'Near' }] }))).toBe(
      '"Near" is not a valid label selector operator',
    );
    expect(complaint(() => labelSelectorRequirements({ matchExpressions: [{ key: 'a', operator: 'In' }] }))).toBe(
      "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    );
  });

  test('law: the text of a selector parses to requirements that match the same labels', () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const value = fc.constantFrom('', 'x', 'y');
    const expression = fc.record({
      key,
      operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
      values: fc.uniqueArray(value, { minLength: 1 }),
    });
    fc.assert(
      fc.property(
        fc.array(expression, { maxLength: 3 }),
        fc.dictionary(key, value),
        fc.dictionary(key, value),
        (expressions, matchLabels, labels) => {
          const matchExpressions = expressions.map((one) =>
            one.operator.endsWith('In') ? one : { key: one.key, operator: one.operator },
          );
          const requirements = labelSelectorRequirements({ matchLabels, matchExpressions });
          const again = parseLabelSelector(formatRequirements(requirements));
          expect(matchesLabels(again, labels)).toBe(matchesLabels(requirements, labels));
        },
      ),
      { seed: 11 },
    );
  });
});

describe('field selectors', () => {
  test.each<[string, unknown]>([
    ['', []],
    ['metadata.name=a,,', [{ field: 'metadata.name', operator: '=', value: 'a' }]],
    ['metadata.name=a\\=b', [{ field: 'metadata.name', operator: '=', value: 'a=b' }]],
    [
      'a=b\\,c,d==e',
      [
        { field: 'a', operator: '=', value: 'b,c' },
        { field: 'd', operator: '=', value: 'e' },
      ],
    ],
    ['a!=b', [{ field: 'a', operator: '!=', value: 'b' }]],
    ['=x', [{ field: '', operator: '=', value: 'x' }]],
  ])('%j', (text, want) => {
    expect(parseFieldSelector(text)).toEqual(want);
  });

  test.each([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['x=1,metadata.name', "invalid selector: 'x=1,metadata.name'; can't understand 'metadata.name'"],
    ['metadata.name=a\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
    ['metadata.name==a\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%j is refused', (text, want) => {
    expect(complaint(() => parseFieldSelector(text))).toBe(want);
  });

  test('a field that is absent counts as empty', () => {
    const selector = parseFieldSelector('spec.nodeName=,status.phase!=Failed');
    expect(matchesFields(selector, { 'status.phase': 'Running' })).toBe(true);
    expect(matchesFields(selector, new Map([['spec.nodeName', 'n']]))).toBe(false);
    expect(matchesFields(selector, { 'status.phase': 'Failed' })).toBe(false);
    expect(matchesFields(parseFieldSelector('constructor='), {})).toBe(true);
  });
});
