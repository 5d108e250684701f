/** Seeded choices for generated requests: the same seed makes the same requests on every machine. */
import { setOwn } from '../../../shared/machinery/equality.ts';
import type { JsonObject, JsonValue } from '../../../shared/machinery/object.ts';

export type Random = {
  /** An integer from 0 to below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  /** Each choice with the probability given, in order. */
  some<T>(choices: readonly T[], probability: number): T[];
};

/** mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (choices) => {
      const [first] = choices;
      const picked = choices[below(choices.length)] ?? first;
      if (picked === undefined) throw new RangeError('nothing to pick from');
      return picked;
    },
    some: (choices, probability) => choices.filter(() => next() < probability),
  };
}

/** Members of an object, each there with its own probability: `[probability, name, value]`. */
export type Member = readonly [probability: number, name: string, value: () => JsonValue];

/** An object of the members that chance keeps. */
export function sometimes(random: Random, members: readonly Member[]): JsonObject {
  const result: JsonObject = {};
  for (const [probability, name, value] of members) {
    if (random.chance(probability)) result[name] = value();
  }
  return result;
}

/** The list in another order, now and then. */
export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const result = [...list];
  if (random.chance(0.6)) return result;
  for (let at = result.length - 1; at > 0; at -= 1) {
    const other = random.below(at + 1);
    const [a, b] = [result[at], result[other]];
    if (a === undefined || b === undefined) continue;
    result[at] = b;
    result[other] = a;
  }
  return result;
}

/** Deep union of objects; lists and scalars of later ones win. */
export function overlay(...parts: readonly JsonObject[]): JsonObject {
  const result: JsonObject = {};
  for (const part of parts) {
    for (const [key, value] of Object.entries(part)) {
      const old = Object.hasOwn(result, key) ? result[key] : undefined;
      setOwn(result, key, isObject(old) && isObject(value) ? overlay(old, value) : value);
    }
  }
  return result;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
