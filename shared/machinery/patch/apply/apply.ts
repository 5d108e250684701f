/**
 * Server-side apply and the tracking of field owners: the door of this folder. Pure; `now` comes from outside. Behaviour and texts are those
 * of Kubernetes 1.35 (apimachinery `managedfields`, structured-merge-diff v6.3.0), proved step by step against a recorded kube-apiserver.
 */
import { cloneJson, deepEqual } from '../../equality.ts';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../../object.ts';
import { getPath } from '../../paths.ts';
import { formatApiVersion, type GroupVersionKind, parseApiVersion } from '../../resource.ts';
import type { ObjectSchema, Schema } from '../../schema/schema.ts';
import { formatTime } from '../../time.ts';
import { type ApplyConflict, describeConflicts } from './conflict.ts';
import { emptyObject } from './empty-object.ts';
import { conflictsBeyondLastApplied, KUBECTL, refreshLastApplied } from './last-applied.ts';
import { type Actor, actorId, decodeManagers, encodeManagers, type Managers, secondsOf } from './managers.ts';
import { objectSchema } from './meta-schema.ts';
import { dropNulls } from './remove.ts';
import type { ResetFields } from './reset-fields.ts';
import { trackScale } from './scale.ts';
import { type ApplyResult, type ApplyStep, applyStep, capUpdateManagers, updateStep } from './update.ts';
import { typeErrors } from './validate.ts';
import type { ConvertVersion, Versions } from './versions.ts';

export { type ApplyConflict, conflictStatus } from './conflict.ts';
export { type ResetFields, resetFieldsOf } from './reset-fields.ts';
export type { ConvertVersion } from './versions.ts';

/** One apply request. */
export type ApplyInput = {
  /** The stored object with its managedFields, in the version that is applied; undefined: it does not exist yet. Not changed. */
  live: KubeObject | undefined;
  /** What the client applies, decoded from JSON or YAML but neither pruned nor defaulted. Not changed. */
  config: KubeObject;
  schema: ObjectSchema | undefined;
  manager: string;
  /** Take conflicting fields over. */
  force: boolean;
  /** Empty for the object itself. */
  subresource: string;
  /** Epoch ms. */
  now: number;
  /** `resetFieldsOf(kind, subresource, hasStatus)`. */
  resetFields: ResetFields;
  /** The kind the request is for; absent: that of the live object, if any. */
  kind?: GroupVersionKind;
  /** For kinds whose versions differ in structure. */
  convert?: ConvertVersion;
};

/**
 * `applied`: the merged object with its managedFields; neither defaulted nor validated, sharing nothing with the
 * input. Equal to `live` when the apply changes nothing.
 * `invalid`: the request cannot be applied; `code` is the HTTP status (400 or 500), `message` the Status message.
 */
export type ApplyOutcome =
  | { type: 'applied'; object: KubeObject }
  | { type: 'conflict'; conflicts: ApplyConflict[] }
  | { type: 'invalid'; message: string; code: 400 | 500 };

/** Applies `config` for `manager`. An object that nobody tracked yet belongs to `before-first-apply`. */
export function applyConfiguration(input: ApplyInput): ApplyOutcome {
  const fault = identityFault(input);
  if (fault !== undefined) return { type: 'invalid', message: fault, code: 400 };
  const decoded = decodeManagers(input.live?.metadata.managedFields);
  if (decoded.type === 'invalid')
    return { type: 'invalid', message: `failed to decode managed fields: ${decoded.message}`, code: 500 };
  const schema = objectSchema(input.schema);
  const config = input.config as unknown as JsonObject;
  const live = input.live === undefined ? {} : withoutManagedFields(input.live);
  const misfit = misfitOf(config, live, schema, input);
  if (misfit !== undefined) return { type: 'invalid', message: misfit, code: 500 };
  const step = firstStep(input, decoded.managers, live, config, schema);
  return finishApply(input, step, withKubectlRights(input, step, applyStep(step)));
}

