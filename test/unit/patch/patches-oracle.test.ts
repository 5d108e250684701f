/** 1,200 generated patches of the three formats, as kubectl 1.35 answered them offline (test/lab/apply-oracle/record-patches.ts). */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInSchema } from '../../../shared/apis/schemas.ts';
import { cloneJson, deepEqual } from '../../../shared/machinery/equality.ts';
import type { JsonObject, JsonValue } from '../../../shared/machinery/object.ts';
import { applyJsonPatch, PatchError, parseJsonPatch } from '../../../shared/machinery/patch/json.ts';
import { applyMergePatch } from '../../../shared/machinery/patch/merge.ts';
import { applyStrategicMergePatch } from '../../../shared/machinery/patch/strategic.ts';
import { type PatchAnswer, patchFingerprint, unpackPatchAnswers } from '../../lab/apply-oracle/patch-answers.ts';
import { createPatchCases, type PatchCase } from '../../lab/apply-oracle/patches.ts';

const recording = unpackPatchAnswers(readFileSync(new URL('./data/patches.jsonl.br', import.meta.url)));
const cases = createPatchCases(recording.seed, recording.count);

function apply({ kind, original, format, patch }: PatchCase): JsonValue {
  if (format === 'json') return applyJsonPatch(original, parseJsonPatch(patch));
  if (format === 'merge') return applyMergePatch(original, patch);
  const schema = builtInSchema(kind.group, kind.version, kind.kind);
  if (schema === undefined) throw new Error(`${kind.kind} has no schema`);
  return applyStrategicMergePatch(original, patch as JsonObject, schema);
}

function answer(one: PatchCase): PatchAnswer {
  try {
    return { type: 'ok', object: apply(one) };
  } catch (error) {
    if (error instanceof PatchError) return { type: 'failed', messages: [asKubectlSays(error.message)] };
    throw error;
  }
}

/** kubectl trims, and words this one fault its own way. */
function asKubectlSays(message: string): string {
  const missing = /^replace operation does not apply: doc is missing key: (.*)$/.exec(message)?.[1];
  return missing === undefined ? message.trim() : `Object to be patched is missing field (${missing})`;
}

/** A patch with several faults may be refused for any of them; one that crashed the library may be answered in any orderly way. */
function isSame(ours: PatchAnswer, wanted: PatchAnswer | undefined): boolean {
  if (wanted?.type === 'panicked') return true;
  if (ours.type === 'ok') return wanted?.type === 'ok' && deepEqual(ours.object, wanted.object);
  if (ours.type !== 'failed' || wanted?.type !== 'failed') return false;
  return wanted.messages.length > 1 || deepEqual(ours.messages, wanted.messages);
}

describe('patches give what kubectl gives', () => {
  test('the recording belongs to these cases', () => {
    expect(patchFingerprint(cases)).toBe(recording.fingerprint);
    expect(recording.answers).toHaveLength(cases.length);
    const single = recording.answers.filter((one) => one.type === 'failed' && one.messages.length === 1);
    expect(single.length).toBeGreaterThan(100);
  });

  test.each([['json'], ['merge'], ['strategic']])('%s', (format) => {
    const different = cases.flatMap((one, index) => {
      if (one.format !== format) return [];
      const [document, patch] = [cloneJson(one.original), cloneJson(one.patch)];
      const ours = answer(one);
      expect(one.original, 'the document is not changed').toEqual(document);
      expect(one.patch, 'the patch is not changed').toEqual(patch);
      return isSame(ours, recording.answers[index]) ? [] : [{ index, ours, wanted: recording.answers[index] }];
    });
    expect(different).toEqual([]);
  });
});
