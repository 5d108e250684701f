/**
 * The 1,000 sequences of apply, update and patch that a real kube-apiserver answered (test/lab/apply-oracle), played on our own server as a
 * client would: code, object, managedFields (times aside) and causes of conflicts must be the recorded ones, step by step.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import type { ResourceDefinition } from '../../../shared/apis/definition.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import type { Clock } from '../../../shared/ports/system.ts';
import { type Answer, unpackAnswers } from '../../lab/apply-oracle/answers.ts';
import { createSequences, ORACLE_KINDS, type Sequence } from '../../lab/apply-oracle/sequences.ts';
import { startTestServer, type TestServer } from '../apiserver/server.ts';
import { collectionUrl, differencesOf, playStep } from './play-oracle.ts';

const recording = unpackAnswers(readFileSync(new URL('../../unit/patch/data/apply-oracle.jsonl.br', import.meta.url)));
const sequences = createSequences(recording.seed, recording.count);

/** The order of managedFields is that of their times: each step is written at the second at which the real server wrote it. */
let now = 0;
const clock: Clock = { now: () => now, sleep: async () => {} };
let api: TestServer;
let passed = 0;

beforeAll(async () => {
  const registry = createRegistry(
    builtInDefinitions().map((each) => (each.kind === 'PersistentVolumeClaim' ? protectedClaims(each) : each)),
  );
  api = await startTestServer({ clock, registry: () => registry });
});
afterAll(() => api.close());

/** A finalizer that the real server sets, and that ours does not: no controller here would ever take it away. */
const PROTECTION = 'kubernetes.io/pvc-protection';

function protectedClaims(definition: ResourceDefinition): ResourceDefinition {
  const prepareForCreate = (claim: KubeObject, at: number) => {
    definition.strategy.prepareForCreate?.(claim, at);
    const others = (claim.metadata.finalizers ?? []).filter((name) => name !== PROTECTION);
    const asked = claim.metadata.finalizers?.includes(PROTECTION);
    if (!asked) claim.metadata.finalizers = [...others, PROTECTION];
  };
  return { ...definition, strategy: { ...definition.strategy, prepareForCreate } };
}

/** When the step was written: the newest time of an owner, if it is of this answer's second or the one before. */
function timeOf({ date, body }: Answer): number {
  const answered = Date.parse(date);
  const { managedFields = [] } = ((body as Partial<KubeObject>).metadata ?? {}) as KubeObject['metadata'];
  const times = managedFields.map(({ time }) => Date.parse(time ?? '')).filter((time) => time <= answered);
  const newest = Math.max(0, ...times);
  return answered - newest <= 1000 ? newest : answered;
}

async function play(sequence: Sequence, answers: readonly Answer[]): Promise<string[]> {
  const url = collectionUrl('default', sequence);
  for (const [at, step] of sequence.steps.entries()) {
    const answer = answers[at];
    if (answer === undefined) return [`${sequence.name} step ${at} was not recorded`];
    now = timeOf(answer);
    const found = differencesOf(answer, await playStep(api, url, sequence.name, step), sequence.kind.kind);
    // What follows a difference differs because of it.
    if (found.length > 0) return [`${sequence.name} step ${at}, ${step.type} by ${step.manager}:\n  ${found.join('\n  ')}`];
  }
  passed += 1;
  return [];
}

describe('sequences of writes over HTTP answer as on kube-apiserver', () => {
  test.each(ORACLE_KINDS.map(({ kind }) => kind))('%s', async (kind) => {
    const found: string[] = [];
    for (const [index, sequence] of sequences.entries())
      if (sequence.kind.kind === kind) found.push(...(await play(sequence, recording.answers[index] ?? [])));
    expect(found.slice(0, 3).join('\n\n'), `${found.length} sequences differ`).toBe('');
  });

  test('all were played', () => {
    expect(passed).toBe(sequences.length);
    expect(passed).toBeGreaterThanOrEqual(1000);
  });
});
