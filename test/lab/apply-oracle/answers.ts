/** What the real server answered, packed: the step's code and, where it succeeded, the object; else the Status. */
import { createHash } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { parseJson, stringifyJson } from '../../../shared/machinery/codec/json.ts';
import type { JsonObject, JsonValue } from '../../../shared/machinery/object.ts';
import type { Sequence } from './sequences.ts';

/** Where all objects of a recording live: one namespace per seed, so that recordings do not meet. */
export function oracleNamespace(seed: number): string {
  return `apply-oracle-${seed}`;
}

/** `date`: the Date header, for the time of a write that shows nowhere in the object. */
export type Answer = { code: number; date: string; body: JsonObject };

export type Recording = { seed: number; sequences: readonly Sequence[]; answers: readonly (readonly Answer[])[] };

/** Identifies the requests that answers belong to. */
export function fingerprint(sequences: readonly Sequence[]): string {
  const hash = createHash('sha256');
  for (const { kind, name, steps } of sequences) hash.update(stringifyJson([kind.kind, name, steps as unknown as JsonValue]));
  return hash.digest('hex');
}

/** Brotli of JSON lines: a header, then one line per sequence. */
export function packAnswers({ seed, sequences, answers }: Recording): Uint8Array {
  const header = stringifyJson({ seed, count: sequences.length, fingerprint: fingerprint(sequences) });
  const lines = answers.map((steps) => stringifyJson(steps.map(packAnswer)));
  return brotliCompressSync([header, ...lines].join('\n'), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
}

function packAnswer({ code, date, body }: Answer): JsonValue {
  const seconds = Date.parse(date) / 1000;
  return [code, seconds, code < 300 ? body : packStatus(body)];
}

/** Messages of validation quote whole objects: only their beginning is kept. */
function packStatus({ message, reason, details, code }: JsonObject): JsonObject {
  const quotesNothing = code === 409 || String(message).startsWith('the server rejected our request');
  if (quotesNothing) return { message: message ?? '', reason: reason ?? '', details: details ?? null };
  return { message: String(message).slice(0, 400), reason: reason ?? '' };
}

/** The inverse of `packAnswers`; the caller makes the sequences anew and compares fingerprints. */
export function unpackAnswers(packed: Uint8Array): { seed: number; count: number; fingerprint: string; answers: Answer[][] } {
  const [header = '{}', ...lines] = brotliDecompressSync(packed).toString().split('\n');
  const { seed, count, fingerprint: print } = parseJson(header) as { seed: number; count: number; fingerprint: string };
  const answers = lines.map((line) => (parseJson(line) as [number, number, JsonObject][]).map(unpackAnswer));
  return { seed, count, fingerprint: print, answers };
}

function unpackAnswer([code, seconds, body]: [number, number, JsonObject]): Answer {
  return { code, date: new Date(seconds * 1000).toUTCString(), body };
}
