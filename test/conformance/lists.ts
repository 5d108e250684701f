/** Lists of test names, as files and as what ginkgo focuses on. One full name per line, `#` begins a comment line. */
import { readFile } from 'node:fs/promises';

/** What precedes every name in the text that ginkgo matches: a bare `^name$` matches nothing and exits 0. */
const SUITE = 'Kubernetes e2e suite';
const REASON_MARK = ' # ';

/** A test that is not expected to pass, and why. */
export type Exemption = { name: string; reason: string };

/** Names of a list file, in its order. Throws on a name that is there twice. */
export function parseList(text: string): string[] {
  const names = lines(text);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`listed twice: ${twice}`);
  return names;
}

/** Exemptions: `NAME # REASON` a line. Throws on one without a reason. */
export function parseExemptions(text: string): Exemption[] {
  return lines(text).map((line) => {
    const at = line.lastIndexOf(REASON_MARK);
    const reason = at < 0 ? '' : line.slice(at + REASON_MARK.length).trim();
    if (reason === '') throw new Error(`exempt without a reason: ${line}`);
    return { name: line.slice(0, at).trim(), reason };
  });
}

/** Reads and parses a list file. */
export async function readList(path: string): Promise<string[]> {
  return parseList(await readFile(path, 'utf8'));
}

/** The regular expression (RE2) that selects exactly these tests. */
export function focusOf(names: readonly string[]): string {
  return `^${SUITE} (${names.map((name) => name.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')).join('|')})$`;
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
