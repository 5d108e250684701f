/** CustomResourceDefinitions: names and conditions, and the instances of one that is being deleted (apiextensions' controllers). */
import { namedStatus, type WantedCondition, withCondition } from '../../shared/apis/custom/conditions.ts';
import { CLEANUP_FINALIZER, CRD_SCOPE, instanceScope, isCrdCondition, specOf } from '../../shared/apis/custom/crd.ts';
import { storageDefinition } from '../../shared/apis/custom/definitions.ts';
import { fromStored, type ObjectRef } from '../../shared/apis/stored.ts';
import type { Condition, KubeObject } from '../../shared/machinery/object.ts';
import { formatTime } from '../../shared/machinery/time.ts';
import type { WriteOperation } from '../../shared/ports/object-store.ts';
import { type Loaded, listStored } from '../../shared/runtime/objects.ts';
import { deleteOperation, updateOperation } from '../../shared/runtime/operations.ts';
import { done, type ReconcileResult } from '../../shared/runtime/reconcile.ts';
import { definitionOf, type GarbageDeps, load, SWEEPER, waitFor, writeEach } from './garbage.ts';

/** Brings one definition's status up to date, or deletes its instances and then lets it go. Safe to run at any time. */
export async function reconcileCrd(
  deps: GarbageDeps,
  { name }: Pick<ObjectRef, 'name'>,
  attempt: number,
): Promise<ReconcileResult> {
  const crd = await load(deps, { scope: CRD_SCOPE, namespace: '', name });
  if (!crd) return releaseNames(deps, name);
  const { deletionTimestamp, finalizers = [] } = crd.object.metadata;
  if (deletionTimestamp === undefined) return nameOne(deps, crd, attempt);
  if (!finalizers.includes(CLEANUP_FINALIZER)) return done('its other finalizers are somebody else’s');
  return cleanUp(deps, crd, attempt);
}

async function nameOne(deps: GarbageDeps, crd: Loaded, attempt: number): Promise<ReconcileResult> {
  const others = await definitionsOfGroup(deps, specOf(crd.object).group);
  const status = namedStatus(
    crd.object,
    others.map(({ object }) => object),
    formatTime(deps.clock.now()),
  );
  const isWritten = await writeStatus(deps, crd, { ...crd.object, status });
  if (!isWritten) return waitFor(crd.stored.name, attempt, 'the definition changed meanwhile');
  return done('named');
}

/** Names of a definition that is gone are free: those that wanted them get another turn. */
async function releaseNames(deps: GarbageDeps, name: string): Promise<ReconcileResult> {
  const group = name.slice(name.indexOf('.') + 1);
  for (const other of await definitionsOfGroup(deps, group))
    if (!isCrdCondition(other.object, 'NamesAccepted') && other.object.metadata.deletionTimestamp === undefined)
      await nameOne(deps, other, 0);
  return done('the definition is gone');
}

async function definitionsOfGroup(deps: GarbageDeps, group: string): Promise<Loaded[]> {
  const found: Loaded[] = [];
  for await (const stored of listStored(deps.objects, CRD_SCOPE))
    if (stored.name.endsWith(`.${group}`)) found.push({ stored, object: fromStored(stored) });
  return found;
}

/** Deletes what is there, and lets the definition go when nothing is left. Instances with finalizers of their own are waited for. */
async function cleanUp(deps: GarbageDeps, crd: Loaded, attempt: number): Promise<ReconcileResult> {
  const { name } = crd.stored;
  const skipped = reasonToSkip(deps, crd.object);
  const remaining = skipped ? 0 : await deleteInstances(deps, crd.object);
  if (remaining > 0) {
    await writeStatus(deps, crd, withTerminating(deps, crd.object, IN_PROGRESS));
    return waitFor(name, attempt, `${remaining} instances are still there`);
  }
  const object = withTerminating(deps, crd.object, skipped ?? COMPLETED);
  const finalizers = (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  const released = { ...object, metadata: { ...object.metadata, finalizers } };
  const operation = updateOperation(definitionOf(deps, CRD_SCOPE), crd, released, {
    now: deps.clock.now(),
    part: 'objectAndStatus',
  });
  if (operation === undefined) return done('nothing changed');
  const outcome = await deps.objects.write({ operations: [operation], writer: SWEEPER });
  return outcome.type === 'committed' ? done('released') : waitFor(name, attempt, 'the definition changed meanwhile');
}

const IN_PROGRESS: WantedCondition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const COMPLETED: WantedCondition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};

/** Objects under the same name that are not its instances must not go with it. */
function reasonToSkip(deps: GarbageDeps, crd: KubeObject): WantedCondition | undefined {
  const served = deps.registry().byScope(instanceScope(specOf(crd)));
  if (served && served.custom?.crd !== crd.metadata.name)
    return {
      type: 'Terminating',
      status: 'False',
      reason: 'OverlappingBuiltInResource',
      message: 'instances overlap with built-in resources in storage',
    };
  if (isCrdCondition(crd, 'Established')) return undefined;
  return { type: 'Terminating', status: 'False', reason: 'NeverEstablished', message: 'resource was never established' };
}

/** Marks or removes every instance; answers how many are left. */
async function deleteInstances(deps: GarbageDeps, crd: KubeObject): Promise<number> {
  const definition = storageDefinition(crd);
  if (definition === undefined) return 0;
  const scope = instanceScope(specOf(crd));
  const now = deps.clock.now();
  const operations: WriteOperation[] = [];
  for await (const stored of listStored(deps.objects, scope)) {
    const instance = { stored, object: fromStored(stored) };
    if (instance.object.metadata.deletionTimestamp !== undefined) continue;
    const operation = deleteOperation(definition, instance, { now, propagationPolicy: 'Background' });
    if (operation) operations.push(operation);
  }
  await writeEach(deps, operations);
  let remaining = 0;
  for await (const _stored of listStored(deps.objects, scope)) remaining += 1;
  return remaining;
}

function withTerminating(deps: GarbageDeps, crd: KubeObject, condition: WantedCondition): KubeObject {
  const conditions = (crd.status?.conditions ?? []) as Condition[];
  const time = formatTime(deps.clock.now());
  return { ...crd, status: { ...crd.status, conditions: withCondition(conditions, condition, time) } };
}

/** True when the status is as wanted, written or not. */
async function writeStatus(deps: GarbageDeps, crd: Loaded, object: KubeObject): Promise<boolean> {
  const operation = updateOperation(definitionOf(deps, CRD_SCOPE), crd, object, { now: deps.clock.now(), part: 'status' });
  return operation === undefined || writeEach(deps, [operation]);
}
