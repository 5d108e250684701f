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

const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

/** What ANTLR cannot read: up to and with the character at which no word is possible any more. */
function unreadable(text: string, at: number): string {
  const first = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (first === '=' || first === '&' || first === '|') return text.slice(at, at + 2);
  if (first !== '"' && first !== "'") return first;
  for (let index = at + 1; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (char === '\n' || char === '\r') return text.slice(at, index + 1);
    if (char !== '\\') continue;
    const wrong = wrongEscape(text, index);
    if (wrong !== undefined) return text.slice(at, wrong + 1);
    index += 1;
  }
  return text.slice(at);
}

/** Where an escape goes wrong; undefined: it is right. */
function wrongEscape(text: string, at: number): number | undefined {
  const kind = text[at + 1] ?? '';
  const digits = HEX_DIGITS[kind];
  if (digits !== undefined) {
    for (let index = at + 2; index < at + 2 + digits; index += 1) if (!/[\da-fA-F]/.test(text[index] ?? '')) return index;
    return undefined;
  }
  if (/[0-3]/.test(kind)) return [at + 2, at + 3].find((index) => !/[0-7]/.test(text[index] ?? ''));
  return /[abfnrtv"'\\?`]/.test(kind) ? undefined : at + 1;
}
