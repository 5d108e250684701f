/** Literals that can only fail are refused when the expression is compiled: regular expressions, durations, timestamps. */
import type { CallNode, Node } from './ast.ts';
import { regexProblem } from './regex.ts';
import type { Complaint } from './source.ts';
import { parseDuration, parseTimestamp } from './time.ts';
import { isFault } from './values.ts';

/** Complaints about all literal arguments of a tree. */
export function validateLiterals(node: Node): Complaint[] {
  return [...(node.op === 'call' ? callComplaints(node) : []), ...childrenOf(node).flatMap(validateLiterals)];
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

function callComplaints({ name, args, target }: CallNode): Complaint[] {
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
