/** Expression text -> syntax tree, by the grammar of CEL (parser/gen/CEL.g4 of cel-go), macros expanded. Stops at the first syntax error. */
import type { CallNode, MapEntry, Node } from './ast.ts';
import { type Token, tokenize } from './lexer.ts';
import { bytesLiteral, doubleLiteral, intLiteral, stringLiteral, uintLiteral } from './literals.ts';
import { expandGlobal, expandMember } from './macros.ts';
import type { Complaint } from './source.ts';
import type { CelValue } from './values.ts';

/** Code points of an expression, and depth of its nesting (cel-go's limits). */
const EXPRESSION_CHARS_MAX = 100_000;
const DEPTH_MAX = 250;

const OPERAND =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
/** Words that an operand may begin with. */
const OPERAND_KINDS = new Set(['identifier', 'int', 'uint', 'float', 'string', 'bytes']);
const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const WORDS: ReadonlyMap<string, CelValue> = new Map<string, CelValue>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

export type Parsed = { ok: true; node: Node } | { ok: false; complaints: readonly Complaint[] };

/** A position in the words. Problems that do not stop the reading are collected. */
type Reader = { tokens: readonly Token[]; index: number; depth: number; complaints: Complaint[] };
type SyntaxFault = { syntax: Complaint };

/** Parses a whole expression. Complaints begin with `Syntax error: ` where the grammar is broken. */
export function parseCel(source: string): Parsed {
  const size = source.length > EXPRESSION_CHARS_MAX ? [...source].length : source.length;
  if (size > EXPRESSION_CHARS_MAX)
    return refuse(-1, `expression code point size exceeds limit: size: ${size}, limit ${EXPRESSION_CHARS_MAX}`);
  const { tokens, complaints } = tokenize(source);
  const reader: Reader = { tokens, index: 0, depth: 0, complaints };
  try {
    const node = readExpression(reader);
    const rest = peek(reader);
    if (rest.kind !== 'end')
      throw syntaxFault(
        rest,
        `${peek(reader, 1).kind === 'end' ? 'extraneous' : 'mismatched'} input '${rest.text}' expecting <EOF>`,
      );
    return complaints.length > 0 ? { ok: false, complaints } : { ok: true, node };
  } catch (error) {
    if (!isSyntaxFault(error)) throw error;
    return { ok: false, complaints: [...complaints, error.syntax] };
  }
}

function refuse(at: number, message: string): Parsed {
  return { ok: false, complaints: [{ at, message }] };
}

function syntaxFault({ at }: Token, message: string): SyntaxFault {
  return { syntax: { at, message: `Syntax error: ${message}` } };
}

function isSyntaxFault(error: unknown): error is SyntaxFault {
  return typeof error === 'object' && error !== null && 'syntax' in error;
}

function peek(reader: Reader, ahead = 0): Token {
  return reader.tokens[reader.index + ahead] ?? { kind: 'end', text: '<EOF>', at: 0 };
}

function take(reader: Reader): Token {
  const token = peek(reader);
  reader.index += 1;
  return token;
}

function is(token: Token, symbol: string): boolean {
  return token.kind === 'symbol' && token.text === symbol;
}

function takeIf(reader: Reader, symbol: string): Token | undefined {
  return is(peek(reader), symbol) ? take(reader) : undefined;
}

function expect(reader: Reader, symbol: string, expecting: string): Token {
  const token = takeIf(reader, symbol);
  if (token) return token;
  const found = peek(reader);
  if (found.kind === 'end' && expecting === '') throw syntaxFault(found, `missing '${symbol}' at '<EOF>'`);
  throw syntaxFault(found, `mismatched input '${found.text}' expecting ${expecting || `'${symbol}'`}`);
}

const call = (at: number, name: string, args: readonly Node[]): CallNode => ({ op: 'call', at, name, args });

function readExpression(reader: Reader): Node {
  reader.depth += 1;
  if (reader.depth > DEPTH_MAX) throw { syntax: { at: 0, message: 'expression recursion limit exceeded: 250' } };
  const condition = readLogic(reader, '||', '_||_', () => readLogic(reader, '&&', '_&&_', () => readRelation(reader)));
  const question = takeIf(reader, '?');
  let node = condition;
  if (question) {
    const yes = readLogic(reader, '||', '_||_', () => readLogic(reader, '&&', '_&&_', () => readRelation(reader)));
    expect(reader, ':', "':'");
    node = call(question.at, '_?_:_', [condition, yes, readExpression(reader)]);
  }
  reader.depth -= 1;
  return node;
}

