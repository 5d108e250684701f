/** What is refused of a well-typed expression: literals that can only fail, literals of mixed types, format texts that do not fit. */
import type { CallNode, Node } from './ast.ts';
import type { Checked } from './checker.ts';
import { accepts } from './functions.ts';
import { formatProblems } from './library/format-text.ts';
import { compileRegex, regexProblem } from './regex.ts';
import type { Complaint } from './source.ts';
import { parseDuration, parseTimestamp } from './time.ts';
import { sameType, showType } from './types.ts';
import { type CelValue, isFault } from './values.ts';

/** Complaints about a whole tree (cel/validator.go of cel-go). */
export function validateTree(node: Node, members: Checked['members']): Complaint[] {
  return [...literalComplaints(node), ...mixedComplaints(node, members)];
}

function literalComplaints(node: Node): Complaint[] {
  return [...(node.op === 'call' ? callComplaints(node) : []), ...childrenOf(node).flatMap(literalComplaints)];
}

/** Lists and maps hold one type, but for the arguments of `format`. */
function mixedComplaints(node: Node, members: Checked['members']): Complaint[] {
  if (node.op === 'call' && node.name === 'format') return [];
  const own =
    node.op === 'list'
      ? firstMixed(
          node.items.map((item) => item.node),
          members,
        ).slice(0, 1)
      : node.op === 'map'
        ? [
            ...firstMixed(
              node.entries.map(({ key }) => key),
              members,
            ),
            ...firstMixed(
              node.entries.map(({ value }) => value),
              members,
            ),
          ]
        : [];
  return [...own, ...childrenOf(node).flatMap((child) => mixedComplaints(child, members))];
}

function firstMixed(nodes: readonly Node[], members: Checked['members']): Complaint[] {
  const [first] = nodes;
  const wanted = first && members.get(first);
  if (!wanted) return [];
  return nodes.flatMap((node) => {
    const given = members.get(node);
    if (!given || sameType(wanted, given)) return [];
    return [{ at: node.at, message: `expected type '${showType(wanted)}' but found '${showType(given)}'` }];
  });
}

const CONVERSIONS = new Set(['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint']);

/** Why no program can be made of the tree: conversions of literals are computed in advance, and one of them fails. */
export function instantiationProblem(node: Node, calls: Checked['calls']): string | undefined {
  try {
    foldLiterals(node, calls);
    return undefined;
  } catch (error) {
    if (isFault(error)) return error.fault;
    throw error;
  }
}

/** The value of a node that is a literal, or a conversion of one; fails where that conversion does. */
function foldLiterals(node: Node, calls: Checked['calls']): CelValue | undefined {
  const values = childrenOf(node).map((child) => foldLiterals(child, calls));
  if (node.op === 'literal') return node.value;
  if (node.op !== 'call') return undefined;
  const [value] = values;
  const pattern = values.at(-1);
  if (node.name === 'matches' && typeof pattern === 'string') compileRegex(pattern);
  if (!CONVERSIONS.has(node.name) || node.target || value === undefined) return undefined;
  return calls
    .get(node)
    ?.overloads.find(({ args: [type] }) => type && accepts(type, value))
    ?.run(value);
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.op) {
    case 'select':
      return [node.operand];
    case 'call':
      return [...(node.target ? [node.target] : []), ...node.args];
    case 'list':
      return node.items.map((item) => item.node);
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'fold':
      return [node.range, ...(node.where ? [node.where] : []), node.step];
    case 'bind':
      return [node.target, node.body];
    default:
      return [];
  }
}

function callComplaints({ name, args, target, at: callAt }: CallNode): Complaint[] {
  const [list] = args;
  if (name === 'format' && target?.op === 'literal' && typeof target.value === 'string' && list?.op === 'list')
    return formatProblems(
      target.value,
      list.items.map(({ node }) => (node.op === 'literal' ? node.value : undefined)),
    ).map(({ index, message }) => ({ at: list.items[index]?.node.at ?? callAt, message }));
  const literal = name === 'matches' && !target ? args[1] : args[0];
  if (literal?.op !== 'literal' || typeof literal.value !== 'string') return [];
  const { value, at } = literal;
  if (name === 'matches') return regexProblem(value) === undefined ? [] : [{ at, message: 'invalid matches argument' }];
  if (name === 'duration' && !reads(() => parseDuration(value))) return [{ at, message: 'invalid duration argument' }];
  if (name === 'timestamp' && !reads(() => parseTimestamp(value))) return [{ at, message: 'invalid timestamp argument' }];
  return [];
}

function reads(parse: () => unknown): boolean {
  try {
    return parse() !== undefined;
  } catch (error) {
    if (isFault(error)) return false;
    throw error;
  }
}
