/** Quantities and semantic versions (k8s.io/apiserver/pkg/cel/library/quantity.go, semverlib.go). */
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityOf,
  subtractQuantities,
} from '../../quantity.ts';
import { global, member, type Overload } from '../functions.ts';
import { sizeOf } from '../operators.ts';
import { type CelOpaque, type CelValue, fail, opaque } from '../values.ts';

const QUANTITY = 'kubernetes.Quantity';
const SEMVER = 'kubernetes.Semver';

const walk = (text: CelValue = null): number => Math.ceil(sizeOf(text) / 10);

function readQuantity(text: string): Quantity | string {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

function quantityValue(quantity: Quantity): CelValue {
  return opaque(QUANTITY, quantity, (other) => compareQuantities(quantity, other as Quantity) === 0);
}

function quantityOfValue(value: CelValue): Quantity {
  return typeof value === 'bigint' ? quantityOf(value, 'DecimalExponent') : ((value as CelOpaque).data as Quantity);
}

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;

/** Undefined: it has a fraction, or does not fit int64. */
function wholeOf({ unscaled, scale }: Quantity): bigint | undefined {
  const power = 10n ** BigInt(Math.abs(scale));
  if (scale < 0 && unscaled % power !== 0n) return undefined;
  const value = scale < 0 ? unscaled / power : unscaled * power;
  return value < INT_MIN || value > INT_MAX ? undefined : value;
}

const quantities: readonly Overload[] = [
  global(
    'quantity',
    'string',
    QUANTITY,
    (text) => {
      const quantity = readQuantity(text as string);
      return typeof quantity === 'string' ? fail(quantity) : quantityValue(quantity);
    },
    walk,
  ),
  global('isQuantity', 'string', 'bool', (text) => typeof readQuantity(text as string) !== 'string', walk),
  member('isInteger', QUANTITY, 'bool', (value) => wholeOf(quantityOfValue(value)) !== undefined),
  member('asInteger', QUANTITY, 'int', (value) => wholeOf(quantityOfValue(value)) ?? fail('cannot convert value to integer')),
  member('asApproximateFloat', QUANTITY, 'double', (value) => {
    const { unscaled, scale } = quantityOfValue(value);
    return Number(`${unscaled}e${scale}`);
  }),
  global('sign', QUANTITY, 'int', (value) => BigInt(compareQuantities(quantityOfValue(value), quantityOf(0, 'DecimalSI')))),
  member(
    'isGreaterThan',
    `${QUANTITY}, ${QUANTITY}`,
    'bool',
    (a, b) => compareQuantities(quantityOfValue(a), quantityOfValue(b)) > 0,
  ),
  member(
    'isLessThan',
    `${QUANTITY}, ${QUANTITY}`,
    'bool',
    (a, b) => compareQuantities(quantityOfValue(a), quantityOfValue(b)) < 0,
  ),
  member('compareTo', `${QUANTITY}, ${QUANTITY}`, 'int', (a, b) =>
    BigInt(compareQuantities(quantityOfValue(a), quantityOfValue(b))),
  ),
  ...[QUANTITY, 'int'].flatMap((type) => [
    member('add', `${QUANTITY}, ${type}`, QUANTITY, (a, b) =>
      quantityValue(addQuantities(quantityOfValue(a), quantityOfValue(b))),
    ),
    member('sub', `${QUANTITY}, ${type}`, QUANTITY, (a, b) =>
      quantityValue(subtractQuantities(quantityOfValue(a), quantityOfValue(b))),
    ),
  ]),
];

type Semver = { numbers: readonly [bigint, bigint, bigint]; pre: readonly string[] };

const UINT_MAX = 2n ** 64n - 1n;
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;

/** A text says why it is no version. */
function readSemver(text: string): Semver | string {
  if (text === '') return 'Version string empty';
  const match = VERSION.exec(text);
  if (!match)
    return text.split('.').length < 3
      ? 'No Major.Minor.Patch elements found'
      : `Invalid character(s) found in version ${JSON.stringify(text)}`;
  const [, major = '', minor = '', patch = '', pre, build] = match;
  for (const [name, part] of [
    ['Major', major],
    ['Minor', minor],
    ['Patch', patch],
  ] as const) {
    if (/^0\d/.test(part)) return `${name} number must not contain leading zeroes ${JSON.stringify(part)}`;
    if (part.length > 20 || BigInt(part) > UINT_MAX)
      return `strconv.ParseUint: parsing ${JSON.stringify(part)}: value out of range`;
  }
  const parts = pre === undefined ? [] : pre.split('.');
  if ([...parts, ...(build === undefined ? [] : build.split('.'))].some((part) => part === '')) return 'Prerelease is empty';
  const zeros = parts.find((part) => /^0\d+$/.test(part));
  if (zeros !== undefined) return `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(zeros)}`;
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], pre: parts };
}

/** Completes short versions and drops a leading `v` and zeros. */
function normalizeSemver(text: string): Semver | string {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])].map((part) => {
    if (part.length < 2) return part;
    const trimmed = part.replace(/^0+/, '');
    return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
  });
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) return 'short version cannot contain PreRelease/Build meta data';
  while (parts.length < 3) parts.push('0');
  return readSemver(parts.join('.'));
}

function compareSemver(a: Semver, b: Semver): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length) || 0;
  for (const [index, part] of a.pre.entries()) {
    const other = b.pre[index];
    if (other === undefined) return 1;
    const order = comparePre(part, other);
    if (order !== 0) return order;
  }
  return a.pre.length < b.pre.length ? -1 : 0;
}

function comparePre(a: string, b: string): number {
  const [first, second] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (first && second) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
  if (first !== second) return first ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

const semverOf = (value: CelValue): Semver => (value as CelOpaque).data as Semver;
const parseSemver = (text: CelValue, normalize: CelValue = false): Semver | string =>
  normalize === true ? normalizeSemver(text as string) : readSemver(text as string);

function toSemver(text: CelValue, normalize?: CelValue): CelValue {
  const version = parseSemver(text, normalize);
  if (typeof version === 'string') return fail(version);
  return opaque(SEMVER, version, (other) => compareSemver(version, other as Semver) === 0);
}

const semvers: readonly Overload[] = [
  ...['string', 'string, bool'].flatMap((args) => [
    global('semver', args, SEMVER, toSemver, walk),
    global('isSemver', args, 'bool', (text, normalize) => typeof parseSemver(text, normalize) !== 'string', walk),
  ]),
  member('isGreaterThan', `${SEMVER}, ${SEMVER}`, 'bool', (a, b) => compareSemver(semverOf(a), semverOf(b)) > 0),
  member('isLessThan', `${SEMVER}, ${SEMVER}`, 'bool', (a, b) => compareSemver(semverOf(a), semverOf(b)) < 0),
  member('compareTo', `${SEMVER}, ${SEMVER}`, 'int', (a, b) => BigInt(compareSemver(semverOf(a), semverOf(b)))),
  ...(['major', 'minor', 'patch'] as const).map((name, index) =>
    member(name, SEMVER, 'int', (value) => semverOf(value).numbers[index] ?? 0n),
  ),
];

export const QUANTITIES: readonly Overload[] = [...quantities, ...semvers];
