/** From the records of one object to the store operations that make its documents say what the members report. */
import type { ResourceDefinition } from '../../shared/apis/definition.ts';
import { storedScope } from '../../shared/apis/stored.ts';
import { aggregateStatus } from '../../shared/federation/status/aggregate.ts';
import { collectedPaths, isAggregated } from '../../shared/federation/status/collect.ts';
import { placedClusters, type ReportingCluster } from '../../shared/federation/status/context.ts';
import { collectedStatus, propagatedVersion } from '../../shared/federation/status/documents.ts';
import { type ClusterRecord, federatedStatus } from '../../shared/federation/status/federated.ts';
import { sourceReplicaSets } from '../../shared/federation/status/replica-sets.ts';
import { companionScopes, type FederatedType, SCOPES } from '../../shared/federation/type-config.ts';
import type { Condition, JsonObject, KubeObject } from '../../shared/machinery/object.ts';
import type { WriteOperation } from '../../shared/ports/object-store.ts';
import { eventOperation, type WorkerEvent } from '../../shared/runtime/events.ts';
import type { Loaded } from '../../shared/runtime/objects.ts';
import { createOperation, removeOperation, updateOperation } from '../../shared/runtime/operations.ts';
import type { StatusDeps } from './deps.ts';

export type FoldInput = {
  type: FederatedType;
  federated: Loaded;
  source: Loaded | undefined;
  records: readonly ClusterRecord[];
  clusters: readonly ReportingCluster[];
};

/** `first` is what users wait for; `after` may follow in more. */
export type FoldOutput = {
  first: WriteOperation[];
  after: WriteOperation[];
  status: JsonObject | undefined;
  /** All clusters of the object have what they are to have. */
  arrived: boolean;
  /** It arrived since the last fold. */
  dispatched: boolean;
};

/** Computes what would change; everything that stands already is left out. */
export async function foldObject(deps: StatusDeps, input: FoldInput): Promise<FoldOutput> {
  const now = deps.clock.now();
  const { federated, source, records } = input;
  const own = federatedStatus({ federated: federated.object, records, now });
  const aggregated = aggregate(deps, input, now);
  const ownOperation = own.changed ? statusOperation(deps, federated, own.status, now) : undefined;
  const sourceOperation = source && aggregated?.changed ? statusOperation(deps, source, aggregated.status, now) : undefined;
  const documents = await documentOperations(deps, input, now);
  const dispatched = ownOperation !== undefined && isNewlyPropagated(federated.object.status, own.status);
  const after: (WriteOperation | undefined)[] = [];
  if (source && aggregated && input.type.scope === 'apps/deployments')
    after.push(...(await replicaSetOperations(deps, source, aggregated.status, now)));
  if (source && dispatched) after.push(await dispatchedEvent(deps, source.object, federated.object, now));
  return {
    first: [sourceOperation, ownOperation, ...documents].filter((operation) => operation !== undefined),
    after: after.filter((operation) => operation !== undefined),
    status: aggregated?.status,
    arrived: isPropagated(own.status),
    dispatched,
  };
}

function aggregate(
  deps: StatusDeps,
  { type, federated, source, clusters }: FoldInput,
  now: number,
): { status: JsonObject; changed: boolean } | undefined {
  if (!source || !isAggregated(type.object) || !definitionOf(deps, source.stored.scope).status) return undefined;
  return aggregateStatus({ source: source.object, federated: federated.object, type: type.type, clusters, now });
}

function statusOperation(deps: StatusDeps, from: Loaded, status: JsonObject, now: number): WriteOperation | undefined {
  const definition = definitionOf(deps, from.stored.scope);
  return updateOperation(definition, from, { ...from.object, status }, { now, part: 'status' });
}

