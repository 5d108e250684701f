import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatGoDuration, formatHumanDuration, parseGoDuration } from '../../../shared/machinery/duration.ts';
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseTime } from '../../../shared/machinery/time.ts';

const [SECOND, MINUTE, HOUR, DAY, YEAR] = [1000, 60_000, 3_600_000, 86_400_000, 365 * 86_400_000] as const;

describe('human durations', () => {
  test.each<[number, string]>([
    [-2 * SECOND, '<invalid>'],
    [-1 * SECOND, '0s'],
    [-1, '0s'],
    [0, '0s'],
    [119 * SECOND, '119s'],
    [120 * SECOND, '2m'],
    [9 * MINUTE + 59 * SECOND, '9m59s'],
    [10 * MINUTE, '10m'],
    [179 * MINUTE, '179m'],
    [3 * HOUR, '3h'],
    [7 * HOUR + 59 * MINUTE, '7h59m'],
    [8 * HOUR + 30 * MINUTE, '8h'],
    [47 * HOUR, '47h'],
    [48 * HOUR, '2d'],
    [7 * DAY + 23 * HOUR, '7d23h'],
    [8 * DAY + 1 * HOUR, '8d'],
    [2 * YEAR - 1, '729d'],
    [2 * YEAR, '2y'],
    [2 * YEAR + 3 * DAY, '2y3d'],
    [8 * YEAR + 3 * DAY, '8y'],
  ])('%d ms is %s', (ms, want) => {
    expect(formatHumanDuration(ms)).toBe(want);
  });
});

describe('Go durations', () => {
  test.each<[string, number]>([
    ['0', 0],
    ['1h30m', 90 * MINUTE],
    ['-1.5s', -1500],
    ['+5m', 5 * MINUTE],
    ['300ms', 300],
    ['1us', 0.001],
    ['1µs', 0.001],
    ['.5h', 30 * MINUTE],
    ['1m1m', 2 * MINUTE],
  ])('%s is %d ms', (text, want) => {
    expect(parseGoDuration(text)).toBeCloseTo(want, 9);
  });

  test.each([
    ['', 'time: invalid duration ""'],
    ['-', 'time: invalid duration "-"'],
    ['5', 'time: missing unit in duration "5"'],
    ['5x', 'time: unknown unit "x" in duration "5x"'],
    ['x', 'time: invalid duration "x"'],
    ['1h-5m', 'time: unknown unit "h-" in duration "1h-5m"'],
    ['9999999h', 'time: invalid duration "9999999h"'],
  ])('%j is refused', (text, want) => {
    expect(() => parseGoDuration(text)).toThrow(new SyntaxError(want));
  });

  test.each<[number, string]>([
    [0, '0s'],
    [0.000001, '1ns'],
    [0.0015, '1.5µs'],
    [250, '250ms'],
    [1500, '1.5s'],
    [60_000, '1m0s'],
    [5_400_000, '1h30m0s'],
    [-90_500, '-1m30.5s'],
  ])('%d ms prints as %s', (ms, want) => {
    expect(formatGoDuration(ms)).toBe(want);
  });

  test('law: what is printed reads back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => {
        expect(parseGoDuration(formatGoDuration(ms))).toBeCloseTo(ms, 3);
      }),
    );
  });
});

describe('times', () => {
  test('seconds are kept, fractions cut, also before the epoch', () => {
    expect(formatTime(Date.UTC(2026, 0, 2, 3, 4, 5, 999))).toBe('2026-01-02T03:04:05Z');
    expect(formatTime(-1)).toBe('1969-12-31T23:59:59Z');
    expect(formatMicroTime(Date.UTC(2026, 0, 2, 3, 4, 5, 6))).toBe('2026-01-02T03:04:05.006000Z');
  });

  test.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05.999Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05Z'],
    ['2024-02-29T23:30:00-01:00', '2024-03-01T00:30:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  ])('%s is %s', (text, want) => {
    expect(canonicalTime(text)).toBe(want);
  });

  test.each([
    ['x', 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    ['2026-01-02', 'parsing time "2026-01-02" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    ['2026-01-02T03:04:05', 'parsing time "2026-01-02T03:04:05" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"'],
    ['2026-13-01T00:00:00Z', 'parsing time "2026-13-01T00:00:00Z": month out of range'],
    ['2026-02-30T00:00:00Z', 'parsing time "2026-02-30T00:00:00Z": day out of range'],
    ['2026-01-01T24:00:00Z', 'parsing time "2026-01-01T24:00:00Z": hour out of range'],
    ['2026-01-01T00:60:00Z', 'parsing time "2026-01-01T00:60:00Z": minute out of range'],
    ['2026-01-01T00:00:60Z', 'parsing time "2026-01-01T00:00:60Z": second out of range'],
    ['2026-01-01T00:00:00Zx', 'parsing time "2026-01-01T00:00:00Zx": extra text: "x"'],
  ])('%s is refused', (text, want) => {
    expect(() => parseTime(text)).toThrow(new RangeError(want));
  });

  test('a micro time needs six digits', () => {
    expect(canonicalMicroTime('2026-01-02T03:04:05.000001+01:00')).toBe('2026-01-02T02:04:05.000001Z');
    expect(() => canonicalMicroTime('2026-01-02T03:04:05Z')).toThrow('cannot parse "Z" as ".000000"');
  });

  test('law: formatting undoes parsing', () => {
    const times = fc.integer({ min: Date.UTC(1, 0, 1) / 1000, max: Date.UTC(9999, 11, 31) / 1000 });
    fc.assert(
      fc.property(times, (seconds) => {
        expect(parseTime(formatTime(seconds * 1000))).toBe(seconds * 1000);
      }),
    );
  });
});
