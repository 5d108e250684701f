/** What an evaluation carries with it, what it spends, and where local variables lie. */
import { isMap } from './functions.ts';
import { type CelValue, fail, isList, NO_OVERLOAD } from './values.ts';

/** What one evaluation carries: how a variable is found, values of local names by slot, and what was spent. */
export type Frame = {
  variable(name: string): CelValue;
  locals: CelValue[];
  cost: number;
  readonly costMax: number;
};
export type Step = (frame: Frame) => CelValue;

/** Names of local variables -> slots, innermost last. */
export type Locals = ReadonlyMap<string, number>;

export const LIST_COST = 10;
export const MAP_COST = 30;
/** Characters of text that cost one. */
export const CHARS_PER_COST = 10;

/** The text of an evaluation that cost too much. */
export const COST_EXCEEDED = 'operation cancelled: actual cost limit exceeded';

/** Spends, and ends the evaluation when there is no more. Nothing absorbs that. */
export function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.costMax) throw { fault: COST_EXCEEDED, exceeded: true };
}

/** Locals with more names. A name that hides another gets a slot of its own; the hidden one keeps its slot under a name nobody can write. */
export function inScope(locals: Locals, names: readonly string[]): Locals {
  const inner = new Map(locals);
  for (const name of names) {
    const slot = inner.size;
    const hidden = inner.get(name);
    if (hidden !== undefined) {
      inner.delete(name);
      inner.set(`${hidden} ${name}`, hidden);
    }
    inner.set(name, slot);
  }
  return inner;
}

/** Elements of a list, or keys of a map. */
export function elementsOf(range: CelValue): readonly CelValue[] {
  if (isList(range)) return range;
  return isMap(range) ? range.keys() : fail(NO_OVERLOAD);
}
