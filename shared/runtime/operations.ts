/**
 * Store operations of workers. They go around the HTTP handlers but not around the rules: identity, generation and deletion are apis/lifecycle's;
 * managedFields are carried as they stand.
 */
import type { ResourceDefinition } from '../apis/definition.ts';
import { isUnchanged, mustRemove, planDelete, prepareCreate, prepareUpdate } from '../apis/lifecycle.ts';
import { toStored } from '../apis/stored.ts';
import { cloneJson } from '../machinery/equality.ts';
import type { KubeObject } from '../machinery/object.ts';
import type { ObjectStore, WriteOperation, WriteOutcome } from '../ports/object-store.ts';
import { OPERATIONS_PER_WRITE_MAX } from './limits.ts';
import type { Loaded } from './objects.ts';

/**
 * What of an object a worker writes: all but status, status alone, both, as the subresource `finalize` of namespaces, or `feedback`:
 * annotations and finalizers of ours on a user's object. Feedback is no change of what the user wants, so the generation stays, also for
 * kinds that count changes of annotations (apps/v1): otherwise every decision would make the source look unobserved.
 */
export type WritePart = 'object' | 'status' | 'objectAndStatus' | 'finalize' | 'feedback';

/** A create. `part` `objectAndStatus` keeps the given status, which the API would drop. */
export function createOperation(
  definition: ResourceDefinition,
  object: KubeObject,
  { now, uid, part = 'object' }: { now: number; uid: string; part?: WritePart },
): WriteOperation {
  const prepared = prepareCreate(definition, cloneJson(object), { now, uid });
  if (part === 'objectAndStatus' && object.status !== undefined) prepared.status = cloneJson(object.status);
  return { type: 'create', object: toStored(definition, prepared) };
}

/**
 * An update from what was read to `object`; undefined when that changes nothing. An object that is being deleted and has no
 * finalizers left is removed instead.
 */
export function updateOperation(
  definition: ResourceDefinition,
  from: Loaded,
  object: KubeObject,
  { now, part = 'object' }: { now: number; part?: WritePart },
): WriteOperation | undefined {
  const subresource = part === 'status' || part === 'finalize' ? part : '';
  const prepared = prepareUpdate(definition, cloneJson(object), from.object, { now, subresource });
  if (part === 'objectAndStatus' && object.status !== undefined) prepared.status = cloneJson(object.status);
  const { generation } = from.object.metadata;
  if (part === 'feedback' && generation !== undefined) prepared.metadata.generation = generation;
  const expected = from.stored.resourceVersion;
  const next = { ...toStored(definition, prepared), managedFields: from.stored.managedFields };
  if (mustRemove(definition, prepared)) return { type: 'delete', object: next, expected };
  if (isUnchanged(prepared, from.object)) return undefined;
  return { type: 'update', object: next, expected };
}

/** A removal, finalizers or not: only for objects that are wholly ours. */
export function removeOperation(from: Loaded): WriteOperation {
  const { resourceVersion, ...object } = from.stored;
  return { type: 'delete', object, expected: resourceVersion };
}

/** What a DELETE through the API would do: removal, a deletion mark while finalizers remain, or nothing. */
export function deleteOperation(
  definition: ResourceDefinition,
  from: Loaded,
  { now, propagationPolicy }: { now: number; propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' },
): WriteOperation | undefined {
  const plan = planDelete(definition, cloneJson(from.object), propagationPolicy ? { propagationPolicy } : {}, now);
  if (plan.type === 'unchanged' || (plan.type === 'mark' && isUnchanged(plan.object, from.object))) return undefined;
  const object = { ...toStored(definition, plan.object), managedFields: from.stored.managedFields };
  return { type: plan.type === 'remove' ? 'delete' : 'update', object, expected: from.stored.resourceVersion };
}

/**
 * Writes independent operations, four per store write. Answers the first outcome that is not `committed`; the writes before it stand.
 */
export async function writeAll(
  objects: Pick<ObjectStore, 'write'>,
  operations: readonly (WriteOperation | undefined)[],
  writer: string,
): Promise<WriteOutcome> {
  const wanted = operations.filter((operation) => operation !== undefined);
  let outcome: WriteOutcome = { type: 'committed', resourceVersions: [] };
  for (let start = 0; start < wanted.length; start += OPERATIONS_PER_WRITE_MAX) {
    outcome = await objects.write({ operations: wanted.slice(start, start + OPERATIONS_PER_WRITE_MAX), writer });
    if (outcome.type !== 'committed') return outcome;
  }
  return outcome;
}
