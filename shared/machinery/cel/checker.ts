/** Types of every part of an expression, and which function each call means (checker/checker.go of cel-go). */
import type { BindNode, CallNode, FoldNode, ListNode, MapNode, Node, SelectNode } from './ast.ts';
import type { Functions, Overload } from './functions.ts';
import type { Complaint } from './source.ts';
import {
  BOOL,
  type CelType,
  DYN,
  ERROR,
  INT,
  isOptionalType,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  showType,
} from './types.ts';
import { type GrowingSubstitution, mostGeneral, type Substitution, substitute, unify } from './unify.ts';
import { type CelValue, kindOf } from './values.ts';

/** What names mean: variables, and names of types. */
export type Scope = ReadonlyMap<string, CelType>;

/** What a call was resolved to. `receiver` false: the target only spelled a namespace (`sets.contains`). */
export type Resolution = { overloads: readonly Overload[]; receiver: boolean };

export type Checked = {
  type: CelType;
  calls: ReadonlyMap<CallNode, Resolution>;
  /** Selections that spell the name of a variable with dots. */
  names: ReadonlyMap<SelectNode, string>;
  /** Types of the members of list and map literals, optional ones unwrapped. */
  members: ReadonlyMap<Node, CelType>;
  complaints: readonly Complaint[];
};

type Checker = {
  functions: Functions;
  known: GrowingSubstitution;
  variables: number;
  calls: Map<CallNode, Resolution>;
  names: Map<SelectNode, string>;
  members: Map<Node, CelType>;
  complaints: Complaint[];
};

/** Checks a whole expression. With complaints the type is not to be used. */
export function checkCel(node: Node, scope: Scope, functions: Functions): Checked {
  const checker: Checker = {
    functions,
    known: new Map(),
    variables: 0,
    calls: new Map(),
    names: new Map(),
    members: new Map(),
    complaints: [],
  };
  const type = typeOf(checker, scope, node);
  const { calls, names, complaints, known } = checker;
  const members = new Map([...checker.members].map(([member, given]) => [member, substitute(known, given, true)]));
  return { type: substitute(known, type, true), calls, names, members, complaints };
}

function complain(checker: Checker, at: number, message: string): CelType {
  checker.complaints.push({ at, message });
  return ERROR;
}

function newVariable(checker: Checker): CelType {
  checker.variables += 1;
  return { kind: 'param', name: `_var${checker.variables}` };
}

/** Notes what follows about variables when it fits. */
function fits(checker: Checker, given: CelType, wanted: CelType): boolean {
  return unify(checker.known, [given], [wanted]);
}

function mismatch(checker: Checker, at: number, wanted: CelType, given: CelType): CelType {
  return complain(checker, at, `expected type '${showType(wanted)}' but found '${showType(given)}'`);
}

function typeOf(checker: Checker, scope: Scope, node: Node): CelType {
  switch (node.op) {
    case 'literal':
      return literalType(node.value);
    case 'ident':
      return scope.get(node.name) ?? undeclared(checker, node.at, node.name);
    case 'select':
      return selectType(checker, scope, node);
    case 'call':
      return callType(checker, scope, node);
    case 'list':
      return listType(checker, scope, node);
    case 'map':
      return mapType(checker, scope, node);
    case 'message':
      return undeclared(checker, node.at, node.name);
    case 'fold':
      return foldType(checker, scope, node);
    case 'bind':
      return bindType(checker, scope, node);
  }
}

function literalType(value: CelValue): CelType {
  const kind = kindOf(value);
  return kind === 'null' ? NULL : ({ kind } as CelType);
}

function undeclared(checker: Checker, at: number, name: string): CelType {
  return complain(checker, at, `undeclared reference to '${name}' (in container '')`);
}

/** `a.b.c` when the node is nothing but names. */
function qualifiedName(node: Node): string | undefined {
  if (node.op === 'ident') return node.name;
  if (node.op !== 'select' || node.test || node.optional) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}

function selectType(checker: Checker, scope: Scope, node: SelectNode): CelType {
  const name = qualifiedName(node);
  const named = name === undefined ? undefined : scope.get(name);
  if (named && name !== undefined) {
    checker.names.set(node, name);
    return named;
  }
  const operand = substitute(checker.known, typeOf(checker, scope, node.operand), false);
  const isOptional = isOptionalType(operand);
  const target = isOptional ? (operand.params[0] ?? DYN) : operand;
  const field = fieldType(checker, node, target);
  if (node.test) return BOOL;
  return isOptional || node.optional ? optionalOf(field) : field;
}

