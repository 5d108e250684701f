/** Identifiers: from the machine's randomness, or repeatable ones for tests. */
import { randomInt, randomUUID } from 'node:crypto';
import type { Ids } from '../../ports/system.ts';

/** No vowels and no 0, 1, 3: what Kubernetes uses, so that names spell nothing. */
const SUFFIX_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;

/** Random identifiers. */
export function systemIds(): Ids {
  return { uid: () => randomUUID(), suffix: () => suffixOf((below) => randomInt(below)) };
}

/** The same identifiers in the same order for the same seed. */
export function seededIds(seed: number): Ids {
  const next = mulberry32(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return { uid: () => uidOf(below), suffix: () => suffixOf(below) };
}

function suffixOf(below: (limit: number) => number): string {
  return Array.from({ length: SUFFIX_LENGTH }, () => SUFFIX_CHARACTERS[below(SUFFIX_CHARACTERS.length)]).join('');
}

/** A UUID of version 4, variant 1. */
function uidOf(below: (limit: number) => number): string {
  const hex = (digits: number) => Array.from({ length: digits }, () => below(16).toString(16)).join('');
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${(8 + below(4)).toString(16)}${hex(3)}-${hex(12)}`;
}

/** Mulberry32, a 32-bit generator of the public domain by Tommy Ettinger: numbers in [0, 1). */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
