/** A checked tree -> closures that compute it. Every step is charged to the meter of the evaluation, as cel-go charges it. */
import type { BindNode, CallNode, ListNode, MapNode, Node, SelectNode } from './ast.ts';
import type { Checked, Resolution } from './checker.ts';
import { charge, inScope, LIST_COST, type Locals, MAP_COST, type Step } from './frame.ts';
import { accepts, isMap, type Overload } from './functions.ts';
import { planFold } from './plan-fold.ts';
import { callOperator } from './plan-operators.ts';
import {
  type CelOptional,
  type CelValue,
  fail,
  isFault,
  isList,
  kindOf,
  mapKey,
  NO_OVERLOAD,
  NONE,
  nativeMap,
  some,
  typeNameOf,
} from './values.ts';

export type Planner = { calls: Checked['calls']; names: Checked['names']; constants: ReadonlyMap<string, CelValue> };

/** Plans a node. Slots of locals are never shared by two that are alive at once. */
export function plan(planner: Planner, locals: Locals, node: Node): Step {
  switch (node.op) {
    case 'literal': {
      const { value } = node;
      return () => value;
    }
    case 'ident':
      return planName(planner, locals, node.name);
    case 'select':
      return planSelect(planner, locals, node);
    case 'call':
      return planCall(planner, locals, node);
    case 'list':
      return planList(planner, locals, node);
    case 'map':
      return planMap(planner, locals, node);
    case 'fold':
      return planFold(planner, locals, node);
    case 'bind':
      return planBind(planner, locals, node);
    case 'message':
      throw new Error(`${node.name} was not refused by the checker`);
  }
}

function planName(planner: Planner, locals: Locals, name: string): Step {
  const slot = locals.get(name);
  if (slot !== undefined)
    return (frame) => {
      charge(frame, 1);
      return frame.locals[slot] ?? null;
    };
  const constant = planner.constants.get(name);
  if (constant !== undefined) return () => constant;
  return (frame) => {
    charge(frame, 1);
    return frame.variable(name);
  };
}

function planSelect(planner: Planner, locals: Locals, node: SelectNode): Step {
  const { field, test, optional } = node;
  const name = planner.names.get(node);
  if (name !== undefined) return planName(planner, new Map(), name);
  const operand = plan(planner, locals, node.operand);
  if (test) return (frame) => hasField(operand(frame), field);
  return (frame) => {
    const target = operand(frame);
    charge(frame, 1);
    if (kindOf(target) === 'optional') return optionalField((target as CelOptional).value, field);
    if (optional) return optionalField(target, field);
    const value = isMap(target) ? target.get(field) : undefined;
    if (isList(target)) return fail("unsupported index type 'string' in list");
    return value === undefined ? fail(`no such key: ${field}`) : value;
  };
}

function hasField(target: CelValue, field: string): boolean {
  if (kindOf(target) === 'optional') {
    const { value } = target as CelOptional;
    return value !== undefined && hasField(value, field);
  }
  return isMap(target) && target.get(field) !== undefined;
}

function optionalField(target: CelValue | undefined, field: string): CelValue {
  if (target === undefined || !isMap(target)) return NONE;
  const value = target.get(field);
  return value === undefined ? NONE : some(value);
}

function planCall(planner: Planner, locals: Locals, node: CallNode): Step {
  const args = node.args.map((arg) => plan(planner, locals, arg));
  const [first, second, third] = args;
  if (first && second) {
    if (node.name === '_&&_') return planLogic(first, second, false);
    if (node.name === '_||_') return planLogic(first, second, true);
    if (node.name === '_?_:_' && third) return planConditional(first, second, third);
    const operator = callOperator(node.name);
    if (operator) return (frame) => operator(frame, first(frame), second(frame));
  }
  const resolution = planner.calls.get(node);
  if (!resolution) throw new Error(`${node.name} was not resolved by the checker`);
  const all = resolution.receiver && node.target ? [plan(planner, locals, node.target), ...args] : args;
  const given = resolution.receiver && node.target ? [node.target, ...node.args] : node.args;
  return planFunction(specialized(resolution, given), all, node.name);
}