function firstStep(input: ApplyInput, managers: Managers, live: JsonObject, config: JsonObject, schema: Schema): ApplyStep {
  const { manager, subresource, force, resetFields: reset } = input;
  const versions: Versions = { apiVersion: input.config.apiVersion, schema, convert: input.convert };
  const actor: Actor = { manager, operation: 'Apply', apiVersion: versions.apiVersion, subresource };
  const step: ApplyStep = { live, config, managers, actor, force, versions, reset };
  if (managers.size > 0 || input.live === undefined) return step;
  const before: Actor = { ...actor, manager: 'before-first-apply', operation: 'Update' };
  const time = formatTime(input.now);
  const owners = updateStep({ before: emptyObject(schema), after: live, managers, actor: before, time, versions, reset });
  return { ...step, managers: owners };
}

/** kubectl may take what client-side apply set. */
function withKubectlRights(input: ApplyInput, step: ApplyStep, result: ApplyResult): ApplyResult {
  if (result.type === 'applied' || input.manager !== KUBECTL) return result;
  const { apiVersion, schema } = step.versions;
  const conflicts = conflictsBeyondLastApplied(result.conflicts, step.live, apiVersion, schema);
  if (conflicts === undefined) return result;
  return conflicts.size > 0 ? { type: 'conflict', conflicts } : applyStep({ ...step, force: true });
}

function finishApply(input: ApplyInput, step: ApplyStep, result: ApplyResult): ApplyOutcome {
  if (result.type === 'conflict') return { type: 'conflict', conflicts: describeConflicts(result.conflicts, step.managers) };
  const { managers } = result;
  const id = actorId(step.actor);
  const own = managers.get(id);
  const changed = input.live === undefined || !deepEqual(step.live, result.object);
  if (own !== undefined && changed) managers.set(id, { ...own, time: formatTime(input.now) });
  const object = cloneJson(dropNulls(result.object, step.versions.schema)); // callers complete it in place; live stays as it is
  const refreshed = input.manager === KUBECTL ? refreshLastApplied(object, input.config) : object;
  return { type: 'applied', object: withManagedFields(refreshed as unknown as KubeObject, encodeManagers(managers)) };
}

/** One write of a whole object: create, update, or a patch that is no apply. */
export type UpdateInput = {
  /** As stored, with its managedFields; undefined: the object is created. */
  old: KubeObject | undefined;
  /** As it will be stored, defaulted, before admission. Its managedFields count when they are readable, save on subresources. */
  new: KubeObject;
  schema: ObjectSchema | undefined;
  manager: string;
  subresource: string;
  /** Epoch ms. */
  now: number;
  resetFields: ResetFields;
  convert?: ConvertVersion;
  /** Where the count is that a write to `/scale` changes; `spec.replicas` when absent. */
  replicasPath?: string;
};

/**
 * The managedFields of a written object: the manager takes what it added or changed, everybody loses what is gone. An empty list when the
 * object is not tracked: it never was, or the client reset it by writing `managedFields: []` or `[{}]`.
 */
export function trackUpdate(input: UpdateInput): ManagedFieldsEntry[] {
  const { old, new: next, manager, subresource, resetFields: reset } = input;
  const managers = claimedManagers(old, next, subresource);
  if (managers.size === 0 && old !== undefined) return [];
  if (subresource === 'scale' && old !== undefined) return trackCount(input, old, managers);
  const schema = objectSchema(input.schema);
  const versions: Versions = { apiVersion: next.apiVersion, schema, convert: input.convert };
  const actor: Actor = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion: next.apiVersion,
    subresource,
  };
  const before = old === undefined ? emptyObject(schema) : withoutManagedFields(old);
  const after = withoutManagedFields(next);
  const owners = updateStep({ before, after, managers, actor, time: formatTime(input.now), versions, reset });
  const entries = encodeManagers(capUpdateManagers(owners, secondsOf));
  return old === undefined ? entries : keepTimes(old, next, entries);
}

