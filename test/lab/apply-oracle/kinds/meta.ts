/** Wishes about metadata, shared by all kinds: granular maps, a set, a keyed list of atomic items. */
import type { JsonObject, JsonValue } from '../../../../shared/machinery/object.ts';
import { type Random, shuffled, sometimes } from '../random.ts';

const UIDS = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
];
const FINALIZERS = ['example.com/a', 'example.com/b', 'example.com/c'];
const LABELS = ['tier', 'env', 'example.com/team', 'b'];

/** A map of some of the keys; sometimes empty or null, which are wishes of their own. */
export function textMap(random: Random, keys: readonly string[], values: readonly string[]): JsonValue {
  if (random.chance(0.03)) return null;
  if (random.chance(0.03)) return {};
  return Object.fromEntries(random.some(keys, 0.5).map((key) => [key, random.pick(values)]));
}

/** Some of the items, sometimes in another order, seldom an empty list. */
export function textList(random: Random, items: readonly string[], probability = 0.5): JsonValue {
  return random.chance(0.03) ? [] : shuffled(random, random.some(items, probability));
}

export function metaWish(random: Random): JsonObject {
  const metadata = sometimes(random, [
    [0.45, 'labels', () => textMap(random, LABELS, ['x', 'y', ''])],
    [0.35, 'annotations', () => textMap(random, ['note', 'example.com/long.name', 'z'], ['1', '2', 'a <b> & "c"'])],
    [0.15, 'finalizers', () => textList(random, FINALIZERS)],
    [0.12, 'ownerReferences', () => shuffled(random, random.some(UIDS, 0.5)).map((uid) => ownerReference(random, uid))],
  ]);
  return Object.keys(metadata).length > 0 ? { metadata } : {};
}

function ownerReference(random: Random, uid: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: `owner-${uid.slice(0, 1)}${random.below(2)}`,
    uid,
    ...sometimes(random, [[0.3, 'blockOwnerDeletion', () => random.chance(0.5)]]),
  };
}

/** JSON patch operations on metadata that always apply once labels are there. */
export function metaOperations(random: Random): JsonObject[] {
  return random.pick([
    [{ op: 'add', path: '/metadata/labels', value: { tier: random.pick(['x', 'y']) } }],
    [
      { op: 'add', path: '/metadata/annotations', value: {} },
      { op: 'add', path: '/metadata/annotations/example.com~1long.name', value: '3' },
    ],
    [
      { op: 'add', path: '/metadata/finalizers', value: ['example.com/b'] },
      { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/c' },
    ],
    [{ op: 'add', path: '/metadata/ownerReferences', value: [] }],
    [{ op: 'remove', path: '/metadata/labels' }],
    [{ op: 'remove', path: '/metadata/finalizers' }],
  ]);
}
