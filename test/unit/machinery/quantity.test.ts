import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityOf,
  quantityOfMilli,
  quantityToMilli,
  quantityToNumber,
  roundUpToMilli,
  subtractQuantities,
} from '../../../shared/machinery/quantity.ts';

/** What kube-apiserver 1.35.4 answered for a ResourceQuota with this value of `spec.hard.cpu` (which it rounds up to milli). */
const RECORDED: readonly [given: string, want: string][] = (
  '1Ki=1Ki 0.1=100m 100m=100m 1000m=1 1e3=1e3 9223372036854775807=9223372036854775807 9223372036854775808=9223372036854775808 ' +
  '+=0 -=0 1.5Gi=1536Mi .5=500m 5.=5. 0=0 00=0 1E=1E 100E=100E 1e100=10e99 1e-100=1e-3 0.0000000001=1m 1024=1024 1024Ki=1Mi ' +
  '1023Ki=1023Ki 1.5Ki=1536 0.5Ki=512 1n=1m 1u=1m 1e2=100 12e4=120e3 1.25e3=1250 1000000=1M 1k=1k 1500k=1500k ' +
  '999Ei=9223372036854775807 8Ei=9223372036854775807 7Ei=7Ei 0Ki=0 0.001=1m 1234567.891=1234567.891 1.000=1 01=01 +1=+1 1E2=100 ' +
  '1e+3=1e+3 1Mi=1Mi 1536Mi=1536Mi 100Ki=100Ki 1e19=10e18 1e21=1e21 0.123=123m 1.001=1.001 2.5=2500m 10=10 1000=1k 1234.5=1234500m ' +
  '0.500=500m 001.001=001.001 00.001=1m 100000.001=100000.001 1.0001=1001m'
)
  .split(' ')
  .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

describe('parsing and printing', () => {
  test.each(RECORDED)('%s prints as %s', (given, want) => {
    expect(formatQuantity(roundUpToMilli(parseQuantity(given)))).toBe(want);
  });

  test.each([
    ['', FORMAT],
    ['1z', FORMAT],
    ['1.1.M', FORMAT],
    ['1KiB', FORMAT],
    ['Ki', FORMAT],
    [' 1', FORMAT],
    ['1e', "unable to parse quantity's suffix"],
    ['1i', "unable to parse quantity's suffix"],
    ['1e99999999', "unable to parse quantity's suffix"],
    ['1'.repeat(257), 'unable to parse numeric part of quantity'],
  ])('%j is refused', (given, want) => {
    expect(() => parseQuantity(given)).toThrow(new RangeError(want));
  });

  test('negative values round away from zero', () => {
    expect(formatQuantity(parseQuantity('-1.5Gi'))).toBe('-1536Mi');
    expect(formatQuantity(parseQuantity('-1e-100'))).toBe('-1e-9');
    expect(formatQuantity(roundUpToMilli(parseQuantity('-0.0001')))).toBe('-1m');
  });

  test('white space around the text is ignored where JSON is read', () => {
    expect(canonicalQuantity('1 ')).toBe('1');
  });

  test('a number too large for any suffix keeps its value', () => {
    expect(parseQuantity(formatQuantity(parseQuantity('1000000000000000000000000')))).toMatchObject({
      unscaled: 1000000n,
      scale: 18,
    });
  });
});

describe('arithmetic', () => {
  const add = (a: string, b: string): string => formatQuantity(addQuantities(parseQuantity(a), parseQuantity(b)));
  const subtract = (a: string, b: string): string => formatQuantity(subtractQuantities(parseQuantity(a), parseQuantity(b)));

  test.each([
    ['100m', '0.9', '1'],
    ['1Gi', '512Mi', '1536Mi'],
    ['1', '1Ki', '1025'],
    ['0', '1Ki', '1Ki'],
    ['9223372036854775807', '1', '9223372036854775808'],
  ])('%s + %s = %s', (a, b, want) => {
    expect(add(a, b)).toBe(want);
  });

  test('subtraction may pass zero', () => {
    expect(subtract('1', '1500m')).toBe('-500m');
    expect(subtract('1Gi', '1Gi')).toBe('0');
  });

  test('numbers are rounded away from zero', () => {
    expect([
      quantityToNumber(parseQuantity('100m')),
      quantityToNumber(parseQuantity('1.5Ki')),
      quantityToNumber(parseQuantity('2')),
    ]).toEqual([1, 1536, 2]);
    expect([
      quantityToMilli(parseQuantity('0.0001')),
      quantityToMilli(parseQuantity('2')),
      quantityToMilli(parseQuantity('1k')),
    ]).toEqual([1, 2000, 1_000_000]);
    expect(quantityToNumber(parseQuantity('-100m'))).toBe(-1);
  });

  test('values made from numbers print in their own family', () => {
    expect([
      formatQuantity(quantityOf(2048, 'BinarySI')),
      formatQuantity(quantityOf(5000, 'DecimalSI')),
      formatQuantity(quantityOfMilli(1500)),
    ]).toEqual(['2Ki', '5k', '1500m']);
  });
});

describe('laws', () => {
  const texts = fc
    .tuple(
      fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
      fc.constantFrom('', 'm', 'k', 'M', 'Ki', 'Mi', 'Gi', 'e3', 'e-2', 'u'),
    )
    .map(([digits, suffix]) => `${digits}${suffix}`);

  test('printing keeps the value, and prints the same again', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseQuantity(text);
        const printed = canonicalQuantity(text);
        expect(compareQuantities(parseQuantity(printed), parsed)).toBe(0);
        expect(canonicalQuantity(printed)).toBe(printed);
      }),
      { seed: 7 },
    );
  });

  test('addition commutes in value and subtraction undoes it; order agrees with differences', () => {
    fc.assert(
      fc.property(texts, texts, (left, right) => {
        const [a, b] = [parseQuantity(left), parseQuantity(right)];
        expect(compareQuantities(addQuantities(a, b), addQuantities(b, a))).toBe(0);
        expect(compareQuantities(subtractQuantities(addQuantities(a, b), b), a)).toBe(0);
        expect(Math.sign(compareQuantities(a, b))).toBe(Math.sign(quantityToNumber(subtractQuantities(a, b))));
      }),
      { seed: 7 },
    );
  });
});