async function documentOperations(
  deps: StatusDeps,
  { type, federated, records, clusters }: FoldInput,
  now: number,
): Promise<(WriteOperation | undefined)[]> {
  const scopes = companionScopes(federated.stored);
  const operations: (WriteOperation | undefined)[] = [];
  if (collectedPaths(type.object)) {
    const previous = await deps.reader.get({ ...federated.stored, scope: scopes.collected });
    const made = collectedStatus({
      federated: federated.object,
      clusters,
      now,
      ...(previous ? { previous: previous.object } : {}),
    });
    if (made.changed) operations.push(companionOperation(deps, scopes.collected, previous, made.object, now));
  }
  const previous = await deps.reader.get({ ...federated.stored, scope: scopes.version });
  const made = propagatedVersion({ federated: federated.object, records, ...(previous ? { previous: previous.object } : {}) });
  if (made.changed) operations.push(companionOperation(deps, scopes.version, previous, made.object, now));
  return operations;
}

function companionOperation(
  deps: StatusDeps,
  scope: string,
  previous: Loaded | undefined,
  object: KubeObject,
  now: number,
): WriteOperation | undefined {
  const definition = definitionOf(deps, scope);
  const part = 'objectAndStatus';
  if (previous) return updateOperation(definition, previous, object, { now, part });
  return createOperation(definition, object, { now, uid: deps.ids.uid(), part });
}

/** `helm --wait`, `kubectl rollout history` and Argo CD look for the ReplicaSets of a Deployment: they are kept on the source side, and never sent. */
async function replicaSetOperations(
  deps: StatusDeps,
  source: Loaded,
  aggregated: JsonObject,
  now: number,
): Promise<(WriteOperation | undefined)[]> {
  const definition = deps.registry().byScope(SCOPES.replicaSets);
  if (!definition || source.object.metadata.deletionTimestamp !== undefined) return [];
  const previous = new Map<string, Loaded>();
  for (const ref of await deps.index.dependents(source.stored.uid)) {
    if (ref.scope !== storedScope(definition)) continue;
    const set = await deps.reader.get(ref);
    if (set) previous.set(ref.name, set);
  }
  const wanted = sourceReplicaSets({
    source: source.object,
    previous: [...previous.values()].map(({ object }) => object),
    aggregated,
  });
  const names = new Set(wanted.map((set) => set.metadata.name));
  const part = 'objectAndStatus';
  const kept = wanted.map((set) => {
    const old = previous.get(set.metadata.name ?? '');
    if (old) return updateOperation(definition, old, set, { now, part });
    return createOperation(definition, set, { now, uid: deps.ids.uid(), part });
  });
  const dropped = [...previous.values()].filter(({ stored }) => !names.has(stored.name)).map(removeOperation);
  return [...kept, ...dropped];
}

function isPropagated(status: JsonObject | undefined): boolean {
  const conditions = (status?.conditions ?? []) as unknown as Condition[];
  return conditions.some(({ type, status: value }) => type === 'Propagated' && value === 'True');
}

function isNewlyPropagated(before: JsonObject | undefined, after: JsonObject): boolean {
  if (!isPropagated(after)) return false;
  return !isPropagated(before) || before?.syncedGeneration !== after.syncedGeneration;
}

async function dispatchedEvent(
  deps: StatusDeps,
  source: KubeObject,
  federated: KubeObject,
  now: number,
): Promise<WriteOperation | undefined> {
  const clusters = [...placedClusters(federated)].sort();
  if (clusters.length === 0) return undefined;
  const definition = definitionOf(deps, SCOPES.events);
  const message = `applied to ${clusters.join(', ')}`;
  const event: WorkerEvent = { type: 'Normal', reason: 'Dispatched', message, step: 'seen' };
  return eventOperation({ reader: deps.reader, definition }, source, event, { now, uid: deps.ids.uid() });
}

function definitionOf(deps: StatusDeps, scope: string): ResourceDefinition {
  const definition = deps.registry().byScope(scope);
  if (!definition) throw new Error(`nothing serves the stored scope ${scope}`);
  return definition;
}
