/** Plays one recorded step on the pure functions and says what differs from the recorded answer. */
import { deepEqual } from '../../../../shared/machinery/equality.ts';
import type { JsonObject, JsonValue, KubeObject, ManagedFieldsEntry } from '../../../../shared/machinery/object.ts';
import {
  applyConfiguration,
  conflictStatus,
  keepTimes,
  resetFieldsOf,
  trackUpdate,
} from '../../../../shared/machinery/patch/apply/apply.ts';
import { applyJsonPatch, PatchError, parseJsonPatch } from '../../../../shared/machinery/patch/json.ts';
import { applyMergePatch } from '../../../../shared/machinery/patch/merge.ts';
import { applyStrategicMergePatch } from '../../../../shared/machinery/patch/strategic.ts';
import type { ObjectSchema } from '../../../../shared/machinery/schema/schema.ts';
import type { Answer } from '../../../lab/apply-oracle/answers.ts';
import type { OracleKind } from '../../../lab/apply-oracle/kinds/kind.ts';
import { changed } from '../../../lab/apply-oracle/record.ts';
import type { Step } from '../../../lab/apply-oracle/sequences.ts';
import { differences } from './covers.ts';
import { isDropped, isServerField, withDropped, withoutAllocated } from './server-fields.ts';

/** `live`: the object as the server had it before the step; undefined: there was none. */
export type Replay = { kind: OracleKind; schema: ObjectSchema; live: KubeObject | undefined; step: Step; answer: Answer };

/** What differs, in words; empty when the pure functions answer as the server did. Of its clock only the Date header is known, to a second. */
export function replayStep(replay: Replay): string[] {
  const date = Date.parse(replay.answer.date);
  const attempts = [date, date - 1000].map((now) => replayAt(replay, now));
  return attempts.find((found) => found.length === 0) ?? attempts[0] ?? [];
}

function replayAt(replay: Replay, now: number): string[] {
  return replay.step.type === 'apply' ? replayApply(replay, replay.step, now) : replayWrite(replay, replay.step, now);
}

function replayApply({ kind, schema, live, answer }: Replay, step: Step & { type: 'apply' }, now: number): string[] {
  const { manager, force, subresource } = step;
  const resetFields = resetFieldsOf(kind, subresource, kind.status !== undefined || kind.kind === 'PodDisruptionBudget');
  const config = step.config as unknown as KubeObject;
  if (live === undefined && subresource !== '') return [];
  const input = { live, config, schema, manager, force, subresource, now, resetFields, kind };
  const outcome = applyConfiguration(input);
  if (outcome.type === 'conflict') {
    const resource = { group: kind.group, resource: kind.plural };
    return compareStatus(conflictStatus(resource, '', outcome.conflicts).status, answer);
  }
  if (outcome.type === 'invalid') return compareInvalid(outcome, answer);
  if (answer.code >= 300)
    return isRefusedLater(answer) ? [] : [`applied, but the server said ${answer.code}: ${message(answer)}`];
  const stored = answer.body as unknown as KubeObject;
  const entries = outcome.object.metadata.managedFields ?? [];
  const kept = live === undefined ? entries : keepTimes(live, { ...stored }, entries);
  return [
    ...compareEntries(kept, stored.metadata.managedFields ?? []),
    ...compareObjects(kind, outcome.object, stored, live, subresource),
  ];
}

/** Validation and admission come after the merge: 422 and 403 say nothing about it. */
function isRefusedLater({ code }: Answer): boolean {
  return code === 422 || code === 403 || code === 404;
}

function compareInvalid(outcome: { message: string; code: number }, answer: Answer): string[] {
  const wanted = message(answer);
  if (outcome.code === answer.code && wanted === outcome.message) return [];
  return [`refused with ${outcome.code} ${outcome.message}, but the server said ${answer.code} ${wanted}`];
}

function message({ body }: Answer): string {
  return String(body.message);
}

type ConflictStatus = { message?: JsonValue; reason?: JsonValue; details?: JsonValue };

function compareStatus(ours: ConflictStatus, { code, body }: Answer): string[] {
  const [made, wanted] = [sortedCauses(ours), sortedCauses(body as ConflictStatus)];
  return code === 409 && deepEqual(made, wanted)
    ? []
    : [`conflict ${JSON.stringify(made)}, the server said ${code} ${JSON.stringify(wanted)}`];
}

/** Upstream lists causes of several managers in random order; the message is sorted. */
function sortedCauses({ message: text, reason, details }: ConflictStatus): JsonObject {
  const causes = (details as { causes?: JsonValue[] } | null)?.causes ?? [];
  return { text: text ?? '', reason: reason ?? '', causes: causes.map((cause) => JSON.stringify(cause)).sort() };
}