function fieldType(checker: Checker, { at, field }: SelectNode, target: CelType): CelType {
  switch (target.kind) {
    case 'map':
      return target.params[1];
    case 'object':
      return target.field(field) ?? complain(checker, at, `undefined field '${field}'`);
    case 'param':
      fits(checker, DYN, target);
      return DYN;
    case 'dyn':
    case 'error':
      return DYN;
    default:
      complain(checker, at, `type '${showType(target)}' does not support field selection`);
      return DYN;
  }
}

function callType(checker: Checker, scope: Scope, node: CallNode): CelType {
  const args = node.args.map((arg) => typeOf(checker, scope, arg));
  if (node.name === '_&&_' || node.name === '_||_') return logicType(checker, node, args);
  if (!node.target) {
    const overloads = checker.functions.get(node.name);
    return overloads ? resolve(checker, node, overloads, args, false) : undeclared(checker, node.at, node.name);
  }
  const prefix = qualifiedName(node.target);
  const qualified = prefix === undefined ? undefined : `${prefix}.${node.name}`;
  const namespaced = qualified === undefined ? undefined : checker.functions.get(qualified);
  if (namespaced && qualified !== undefined) return resolve(checker, { ...node, name: qualified }, namespaced, args, false, node);
  const target = typeOf(checker, scope, node.target);
  const overloads = checker.functions.get(node.name);
  if (!overloads) return undeclared(checker, node.at, node.name);
  return resolve(checker, node, overloads, [target, ...args], true);
}

/** `&&`, `||`: every term must be bool. */
function logicType(checker: Checker, node: CallNode, args: readonly CelType[]): CelType {
  let result = BOOL;
  args.forEach((arg, index) => {
    if (!fits(checker, arg, BOOL)) result = mismatch(checker, node.args[index]?.at ?? node.at, BOOL, arg);
  });
  return result;
}

/** `noted`: the node that the plan knows, where `node` is a renamed copy. */
function resolve(
  checker: Checker,
  node: CallNode,
  overloads: readonly Overload[],
  args: readonly CelType[],
  receiver: boolean,
  noted: CallNode = node,
): CelType {
  const found: Overload[] = [];
  let result: CelType | undefined;
  for (const overload of overloads) {
    if (overload.member !== receiver) continue;
    const fresh = freshParams(checker, overload);
    const wanted = overload.args.map((type) => substitute(fresh, type, false));
    if (!unify(checker.known, args, wanted)) continue;
    found.push(overload);
    const type = substitute(checker.known, substitute(fresh, overload.result, false), false);
    if (result === undefined) result = type;
    else if (result.kind !== 'dyn' && showType(type) !== showType(result)) result = DYN;
  }
  if (result === undefined) {
    const [target, ...rest] = args.map((arg) => showType(substitute(checker.known, arg, true)));
    const shown = receiver
      ? `${target}.(${rest.join(', ')})`
      : `(${[...(target === undefined ? [] : [target]), ...rest].join(', ')})`;
    return complain(checker, node.at, `found no matching overload for '${node.name}' applied to '${shown}'`);
  }
  checker.calls.set(noted, { overloads: found, receiver });
  return result;
}

function freshParams(checker: Checker, { args, result }: Overload): Substitution {
  const names = new Set([...args, result].flatMap(paramNames));
  return new Map([...names].map((name) => [name, newVariable(checker)]));
}

function paramNames(type: CelType): string[] {
  if (type.kind === 'param') return [type.name];
  return 'params' in type ? type.params.flatMap(paramNames) : [];
}

function unwrapOptional(checker: Checker, at: number, type: CelType): CelType {
  if (isOptionalType(type)) return type.params[0] ?? DYN;
  if (type.kind !== 'dyn') mismatch(checker, at, optionalOf(type), type);
  return type;
}

/** Elements of different types make the whole dynamic; whether that is allowed is decided when the tree is complete. */
function join(checker: Checker, previous: CelType | undefined, current: CelType): CelType {
  if (previous === undefined) return current;
  return fits(checker, previous, current) ? mostGeneral(previous, current) : DYN;
}

/** The type of a member of a literal, noted. */
function memberType(checker: Checker, scope: Scope, node: Node, optional: boolean): CelType {
  const type = typeOf(checker, scope, node);
  const member = optional ? unwrapOptional(checker, node.at, type) : type;
  checker.members.set(node, member);
  return member;
}

function listType(checker: Checker, scope: Scope, { items }: ListNode): CelType {
  let element: CelType | undefined;
  for (const { node, optional } of items) element = join(checker, element, memberType(checker, scope, node, optional));
  return listOf(element ?? newVariable(checker));
}

