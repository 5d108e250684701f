/** Comprehensions: loops over a list or the keys of a map, one turn at a time, each charged. */
import type { FoldKind, FoldNode } from './ast.ts';
import { charge, elementsOf, type Frame, inScope, LIST_COST, type Locals, MAP_COST, type Step } from './frame.ts';
import { isMap } from './functions.ts';
import { type Planner, plan } from './plan.ts';
import { type CelValue, fail, isFault, mapKey, NO_OVERLOAD, nativeMap } from './values.ts';

/** What cel-go's expansion of the macro spends per turn, beside the expressions themselves. */
const TURN_COST: Readonly<Record<FoldKind, number>> = {
  all: 3,
  exists: 4,
  existsOne: 2,
  map: LIST_COST + 2,
  filter: LIST_COST + 3,
  transformList: LIST_COST + 2,
  transformMap: 3,
  transformMapEntry: 3,
};

/** One turn: sets the loop variables and says whether the element counts. */
type Loop = {
  range: Step;
  turn(frame: Frame, key: CelValue, container: CelValue, index: number): boolean;
  step: Step;
  cost: number;
};

export function planFold(planner: Planner, locals: Locals, node: FoldNode): Step {
  const inner = inScope(locals, node.names);
  const slots = node.names.map((name) => inner.get(name) ?? 0);
  const where = node.where ? plan(planner, inner, node.where) : undefined;
  const two = slots.length === 2;
  const loop: Loop = {
    range: plan(planner, locals, node.range),
    step: plan(planner, inner, node.step),
    cost: TURN_COST[node.kind],
    turn(frame, key, container, index) {
      charge(frame, this.cost);
      const [first = 0, second = 0] = slots;
      if (!two) frame.locals[first] = key;
      else if (isMap(container)) {
        frame.locals[first] = key;
        frame.locals[second] = container.get(key) ?? null;
      } else {
        frame.locals[first] = BigInt(index);
        frame.locals[second] = key;
      }
      return where === undefined || asBool(where(frame));
    },
  };
  return runnerOf(node.kind, loop);
}

function asBool(value: CelValue): boolean {
  return typeof value === 'boolean' ? value : fail(NO_OVERLOAD);
}

function runnerOf(kind: FoldKind, loop: Loop): Step {
  switch (kind) {
    case 'all':
      return runQuantifier(loop, false);
    case 'exists':
      return runQuantifier(loop, true);
    case 'existsOne':
      return (frame) => countMatches(loop, frame) === 1;
    case 'map':
    case 'transformList':
      return (frame) => collect(loop, frame, (_key, value, list) => list.push(value));
    case 'filter':
      return (frame) => collect(loop, frame, (key, value, list) => asBool(value) && list.push(key));
    case 'transformMap':
      return (frame) => transformMap(loop, frame);
    case 'transformMapEntry':
      return (frame) => transformEntries(loop, frame);
  }
}

/** Ends at the first decisive element; an error of one is forgotten when another decides. */
function runQuantifier(loop: Loop, decisive: boolean): Step {
  return (frame) => {
    const container = loop.range(frame);
    let problem: unknown;
    let index = 0;
    for (const key of elementsOf(container)) {
      try {
        loop.turn(frame, key, container, index);
        if (asBool(loop.step(frame)) === decisive) return decisive;
      } catch (error) {
        if (!isFault(error) || error.exceeded) throw error;
        problem ??= error;
      }
      index += 1;
    }
    if (problem !== undefined) throw problem;
    return !decisive;
  };
}

function countMatches(loop: Loop, frame: Frame): number {
  const container = loop.range(frame);
  let count = 0;
  let index = 0;
  for (const key of elementsOf(container)) {
    loop.turn(frame, key, container, index);
    if (asBool(loop.step(frame))) count += 1;
    index += 1;
  }
  return count;
}

function collect(loop: Loop, frame: Frame, add: (key: CelValue, value: CelValue, list: CelValue[]) => unknown): CelValue {
  const container = loop.range(frame);
  const list: CelValue[] = [];
  charge(frame, LIST_COST);
  let index = 0;
  for (const key of elementsOf(container)) {
    if (loop.turn(frame, key, container, index)) add(key, loop.step(frame), list);
    index += 1;
  }
  return list;
}

function transformMap(loop: Loop, frame: Frame): CelValue {
  const container = loop.range(frame);
  const known = new Map<string, { key: CelValue; value: CelValue }>();
  charge(frame, MAP_COST);
  elementsOf(container).forEach((element, index) => {
    if (!loop.turn(frame, element, container, index)) return;
    const key = isMap(container) ? element : BigInt(index);
    known.set(mapKey(key) ?? '', { key, value: loop.step(frame) });
  });
  return nativeMap(known);
}

function transformEntries(loop: Loop, frame: Frame): CelValue {
  const container = loop.range(frame);
  const known = new Map<string, { key: CelValue; value: CelValue }>();
  charge(frame, MAP_COST);
  elementsOf(container).forEach((element, index) => {
    if (!loop.turn(frame, element, container, index)) return;
    const entries = loop.step(frame);
    if (!isMap(entries)) throw fail(NO_OVERLOAD);
    for (const key of entries.keys()) {
      const text = mapKey(key) ?? '';
      if (known.has(text)) fail(`insert failed: key ${String(key)} already exists`);
      known.set(text, { key, value: entries.get(key) ?? null });
    }
  });
  return nativeMap(known);
}
