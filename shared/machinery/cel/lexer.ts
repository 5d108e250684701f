/** Words of an expression, as the grammar of CEL cuts them. */
import type { Complaint } from './source.ts';

export type TokenKind = 'identifier' | 'escaped' | 'int' | 'uint' | 'float' | 'string' | 'bytes' | 'symbol' | 'end';
export type Token = { kind: TokenKind; text: string; at: number };

const SYMBOLS = [
  '==',
  '!=',
  '<=',
  '>=',
  '&&',
  '||',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '.',
  ',',
  '-',
  '!',
  '?',
  ':',
  '+',
  '*',
  '/',
  '%',
  '<',
  '>',
];
const SPACE = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y;
const NUMBER =
  /(?<float>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|(?<uint>(?:0x[\da-fA-F]+|\d+)[uU])|(?<int>0x[\da-fA-F]+|\d+)/y;
const IDENTIFIER = /[A-Za-z_]\w*/y;
const ESCAPED = /`[\w.\-/ ]+`/y;
const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?\x60]|[0-3][0-7]{2}|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})`;
/** Every character is taken by exactly one alternative, so that matching is linear. */
const STRING = new RegExp(
  [
    String.raw`[bB]?[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')`,
    String.raw`[bB]?(?:"""(?:${ESCAPE}|[^\\])*?"""|'''(?:${ESCAPE}|[^\\])*?'''|"(?:${ESCAPE}|[^\\"\n\r])*"|'(?:${ESCAPE}|[^\\'\n\r])*')`,
  ].join('|'),
  'y',
);

/** Cuts the text. What is no word is a complaint and passed over. The last token is the end. */
export function tokenize(text: string): { tokens: Token[]; complaints: Complaint[] } {
  const tokens: Token[] = [];
  const complaints: Complaint[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    const space = take(SPACE);
    if (space) {
      at += space[0].length;
      continue;
    }
    const token = wordAt(take, text, at);
    if (token) {
      tokens.push(token);
      at += token.text.length;
      continue;
    }
    const wrong = unreadable(text, at);
    complaints.push({ at, message: `Syntax error: token recognition error at: '${wrong}'` });
    at += wrong.length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: text.length });
  return { tokens, complaints };
}

function wordAt(take: (pattern: RegExp) => RegExpExecArray | null, text: string, at: number): Token | undefined {
  const string = take(STRING);
  if (string) return { kind: /^[bB]/.test(string[0]) ? 'bytes' : 'string', text: string[0], at };
  const number = take(NUMBER);
  if (number?.groups) {
    const kind = number.groups.float !== undefined ? 'float' : number.groups.uint !== undefined ? 'uint' : 'int';
    return { kind, text: number[0], at };
  }
  const identifier = take(IDENTIFIER);
  if (identifier) return { kind: identifier[0] === 'in' ? 'symbol' : 'identifier', text: identifier[0], at };
  const escaped = take(ESCAPED);
  if (escaped) return { kind: 'escaped', text: escaped[0], at };
  const symbol = SYMBOLS.find((each) => text.startsWith(each, at));
  return symbol === undefined ? undefined : { kind: 'symbol', text: symbol, at };
}

/** A text that never ends is unreadable up to the end of its line; anything else is one character. */
function unreadable(text: string, at: number): string {
  const quote = text[at];
  if (quote !== '"' && quote !== "'") return String.fromCodePoint(text.codePointAt(at) ?? 0);
  const end = text.slice(at).search(/[\n\r]/);
  return end < 0 ? text.slice(at) : text.slice(at, at + Math.max(end, 1));
}
