/** JSON Patch beyond what the recorded cases hold: limits, hostile keys, options. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../shared/machinery/object.ts';
import { applyJsonPatch, PatchError, parseJsonPatch } from '../../../shared/machinery/patch/json.ts';

function apply(document: JsonValue, operations: JsonValue, lenient = false): JsonValue {
  return applyJsonPatch(document, parseJsonPatch(operations), { lenient });
}

function fault(run: () => unknown): { type: string; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof PatchError) return { type: error.type, message: error.message };
    throw error;
  }
  return { type: 'none', message: '' };
}

describe('what a JSON patch makes', () => {
  test.each<[string, JsonValue, JsonValue, JsonValue]>([
    ['add appends with -', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['add inserts before an index', { a: [1, 2] }, [{ op: 'add', path: '/a/1', value: 9 }], { a: [1, 9, 2] }],
    ['add counts negative indexes from behind the end', { a: [1] }, [{ op: 'add', path: '/a/-1', value: 2 }], { a: [1, 2] }],
    ['remove counts negative indexes from the end', { a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
    ['replace sets a member that is missing', { a: {} }, [{ op: 'replace', path: '/a/b', value: 1 }], { a: { b: 1 } }],
    ['an absent value is null', {}, [{ op: 'add', path: '/a' }], { a: null }],
    ['escapes are undone once', { 'a/b': { '~1': 1 } }, [{ op: 'replace', path: '/a~1b/~01', value: 2 }], { 'a/b': { '~1': 2 } }],
    ['the root can be replaced', { a: 1 }, [{ op: 'replace', path: '', value: [1] }], [1]],
    ['move takes a value along', { a: { b: 1 }, c: [] }, [{ op: 'move', from: '/a/b', path: '/c/0' }], { a: {}, c: [1] }],
    [
      'copies are independent',
      { a: { b: 1 } },
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'replace', path: '/c/b', value: 2 },
      ],
      { a: { b: 1 }, c: { b: 2 } },
    ],
    ['test passes on equal numbers', { a: 1 }, [{ op: 'test', path: '/a', value: 1.0 }], { a: 1 }],
  ])('%s', (_sentence, document, operations, want) => {
    expect(apply(document, operations)).toEqual(want);
  });

  test('a value that was added is not shared with the patch', () => {
    const operations = parseJsonPatch([
      { op: 'add', path: '/a', value: { b: 1 } },
      { op: 'replace', path: '/a/b', value: 2 },
    ]);
    expect(applyJsonPatch({}, operations)).toEqual({ a: { b: 2 } });
    expect(applyJsonPatch({}, operations), 'the same operations again').toEqual({ a: { b: 2 } });
  });

  test('an empty operator is replace for lenient callers only', () => {
    expect(apply({ a: 1 }, [{ op: '', path: '/a', value: 2 }], true)).toEqual({ a: 2 });
    expect(fault(() => apply({ a: 1 }, [{ op: '', path: '/a', value: 2 }]))).toEqual({
      type: 'failed',
      message: 'Unexpected kind: ',
    });
  });
});

describe('what a JSON patch refuses', () => {
  test.each<[string, JsonValue, JsonValue, string, string]>([
    ['no list', {}, { op: 'add' }, 'malformed', 'cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    ['operations that are no objects', {}, ['add'], 'malformed', 'cannot unmarshal string'],
    [
      'paths that are no text',
      {},
      [{ op: 'add', path: 1 }],
      'malformed',
      'cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
    ],
    ['a failing test', { a: 1 }, [{ op: 'test', path: '/a', value: '1' }], 'failed', 'testing value /a failed: test failed'],
    [
      'moving a value into its own child',
      { a: { b: {} } },
      [{ op: 'move', from: '/a', path: '/a/b/c' }],
      'failed',
      'doc is missing destination path: /a/b/c',
    ],
    [
      'an index beyond the end',
      { a: [1] },
      [{ op: 'add', path: '/a/2', value: 1 }],
      'failed',
      'Unable to access invalid index: 2',
    ],
    [
      'an index that is none',
      { a: [1] },
      [{ op: 'remove', path: '/a/x' }],
      'failed',
      'strconv.Atoi: parsing "x": invalid syntax',
    ],
    ['a parent that is missing', {}, [{ op: 'add', path: '/a/b', value: 1 }], 'failed', 'doc is missing path: "/a/b"'],
  ])('%s', (_sentence, document, operations, type, message) => {
    const found = fault(() => apply(document, operations));
    expect(found.type).toBe(type);
    expect(found.message).toContain(message);
  });

  test('more than 10,000 operations', () => {
    const operations = (count: number): JsonValue => Array.from({ length: count }, () => ({ op: 'test', path: '/a', value: 1 }));
    expect(apply({ a: 1 }, operations(10_000))).toEqual({ a: 1 });
    expect(fault(() => apply({ a: 1 }, operations(10_001)))).toEqual({
      type: 'tooLarge',
      message: 'The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  test('copies that double a document 40 times', () => {
    const operations = Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '/a', path: `/a/${index}` }));
    const found = fault(() => apply({ a: { text: 'x'.repeat(100) } }, operations));
    expect(found.type).toBe('tooLarge');
    expect(found.message).toContain('Unable to complete the copy, the accumulated size increase of copy is ');
  });

  test('nesting by moves, deeper than any body may be', () => {
    const document = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`a${index}`, {}]));
    const operations = Array.from({ length: 2999 }, (_, index) => ({ op: 'move', from: `/a${index}`, path: `/a${index + 1}/x` }));
    expect(fault(() => apply(document, operations))).toEqual({
      type: 'failed',
      message: 'the result is nested deeper than 1000 levels',
    });
  });
});

describe('hostile keys are ordinary keys', () => {
  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])('%s', (key) => {
    const made = apply({ data: {} }, [{ op: 'add', path: `/data/${key}`, value: { polluted: true } }]) as { data: object };
    expect(Object.getOwnPropertyDescriptor(made.data, key)?.value).toEqual({ polluted: true });
    expect(Object.getPrototypeOf(made.data)).toBe(Object.prototype);
    expect(fault(() => apply({ data: {} }, [{ op: 'add', path: `/data/${key}/x`, value: 1 }])).type, 'nothing is inherited').toBe(
      'failed',
    );
    expect(fault(() => apply({ data: {} }, [{ op: 'remove', path: `/data/${key}` }])).type).toBe('failed');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

test('operations never change the document they are given', () => {
  fc.assert(
    fc.property(fc.object({ maxDepth: 3 }), fc.constantFrom('a', '__proto__', '0', '-'), (document, key) => {
      const before = JSON.stringify(document);
      applyJsonPatch(document as JsonValue, parseJsonPatch([{ op: 'add', path: `/${key}`, value: 1 }]));
      expect(JSON.stringify(document)).toBe(before);
    }),
    { seed: 7, numRuns: 200 },
  );
});
