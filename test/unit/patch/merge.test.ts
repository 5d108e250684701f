/** JSON Merge Patch: RFC 7386's own table, the library's details, and the law that joins making and applying. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepEqual } from '../../../shared/machinery/equality.ts';
import type { JsonValue } from '../../../shared/machinery/object.ts';
import { applyMergePatch, createMergePatch } from '../../../shared/machinery/patch/merge.ts';

describe('applyMergePatch', () => {
  test.each<[string, JsonValue, JsonValue, JsonValue]>([
    ['replaces a member', { a: 'b' }, { a: 'c' }, { a: 'c' }],
    ['adds a member', { a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    ['removes by null', { a: 'b', b: 1 }, { a: null }, { b: 1 }],
    ['replaces lists whole', { a: ['b'] }, { a: ['c', 'd'] }, { a: ['c', 'd'] }],
    ['replaces a list by a scalar', { a: ['c'] }, { a: 'b' }, { a: 'b' }],
    ['merges objects', { a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    ['turns a scalar into an object without nulls', { a: 1 }, { a: { b: { c: null, d: 1 } } }, { a: { b: { d: 1 } } }],
    ['drops nulls inside new lists, not null items', {}, { a: [{ b: null }, null] }, { a: [{}, null] }],
    ['keeps nulls inside a list that replaces an object', { a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    ['ignores nulls for what is not there', { e: null }, { a: null }, { e: null }],
    ['replaces null by an object', { e: null }, { e: { a: null } }, { e: {} }],
    ['takes a list for an object', { a: 'b' }, ['c'], ['c']],
    ['takes an object for a list', [1, 2], { a: 'b', c: null }, { a: 'b' }],
  ])('%s', (_sentence, target, patch, want) => {
    expect(applyMergePatch(target, patch)).toEqual(want);
  });

  test.each(['__proto__', 'constructor', 'prototype'])('%s is an ordinary key', (key) => {
    const patch = JSON.parse(`{"labels":{"${key}":{"polluted":"yes"}}}`) as JsonValue;
    for (const target of [{}, { labels: {} }, JSON.parse(`{"labels":{"${key}":{"old":1}}}`) as JsonValue]) {
      const made = applyMergePatch(target, patch) as { labels: object };
      expect(Object.getOwnPropertyDescriptor(made.labels, key)?.value).toMatchObject({ polluted: 'yes' });
      expect(Object.getPrototypeOf(made.labels)).toBe(Object.prototype);
    }
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

/** Values without null members: a merge patch cannot write those. */
const document = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(1, 'x', true, '', 0),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'd'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('createMergePatch', () => {
  test('what it makes leads from one document to the other', () => {
    fc.assert(
      fc.property(document, document, (from, to) => deepEqual(applyMergePatch(from, createMergePatch(from, to)), to)),
      { seed: 11, numRuns: 2000 },
    );
  });

  test('equal documents need nothing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), document), (value) =>
        deepEqual(createMergePatch(value, structuredClone(value)), {}),
      ),
      { seed: 12, numRuns: 300 },
    );
  });
});
