/** What kubectl answered to generated patches, packed. */
import { createHash } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { parseJson, stringifyJson } from '../../../shared/machinery/codec/json.ts';
import type { JsonValue } from '../../../shared/machinery/object.ts';
import type { PatchCase } from './patches.ts';

/** `panicked`: the library crashed on the patch, which no answer of ours should imitate. */
export type PatchAnswer = { type: 'ok'; object: JsonValue } | { type: 'failed'; messages: string[] } | { type: 'panicked' };

export type PatchRecording = { seed: number; cases: readonly PatchCase[]; answers: readonly PatchAnswer[] };

/** Identifies the requests that answers belong to. */
export function patchFingerprint(cases: readonly PatchCase[]): string {
  const hash = createHash('sha256');
  for (const { original, format, patch } of cases) hash.update(stringifyJson([original, format, patch]));
  return hash.digest('hex');
}

/** Brotli of JSON lines: a header, then one answer per line. */
export function packPatchAnswers({ seed, cases, answers }: PatchRecording): Uint8Array {
  const header = stringifyJson({ seed, count: cases.length, fingerprint: patchFingerprint(cases) });
  const lines = answers.map((answer) => stringifyJson(answer as unknown as JsonValue));
  return brotliCompressSync([header, ...lines].join('\n'), { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
}

/** The inverse; the caller makes the cases anew and compares fingerprints. */
export function unpackPatchAnswers(packed: Uint8Array): {
  seed: number;
  count: number;
  fingerprint: string;
  answers: PatchAnswer[];
} {
  const [header = '{}', ...lines] = brotliDecompressSync(packed).toString().split('\n');
  const { seed, count, fingerprint } = parseJson(header) as { seed: number; count: number; fingerprint: string };
  return { seed, count, fingerprint, answers: lines.map((line) => parseJson(line) as unknown as PatchAnswer) };
}
