/**
 * Documents and patches of the three formats, made from a seed: what kubectl answered to each (`kubectl patch --local`) is recorded. The
 * strategic ones use every directive, rightly and wrongly.
 */
import type { JsonObject, JsonValue } from '../../../shared/machinery/object.ts';
import { formatApiVersion } from '../../../shared/machinery/resource.ts';
import type { OracleKind } from './kinds/kind.ts';
import { createRandom, overlay, type Random, shuffled } from './random.ts';
import { ORACLE_KINDS, type PatchFormat } from './sequences.ts';

export type PatchCase = { kind: OracleKind; original: JsonObject; format: PatchFormat; patch: JsonValue };

/** `count` cases of a seed. */
export function createPatchCases(seed: number, count: number): PatchCase[] {
  return Array.from({ length: count }, (_, index) => createPatchCase(createRandom(seed * 1_000_003 + index)));
}

function createPatchCase(random: Random): PatchCase {
  const kind = random.pick(ORACLE_KINDS);
  const identity = { apiVersion: formatApiVersion(kind.group, kind.version), kind: kind.kind, metadata: { name: 'x' } };
  const status = kind.status !== undefined && random.chance(0.3) ? { status: kind.status(random) } : {};
  const original = withoutNulls(overlay(identity, kind.base, kind.wish(random), kind.wish(random), status)) as JsonObject;
  const format = random.pick(['strategic', 'strategic', 'strategic', 'merge', 'json'] as const);
  return { kind, original, format, patch: patchFor(random, kind, format, original) };
}

function patchFor(random: Random, kind: OracleKind, format: PatchFormat, original: JsonObject): JsonValue {
  if (format === 'json') return random.chance(0.4) ? kind.operations(random) : jsonPatch(random, original);
  const wish = overlay(kind.wish(random), kind.status !== undefined && random.chance(0.2) ? { status: kind.status(random) } : {});
  const sprinkled = sprinkleNulls(random, wish);
  return format === 'merge' ? sprinkled : direct(random, sprinkled, original);
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member ?? null)]));
}

function sprinkleNulls(random: Random, value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (random.chance(0.04)) return [key, null];
      return [key, isMap(member) ? sprinkleNulls(random, member) : member];
    }),
  );
}

/** Merge keys of the lists that occur, by field name: what strategic merge patch goes by. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  imagePullSecrets: 'name',
  secrets: 'name',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
  ownerReferences: 'uid',
  conditions: 'type',
  podIPs: 'ip',
};

function mergeKeyOf(name: string, items: readonly JsonValue[]): string | undefined {
  if (name !== 'ports') return MERGE_KEYS[name];
  return items.some((item) => isMap(item) && item.containerPort !== undefined) ? 'containerPort' : 'port';
}

/** Adds directives to a strategic merge patch, looking at the document where that makes them meaningful. */
function direct(random: Random, patch: JsonObject, original: JsonObject | undefined): JsonObject {
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(patch)) {
    const old = original?.[name];
    result[name] = value;
    if (isMap(value)) result[name] = direct(random, value, isMap(old) ? old : undefined);
    if (Array.isArray(value)) directList(random, result, name, value, Array.isArray(old) ? old : []);
  }
  if (random.chance(0.03)) result.$patch = random.pick(['replace', 'replace', 'delete', 'merge', 'bogus']);
  if (random.chance(0.05))
    result.$retainKeys = random.chance(0.9)
      ? [...Object.keys(patch), ...random.some(['metadata', 'spec', 'name', 'a'], 0.4)]
      : random.pick<JsonValue>(['x', []]);
  return result;
}

function directList(random: Random, result: JsonObject, name: string, value: JsonValue[], old: JsonValue[]): void {
  const mergeKey = mergeKeyOf(name, [...value, ...old]);
  const keys = itemKeys([...value, ...old], mergeKey);
  if (mergeKey !== undefined) result[name] = directItems(random, value, old, mergeKey);
  else if (name === 'finalizers' && random.chance(0.35))
    result[`$deleteFromPrimitiveList/${name}`] = random.some(
      [...keys.filter((key) => !value.includes(key)), 'example.com/z'],
      0.5,
    );
  if (name === 'finalizers' && random.chance(0.2)) delete result[name];
  if ((mergeKey !== undefined || name === 'finalizers') && random.chance(0.3))
    result[`$setElementOrder/${name}`] = orderOf(random, value, keys, mergeKey);
  if (random.chance(0.01)) result[`$setElementOrder/nothing`] = [];
  if (random.chance(0.01)) result.$setElementOrder = [];
  if (random.chance(0.01)) result.$deleteFromPrimitiveList = [];
}

