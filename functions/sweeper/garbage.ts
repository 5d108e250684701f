/**
 * Garbage collection as kube-controller-manager does it (kube-api reference 2.9): background, foreground, orphan. The control plane and
 * every simulated member use it, so it needs a store and a registry and nothing else.
 */
import type { Registry, ResourceDefinition } from '../../shared/apis/definition.ts';
import { fromStored, type ObjectRef, storedScope } from '../../shared/apis/stored.ts';
import { INTERNAL_ORPHAN_ANNOTATION } from '../../shared/federation/keys.ts';
import { FEDERATE_FINALIZER } from '../../shared/federation/plan/keys.ts';
import type { KubeObject, OwnerReference } from '../../shared/machinery/object.ts';
import { parseApiVersion } from '../../shared/machinery/resource.ts';
import type { Index, ObjectStore, WriteOperation } from '../../shared/ports/object-store.ts';
import type { Clock } from '../../shared/ports/system.ts';
import { OPERATIONS_PER_WRITE_MAX } from '../../shared/runtime/limits.ts';
import type { Loaded } from '../../shared/runtime/objects.ts';
import { deleteOperation, updateOperation } from '../../shared/runtime/operations.ts';
import { done, type ReconcileResult, requeueAfter } from '../../shared/runtime/reconcile.ts';
import { backoffMs } from '../../shared/runtime/retry.ts';
import { WAIT_BASE_MS, WAIT_MAX_MS } from './limits.ts';

export type GarbageDeps = {
  objects: Pick<ObjectStore, 'get' | 'list' | 'write'>;
  index: Index;
  registry: () => Registry;
  clock: Clock;
};

/** Who writes, for the relay and the log. */
export const SWEEPER = 'sweeper';

/** Deletes the dependents of a uid that is gone; where another owner still stands, only the dangling references go. */
export async function reconcileOwnerGone(deps: GarbageDeps, uid: string, attempt: number): Promise<ReconcileResult> {
  const operations: WriteOperation[] = [];
  for (const ref of await deps.index.dependents(uid)) {
    const dependent = await load(deps, ref);
    const operation = dependent && (await collect(deps, dependent));
    if (operation) operations.push(operation);
  }
  return written(await writeEach(deps, operations), operations.length, uid, attempt);
}

/** Acts on the finalizers `orphan` and `foregroundDeletion` of an object that is being deleted. */
export async function reconcileDeleting(deps: GarbageDeps, ref: ObjectRef, attempt: number): Promise<ReconcileResult> {
  const owner = await load(deps, ref);
  const finalizers = owner?.object.metadata.finalizers ?? [];
  if (!owner || owner.object.metadata.deletionTimestamp === undefined) return done('not being deleted');
  const uid = owner.stored.uid;
  if (finalizers.includes('orphan')) {
    const operations = await orphaning(deps, uid);
    if (!(await writeEach(deps, operations))) return waitFor(uid, attempt, 'a dependent changed meanwhile');
    return dropFinalizer(deps, owner, 'orphan', attempt);
  }
  if (!finalizers.includes('foregroundDeletion')) return done('no finalizer of garbage collection');
  const { blocking, operations } = await foreground(deps, uid);
  await writeEach(deps, operations);
  if (blocking > 0) return waitFor(uid, attempt, `${blocking} dependents are still there`);
  return dropFinalizer(deps, owner, 'foregroundDeletion', attempt);
}

/** What is to happen to one dependent. */
async function collect(deps: GarbageDeps, dependent: Loaded): Promise<WriteOperation | undefined> {
  const definition = definitionOf(deps, dependent.stored.scope);
  const owners = dependent.object.metadata.ownerReferences ?? [];
  const standing: OwnerReference[] = [];
  for (const owner of owners) if (await stands(deps, dependent.object, owner)) standing.push(owner);
  if (standing.length === owners.length) return undefined;
  const now = deps.clock.now();
  if (standing.length === 0)
    return deleteOperation(definition, dependent, { now, propagationPolicy: policyFor(dependent.object) });
  const metadata = { ...dependent.object.metadata, ownerReferences: standing };
  return updateOperation(definition, dependent, { ...dependent.object, metadata }, { now });
}

/**
 * Background unless a finalizer asks for more, as kube-controller-manager deletes. The kind's own default is for people's requests: a Job's is to
 * leave its pods behind, and a Job whose CronJob is gone would wait for ever.
 */
export function policyFor({ metadata }: KubeObject): 'Background' | 'Foreground' | 'Orphan' {
  const finalizers = metadata.finalizers ?? [];
  if (finalizers.includes('orphan')) return 'Orphan';
  return finalizers.includes('foregroundDeletion') ? 'Foreground' : 'Background';
}

/** An owner counts by uid; one of a kind that is not served cannot be looked up, and then nothing is deleted on a guess. */
async function stands(deps: GarbageDeps, dependent: KubeObject, owner: OwnerReference): Promise<boolean> {
  const { group, version } = parseApiVersion(owner.apiVersion);
  const definition = deps.registry().byKind(group, version, owner.kind);
  if (!definition) return true;
  const namespace = definition.namespaced ? (dependent.metadata.namespace ?? '') : '';
  const stored = await deps.objects.get({ scope: storedScope(definition), namespace, name: owner.name });
  return stored?.uid === owner.uid;
}

