import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { canonicalJson, sha256Hex } from '../../../shared/machinery/canonical.ts';
import { parseJson, stringifyJson } from '../../../shared/machinery/codec/json.ts';
import { cloneJson, deepEqual, setOwn } from '../../../shared/machinery/equality.ts';
import { fnv1_32, fnv1a_32 } from '../../../shared/machinery/fnv.ts';
import { NESTING_MAX } from '../../../shared/machinery/limits.ts';
import type { JsonValue } from '../../../shared/machinery/object.ts';
import { deletePath, getPath, setPath } from '../../../shared/machinery/paths.ts';

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

afterEach(() => {
  // A walk that reached a prototype would show here.
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

describe('JSON', () => {
  test.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['1.0000000000000001', 1],
    ['{"a":12345678901234567890}', { a: 12345678901234567890n }],
    ['"12345678901234567890"', '12345678901234567890'],
    ['-0', -0],
    ['1e300', 1e300],
  ])('%s', (text, want) => {
    expect(parseJson(text)).toEqual(want);
  });

  test('integers of 64 bits come out as they came in', () => {
    const text = '{"a":9223372036854775807,"b":[9007199254740993,1.5,"x"],"c":-9223372036854775808}';
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  test.each(['1e400', '{"a":-1e999}', '[1E+0400]', 'NaN', '{"a":1,}', '\ufeff{}', '{"a":"\u0000"}', ''])(
    '%j is refused',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  test('nesting is bounded before anything recurses', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(NESTING_MAX))).toHaveLength(1);
    expect(() => parseJson(nested(NESTING_MAX + 1))).toThrow(`exceeded max depth of ${NESTING_MAX}`);
    expect(() => parseJson('{"a":'.repeat(100_000))).toThrow('exceeded max depth');
    expect(parseJson(`["${'['.repeat(5000)}","\\"${'{'.repeat(5000)}"]`)).toHaveLength(2);
    expect(parseJson(`[${'[],'.repeat(5000)}[]]`)).toHaveLength(5001);
  });

  test('__proto__ is an ordinary key', () => {
    const value = parseJson('{"__proto__":{"polluted":1},"constructor":2}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(stringifyJson(value)).toBe('{"__proto__":{"polluted":1},"constructor":2}');
  });
});

describe('hashes', () => {
  // Published test vectors of the FNV hashes.
  test.each<[string, number, number]>([
    ['', 0x811c9dc5, 0x811c9dc5],
    ['a', 0x050c5d7e, 0xe40c292c],
    ['foobar', 0x31f0b262, 0xbf9cf968],
  ])('FNV of %j', (text, fnv1, fnv1a) => {
    expect([fnv1_32(text), fnv1a_32(text)]).toEqual([fnv1, fnv1a]);
  });

  test('FNV reads UTF-8 bytes', () => {
    expect(fnv1a_32('é')).toBe(Math.imul(Math.imul(0x811c9dc5 ^ 0xc3, 0x01000193) ^ 0xa9, 0x01000193) >>> 0);
  });

  test('SHA-256', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('canonical JSON', () => {
  test('keys are sorted at every level, undefined members are left out, large integers are exact', () => {
    expect(canonicalJson({ b: [{ d: 1, c: undefined }], a: { z: null, y: 9007199254740993n } })).toBe(
      '{"a":{"y":9007199254740993,"z":null},"b":[{"d":1}]}',
    );
    expect(canonicalJson(parseJson('{"b":1,"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1},"b":1}');
  });

  test('law: equal values have equal texts and unequal values have not', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(canonicalJson(a) === canonicalJson(b)).toBe(deepEqual(a, b));
        expect(canonicalJson(parseJson(canonicalJson(a)))).toBe(canonicalJson(a));
      }),
    );
  });
});

describe('equality and copies', () => {
  test.each<[string, unknown, unknown, boolean]>([
    ['undefined is absent', { a: 1, b: undefined }, { a: 1 }, true],
    ['null is not absent', { a: null }, {}, false],
    ['the order of keys does not matter', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['the order of lists does', [1, 2], [2, 1], false],
    ['a list is no object', [], {}, false],
    ['a shorter list differs', [1], [1, undefined], false],
    ['text is no number', '1', 1, false],
    ['inherited members do not count', { constructor: Object }, {}, false],
    ['an extra member on either side', { a: 1 }, { a: 1, b: 2 }, false],
    ['bigints by value', { a: 9007199254740993n }, { a: 9007199254740993n }, true],
    ['null and object', null, {}, false],
  ])('%s', (_sentence, a, b, want) => {
    expect(deepEqual(a, b)).toBe(want);
    expect(deepEqual(b, a)).toBe(want);
  });

  test('law: a copy is equal and shares nothing', () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = canonicalJson(value);
        const copy = cloneJson(value);
        expect(deepEqual(copy, value)).toBe(true);
        if (typeof copy === 'object' && copy !== null) {
          if (Array.isArray(copy)) copy.push('more');
          else setOwn(copy, 'more', true);
        }
        expect(canonicalJson(value)).toBe(before);
      }),
    );
  });

  test('a copy keeps __proto__ as a key', () => {
    const copy = cloneJson(parseJson('{"__proto__":{"polluted":true}}'));
    expect(stringifyJson(copy)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });
});

describe('paths', () => {
  const object = () => ({ spec: { replicas: 0, list: [{ a: 1 }, { a: 2 }], 'x.y/z': 'dotted' }, text: 'abc' });

  test.each<[string, unknown]>([
    ['spec.replicas', 0],
    ['spec.list[1].a', 2],
    ['spec.list[2].a', undefined],
    ["spec['x.y/z']", 'dotted'],
    ['spec["x.y/z"]', 'dotted'],
    ['text.length', undefined],
    ['spec.none.deeper', undefined],
    ['constructor.name', undefined],
    ['__proto__', undefined],
  ])('reading %s', (path, want) => {
    expect(getPath(object(), path)).toEqual(want);
  });

  test('setting makes objects on the way and never extends a list', () => {
    const target: Record<string, unknown> = object();
    setPath(target, 'status.a.b', 1);
    setPath(target, 'spec.list[0].a', 9);
    setPath(target, 'spec.list[5].a', 9);
    setPath(target, 'text.inner', true);
    expect(target).toMatchObject({ status: { a: { b: 1 } }, spec: { list: [{ a: 9 }, { a: 2 }] }, text: { inner: true } });
  });

  test('deleting removes members and cuts elements', () => {
    const target: Record<string, unknown> = object();
    deletePath(target, 'spec.list[0]');
    deletePath(target, 'spec.replicas');
    deletePath(target, 'none.at.all');
    deletePath(target, "spec['x.y/z']");
    expect(target).toEqual({ spec: { list: [{ a: 2 }] }, text: 'abc' });
  });

  test('no path reaches a prototype', () => {
    const target: Record<string, unknown> = {};
    setPath(target, '__proto__.polluted', true);
    setPath(target, 'constructor.prototype.polluted', true);
    deletePath(target, 'toString');
    expect(typeof target.toString).toBe('function');
  });
});