function itemKeys(items: readonly JsonValue[], mergeKey: string | undefined): JsonValue[] {
  const keys = mergeKey === undefined ? items : items.map((item) => (isMap(item) ? (item[mergeKey] ?? null) : null));
  return [...new Set(keys)].filter((key) => key !== null);
}

function directItems(random: Random, value: readonly JsonValue[], old: readonly JsonValue[], mergeKey: string): JsonValue[] {
  const items = value.map((item) => {
    const match = old.find((other) => isMap(other) && isMap(item) && other[mergeKey] === item[mergeKey]);
    return isMap(item) ? directItem(random, item, isMap(match) ? match : undefined, mergeKey) : item;
  });
  const gone = random
    .some(itemKeys(old, mergeKey), 0.15)
    .map((key) => ({ $patch: random.chance(0.92) ? 'delete' : random.pick(['merge', 'x']), [mergeKey]: key }));
  const replaced = random.chance(0.06) ? [{ $patch: 'replace' }] : [];
  return shuffled(random, [...items, ...gone, ...replaced]);
}

function directItem(random: Random, item: JsonObject, old: JsonObject | undefined, mergeKey: string): JsonValue {
  if (random.chance(0.015)) {
    const { [mergeKey]: _key, ...rest } = item;
    return rest;
  }
  if (random.chance(0.02)) return { [mergeKey]: item[mergeKey] ?? null, $patch: 'delete' };
  if (random.chance(0.01)) return 'scalar';
  return direct(random, item, old);
}

/** Mostly an order that the patch agrees with. */
function orderOf(
  random: Random,
  value: readonly JsonValue[],
  keys: readonly JsonValue[],
  mergeKey: string | undefined,
): JsonValue {
  const own = itemKeys(value, mergeKey);
  const extra = random.some(
    keys.filter((key) => !own.includes(key)),
    0.6,
  );
  const order = random.chance(0.9) ? insertAll(random, own, extra) : shuffled(random, random.some(keys, 0.8));
  return order.map((key) => (mergeKey === undefined ? key : { [mergeKey]: key }));
}

function insertAll(random: Random, list: readonly JsonValue[], extra: readonly JsonValue[]): JsonValue[] {
  return extra.reduce<JsonValue[]>((order, key) => order.toSpliced(random.below(order.length + 1), 0, key), [...list]);
}

/** Operations on places that are there, and on some that are not. */
function jsonPatch(random: Random, original: JsonObject): JsonValue {
  const paths = allPaths(original, '');
  const path = (): string => {
    const place = random.pick(paths);
    return random.chance(0.75) ? place : `${place}${random.pick(['/none', '/-', '/0', '/1', '/-1', '/9', '/~1', '0', ''])}`;
  };
  const value = (): JsonValue => random.pick<JsonValue>(['new', 1, true, null, {}, [], { a: { b: 1 } }, ['x']]);
  return Array.from({ length: 1 + random.below(4) }, () => {
    const op = random.pick(['add', 'replace', 'remove', 'test', 'move', 'copy', random.chance(0.1) ? 'bogus' : 'add']);
    const test = op === 'test' && random.chance(0.7) ? random.pick(paths) : undefined;
    if (test !== undefined) return { op, path: test, value: valueAt(original, test) };
    return {
      op,
      ...(random.chance(0.99) ? { path: path() } : {}),
      ...(op === 'move' || op === 'copy' ? { from: path() } : {}),
      ...(random.chance(0.95) ? { value: value() } : {}),
    };
  });
}

function allPaths(value: JsonValue, at: string): string[] {
  if (typeof value !== 'object' || value === null) return [at];
  const entries = Array.isArray(value)
    ? value.map((item, index): [string, JsonValue] => [`${index}`, item])
    : Object.entries(value);
  const below = entries.flatMap(([key, member]) =>
    allPaths(member ?? null, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return at === '' ? below : [at, ...below];
}

function valueAt(root: JsonValue, path: string): JsonValue {
  const keys = path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<JsonValue>((value, key) => (value as JsonObject)[key] ?? null, root);
}

function isMap(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
