/**
 * `resource.Quantity`: a decimal number with a suffix, exact by bigint. Parsing, rounding and printing follow
 * k8s.io/apimachinery/pkg/api/resource, including which spellings survive a round trip.
 */

/** Which family of suffixes a quantity prints with. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** An immutable value of `unscaled * 10^scale`. `text` is the spelling that was parsed, kept where upstream keeps it. */
export type Quantity = {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  readonly text?: string;
};

/** Longest text that is looked at: exact arithmetic on longer digits would cost more than they are worth. */
export const QUANTITY_LENGTH_MAX = 256;
/** Greatest power of ten that is accepted; upstream stops at 32 bits. */
export const QUANTITY_EXPONENT_MAX = 1000;

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_SUFFIX = "unable to parse quantity's suffix";
const GRAMMAR = /^([+-]?)0*(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
/** Most quantities of real objects: already in canonical form. */
const PLAIN = /^[1-9]\d{0,2}(?:[mkMGTP]|[KMGTP]i)?$/;
const BINARY_MAX = 2n ** 63n - 1n;
/** The smallest unit that is kept: one nano. */
const NANO = -9;
/** Digits that fit int64: above, upstream leaves its fast path, and with it the parsed spelling. */
const FAST_DIGITS_MAX = 18;
const FAST_BINARY_DIGITS_MAX = 15;

type Suffix = { base: 2 | 10; exponent: number; format: QuantityFormat };
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL = new Map(
  [-9, -6, -3, 0, 3, 6, 9, 12, 15, 18].map((exponent, index) => [
    exponent,
    ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'][index] ?? '',
  ]),
);
const SUFFIXES: ReadonlyMap<string, Suffix> = new Map([
  ...BINARY.slice(1).map((text, index): [string, Suffix] => [text, { base: 2, exponent: (index + 1) * 10, format: 'BinarySI' }]),
  ...[...DECIMAL].map(([exponent, text]): [string, Suffix] => [text, { base: 10, exponent, format: 'DecimalSI' }]),
]);

/** Parses `100m`, `1.5Gi`, `1e3`. Values below one nano are rounded away from zero to it. Throws RangeError with upstream's texts. */
export function parseQuantity(text: string): Quantity {
  if (text.length > QUANTITY_LENGTH_MAX) throw new RangeError('unable to parse numeric part of quantity');
  const match = GRAMMAR.exec(text);
  // A lone sign is zero upstream too; a suffix without any digit ("Ki", ".5" has one) is read as zero as well.
  if (!match || text === '' || !/^[+-]?(?:[\d.]|$)/.test(text)) throw new RangeError(WRONG_FORMAT);
  const [, sign, whole = '', fraction = '', suffixText = ''] = match;
  const suffix = interpretSuffix(suffixText);
  const digits = `${whole === '' ? '0' : whole}${fraction}`;
  const unscaled = BigInt(digits);
  if (unscaled === 0n) return { unscaled: 0n, scale: 0, format: suffix.format };
  const kept = keepsSpelling(digits, whole === '' ? 1 : whole.length, fraction.length, suffix) ? { text } : {};
  const size = suffix.base === 2 ? unscaled * 2n ** BigInt(suffix.exponent) : unscaled;
  const scale = (suffix.base === 10 ? suffix.exponent : 0) - fraction.length;
  const bounded = capBinary(roundAwayFromZero({ unscaled: size, scale, format: suffix.format, ...kept }, NANO));
  return sign === '-' ? { ...bounded, unscaled: -bounded.unscaled } : bounded;
}

/** The text of a quantity: as it was parsed where upstream keeps that, otherwise in canonical form. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return '0';
  if (quantity.format === 'BinarySI') {
    const whole = wholeNumber(quantity);
    if (whole !== undefined && (whole <= -1024n || whole >= 1024n)) return binaryText(whole);
  }
  return decimalText(quantity);
}

/** What Go prints after reading the text: `1000m` -> `1`, `1024Ki` -> `1Mi`, `0.1` -> `100m`. Throws RangeError. */
export function canonicalQuantity(text: string): string {
  if (PLAIN.test(text)) return text;
  return formatQuantity(parseQuantity(text.trim()));
}

/** Negative, zero or positive as `a` is smaller than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const [left, right] = aligned(a, b);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** The sum, in the format of `a` (of `b` when `a` is zero, as upstream). */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return combine(a, b, (left, right) => left + right);
}

/** The difference, in the format of `a` (of `b` when `a` is zero). */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return combine(a, b, (left, right) => left - right);
}

/** The value in base units as a number, rounded away from zero: `100m` -> 1, `1.5Ki` -> 1536. */
export function quantityToNumber(quantity: Quantity): number {
  return scaled(quantity, 0);
}

/** The value in thousandths as a number, rounded away from zero: `1` -> 1000, `100m` -> 100. */
export function quantityToMilli(quantity: Quantity): number {
  return scaled(quantity, -3);
}

