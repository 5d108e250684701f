/** Regular expressions that users write in annotations, kept to such as cannot run away on a cluster's name. */

export type Pattern = { type: 'ok'; matches(text: string): boolean } | { type: 'invalid'; message: string };

const PATTERN_LENGTH_MAX = 256;
/** The time to fail grows with the length of the name to this power, once more because the pattern may start anywhere. */
const REPEATS_MAX = 2;

const ESCAPE_OR_CLASS = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]/gs;
const REPEAT = /[*+]|\{\d*,\d*\}/g;
const REPEATED_GROUP = /\)(?:[*+]|\{)/;
/** Back references, Unicode classes and look-around: not in both languages. */
const UNSUPPORTED = /\\[1-9kpP]|\(\?(?!:)/;

/** Compiles an unanchored pattern of Go's syntax, as far as both languages agree. Invalid: what they do not share, and repeats that could run away. */
export function compilePattern(text: string): Pattern {
  if (text.length > PATTERN_LENGTH_MAX)
    return { type: 'invalid', message: `the pattern is longer than ${PATTERN_LENGTH_MAX} characters` };
  if (UNSUPPORTED.test(text)) return { type: 'invalid', message: `the pattern "${text}" uses what is not supported` };
  // An unanchored pattern means the same without `.*` at its ends.
  const core = text.replace(/^(?:\.\*)+/, '').replace(/(?<!\\)(?:\.\*)+$/, '');
  const plain = core.replace(ESCAPE_OR_CLASS, 'x');
  if (REPEATED_GROUP.test(plain) || (plain.match(REPEAT)?.length ?? 0) > REPEATS_MAX)
    return { type: 'invalid', message: `the pattern "${text}" repeats too much` };
  try {
    const compiled = new RegExp(core);
    return { type: 'ok', matches: (name) => compiled.test(name) };
  } catch {
    return { type: 'invalid', message: `the pattern "${text}" cannot be read` };
  }
}
