/**
 * 1,000 sequences of apply, update and patch by several managers, as a real kube-apiserver 1.35 answered them (test/lab/apply-oracle):
 * result, managedFields with their times and order, conflicts and refusals must be the same, step by step.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInSchema } from '../../../shared/apis/schemas.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { fingerprint, unpackAnswers } from '../../lab/apply-oracle/answers.ts';
import { createSequences, ORACLE_KINDS, type Sequence } from '../../lab/apply-oracle/sequences.ts';
import { replayStep } from './oracle/replay.ts';

const recording = unpackAnswers(readFileSync(new URL('./data/apply-oracle.jsonl.br', import.meta.url)));
const sequences = createSequences(recording.seed, recording.count);

function replaySequence({ kind, steps, name }: Sequence, index: number): string[] {
  const schema = builtInSchema(kind.group, kind.version, kind.kind);
  if (schema === undefined) return [`${kind.kind} has no schema`];
  let live: KubeObject | undefined;
  return steps.flatMap((step, at) => {
    const answer = recording.answers[index]?.[at];
    if (answer === undefined) return [`${name} step ${at}: no answer`];
    const found = replayStep({ kind, schema, live, step, answer }).map(
      (text) => `${name} step ${at} ${step.type} of ${kind.kind} by ${step.manager}: ${text}`,
    );
    if (answer.code < 300) live = answer.body as unknown as KubeObject;
    return found;
  });
}

describe('server-side apply and field ownership answer as kube-apiserver does', () => {
  test('the recording belongs to these sequences', () => {
    expect(fingerprint(sequences)).toBe(recording.fingerprint);
    expect(sequences.length).toBeGreaterThanOrEqual(1000);
    expect(new Set(recording.answers.flat().map(({ code }) => code))).toEqual(new Set([200, 201, 400, 404, 409, 422, 500]));
  });

  test.each(ORACLE_KINDS.map((kind) => [kind.kind]))('%s', (kind) => {
    const found = sequences.flatMap((sequence, index) => (sequence.kind.kind === kind ? replaySequence(sequence, index) : []));
    expect(found.slice(0, 3).join('\n\n'), `${found.length} differences`).toBe('');
  });
});
