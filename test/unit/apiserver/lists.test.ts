import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeContinue, encodeContinue } from '../../../shared/apiserver/resources/continue.ts';
import { parseListOptions } from '../../../shared/apiserver/resources/list-options.ts';
import { parseResourceVersion } from '../../../shared/apiserver/resources/read.ts';

describe('continue tokens', () => {
  test('come back as they went', () => {
    const name = fc.stringMatching(/^[a-z0-9.:-]{0,20}$/);
    const namespace = fc.stringMatching(/^[a-z0-9-]{0,20}$/);
    const version = fc.oneof(fc.constant(''), fc.integer({ min: 64, max: Number.MAX_SAFE_INTEGER }).map(String));
    const begun = fc.oneof(
      fc.constant({}),
      fc.integer({ min: 0, max: 4e9 }).map((seconds) => ({ begunAt: seconds * 1000 })),
    );
    fc.assert(
      fc.property(version, namespace, name, begun, (resourceVersion, space, key, time) => {
        const token = { resourceVersion, namespace: space, name: key, ...time };
        expect(decodeContinue(encodeContinue(token))).toEqual(token);
      }),
    );
  });

  test('have the shape that clients may look into', () => {
    const text = Buffer.from(encodeContinue({ resourceVersion: '640', namespace: 'a', name: 'b' }), 'base64url').toString();
    expect(text).toBe('{"v":"meta.k8s.io/v1","rv":640,"start":"a/b\\u0000"}');
  });

  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const BAD: readonly [string, string][] = [
    ['no base64', '!!!'],
    ['no JSON', Buffer.from('x').toString('base64url')],
    ['null', encode(null)],
    ['another version', encode({ v: 'v2', rv: 1, start: 'a/b' })],
    ['no number', encode({ v: 'meta.k8s.io/v1', rv: '1', start: 'a/b' })],
    ['no key', encode({ v: 'meta.k8s.io/v1', rv: 1, start: 'b' })],
  ];
  test.each(BAD)('%s is a 400', (_sentence, text) => {
    expect(() => decodeContinue(text)).toThrow(expect.objectContaining({ status: expect.objectContaining({ code: 400 }) }));
  });
});

describe('list options', () => {
  const all = { limit: 0, token: undefined, exact: 0, notOlderThan: 0 };
  const GOOD: readonly [string, string, object][] = [
    ['nothing asked', '', all],
    ['a version is a lower bound', 'resourceVersion=640', { ...all, notOlderThan: 640 }],
    ['with a limit it is exact', 'resourceVersion=640&limit=5', { ...all, limit: 5, exact: 640 }],
    ['"0" is any version', 'resourceVersion=0&limit=500', { ...all, limit: 500 }],
    ['Exact', 'resourceVersion=640&resourceVersionMatch=Exact', { ...all, exact: 640 }],
    [
      'NotOlderThan with a limit',
      'resourceVersion=640&limit=5&resourceVersionMatch=NotOlderThan',
      { ...all, limit: 5, notOlderThan: 640 },
    ],
  ];
  test.each(GOOD)('%s', (_sentence, query, want) => {
    expect(parseListOptions(new URLSearchParams(query))).toEqual(want);
  });

  const token = encodeContinue({ resourceVersion: '640', namespace: 'a', name: 'b' });
  const BAD: readonly [string, number, string][] = [
    [`continue=${token}&resourceVersion=640`, 400, 'specifying resource version is not allowed when using continue'],
    [`continue=${token}&resourceVersionMatch=Exact`, 422, 'resourceVersionMatch is forbidden when continue is provided'],
    ['resourceVersionMatch=Exact', 422, 'resourceVersionMatch is forbidden unless resourceVersion is provided'],
    ['resourceVersion=0&resourceVersionMatch=Exact', 422, 'forbidden for resourceVersion "0"'],
    ['resourceVersion=1&resourceVersionMatch=Newest', 422, 'Unsupported value: "Newest"'],
    ['sendInitialEvents=true', 422, 'sendInitialEvents is forbidden for list'],
    ['limit=many', 400, 'invalid syntax'],
  ];
  test.each(BAD)('%s is refused with %i', (query, code, message) => {
    expect(() => parseListOptions(new URLSearchParams(query))).toThrow(
      expect.objectContaining({ status: expect.objectContaining({ code, message: expect.stringContaining(message) }) }),
    );
  });

  test.each([['abc'], ['-1'], ['01'], ['1.5'], ['99999999999999999999'], ['9007199254740993']])('version %s is a 400', (text) => {
    expect(() => parseResourceVersion(text)).toThrow(expect.objectContaining({ status: expect.objectContaining({ code: 400 }) }));
  });
});
