/** Patterns and formats of schemas. */
import { describe, expect, test } from 'vitest';
import { formatCheck } from '../../../shared/machinery/schema/formats.ts';
import { compilePattern, patternError } from '../../../shared/machinery/schema/pattern.ts';

describe('a pattern', () => {
  test.each<[string, string, boolean]>([
    ['^[a-z]+$', 'abc', true],
    ['^[a-z]+$', 'aBc', false],
    ['b', 'abc', true],
    ['(?i)^ABC$', 'abc', true],
    ['^\\p{Greek}+$', 'αβγ', true],
    ['^(([a-z]+)*)+$', 'abc', true],
    ['^a{2,3}$', 'aaaa', false],
    ['(', 'anything', false],
  ])('%s on %s: %s', (pattern, text, want) => {
    expect(compilePattern(pattern)(text)).toBe(want);
  });

  test('takes linear time where backtracking would not end', () => {
    const text = `${'a'.repeat(50_000)}!`;
    for (const pattern of ['^(a+)+$', '^(a|a)*$', '^a*a*a*a*a*$', '^([a-z0-9]+[-.])*[a-z0-9]+$']) {
      const start = performance.now();
      expect(compilePattern(pattern)(text)).toBe(false);
      expect(performance.now() - start, pattern).toBeLessThan(1000);
    }
  });

  test('says what is wrong with it', () => {
    expect(patternError('a(')).toBe('error parsing regexp: missing closing ): `a(`');
    expect(patternError('^a$')).toBeUndefined();
  });
});

describe('a format', () => {
  test.each<[string, string[], string[]]>([
    ['date-time', ['2026-01-02T03:04:05Z', '2026-01-02t03:04:05.123+02:00'], ['2026-01-02', '2026-13-02T03:04:05Z', 'soon']],
    ['date', ['2024-02-29'], ['2023-02-29', '2024-2-9']],
    ['duration', ['1h30m', '22 ns', '3 days', '1.5s'], ['1', 'long']],
    ['ipv4', ['10.0.0.1'], ['10.0.0.256', '::1']],
    ['ipv6', ['::1', 'fe80::1:2'], ['10.0.0.1', ':::']],
    ['cidr', ['10.0.0.0/8', 'fd00::/8'], ['10.0.0.0', '10.0.0.0/33']],
    ['mac', ['00:1b:44:11:3a:b7'], ['00:1b:44']],
    ['uri', ['https://a.b/c', '/path'], ['not a uri']],
    ['email', ['a@b.c'], ['a.b.c']],
    ['hostname', ['a.example.com'], ['-a']],
    ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123']],
    ['uuid4', ['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-12d3-a456-426614174000']],
    ['byte', ['aGVsbG8='], ['aGVsbG8']],
    ['isbn', ['0321751043', '978-0321751041'], ['0321751044']],
    ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112']],
    ['hexcolor', ['#fff', 'a0b1c2'], ['#ff']],
    ['rgbcolor', ['rgb(1, 2, 255)'], ['rgb(1,2,256)']],
    ['ssn', ['123-45-6789'], ['12-345-6789']],
    ['k8s-short-name', ['my-name'], ['My-Name', 'a'.repeat(64)]],
    ['k8s-long-name', ['a.b'], ['a..b']],
    ['password', ['anything'], []],
  ])('%s', (format, good, bad) => {
    const check = formatCheck(format);
    expect(good.filter((value) => !check?.(value))).toEqual([]);
    expect(bad.filter((value) => check?.(value))).toEqual([]);
  });

  test.each(['int32', 'double', 'binary', 'x'])('%s is not checked', (format) => {
    expect(formatCheck(format)).toBeUndefined();
  });
});
