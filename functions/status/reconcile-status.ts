/** Folds what the members report into the FederatedObject, its companions and the source: load, fold, commit. Safe to run twice; writes only what changed. */
import { type DispatchRecord, dispatchOwner } from '../../shared/federation/records.ts';
import { sourceOf, templateType } from '../../shared/federation/type-config.ts';
import { parseJson } from '../../shared/machinery/codec/json.ts';
import type { JsonObject, KubeObject } from '../../shared/machinery/object.ts';
import { OPERATIONS_PER_WRITE_MAX } from '../../shared/runtime/limits.ts';
import type { StatusMessage } from '../../shared/runtime/messages.ts';
import { refOf } from '../../shared/runtime/objects.ts';
import { writeAll } from '../../shared/runtime/operations.ts';
import { done, type ReconcileResult, requeueAfter } from '../../shared/runtime/reconcile.ts';
import { backoffMs } from '../../shared/runtime/retry.ts';
import type { StatusDeps } from './deps.ts';
import { type FoldInput, foldObject } from './fold.ts';
import { MOVING_HOLD_MS, THROTTLE_GRID_MS } from './limits.ts';

const WRITER = 'status';

/** Handles one status message. */
export async function reconcileStatus(deps: StatusDeps, message: StatusMessage): Promise<ReconcileResult> {
  const owner = dispatchOwner(message.federated);
  const input = await load(deps, message); //                    1 load
  if (!input) return done('nothing to report on');
  const { first, after, status, arrived, dispatched } = await foldObject(deps, input); // 2 fold (pure but for reads of what stands)
  if (first.length === 0 && after.length === 0) return done('nothing changed');
  const isSettled = arrived && isAtRest(input.source?.object, status);
  const waitMs = deps.throttle.waitMs(owner, isSettled ? 'settled' : 'moving');
  // Once: the message that comes back carries an attempt.
  const holdMs = isSettled || message.attempt > 0 ? 0 : MOVING_HOLD_MS;
  if (waitMs + holdMs > 0) return later(deps, message, Math.max(waitMs, holdMs));
  deps.throttle.wrote(owner);
  const isOneWrite = first.length + after.length <= OPERATIONS_PER_WRITE_MAX;
  for (const operations of isOneWrite ? [[...first, ...after]] : [first, after]) {
    const outcome = await writeAll(deps.objects, operations, WRITER); //  3 commit
    if (outcome.type === 'busy') return requeueAfter(outcome.retryAfterSeconds * 1000, 'the store is busy');
    if (outcome.type === 'conflict')
      return requeueAfter(backoffMs(message.attempt, owner, { baseMs: 20, maxMs: 5_000 }), 'something changed meanwhile');
  }
  if (input.source) {
    const placedAt = dispatched ? Math.max(...input.records.map(({ record }) => record.changedAt)) : undefined;
    deps.onStatus?.({ source: refOf(input.source.stored), status, ...(placedAt === undefined ? {} : { placedAt }) });
  }
  return done(`${first.length + after.length} objects brought up to date`);
}

/** Every replica that the clusters run is ready and runs the present template; kinds without replicas rest when they have seen their generation, others at once. */
function isAtRest(source: KubeObject | undefined, status: JsonObject | undefined): boolean {
  if (!source || !status) return true;
  if (status.observedGeneration !== source.metadata.generation) return false;
  const { replicas = 0, readyReplicas = 0, updatedReplicas = replicas } = status;
  const isBegun = replicas !== 0 || !source.spec?.replicas;
  return isBegun && readyReplicas === replicas && updatedReplicas === replicas;
}

/** Comes back when the object may be written again. Messages of one square of the grid are one, however many reports come meanwhile. */
async function later(deps: StatusDeps, message: StatusMessage, waitMs: number): Promise<ReconcileResult> {
  const at = Math.ceil((deps.clock.now() + waitMs) / THROTTLE_GRID_MS) * THROTTLE_GRID_MS;
  await deps.sender.sendLater({ work: { ...message, attempt: 1 }, cause: `throttled ${at}` }, at);
  return done('written a moment ago, comes later');
}

async function load(deps: StatusDeps, { federated: ref }: StatusMessage): Promise<FoldInput | undefined> {
  const [federated, types, views, stored] = await Promise.all([
    deps.reader.get(ref),
    deps.types.all(),
    deps.clusters.all(),
    deps.records.ofOwner(dispatchOwner(ref)),
  ]);
  const type = federated && templateType(types, federated.object);
  if (!federated || !type) return undefined;
  const origin = sourceOf(types, federated.object);
  const source = origin && (await deps.reader.get(origin.ref));
  const records = stored.map(({ cluster, body }) => ({ cluster, record: parseJson(body) as unknown as DispatchRecord }));
  const clusters = records.map(({ cluster, record }) => ({
    name: cluster,
    record,
    reachable: views.get(cluster)?.ready ?? false,
  }));
  return { type, federated, source, records, clusters };
}
