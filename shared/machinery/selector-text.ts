/** Reads the text of a label selector with upstream's lexer and grammar, so that its complaints are upstream's too. */
import { REQUIREMENTS_MAX, SELECTOR_VALUES_MAX } from './limits.ts';
import { labelKeyErrors } from './names.ts';
import { newRequirement, type Operator, type Requirement, sortedSet } from './requirement.ts';

type Kind = 'end' | 'word' | 'symbol' | 'error';
type Token = { kind: Kind; text: string };

const SYMBOLS = new Set([')', ',', '!', '==', '=', '!=', '>', '<', '(']);
const BINARY_OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);
const OPERATORS_SHOWN = 'in, notin, =, ==, !=, gt, lt';

type Reader = { peek(): Token; next(): Token };

/** Requirements of a selector text (`app=web,tier in (a,b),!old`); the empty text has none. Throws SyntaxError with upstream's wording. */
export function parseLabelSelector(text: string): Requirement[] {
  const reader = createReader(tokenize(text));
  const requirements: Requirement[] = [];
  for (;;) {
    const first = reader.peek();
    if (first.kind === 'end') return requirements;
    if (!startsRequirement(first)) throw new SyntaxError(`found '${first.text}', expected: !, identifier, or 'end of string'`);
    if (requirements.length >= REQUIREMENTS_MAX) {
      throw new SyntaxError(`unable to parse requirement: a selector may have at most ${REQUIREMENTS_MAX} requirements`);
    }
    requirements.push(requirementOrComplaint(reader));
    const separator = reader.next();
    if (separator.kind === 'end') return requirements;
    if (!isSymbol(separator, ',')) throw new SyntaxError(`found '${separator.text}', expected: ',' or 'end of string'`);
    const following = reader.peek();
    if (!startsRequirement(following)) throw new SyntaxError(`found '${following.text}', expected: identifier after ','`);
  }
}

function requirementOrComplaint(reader: Reader): Requirement {
  try {
    return parseRequirement(reader);
  } catch (error) {
    if (error instanceof SyntaxError) throw new SyntaxError(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}

function parseRequirement(reader: Reader): Requirement {
  let token = reader.next();
  const negated = isSymbol(token, '!');
  if (negated) token = reader.next();
  if (token.kind !== 'word') throw new SyntaxError(`found '${token.text}', expected: identifier`);
  const key = token.text;
  const errors = labelKeyErrors(key);
  // `<nil>` is upstream's rendering of a path that was not given.
  if (errors.length > 0) throw new SyntaxError(`<nil>: Invalid value: ${JSON.stringify(key)}: ${errors.join('; ')}`);
  const following = reader.peek();
  if (negated) return newRequirement(key, '!', []);
  if (following.kind === 'end' || isSymbol(following, ',')) return newRequirement(key, 'exists', []);
  const operatorToken = reader.next();
  const operator = BINARY_OPERATORS.get(operatorToken.text);
  if (!operator) throw new SyntaxError(`found '${operatorToken.text}', expected: ${OPERATORS_SHOWN}`);
  const values = operator === 'in' || operator === 'notin' ? parseValues(reader) : [parseExactValue(reader)];
  return newRequirement(key, operator, values);
}

function parseExactValue(reader: Reader): string {
  const following = reader.peek();
  if (following.kind === 'end' || isSymbol(following, ',')) return '';
  const token = reader.next();
  if (token.kind !== 'word') throw new SyntaxError(`found '${token.text}', expected: identifier`);
  return token.text;
}

function parseValues(reader: Reader): string[] {
  const open = reader.next();
  if (!isSymbol(open, '(')) throw new SyntaxError(`found '${open.text}' expected: '('`);
  const following = reader.peek();
  if (isSymbol(following, ')')) {
    reader.next();
    return [''];
  }
  if (following.kind !== 'word' && !isSymbol(following, ',')) {
    throw new SyntaxError(`found '${following.text}', expected: ',', ')' or identifier`);
  }
  const values = parseList(reader);
  const close = reader.next();
  if (!isSymbol(close, ')')) throw new SyntaxError(`found '${following.text}', expected: ')'`);
  return sortedSet(values);
}

/** An empty place between commas is the empty value. */
function parseList(reader: Reader): string[] {
  const values: string[] = [];
  while (values.length < SELECTOR_VALUES_MAX) {
    const token = reader.next();
    const following = reader.peek();
    if (token.kind === 'word') {
      values.push(token.text);
      if (isSymbol(following, ')')) return values;
      if (!isSymbol(following, ',')) throw new SyntaxError(`found '${following.text}', expected: ',' or ')'`);
      continue;
    }
    if (!isSymbol(token, ',')) throw new SyntaxError(`found '${token.text}', expected: ',', or identifier`);
    if (values.length === 0) values.push('');
    if (isSymbol(following, ')')) return [...values, ''];
    if (isSymbol(following, ',')) {
      reader.next();
      values.push('');
    }
  }
  throw new SyntaxError(`a requirement may have at most ${SELECTOR_VALUES_MAX} values`);
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  // Symbols run together (`a!=b`); a word is anything up to white space or a symbol.
  for (const match of text.matchAll(/([=!(),<>]+)|([^=!(),<>\0 \t\r\n]+)|(\0)/g)) {
    if (match[3] !== undefined) break;
    if (match[1] === undefined) tokens.push({ kind: 'word', text: match[2] ?? '' });
    else tokens.push(...splitSymbols(match[1]));
  }
  return tokens;
}

/** The longest known symbol first; what belongs to none becomes an error token. */
function splitSymbols(run: string): Token[] {
  const tokens: Token[] = [];
  let rest = run;
  while (rest !== '') {
    const length = SYMBOLS.has(rest.slice(0, 2)) ? 2 : 1;
    const text = rest.slice(0, length);
    tokens.push(
      SYMBOLS.has(text) ? { kind: 'symbol', text } : { kind: 'error', text: `error expected: keyword found '${text}'` },
    );
    rest = rest.slice(length);
  }
  return tokens;
}

function createReader(tokens: readonly Token[]): Reader {
  const end: Token = { kind: 'end', text: '' };
  let position = 0;
  return {
    peek: () => tokens[position] ?? end,
    next() {
      position += 1;
      return tokens[position - 1] ?? end;
    },
  };
}

const isSymbol = (token: Token, text: string): boolean => token.kind === 'symbol' && token.text === text;
const startsRequirement = (token: Token): boolean => token.kind === 'word' || isSymbol(token, '!');