/** A chain of one logical operator, balanced into a tree as cel-go does, so that long chains stay shallow. */
function readLogic(reader: Reader, symbol: string, name: string, readTerm: () => Node): Node {
  const terms = [readTerm()];
  const places: number[] = [];
  for (let operator = takeIf(reader, symbol); operator; operator = takeIf(reader, symbol)) {
    places.push(operator.at);
    terms.push(readTerm());
  }
  return balanced(name, terms, places, 0, terms.length - 1);
}

function balanced(name: string, terms: readonly Node[], places: readonly number[], from: number, to: number): Node {
  const [first] = terms;
  if (from === to) return terms[from] ?? (first as Node);
  const middle = Math.floor((from + to + 1) / 2);
  const left = balanced(name, terms, places, from, middle - 1);
  return call(places[middle - 1] ?? 0, name, [left, balanced(name, terms, places, middle, to)]);
}

const RELATIONS = ['<', '<=', '>=', '>', '==', '!=', 'in'];

function readRelation(reader: Reader): Node {
  return readChain(reader, RELATIONS, () =>
    readChain(reader, ['+', '-'], () => readChain(reader, ['*', '/', '%'], () => readUnary(reader))),
  );
}

/** A left-associative chain. Its length counts as depth: the tree leans to the left. */
function readChain(reader: Reader, symbols: readonly string[], readTerm: () => Node): Node {
  let node = readTerm();
  const depth = reader.depth;
  for (let token = peek(reader); token.kind === 'symbol' && symbols.includes(token.text); token = peek(reader)) {
    take(reader);
    reader.depth += 1;
    if (reader.depth > DEPTH_MAX) throw { syntax: { at: 0, message: 'max recursion depth exceeded' } };
    node = call(token.at, token.text === 'in' ? '@in' : `_${token.text}_`, [node, readTerm()]);
  }
  reader.depth = depth;
  return node;
}

function readUnary(reader: Reader): Node {
  const first = peek(reader);
  if (is(first, '-') && ['int', 'float'].includes(peek(reader, 1).kind)) return readMember(reader);
  const symbol = is(first, '!') ? '!' : is(first, '-') ? '-' : undefined;
  if (symbol === undefined) return readMember(reader);
  let count = 0;
  while (takeIf(reader, symbol)) count += 1;
  const member = readMember(reader);
  return count % 2 === 0 ? member : call(first.at, symbol === '!' ? '!_' : '-_', [member]);
}

function readMember(reader: Reader): Node {
  let node = readPrimary(reader);
  const depth = reader.depth;
  for (;;) {
    const token = peek(reader);
    if (is(token, '.')) node = readSelect(reader, node);
    else if (is(token, '[')) node = readIndex(reader, node);
    else break;
    reader.depth += 1;
    if (reader.depth > DEPTH_MAX) throw { syntax: { at: 0, message: 'max recursion depth exceeded' } };
  }
  reader.depth = depth;
  return node;
}

function readIndex(reader: Reader, target: Node): Node {
  const { at } = take(reader);
  const optional = takeIf(reader, '?') !== undefined;
  const index = readExpression(reader);
  expect(reader, ']', '');
  return call(at, optional ? '_[?_]' : '_[_]', [target, index]);
}

function readSelect(reader: Reader, operand: Node): Node {
  const { at } = take(reader);
  const optional = takeIf(reader, '?') !== undefined;
  const name = take(reader);
  if (name.kind === 'escaped') {
    // Kubernetes 1.35 does not switch the syntax on.
    reader.complaints.push({ at: name.at, message: "unsupported syntax: '`'" });
    return { op: 'select', at, operand, field: name.text.slice(1, -1), test: false, optional };
  }
  if (name.kind !== 'identifier' || WORDS.has(name.text)) {
    const why = WORDS.has(name.text)
      ? `mismatched input '${name.text}' expecting IDENTIFIER`
      : optional
        ? `no viable alternative at input '.?${name.text === '<EOF>' ? '' : name.text}'`
        : `no viable alternative at input '.${name.text === '<EOF>' ? '' : name.text}'`;
    throw syntaxFault(name, why);
  }
  const open = optional ? undefined : takeIf(reader, '(');
  if (!open) return { op: 'select', at, operand, field: name.text, test: false, optional };
  const args = readArguments(reader);
  const expanded = expandMember(name.text, operand, args, open.at);
  if (expanded?.type === 'complaint') reader.complaints.push(expanded.complaint);
  if (expanded?.type === 'node') return expanded.node;
  return { op: 'call', at: open.at, name: name.text, target: operand, args };
}

function readArguments(reader: Reader): Node[] {
  const args: Node[] = [];
  if (takeIf(reader, ')')) return args;
  do args.push(readExpression(reader));
  while (takeIf(reader, ','));
  expect(reader, ')', '');
  return args;
}