/** Rounded away from zero to thousandths: what defaulting does to every resource list. */
export function roundUpToMilli(quantity: Quantity): Quantity {
  return roundAwayFromZero(quantity, -3);
}

/** A quantity of whole base units, e.g. a count or bytes. */
export function quantityOf(value: number | bigint, format: QuantityFormat): Quantity {
  return { unscaled: BigInt(value), scale: 0, format };
}

/** A quantity of thousandths, e.g. milli-CPU. */
export function quantityOfMilli(milli: number | bigint): Quantity {
  return { unscaled: BigInt(milli), scale: -3, format: 'DecimalSI' };
}

function interpretSuffix(text: string): Suffix {
  const known = SUFFIXES.get(text);
  if (known) return known;
  if (!/^[eE][+-]?\d+$/.test(text)) throw new RangeError(WRONG_SUFFIX);
  const exponent = Number(text.slice(1));
  if (Math.abs(exponent) > QUANTITY_EXPONENT_MAX) throw new RangeError(WRONG_SUFFIX);
  return { base: 10, exponent, format: 'DecimalExponent' };
}

/** Upstream's fast path keeps the spelling when it looks canonical already; its tests are copied, exceptions and all. */
function keepsSpelling(digits: string, wholeDigits: number, fractionDigits: number, { base, exponent }: Suffix): boolean {
  if (base === 2) {
    if (fractionDigits > 0 || FAST_BINARY_DIGITS_MAX - wholeDigits - Math.trunc((exponent * 3) / 10) - 1 < 0) return false;
    return (BigInt(digits) & 7n) !== 0n;
  }
  const scale = exponent - fractionDigits;
  if (wholeDigits + fractionDigits > FAST_DIGITS_MAX || scale < NANO) return false;
  return scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

function roundAwayFromZero(quantity: Quantity, scale: number): Quantity {
  if (quantity.scale >= scale) return quantity;
  const divisor = 10n ** BigInt(scale - quantity.scale);
  return { unscaled: divideAwayFromZero(quantity.unscaled, divisor), scale, format: quantity.format };
}

function capBinary(quantity: Quantity): Quantity {
  if (quantity.format !== 'BinarySI') return quantity;
  const [value, max] = aligned(quantity, { unscaled: BINARY_MAX, scale: 0, format: 'BinarySI' });
  if (value > max) return { unscaled: BINARY_MAX, scale: 0, format: 'BinarySI' };
  const [, one] = aligned(quantity, { unscaled: 1n, scale: 0, format: 'BinarySI' });
  return value < one ? { ...quantity, format: 'DecimalSI' } : quantity;
}

function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (quotient * divisor === value) return quotient;
  return value > 0n ? quotient + 1n : quotient - 1n;
}

function aligned(a: Quantity, b: Quantity): [bigint, bigint] {
  const scale = Math.min(a.scale, b.scale);
  return [a.unscaled * 10n ** BigInt(a.scale - scale), b.unscaled * 10n ** BigInt(b.scale - scale)];
}

function combine(a: Quantity, b: Quantity, operation: (left: bigint, right: bigint) => bigint): Quantity {
  const [left, right] = aligned(a, b);
  return { unscaled: operation(left, right), scale: Math.min(a.scale, b.scale), format: a.unscaled === 0n ? b.format : a.format };
}

function scaled(quantity: Quantity, scale: number): number {
  const rounded = roundAwayFromZero(quantity, scale);
  return Number(rounded.unscaled * 10n ** BigInt(rounded.scale - scale));
}

/** The exact whole number, or undefined when there is a fraction. */
function wholeNumber({ unscaled, scale }: Quantity): bigint | undefined {
  if (scale >= 0) return unscaled * 10n ** BigInt(scale);
  const divisor = 10n ** BigInt(-scale);
  return unscaled % divisor === 0n ? unscaled / divisor : undefined;
}

function binaryText(whole: bigint): string {
  let value = whole;
  let power = 0;
  while (power < BINARY.length - 1 && value % 1024n === 0n) {
    value /= 1024n;
    power += 1;
  }
  return `${value}${BINARY[power]}`;
}

/** Mantissa without trailing zeros, exponent a multiple of three. */
function decimalText(quantity: Quantity): string {
  let { unscaled, scale } = quantity;
  while (unscaled % 10n === 0n) {
    unscaled /= 10n;
    scale += 1;
  }
  const highest = quantity.format === 'DecimalExponent' ? scale : 18;
  const exponent = Math.min(Math.floor(scale / 3) * 3, highest);
  const mantissa = unscaled * 10n ** BigInt(scale - exponent);
  if (quantity.format === 'DecimalExponent') return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
  return `${mantissa}${DECIMAL.get(exponent) ?? ''}`;
}