async function orphaning(deps: GarbageDeps, uid: string): Promise<WriteOperation[]> {
  const operations: WriteOperation[] = [];
  for (const ref of await deps.index.dependents(uid)) {
    const dependent = await load(deps, ref);
    if (!dependent) continue;
    const ownerReferences = (dependent.object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
    const object = { ...dependent.object, metadata: { ...dependent.object.metadata, ownerReferences } };
    const operation = updateOperation(definitionOf(deps, ref.scope), dependent, object, { now: deps.clock.now() });
    if (operation) operations.push(operation);
  }
  return operations;
}

/** Deletions of the dependents that hold the owner back, and how many there are. Those that do not block go when the owner is gone. */
async function foreground(deps: GarbageDeps, uid: string): Promise<{ blocking: number; operations: WriteOperation[] }> {
  const operations: WriteOperation[] = [];
  let blocking = 0;
  for (const ref of await deps.index.dependents(uid)) {
    const dependent = await load(deps, ref);
    const owner = dependent?.object.metadata.ownerReferences?.find((reference) => reference.uid === uid);
    if (!dependent || !owner?.blockOwnerDeletion) continue;
    const below = await deps.index.dependents(dependent.stored.uid);
    if (await someWait(deps, below)) {
      // A circle: each would wait for the next. It blocks nobody any more, and goes when its owner is gone.
      const operation = unblocking(deps, dependent);
      if (operation) operations.push(operation);
      continue;
    }
    blocking += 1;
    if (dependent.object.metadata.deletionTimestamp !== undefined) continue;
    const operation = deleteOperation(definitionOf(deps, ref.scope), dependent, {
      now: deps.clock.now(),
      propagationPolicy: below.length > 0 ? 'Foreground' : 'Background',
    });
    if (operation) operations.push(operation);
  }
  return { blocking, operations };
}

/** Is one of them waiting for its own dependents? As kube-controller-manager guesses a circle; it may guess wrong, and then somebody goes too early. */
async function someWait(deps: GarbageDeps, refs: readonly ObjectRef[]): Promise<boolean> {
  for (const ref of refs) {
    const { deletionTimestamp, finalizers } = (await load(deps, ref))?.object.metadata ?? {};
    if (deletionTimestamp !== undefined && finalizers?.includes('foregroundDeletion')) return true;
  }
  return false;
}

/** Takes `blockOwnerDeletion` off all its references. */
function unblocking(deps: GarbageDeps, dependent: Loaded): WriteOperation | undefined {
  const { object, stored } = dependent;
  const ownerReferences = (object.metadata.ownerReferences ?? []).map((owner) => ({ ...owner, blockOwnerDeletion: false }));
  const next = { ...object, metadata: { ...object.metadata, ownerReferences } };
  return updateOperation(definitionOf(deps, stored.scope), dependent, next, { now: deps.clock.now() });
}

async function dropFinalizer(deps: GarbageDeps, owner: Loaded, finalizer: string, attempt: number): Promise<ReconcileResult> {
  const { metadata } = owner.object;
  const finalizers = (metadata.finalizers ?? []).filter((name) => name !== finalizer);
  // Copies on the members are dependents too, in their way: what is orphaned here stays there. Whoever takes them back may look after the finalizer is gone.
  const isFederated = finalizer === 'orphan' && finalizers.includes(FEDERATE_FINALIZER);
  const annotations = isFederated ? { ...metadata.annotations, [INTERNAL_ORPHAN_ANNOTATION]: 'all' } : metadata.annotations;
  const object = { ...owner.object, metadata: { ...metadata, finalizers, ...(annotations ? { annotations } : {}) } };
  const operation = updateOperation(definitionOf(deps, owner.stored.scope), owner, object, {
    now: deps.clock.now(),
    part: 'feedback',
  });
  const isWritten = await writeEach(deps, operation ? [operation] : []);
  return isWritten ? done(`finalizer ${finalizer} removed`) : waitFor(owner.stored.uid, attempt, 'the object changed meanwhile');
}

/** Loads without the parse cache: what is collected is read once. */
export async function load(deps: Pick<GarbageDeps, 'objects'>, ref: ObjectRef): Promise<Loaded | undefined> {
  const stored = await deps.objects.get(ref);
  return stored && { stored, object: fromStored(stored) };
}

/** The definition of a stored scope. Throws when nothing serves it: the log cannot hold such an object. */
export function definitionOf(deps: Pick<GarbageDeps, 'registry'>, scope: string): ResourceDefinition {
  const definition = deps.registry().byScope(scope);
  if (!definition) throw new Error(`nothing serves the stored scope ${scope}`);
  return definition;
}

/** Writes independent operations, four at a time; where one of four meets a change, the four are tried one by one. True when all were written. */
export async function writeEach(deps: Pick<GarbageDeps, 'objects'>, operations: readonly WriteOperation[]): Promise<boolean> {
  let all = true;
  for (let start = 0; start < operations.length; start += OPERATIONS_PER_WRITE_MAX) {
    const batch = operations.slice(start, start + OPERATIONS_PER_WRITE_MAX);
    const outcome = await deps.objects.write({ operations: batch, writer: SWEEPER });
    if (outcome.type === 'committed') continue;
    for (const operation of batch) {
      const single = await deps.objects.write({ operations: [operation], writer: SWEEPER });
      all &&= single.type === 'committed';
    }
  }
  return all;
}

/** Asks again later: soon at first, every few seconds in the end. */
export function waitFor(key: string, attempt: number, reason: string): ReconcileResult {
  return requeueAfter(backoffMs(attempt, key, { baseMs: WAIT_BASE_MS, maxMs: WAIT_MAX_MS }), reason);
}

function written(isWritten: boolean, count: number, uid: string, attempt: number): ReconcileResult {
  return isWritten ? done(`${count} dependents collected`) : waitFor(uid, attempt, 'a dependent changed meanwhile');
}