function trackCount(
  { new: next, manager, replicasPath: path = 'spec.replicas' }: UpdateInput,
  old: KubeObject,
  managers: Managers,
): ManagedFieldsEntry[] {
  const countOf = (object: KubeObject): number => Number(getPath(object as unknown as JsonObject, path) ?? 0);
  const write = { managers, manager, apiVersion: next.apiVersion, path, before: countOf(old), after: countOf(next) };
  return keepTimes(old, next, encodeManagers(trackScale(write)));
}

/** The owners a write starts from: what it says itself, else what is stored. */
function claimedManagers(old: KubeObject | undefined, next: KubeObject, subresource: string): Managers {
  const stored = (): Managers => managersOf(old?.metadata.managedFields);
  if (subresource !== '') return stored();
  const claimed = next.metadata.managedFields;
  if (isReset(claimed)) return new Map();
  const managers = managersOf(claimed);
  return managers.size === 0 ? stored() : managers;
}

function managersOf(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  const decoded = decodeManagers(entries);
  return decoded.type === 'ok' ? decoded.managers : new Map();
}

function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (entries === undefined) return false;
  const [only] = entries;
  return only === undefined || (entries.length === 1 && Object.keys(only).length === 0);
}

/**
 * The entries with the stored times when nothing but times would change: such a write is none. `next` is the object as it will be stored,
 * so apply's callers use it after defaulting. (apiserver: IgnoreManagedFieldsTimestampsTransformer.)
 */
export function keepTimes(old: KubeObject, next: KubeObject, entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const stored = old.metadata.managedFields ?? [];
  if (stored.length !== entries.length || stored.length === 0) return entries;
  const unchanged = stored.every((entry, index) => deepEqual({ ...entry, time: '' }, { ...entries[index], time: '' }));
  if (!unchanged || !deepEqual(withoutManagedFields(old), withoutManagedFields(next))) return entries;
  return entries.map((entry, index) => {
    const { time: _now, ...rest } = entry;
    const time = stored[index]?.time;
    return time === undefined ? rest : { ...rest, time };
  });
}

function withoutManagedFields(object: KubeObject): JsonObject {
  const { managedFields: _entries, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as JsonObject;
}

function withManagedFields(object: KubeObject, managedFields: ManagedFieldsEntry[]): KubeObject {
  const { managedFields: _entries, ...metadata } = object.metadata;
  return { ...object, metadata: managedFields.length > 0 ? { ...metadata, managedFields } : metadata };
}

function identityFault({ config, live, kind }: ApplyInput): string | undefined {
  const expected = kind ?? (live === undefined ? undefined : { ...parseApiVersion(live.apiVersion), kind: live.kind });
  if (expected !== undefined) {
    const apiVersion = formatApiVersion(expected.group, expected.version);
    if (config.kind !== expected.kind || config.apiVersion !== apiVersion) return `invalid object type: ${kindText(config)}`;
  }
  return config.metadata.managedFields === undefined || config.metadata.managedFields === null
    ? undefined
    : 'metadata.managedFields must be nil';
}

function misfitOf(config: JsonObject, live: JsonObject, schema: Schema, input: ApplyInput): string | undefined {
  const applied = typeErrors(config, schema, 'rejectDuplicates');
  if (applied !== undefined) return `failed to create typed patch object (${describe(input.config)}): ${applied}`;
  const stored = typeErrors(live, schema, 'allowDuplicates');
  return stored === undefined
    ? undefined
    : `failed to create typed live object (${describe(input.live ?? input.config)}): ${stored}`;
}

function describe(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}; ${kindText(object)}`;
}

/** As Go prints a GroupVersionKind: the core group leaves its slash. */
function kindText({ apiVersion, kind }: KubeObject): string {
  const { group, version } = parseApiVersion(apiVersion);
  return `${group}/${version}, Kind=${kind}`;
}
