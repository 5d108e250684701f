/**
 * Asks kubectl (offline) what each generated patch makes of its document, and writes the answers:
 *
 *   node test/lab/apply-oracle/record-patches.ts KUBECTL OUTPUT [SEED] [COUNT]
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseJson, stringifyJson } from '../../../shared/machinery/codec/json.ts';
import { type PatchAnswer, packPatchAnswers } from './patch-answers.ts';
import { createPatchCases, type PatchCase } from './patches.ts';

const run = promisify(execFile);

async function main(): Promise<void> {
  const [kubectl, output, seed = '1', count = '1000'] = process.argv.slice(2);
  if (kubectl === undefined || output === undefined) throw new Error('usage: record-patches.ts KUBECTL OUTPUT [SEED] [COUNT]');
  const folder = mkdtempSync(join(tmpdir(), 'patches-'));
  const cases = createPatchCases(Number(seed), Number(count));
  const answers: PatchAnswer[] = [];
  for (const one of cases) answers.push(await ask(kubectl, folder, one));
  rmSync(folder, { recursive: true });
  writeFileSync(output, packPatchAnswers({ seed: Number(seed), cases, answers }));
  console.log(`${answers.length} patches, ${answers.filter(({ type }) => type !== 'ok').length} refused`);
}

/** Go walks maps in random order: a patch with several faults is refused for any of them, so it is asked for several times. */
const REPEATS = 5;

async function ask(kubectl: string, folder: string, one: PatchCase): Promise<PatchAnswer> {
  const first = await askOnce(kubectl, folder, one);
  if (first.type !== 'failed') return first;
  const messages = new Set(first.messages);
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const again = await askOnce(kubectl, folder, one);
    if (again.type === 'failed') for (const message of again.messages) messages.add(message);
  }
  return { type: 'failed', messages: [...messages] };
}

async function askOnce(kubectl: string, folder: string, { original, format, patch }: PatchCase): Promise<PatchAnswer> {
  const file = join(folder, 'original.json');
  writeFileSync(file, stringifyJson(original));
  try {
    const options = ['patch', '--local', '-f', file, `--type=${format}`, '-p', stringifyJson(patch), '-o', 'json'];
    const { stdout } = await run(kubectl, options);
    return { type: 'ok', object: parseJson(stdout) };
  } catch (error) {
    const { stderr, code } = error as { stderr?: string; code?: number };
    if (stderr?.startsWith('panic:')) return { type: 'panicked' };
    if (code !== 1 || stderr === undefined) throw new Error(`kubectl failed: ${String(stderr).slice(0, 500)}`);
    return refusal(stderr.trim().replace(/^error: /, ''));
  }
}

/** kubectl refuses to print what is no object any more, but quotes it: the patch itself did apply. */
function refusal(message: string): PatchAnswer {
  const quoted = /^Object '(?:Kind|apiVersion)' is missing in '(.*)'$/s.exec(message)?.[1];
  return quoted === undefined ? { type: 'failed', messages: [message] } : { type: 'ok', object: parseJson(quoted) };
}

await main();
