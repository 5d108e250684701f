/** Field sets: the algebra, and fieldsV1 as upstream writes it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalElement, compareElements, formatPath } from '../../../shared/machinery/patch/apply/element.ts';
import {
  difference,
  type FieldSet,
  hasPath,
  intersection,
  isSubset,
  keepMatching,
  recursiveDifference,
  sameSets,
  setOf,
  union,
} from '../../../shared/machinery/patch/apply/field-set.ts';
import { formatFieldsV1, parseFieldsV1 } from '../../../shared/machinery/patch/apply/fields-v1.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'k:{"name":"y"}', 'v:"s"', 'i:0');
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 8 });

function members(set: FieldSet, universe: readonly (readonly string[])[]): boolean[] {
  return universe.map((one) => hasPath(set, one));
}

describe('the algebra is that of sets of paths', () => {
  test('union, intersection and difference, path by path', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b, all] = [setOf(left), setOf(right), [...left, ...right]];
        const [inA, inB] = [members(a, all), members(b, all)];
        expect(members(union(a, b), all)).toEqual(inA.map((one, index) => one || inB[index]));
        expect(members(intersection(a, b), all)).toEqual(inA.map((one, index) => one && inB[index]));
        expect(members(difference(a, b), all)).toEqual(inA.map((one, index) => one && !inB[index]));
        expect(isSubset(a, union(a, b))).toBe(true);
        expect(sameSets(union(difference(a, b), intersection(a, b)), a)).toBe(true);
        expect(difference(a, a).size).toBe(0);
      }),
      { seed: 3, numRuns: 1000 },
    );
  });

  test('a recursive difference takes what is below, too', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [setOf(left), setOf(right)];
        const isBelow = (one: readonly string[]): boolean => one.some((_, index) => hasPath(b, one.slice(0, index + 1)));
        expect(members(recursiveDifference(a, b), left)).toEqual(left.map((one) => !isBelow(one)));
      }),
      { seed: 4, numRuns: 1000 },
    );
  });

  test('operations do not change their arguments', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [setOf(left), setOf(right)];
        for (const operation of [union, intersection, difference, recursiveDifference]) operation(a, b);
        expect(sameSets(a, setOf(left)) && sameSets(b, setOf(right))).toBe(true);
      }),
      { seed: 5, numRuns: 300 },
    );
  });

  test('patterns keep what they match and what is below', () => {
    const set = setOf([
      ['f:spec', 'f:containers', 'k:{"name":"x"}', 'f:resources', 'f:limits'],
      ['f:spec', 'f:containers', 'k:{"name":"x"}', 'f:image'],
      ['f:status'],
    ]);
    const kept = keepMatching(set, [['f:spec', 'f:containers', '*', 'f:resources']]);
    expect(formatFieldsV1(kept)).toEqual({
      'f:spec': { 'f:containers': { 'k:{"name":"x"}': { 'f:resources': { 'f:limits': {} } } } },
    });
  });
});

describe('fieldsV1', () => {
  test('a set survives being written and read', () => {
    fc.assert(
      fc.property(paths, (all) => sameSets(parseFieldsV1(formatFieldsV1(setOf(all))), setOf(all))),
      { seed: 6, numRuns: 1000 },
    );
  });

  test('equal sets have equal text, however they were made', () => {
    fc.assert(
      fc.property(
        paths,
        (all) => JSON.stringify(formatFieldsV1(setOf(all))) === JSON.stringify(formatFieldsV1(setOf([...all].reverse()))),
      ),
      { seed: 8, numRuns: 500 },
    );
  });

  test.each([
    ['f:b', 'f:a', 1],
    ['f:a', 'k:{"a":1}', -1],
    ['k:{"port":53,"protocol":"UDP"}', 'k:{"port":443,"protocol":"TCP"}', -1],
    ['k:{"name":"a b"}', 'k:{"name":"a"}', 1],
    ['k:{"a":1}', 'k:{"a":1,"b":2}', -1],
    ['v:2', 'v:10', -1],
    ['v:10', 'v:"1"', -1],
    ['v:"a"', 'v:true', -1],
    ['i:2', 'i:10', -1],
    ['f:\u{1f600}', 'f:\uffee', 1],
  ])('%s against %s', (a, b, want) => {
    expect(Math.sign(compareElements(a, b))).toBe(want);
    expect(Math.sign(compareElements(b, a))).toBe(-want);
  });

  test.each([
    ['k:{"protocol": "TCP", "port": 80}', 'k:{"port":80,"protocol":"TCP"}'],
    ['v:"a<b>&\\u2028"', 'v:"a\\u003cb\\u003e\\u0026\\u2028"'],
    ['v:"\\b\\\\b\\f"', 'v:"\\u0008\\\\b\\u000c"'],
    ['i:007', 'i:7'],
    ['x:y', undefined],
  ])('%s is %s', (given, want) => {
    expect(canonicalElement(given)).toBe(want);
  });

  test.each(['', 'f', 'fa', 'k:1', 'k:{', 'v:', 'i:x'])('%j is malformed', (given) => {
    expect(() => canonicalElement(given)).toThrow(SyntaxError);
  });

  test('what a later version may add is skipped', () => {
    expect(formatFieldsV1(parseFieldsV1({ 'f:a': { 'x:new': {} }, 'x:other': {} }))).toEqual({ 'f:a': {} });
  });

  test('paths print as upstream prints them', () => {
    expect(formatPath(['f:spec', 'k:{"name":"a\\"b","port":80}', 'v:"x"', 'v:1', 'i:3'])).toBe(
      '.spec[name="a\\"b",port=80][="x"][=1][3]',
    );
  });
});