/** Overloads that prepare what literals allow, such as regular expressions. What literals make fail fails when it runs. */
function specialized({ overloads, receiver }: Resolution, args: readonly Node[]): Resolution {
  const constants = args.map((arg) => (arg.op === 'literal' ? arg.value : undefined));
  if (constants.every((each) => each === undefined)) return { overloads, receiver };
  const prepared = overloads.map((overload) => {
    const run = overload.specialize?.(constants);
    return run ? { ...overload, run } : overload;
  });
  return { overloads: prepared, receiver };
}

/** The other side may decide in spite of an error; only then is the error forgotten. */
function planLogic(left: Step, right: Step, decisive: boolean): Step {
  return (frame) => {
    let problem: unknown;
    try {
      const value = left(frame);
      if (value === decisive) return decisive;
      if (typeof value !== 'boolean') fail(NO_OVERLOAD);
    } catch (error) {
      if (!isFault(error) || error.exceeded) throw error;
      problem = error;
    }
    const value = right(frame);
    if (value === decisive) return decisive;
    if (problem !== undefined) throw problem;
    return typeof value === 'boolean' ? value : fail(NO_OVERLOAD);
  };
}

function planConditional(condition: Step, yes: Step, no: Step): Step {
  return (frame) => {
    const value = condition(frame);
    if (typeof value !== 'boolean') fail(NO_OVERLOAD);
    return value ? yes(frame) : no(frame);
  };
}

function planFunction({ overloads }: Resolution, args: readonly Step[], name: string): Step {
  const [only] = overloads;
  const exact = overloads.length === 1 ? only : undefined;
  return (frame) => {
    const values = args.map((arg) => arg(frame));
    const overload = exact && fitsArgs(exact, values) ? exact : overloads.find((each) => fitsArgs(each, values));
    if (!overload) return fail(`no such overload: ${name}(${values.map(typeNameOf).join(', ')})`);
    charge(frame, overload.cost ? overload.cost(...values) : 1);
    return overload.run(...values);
  };
}

function fitsArgs({ args }: Overload, values: readonly CelValue[]): boolean {
  for (let index = 0; index < args.length; index += 1) {
    const [type, value] = [args[index], values[index]];
    if (type !== undefined && !accepts(type, value ?? null)) return false;
  }
  return true;
}

function planList(planner: Planner, locals: Locals, { items }: ListNode): Step {
  const steps = items.map(({ node, optional }) => ({ step: plan(planner, locals, node), optional }));
  return (frame) => {
    const list: CelValue[] = [];
    for (const { step, optional } of steps) {
      const value = step(frame);
      if (!optional) list.push(value);
      else if (kindOf(value) !== 'optional')
        fail(`cannot initialize optional list element from non-optional value ${kindOf(value)}`);
      else if ((value as CelOptional).value !== undefined) list.push((value as CelOptional).value ?? null);
    }
    charge(frame, LIST_COST);
    return list;
  };
}

function planMap(planner: Planner, locals: Locals, { entries }: MapNode): Step {
  const steps = entries.map(({ key, value, optional }) => ({
    key: plan(planner, locals, key),
    value: plan(planner, locals, value),
    optional,
  }));
  return (frame) => {
    const known = new Map<string, { key: CelValue; value: CelValue }>();
    for (const { key: keyStep, value: valueStep, optional } of steps) {
      const key = keyStep(frame);
      const text = mapKey(key) ?? fail('unsupported key type');
      const value = valueStep(frame);
      if (!optional) known.set(text, { key, value });
      else if (kindOf(value) !== 'optional')
        fail(`cannot initialize optional entry '${text}' from non-optional value ${kindOf(value)}`);
      else if ((value as CelOptional).value !== undefined) known.set(text, { key, value: (value as CelOptional).value ?? null });
    }
    charge(frame, MAP_COST);
    return nativeMap(known);
  };
}

function planBind(planner: Planner, locals: Locals, node: BindNode): Step {
  const target = plan(planner, locals, node.target);
  const slot = locals.size;
  const body = plan(planner, inScope(locals, [node.name]), node.body);
  return (frame) => {
    const optional = target(frame);
    if (kindOf(optional) !== 'optional') return fail(NO_OVERLOAD);
    charge(frame, 2);
    const { value } = optional as CelOptional;
    if (value === undefined) return NONE;
    frame.locals[slot] = value;
    const result = body(frame);
    if (!node.flat) return some(result);
    return kindOf(result) === 'optional' ? result : fail(NO_OVERLOAD);
  };
}
