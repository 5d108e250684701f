/** Regular expressions of RE2: no input makes a search take more than linear time. */
import { RE2JS } from 're2js';
import { fail } from './values.ts';

/** A compiled expression. `limit` below zero: all that are found. */
export type CelRegex = {
  test(text: string): boolean;
  find(text: string): string;
  findAll(text: string, limit: number): string[];
};

/** Why a text is no expression, as Go says it; undefined: it is one. */
export function regexProblem(pattern: string): string | undefined {
  const compiled = tryCompile(pattern);
  return compiled.ok ? undefined : compiled.problem;
}

/** Compiles. Fails with Go's text for what is no expression. */
export function compileRegex(pattern: string): CelRegex {
  const compiled = tryCompile(pattern);
  if (!compiled.ok) return fail(compiled.problem);
  const { regex } = compiled;
  return {
    test: (text) => regex.matcher(text).find(),
    find: (text) => findAll(regex, text, 1)[0] ?? '',
    findAll: (text, limit) => findAll(regex, text, limit),
  };
}

function tryCompile(pattern: string): { ok: true; regex: RE2JS } | { ok: false; problem: string } {
  try {
    return { ok: true, regex: RE2JS.compile(pattern) };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    return { ok: false, problem: `error parsing regexp: ${why}` };
  }
}

function findAll(regex: RE2JS, text: string, limit: number): string[] {
  const matcher = regex.matcher(text);
  const all: string[] = [];
  while ((limit < 0 || all.length < limit) && matcher.find()) all.push(matcher.group() ?? '');
  return all;
}
