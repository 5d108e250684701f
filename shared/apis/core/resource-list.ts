/** Amounts of resources by name (`cpu`, `memory`, `requests.storage`): upstream's ResourceList, parsed once. Pure. */
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  subtractQuantities,
} from '../../machinery/quantity.ts';
import { isStruct } from '../defaults/fill.ts';

export type ResourceList = ReadonlyMap<string, Quantity>;

/** Reads a list as it stands in an object; amounts that cannot be read are left out (validation names them). */
export function resourceList(value: unknown): ResourceList {
  const list = new Map<string, Quantity>();
  if (!isStruct(value)) return list;
  for (const [name, amount] of Object.entries(value)) {
    const quantity = readQuantity(amount);
    if (quantity) list.set(name, quantity);
  }
  return list;
}

function readQuantity(amount: unknown): Quantity | undefined {
  try {
    return parseQuantity(String(amount));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The list as it stands in an object, names sorted. */
export function resourceListValue(list: ResourceList): Record<string, string> {
  return Object.fromEntries(
    [...list].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, amount]) => [name, formatQuantity(amount)]),
  );
}

/** `cpu=100m,pods=1`: how messages name amounts. */
export function resourceListText(list: ResourceList): string {
  return [...list]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => `${name}=${formatQuantity(amount)}`)
    .join(',');
}

export function addLists(a: ResourceList, b: ResourceList): ResourceList {
  const sum = new Map(a);
  for (const [name, amount] of b) {
    const present = sum.get(name);
    sum.set(name, present ? addQuantities(present, amount) : amount);
  }
  return sum;
}

/** `a` less `b`, never below zero; names of `a` alone. */
export function subtractLists(a: ResourceList, b: ResourceList): ResourceList {
  const rest = new Map<string, Quantity>();
  for (const [name, amount] of a) {
    const taken = b.get(name);
    const left = taken ? subtractQuantities(amount, taken) : amount;
    rest.set(name, left.unscaled < 0n ? { unscaled: 0n, scale: 0, format: amount.format } : left);
  }
  return rest;
}

/** The greater of both, name by name. */
export function maxLists(a: ResourceList, b: ResourceList): ResourceList {
  const max = new Map(a);
  for (const [name, amount] of b) {
    const present = max.get(name);
    if (!present || compareQuantities(amount, present) > 0) max.set(name, amount);
  }
  return max;
}

/** Only the names that `names` holds. */
export function maskList(list: ResourceList, names: { has(name: string): boolean }): ResourceList {
  return new Map([...list].filter(([name]) => names.has(name)));
}

export const isZero = ({ unscaled }: Quantity): boolean => unscaled === 0n;
