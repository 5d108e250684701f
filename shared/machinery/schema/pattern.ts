/**
 * Patterns of schemas are RE2's, which take time linear in the text. The engine's own expressions are faster, and may take for ever: they
 * are used where that is impossible.
 */
import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Steps that the engine's own expressions may cost at most, by the estimate below. */
const STEPS_MAX = 1_000_000;

/** Does the text match anywhere? Compiled by `compilePattern`. */
export type PatternTest = (text: string) => boolean;

/** Compiles a pattern; one that is no RE2 expression matches nothing. */
export function compilePattern(pattern: string): PatternTest {
  const error = patternError(pattern);
  if (error !== undefined) return () => false;
  const native = nativeOf(pattern);
  const linear = lazily(() => RE2JS.compile(pattern));
  if (native === undefined) return (text) => linear().matcher(text).find();
  // Each open repetition may be tried from every place of the text, within the one before it.
  const { regex, repetitions } = native;
  return (text) => (text.length ** repetitions <= STEPS_MAX ? regex.test(text) : linear().matcher(text).find());
}

/** What is wrong with a pattern, in Go's words; undefined when it is one. */
export function patternError(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return error.message;
  }
}

/** Syntax that both read alike: no flags, names, classes of other notations, or anchors of RE2's own. */
const COMMON =
  /^(?:[^\\([{*+?]|\\[.\-/\\^$*+?()[\]{}|dwDWtnr]|\((?!\?)|\(\?:|\[\^?(?:[^\]\\[]|\\[.\-/\\^$*+?()[\]{}|dwDWtnr])+\]|[*+?]\??|\{\d+(?:,\d*)?\}\??)*$/;

function nativeOf(pattern: string): { regex: RegExp; repetitions: number } | undefined {
  if (!COMMON.test(pattern) || isNested(pattern)) return undefined;
  try {
    return { regex: new RegExp(pattern, 'u'), repetitions: pattern.match(/[*+]|,\}/g)?.length ?? 0 };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Is a group repeated that holds a repetition or a choice itself? Such expressions can take exponential time. */
function isNested(pattern: string): boolean {
  const open: boolean[] = [];
  let last = false;
  for (const token of pattern.match(/\\.|\[(?:\\.|[^\]\\])*\]|\(\?:|[()|*+?]|\{[\d,]*\}|./gs) ?? []) {
    if (token === '(' || token === '(?:') open.push(false);
    else if (token === ')') {
      last = open.pop() ?? false;
      if (last && open.length > 0) open[open.length - 1] = true;
      continue;
    } else if (/^[*+{]/.test(token)) {
      if (last) return true;
      if (open.length > 0) open[open.length - 1] = true;
    } else if (token === '|' && open.length > 0) open[open.length - 1] = true;
    last = false;
  }
  return false;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
