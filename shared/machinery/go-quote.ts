/** Text quoted as Go's `%q` quotes it. Pure. */

const NAMED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** Quotes and backslashes, and what Go calls not printable: everything but letters, marks, numbers, punctuation, symbols and the plain space. */
const SPECIAL = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** `%q` of a string: `"a\u202eb"`. What cannot be seen is escaped, so that a message shows what was really sent. */
export function quoteGo(text: string): string {
  return `"${text.replace(SPECIAL, escaped)}"`;
}

function escaped(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  const point = character.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  if (point < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return point <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
