/** The macros of CEL that Kubernetes switches on: has, the comprehensions with one and two variables, and the optional ones. */
import type { FoldKind, Node } from './ast.ts';
import type { Complaint } from './source.ts';

export type Expansion = { type: 'node'; node: Node } | { type: 'complaint'; complaint: Complaint };

/** `at` is where the call's parenthesis opens. Undefined: no macro. */
export function expandGlobal(name: string, args: readonly Node[], at: number): Expansion | undefined {
  const [arg] = args;
  if (name !== 'has' || args.length !== 1 || !arg) return undefined;
  if (arg.op !== 'select' || arg.optional) return complain(arg.at, 'invalid argument to has() macro');
  return { type: 'node', node: { ...arg, at, test: true } };
}

type Form = { kind: FoldKind; names: number; where: boolean };

/** name/arguments -> what it does. */
const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['all/2', { kind: 'all', names: 1, where: false }],
  ['exists/2', { kind: 'exists', names: 1, where: false }],
  ['exists_one/2', { kind: 'existsOne', names: 1, where: false }],
  ['existsOne/2', { kind: 'existsOne', names: 1, where: false }],
  ['map/2', { kind: 'map', names: 1, where: false }],
  ['map/3', { kind: 'map', names: 1, where: true }],
  ['filter/2', { kind: 'filter', names: 1, where: false }],
  ['all/3', { kind: 'all', names: 2, where: false }],
  ['exists/3', { kind: 'exists', names: 2, where: false }],
  ['existsOne/3', { kind: 'existsOne', names: 2, where: false }],
  ['exists_one/3', { kind: 'existsOne', names: 2, where: false }],
  ['transformList/3', { kind: 'transformList', names: 2, where: false }],
  ['transformList/4', { kind: 'transformList', names: 2, where: true }],
  ['transformMap/3', { kind: 'transformMap', names: 2, where: false }],
  ['transformMap/4', { kind: 'transformMap', names: 2, where: true }],
  ['transformMapEntry/3', { kind: 'transformMapEntry', names: 2, where: false }],
  ['transformMapEntry/4', { kind: 'transformMapEntry', names: 2, where: true }],
]);

export function expandMember(name: string, target: Node, args: readonly Node[], at: number): Expansion | undefined {
  if ((name === 'optMap' || name === 'optFlatMap') && args.length === 2) return expandOptional(name, target, args, at);
  if (name === 'sortBy' && args.length === 2) return expandSort(target, args, at);
  const form = FORMS.get(`${name}/${args.length}`);
  return form ? expandFold(form, target, args, at) : undefined;
}

/** Names that the expansion itself uses in cel-go. */
const NO_NAME = 'argument must be a simple name';
const NO_IDENTIFIER = 'argument is not an identifier';
const INTERNAL = new Set(['__result__', '@result']);

function expandFold(form: Form, range: Node, args: readonly Node[], at: number): Expansion {
  const names: string[] = [];
  for (const arg of args.slice(0, form.names)) {
    if (arg.op !== 'ident') return complain(arg.at, form.kind === 'map' || form.kind === 'filter' ? NO_IDENTIFIER : NO_NAME);
    if (INTERNAL.has(arg.name)) return complain(arg.at, 'iteration variable overwrites accumulator variable');
    if (names.includes(arg.name)) return complain(arg.at, `duplicate variable name: ${arg.name}`);
    names.push(arg.name);
  }
  const rest = args.slice(form.names);
  const step = rest.at(-1);
  const where = form.where ? rest[0] : undefined;
  if (!step) return complain(at, NO_NAME);
  return { type: 'node', node: { op: 'fold', at, kind: form.kind, range, names, ...(where ? { where } : {}), step } };
}

/** Keys are computed first, and the elements put in their order. */
function expandSort(target: Node, args: readonly Node[], at: number): Expansion {
  const keys = expandFold({ kind: 'map', names: 1, where: false }, target, args, at);
  if (keys.type === 'complaint') return keys;
  return { type: 'node', node: { op: 'call', at, name: '@sortByAssociatedKeys', target, args: [keys.node] } };
}

function expandOptional(name: string, target: Node, [variable, body]: readonly Node[], at: number): Expansion | undefined {
  if (!variable || !body) return undefined;
  if (variable.op !== 'ident') return complain(variable.at, `${name}() variable name must be a simple identifier`);
  const node: Node = { op: 'bind', at, target, name: variable.name, body, flat: name === 'optFlatMap' };
  return { type: 'node', node };
}

function complain(at: number, message: string): Expansion {
  return { type: 'complaint', complaint: { at, message } };
}