function replayWrite(
  { kind, schema, live, answer, step }: Replay,
  write: Exclude<Step, { type: 'apply' }>,
  now: number,
): string[] {
  if (answer.code >= 300) return refusedPatch(write, answer, live, schema);
  const stored = answer.body as unknown as KubeObject;
  const subresource = step.type === 'create' ? '' : step.subresource;
  const written = write.type === 'create' ? (write.object as unknown as KubeObject) : writtenObject(write, live, schema);
  if (typeof written === 'string') return [written];
  const completed = completedObject(kind, written, stored, live);
  const resetFields = resetFieldsOf(kind, subresource, kind.status !== undefined || kind.kind === 'PodDisruptionBudget');
  const input = { old: live, new: completed, schema, manager: step.manager, subresource, now, resetFields };
  const entries = trackUpdate(input);
  const wanted = stored.metadata.managedFields ?? [];
  // Upstream passes the entries of /scale through untyped maps, which sorts the members of fieldsV1 as text.
  const same = subresource === 'scale' && deepEqual(entries, wanted);
  return [...(same ? [] : compareEntries(entries, wanted)), ...compareObjects(kind, written, stored, live, subresource)];
}

/** A JSON patch that the server could not apply must fail here, too. Its Status does not say why. */
function refusedPatch(step: Step, answer: Answer, live: KubeObject | undefined, schema: ObjectSchema): string[] {
  if (step.type !== 'patch' || live === undefined || !message(answer).startsWith('the server rejected our request')) return [];
  const written = writtenObject(step, live, schema);
  return typeof written === 'string' ? [] : [`the server refused the patch, ours gives ${JSON.stringify(written)}`];
}

/** The written object as the server completed it, before admission; managedFields are those of the request. */
function completedObject(kind: OracleKind, written: KubeObject, stored: KubeObject, live: KubeObject | undefined): KubeObject {
  const whole = stored as unknown as JsonObject;
  const seen =
    live === undefined ? (withoutAllocated(kind.kind, whole, written as unknown as JsonObject) as unknown as KubeObject) : stored;
  const { managedFields: _stored, ...metadata } = seen.metadata;
  const { managedFields } = written.metadata;
  const emptyLists = Object.entries(written).filter(
    ([key, value]) => Array.isArray(value) && value.length === 0 && seen[key] === null,
  );
  const completed = { ...withDropped(kind.kind, seen, written), ...Object.fromEntries(emptyLists) }; // storage turns `[]` into null
  return { ...completed, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

function writtenObject(
  step: Exclude<Step, { type: 'apply' | 'create' }>,
  live: KubeObject | undefined,
  schema: ObjectSchema,
): KubeObject | string {
  if (live === undefined) return 'written, though it was not there';
  const document = live as unknown as JsonObject;
  if (step.type === 'update') return changed(document, step) as unknown as KubeObject;
  if (step.subresource === 'scale') return applyMergePatch(document, step.body) as unknown as KubeObject;
  try {
    return patched(document, step, schema) as unknown as KubeObject;
  } catch (error) {
    if (error instanceof PatchError) return `the patch failed: ${error.message}`;
    throw error;
  }
}

function patched(document: JsonObject, { format, body }: Step & { type: 'patch' }, schema: ObjectSchema): JsonValue {
  if (format === 'json') return applyJsonPatch(document, parseJsonPatch(body));
  return format === 'merge' ? applyMergePatch(document, body) : applyStrategicMergePatch(document, body as JsonObject, schema);
}

function compareEntries(ours: readonly ManagedFieldsEntry[], wanted: readonly ManagedFieldsEntry[]): string[] {
  if (JSON.stringify(sortedKeys(ours)) === JSON.stringify(sortedKeys(wanted))) return [];
  return [`managedFields\n  ours   ${JSON.stringify(ours)}\n  server ${JSON.stringify(wanted)}`];
}

/** Members of an entry in one order, those of fieldsV1 as they are: their order is part of what is compared. */
function sortedKeys(entries: readonly ManagedFieldsEntry[]): JsonValue {
  return entries.map(({ manager, operation, apiVersion, time, fieldsType, fieldsV1, subresource }) => [
    manager ?? null,
    operation ?? null,
    apiVersion ?? null,
    time ?? null,
    fieldsType ?? null,
    (fieldsV1 ?? null) as JsonValue,
    subresource ?? null,
  ]);
}

/** Status is reset by writes to the object itself, spec by writes to status: only what the write may change is compared. */
function compareObjects(
  kind: OracleKind,
  made: KubeObject,
  stored: KubeObject,
  live: KubeObject | undefined,
  subresource: string,
): string[] {
  const parts = ([object]: [KubeObject]): JsonObject => {
    const { apiVersion: _a, kind: _k, metadata, status, ...rest } = object as unknown as JsonObject;
    if (subresource === 'status') return { status: status ?? {} };
    const {
      managedFields: _m,
      generation: _g,
      resourceVersion: _r,
      uid: _u,
      creationTimestamp: _t,
      namespace: _n,
      ...meta
    } = metadata as JsonObject;
    return { metadata: meta, ...rest };
  };
  const adds = (path: string, value: JsonValue): boolean =>
    isServerField(kind.kind, path, value) || isAllocated(kind.kind, path, live);
  const seen =
    live === undefined ? withoutAllocated(kind.kind, stored as unknown as JsonObject, made as unknown as JsonObject) : stored;
  return differences(parts([made]), parts([seen as KubeObject]), { adds, drops: (path) => isDropped(kind.kind, path) });
}

function isAllocated(kind: string, path: string, live: KubeObject | undefined): boolean {
  return live === undefined && kind === 'Pod' && path === 'spec.tolerations';
}