function readPrimary(reader: Reader): Node {
  const token = take(reader);
  if (token.kind === 'symbol') return readSymbol(reader, token);
  if (token.kind === 'identifier') return readIdentifier(reader, token, '');
  return readLiteral(reader, token, false);
}

function readSymbol(reader: Reader, token: Token): Node {
  switch (token.text) {
    case '(': {
      const inner = readExpression(reader);
      expect(reader, ')', '');
      return inner;
    }
    case '[':
      return readList(reader, token);
    case '{':
      return readMap(reader, token);
    case '-':
      return readLiteral(reader, take(reader), true);
    case '.': {
      const name = take(reader);
      if (name.kind === 'identifier' && !WORDS.has(name.text)) return readIdentifier(reader, name, '.');
      throw syntaxFault(name, `mismatched input '${name.text}' expecting IDENTIFIER`);
    }
    default: {
      // One word too many is passed over by upstream's parser, and called so.
      const isExtra = OPERAND_KINDS.has(peek(reader).kind);
      throw syntaxFault(token, `${isExtra ? 'extraneous' : 'mismatched'} input '${token.text}' expecting ${OPERAND}`);
    }
  }
}

function readIdentifier(reader: Reader, token: Token, prefix: string): Node {
  const word = WORDS.get(token.text);
  if (word !== undefined) return { op: 'literal', at: token.at, value: word };
  if (RESERVED.has(token.text)) reader.complaints.push({ at: token.at, message: `reserved identifier: ${token.text}` });
  const open = takeIf(reader, '(');
  if (open) {
    const args = readArguments(reader);
    const expanded = prefix === '' ? expandGlobal(token.text, args, open.at) : undefined;
    if (expanded?.type === 'complaint') reader.complaints.push(expanded.complaint);
    if (expanded?.type === 'node') return expanded.node;
    return call(open.at, token.text, args);
  }
  const message = messageName(reader, token);
  if (message) return readMessage(reader, message);
  return { op: 'ident', at: token.at, name: token.text };
}

/** `a.b.C {`: a name of parts that a brace follows. */
function messageName(reader: Reader, first: Token): { name: string; words: number } | undefined {
  let name = first.text;
  let words = 0;
  while (is(peek(reader, words), '.') && peek(reader, words + 1).kind === 'identifier') {
    name += `.${peek(reader, words + 1).text}`;
    words += 2;
  }
  return is(peek(reader, words), '{') ? { name, words } : undefined;
}

function readMessage(reader: Reader, { name, words }: { name: string; words: number }): Node {
  reader.index += words;
  const { at } = take(reader);
  while (!is(peek(reader), '}')) {
    takeIf(reader, '?');
    const field = take(reader);
    if (field.kind !== 'identifier' && field.kind !== 'escaped')
      throw syntaxFault(field, `mismatched input '${field.text}' expecting {'}', IDENTIFIER}`);
    expect(reader, ':', '');
    readExpression(reader);
    if (!takeIf(reader, ',')) break;
  }
  expect(reader, '}', '');
  return { op: 'message', at, name };
}

function readList(reader: Reader, { at }: Token): Node {
  const items: { node: Node; optional: boolean }[] = [];
  while (!is(peek(reader), ']')) {
    const optional = takeIf(reader, '?') !== undefined;
    items.push({ node: readExpression(reader), optional });
    if (!takeIf(reader, ',')) break;
  }
  expect(reader, ']', "{']', ','}");
  return { op: 'list', at, items };
}

function readMap(reader: Reader, { at }: Token): Node {
  const entries: MapEntry[] = [];
  while (!is(peek(reader), '}')) {
    const optional = takeIf(reader, '?') !== undefined;
    const key = readExpression(reader);
    expect(reader, ':', '');
    entries.push({ key, value: readExpression(reader), optional });
    if (!takeIf(reader, ',')) break;
  }
  expect(reader, '}', "{'}', ','}");
  return { op: 'map', at, entries };
}

function readLiteral(reader: Reader, token: Token, negative: boolean): Node {
  const { kind, text } = token;
  // A number with a sign begins at the sign.
  const at = negative ? (peek(reader, -2).at ?? token.at) : token.at;
  const literal = (value: CelValue | undefined, what: string): Node => {
    if (value === undefined) reader.complaints.push({ at, message: `invalid ${what} literal` });
    return { op: 'literal', at, value: value ?? null };
  };
  switch (kind) {
    case 'int':
      return literal(intLiteral(text, negative), 'int');
    case 'uint':
      return literal(uintLiteral(text), 'uint');
    case 'float':
      return literal(doubleLiteral(text, negative), 'double');
    case 'string':
      return literal(stringLiteral(text), 'string');
    case 'bytes':
      return literal(bytesLiteral(text), 'bytes');
    default:
      throw syntaxFault(token, `mismatched input '${text}' expecting ${OPERAND}`);
  }
}
