/** Rules of resource amounts: names, signs, whole numbers, and requests against limits. */
import { labelKeyErrors } from '../../machinery/names.ts';
import { compareQuantities, parseQuantity, quantityToMilli, quantityToNumber } from '../../machinery/quantity.ts';
import type { FieldError } from '../definition.ts';
import { forbidden, invalid, invalidEach, NOT_NEGATIVE, type OwnField, required } from './fields.ts';

const STANDARD_FOR_CONTAINERS = new Set(['cpu', 'memory', 'ephemeral-storage']);
const HUGE_PAGES = 'hugepages-';
const HUGE_PAGE_SIZE = /^hugepages-([1-9]\d{0,9}(?:[KMGT]i)?)$/;

/** Errors of `resources` of a container at `field` (`limits`, `requests`). Upstream orders resources as they come. */
export function validateContainerResources(field: string, resources: OwnField): FieldError[] {
  const limits: Record<string, string> = resources?.limits ?? {};
  const requests: Record<string, string> = resources?.requests ?? {};
  return [
    ...hugePageErrors(field, [...Object.keys(limits), ...Object.keys(requests)]),
    ...Object.entries(limits).flatMap(([name, amount]) => amountErrors(`${field}.limits[${name}]`, name, amount)),
    ...Object.entries(requests).flatMap(([name, amount]) => requestErrors(field, name, amount, limits[name])),
  ];
}

function requestErrors(field: string, name: string, amount: string, limit: string | undefined): FieldError[] {
  const errors = amountErrors(`${field}.requests[${name}]`, name, amount);
  if (limit === undefined)
    return isOvercommitable(name)
      ? errors
      : [...errors, required(`${field}.limits`, 'Limit must be set for non overcommitable resources')];
  const order = compareQuantities(parseQuantity(String(amount)), parseQuantity(String(limit)));
  if (!isOvercommitable(name) && order !== 0)
    return [...errors, invalid(`${field}.requests`, amount, `must be equal to ${name} limit of ${limit}`)];
  return order > 0
    ? [...errors, invalid(`${field}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`)]
    : errors;
}

function amountErrors(field: string, name: string, amount: string): FieldError[] {
  return [...containerResourceNameErrors(field, name), ...amountValueErrors(field, name, amount)];
}

/** Names of resources that a container may have. */
export function containerResourceNameErrors(field: string, name: string): FieldError[] {
  const errors = invalidEach(field, name, labelKeyErrors(name));
  if (name.includes('/')) return errors;
  if (errors.length > 0) return [...errors, invalid(field, name, 'must be a standard resource for containers')];
  if (STANDARD_FOR_CONTAINERS.has(name) || name.startsWith(HUGE_PAGES)) return [];
  return [
    invalid(field, name, 'must be a standard resource type or fully qualified'),
    invalid(field, name, 'must be a standard resource for containers'),
  ];
}

/** Negative amounts, and fractions of things that come in wholes (extended resources). */
export function amountValueErrors(field: string, name: string, amount: string): FieldError[] {
  const errors = isNegative(amount) ? [invalid(field, amount, NOT_NEGATIVE)] : [];
  const isWhole = quantityToMilli(parseQuantity(String(amount))) % 1000 === 0;
  if (isExtended(name) && !isWhole) errors.push(invalid(field, amount, 'must be an integer'));
  return isPartOfPage(name, amount)
    ? [...errors, invalid(field, amount, `${amount} is not positive integer multiple of ${name}`)]
    : errors;
}

/** Huge pages come in whole pages of the size that the resource is named after. */
function isPartOfPage(name: string, amount: string): boolean {
  const size = HUGE_PAGE_SIZE.exec(name)?.[1];
  if (size === undefined) return false;
  const page = quantityToNumber(parseQuantity(size));
  return quantityToNumber(parseQuantity(String(amount))) % page !== 0;
}

function hugePageErrors(field: string, names: readonly string[]): FieldError[] {
  const isAlone = names.some((name) => name.startsWith(HUGE_PAGES)) && !names.includes('cpu') && !names.includes('memory');
  return isAlone ? [forbidden(field, 'HugePages require cpu or memory')] : [];
}

function isNegative(amount: string): boolean {
  return compareQuantities(parseQuantity(String(amount)), parseQuantity('0')) < 0;
}

/** `domain/name` outside kubernetes.io: devices, which are counted and never shared. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/');
}

function isOvercommitable(name: string): boolean {
  return !isExtended(name) && !name.startsWith(HUGE_PAGES);
}
