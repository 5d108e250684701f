/** Laws of the conformance runner's lists: what is focused on is exactly what is listed. */

import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { focusOf, parseExemptions, parseList } from '../../conformance/lists.ts';

const FOLDER = new URL('../../conformance/', import.meta.url);
const EXEMPT_MAX = 8;

describe('parseList', () => {
  const cases: [string, string, string[]][] = [
    ['one name a line', 'a b\nc\n', ['a b', 'c']],
    ['comments, empty lines and space at the ends are left out', '# x\n\n  a [b]  \n#c\nd', ['a [b]', 'd']],
    ['nothing', '', []],
  ];
  test.each(cases)('%s', (_sentence, given, want) => expect(parseList(given)).toEqual(want));

  test('a name that is there twice is refused', () => expect(() => parseList('a\nb\na')).toThrow('listed twice: a'));
});

describe('parseExemptions', () => {
  test('name and reason', () =>
    expect(parseExemptions('# head\n[x] a #1 b # needs a kubelet')).toEqual([{ name: '[x] a #1 b', reason: 'needs a kubelet' }]));
  test.each(['[x] a', '[x] a # '])('one without a reason is refused: %j', (line) =>
    expect(() => parseExemptions(line)).toThrow('without a reason'),
  );
});

describe('focusOf', () => {
  const name = fc.string({ minLength: 1 });
  test('matches each name behind the suite, and nothing else', () =>
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), name, (names, other) => {
        const focus = new RegExp(focusOf(names), 's');
        for (const one of names) expect(focus.test(`Kubernetes e2e suite ${one}`)).toBe(true);
        expect(focus.test(`Kubernetes e2e suite ${other}`)).toBe(names.includes(other));
        expect(focus.test(names[0] ?? '')).toBe(false);
      }),
    ));
});

describe('the committed lists', () => {
  const read = (name: string) => readFile(new URL(name, FOLDER), 'utf8');
  test('every exempt test is expected, and there are at most eight', async () => {
    const expected = parseList(await read('expected.txt'));
    const exempt = parseExemptions(await read('exempt.txt'));
    expect(exempt.filter(({ name }) => !expected.includes(name))).toEqual([]);
    expect(exempt.length).toBeLessThanOrEqual(EXEMPT_MAX);
  });
  test('no test is both expected without nodes and a workload test', async () => {
    const expected = parseList(await read('expected.txt'));
    expect(parseList(await read('workloads.txt')).filter((name) => expected.includes(name))).toEqual([]);
  });
});
