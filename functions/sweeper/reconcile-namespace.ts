/** Namespace deletion (kube-api reference 2.7): contents first, pods before everything else, then the finalizer `kubernetes`. */
import type { ResourceDefinition } from '../../shared/apis/definition.ts';
import { fromStored, storedScope } from '../../shared/apis/stored.ts';
import type { Condition, KubeObject } from '../../shared/machinery/object.ts';
import { formatGroupResource, parseScope } from '../../shared/machinery/resource.ts';
import { formatTime } from '../../shared/machinery/time.ts';
import type { WriteOperation } from '../../shared/ports/object-store.ts';
import { type Loaded, listStored } from '../../shared/runtime/objects.ts';
import { deleteOperation, updateOperation } from '../../shared/runtime/operations.ts';
import { done, type ReconcileResult } from '../../shared/runtime/reconcile.ts';
import { definitionOf, type GarbageDeps, load, SWEEPER, waitFor, writeEach } from './garbage.ts';

const NAMESPACES = '/namespaces';
const PODS = '/pods';
const FINALIZER = 'kubernetes';

/** What is left of one resource: how many objects, and which finalizers hold them. */
type Remaining = { scope: string; count: number; finalizers: ReadonlyMap<string, number> };

/** Empties a namespace that is being deleted; answers `requeueAfter` while something in it waits for a finalizer. */
export async function reconcileNamespace(deps: GarbageDeps, name: string, attempt: number): Promise<ReconcileResult> {
  const namespace = await load(deps, { scope: NAMESPACES, namespace: '', name });
  if (!namespace || namespace.object.metadata.deletionTimestamp === undefined) return done('not being deleted');
  const remaining = await deleteContents(deps, name);
  if (remaining.length > 0) {
    await reportRemaining(deps, namespace, remaining);
    return waitFor(name, attempt, `still in it: ${summary(remaining)}`);
  }
  const finalizers = ((namespace.object.spec?.finalizers ?? []) as string[]).filter((finalizer) => finalizer !== FINALIZER);
  const object = { ...namespace.object, spec: { ...namespace.object.spec, finalizers } };
  const operation = updateOperation(definitionOf(deps, NAMESPACES), namespace, object, {
    now: deps.clock.now(),
    part: 'finalize',
  });
  if (!operation) return done('its other finalizers are somebody else’s');
  const outcome = await deps.objects.write({ operations: [operation], writer: SWEEPER });
  return outcome.type === 'committed' ? done('empty') : waitFor(name, attempt, 'the namespace changed meanwhile');
}

/** Deletes what is in the namespace; answers what is still there afterwards. Everything else waits for the pods (KEP-5080). */
async function deleteContents(deps: GarbageDeps, namespace: string): Promise<Remaining[]> {
  const scopes = contentScopes(deps.registry().all());
  const pods = await deleteScope(deps, PODS, namespace);
  if (pods) return [pods];
  const remaining: Remaining[] = [];
  for (const scope of scopes) {
    const left = scope === PODS ? undefined : await deleteScope(deps, scope, namespace);
    if (left) remaining.push(left);
  }
  return remaining;
}

function contentScopes(definitions: readonly ResourceDefinition[]): Set<string> {
  const stored = definitions.filter((definition) => definition.namespaced && !definition.virtual);
  return new Set(stored.map(storedScope));
}

async function deleteScope(deps: GarbageDeps, scope: string, namespace: string): Promise<Remaining | undefined> {
  const operations: WriteOperation[] = [];
  const now = deps.clock.now();
  for await (const stored of listStored(deps.objects, scope, namespace)) {
    const content = { stored, object: fromStored(stored) };
    if (content.object.metadata.deletionTimestamp !== undefined) continue;
    const operation = deleteOperation(definitionOf(deps, scope), content, { now, propagationPolicy: 'Background' });
    if (operation) operations.push(operation);
  }
  await writeEach(deps, operations);
  const finalizers = new Map<string, number>();
  let count = 0;
  for await (const stored of listStored(deps.objects, scope, namespace)) {
    count += 1;
    for (const finalizer of fromStored(stored).metadata.finalizers ?? [])
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  }
  return count === 0 ? undefined : { scope, count, finalizers };
}

function summary(remaining: readonly Remaining[]): string {
  return remaining
    .map(({ scope, count }) => `${formatGroupResource(parseScope(scope))} has ${count} resource instances`)
    .sort()
    .join(', ');
}

/** The conditions that kubectl shows for a namespace that hangs; texts as the upstream namespace controller words them. */
async function reportRemaining(deps: GarbageDeps, namespace: Loaded, remaining: readonly Remaining[]): Promise<void> {
  const totals = new Map<string, number>();
  for (const { finalizers } of remaining)
    for (const [finalizer, count] of finalizers) totals.set(finalizer, (totals.get(finalizer) ?? 0) + count);
  const held = [...totals]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  const content: Wanted = {
    type: 'NamespaceContentRemaining',
    status: 'True',
    reason: 'SomeResourcesRemain',
    message: `Some resources are remaining: ${summary(remaining)}`,
  };
  const finalizing: Wanted =
    held.length > 0
      ? {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizersRemain',
          message: `Some content in the namespace has finalizers remaining: ${held.join(', ')}`,
        }
      : {
          type: 'NamespaceFinalizersRemaining',
          status: 'False',
          reason: 'ContentHasNoFinalizers',
          message: 'All content-preserving finalizers finished',
        };
  const time = formatTime(deps.clock.now());
  const conditions = [...NOTHING_FAILED, content, finalizing].reduce(
    (list, condition) => withCondition(list, condition, time),
    (namespace.object.status?.conditions ?? []) as Condition[],
  );
  const object: KubeObject = { ...namespace.object, status: { ...namespace.object.status, conditions } };
  const operation = updateOperation(definitionOf(deps, NAMESPACES), namespace, object, { now: deps.clock.now(), part: 'status' });
  if (operation) await writeEach(deps, [operation]);
}

type Wanted = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** What upstream reports beside: here everything is discovered and deleted in one store, so none of it can fail by itself. */
const NOTHING_FAILED: readonly Wanted[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    status: 'False',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    status: 'False',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    status: 'False',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
];

function withCondition(conditions: readonly Condition[], wanted: Wanted, time: string): Condition[] {
  const old = conditions.find((condition) => condition.type === wanted.type);
  const lastTransitionTime = old?.status === wanted.status ? (old.lastTransitionTime ?? time) : time;
  return [...conditions.filter((condition) => condition.type !== wanted.type), { ...wanted, lastTransitionTime } as Condition];
}