function mapType(checker: Checker, scope: Scope, { entries }: MapNode): CelType {
  let keyType: CelType | undefined;
  let valueType: CelType | undefined;
  for (const { key, value, optional } of entries) {
    keyType = join(checker, keyType, memberType(checker, scope, key, false));
    valueType = join(checker, valueType, memberType(checker, scope, value, optional));
  }
  return mapOf(keyType ?? newVariable(checker), valueType ?? newVariable(checker));
}

/** Types of the loop variables: element (one name), or index and element; key, or key and value. */
function loopTypes(checker: Checker, node: FoldNode, range: CelType): readonly [CelType, CelType] {
  const two = node.names.length === 2;
  switch (range.kind) {
    case 'list':
      return two ? [INT, range.params[0]] : [range.params[0], DYN];
    case 'map':
      return range.params;
    case 'dyn':
    case 'error':
    case 'param':
      fits(checker, DYN, range);
      return [DYN, DYN];
    default: {
      const why = `expression of type '${showType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      const type = complain(checker, node.range.at, why);
      return [type, type];
    }
  }
}

function foldType(checker: Checker, scope: Scope, node: FoldNode): CelType {
  const range = substitute(checker.known, typeOf(checker, scope, node.range), false);
  const types = loopTypes(checker, node, range);
  const inner = new Map([...scope, ...node.names.map((name, index) => [name, types[index] ?? DYN] as const)]);
  const where = node.where && typeOf(checker, inner, node.where);
  const step = typeOf(checker, inner, node.step);
  if (where) requireCondition(checker, node, where, node.kind.startsWith('transformMap') ? mapOf(types[0], step) : listOf(step));
  switch (node.kind) {
    case 'all':
    case 'exists':
      requireBool(checker, node.step, step);
      return BOOL;
    case 'existsOne':
      requireCondition(checker, node, step, INT);
      return BOOL;
    case 'filter':
      requireCondition(checker, node, step, listOf(types[0]));
      return listOf(types[0]);
    case 'map':
    case 'transformList':
      return listOf(step);
    case 'transformMap':
      return mapOf(range.kind === 'list' ? INT : types[0], step);
    case 'transformMapEntry':
      return entryType(checker, node, step);
  }
}

function entryType(checker: Checker, node: FoldNode, step: CelType): CelType {
  const type = mapOf(newVariable(checker), newVariable(checker));
  return fits(checker, step, type) ? substitute(checker.known, type, false) : mismatch(checker, node.step.at, type, step);
}

function requireBool(checker: Checker, node: Node, type: CelType): void {
  if (!fits(checker, type, BOOL)) mismatch(checker, node.at, BOOL, type);
}

/** Where the macro expands to a conditional over what was gathered so far, the complaint is about that. */
function requireCondition(checker: Checker, node: FoldNode, condition: CelType, gathered: CelType): void {
  if (fits(checker, condition, BOOL)) return;
  const shown = [condition, gathered, gathered].map((type) => showType(substitute(checker.known, type, true))).join(', ');
  complain(checker, node.at, `found no matching overload for '_?_:_' applied to '(${shown})'`);
}

function bindType(checker: Checker, scope: Scope, node: BindNode): CelType {
  const target = substitute(checker.known, typeOf(checker, scope, node.target), false);
  const value = isOptionalType(target) ? (target.params[0] ?? DYN) : DYN;
  if (!isOptionalType(target) && target.kind !== 'dyn' && target.kind !== 'error')
    complain(checker, node.at, `found no matching overload for 'hasValue' applied to '${showType(target)}.()'`);
  const body = typeOf(checker, new Map([...scope, [node.name, value]]), node.body);
  if (!node.flat) return optionalOf(body);
  if (isOptionalType(body) || body.kind === 'dyn' || body.kind === 'error') return body;
  return mismatch(checker, node.body.at, optionalOf(body), body);
}

/** Names of types that an expression may compare `type(x)` with. */
export const TYPE_NAMES: ReadonlyMap<string, CelType> = new Map(
  (
    [
      ['bool', BOOL],
      ['int', INT],
      ['uint', { kind: 'uint' }],
      ['double', { kind: 'double' }],
      ['string', STRING],
      ['bytes', { kind: 'bytes' }],
      ['null_type', NULL],
      ['list', listOf(DYN)],
      ['map', mapOf(DYN, DYN)],
      ['type', { kind: 'type', params: [] }],
      ['google.protobuf.Duration', { kind: 'duration' }],
      ['google.protobuf.Timestamp', { kind: 'timestamp' }],
      ['optional_type', optionalOf(DYN)],
      ['net.IP', { kind: 'opaque', name: 'net.IP', params: [] }],
      ['net.CIDR', { kind: 'opaque', name: 'net.CIDR', params: [] }],
    ] satisfies [string, CelType][]
  ).map(([name, type]) => [name, { kind: 'type', params: [type] }]),
);
