/** The functions of the control plane in one process: the handlers that Lambda runs, fed from the queue in the SQLite file. */
import {
  type ClusterTimes,
  clusterTick,
  createClustersHandler,
  createMemberWatches,
  DEV_CLUSTER_TIMES,
} from '../../functions/clusters/handler.ts';
import { createDispatcherHandler } from '../../functions/dispatcher/handler.ts';
import { runRelay } from '../../functions/relay/handler.ts';
import { createReservations, createSchedulerHandler } from '../../functions/scheduler/handler.ts';
import { createStatusHandler, createThrottle } from '../../functions/status/handler.ts';
import { createSweeperHandler, sweepTick } from '../../functions/sweeper/handler.ts';
import { createMemberClients } from '../../shared/adapters/kubernetes/clients.ts';
import type { openSqlite } from '../../shared/adapters/sqlite/open.ts';
import { fromStored } from '../../shared/apis/stored.ts';
import { memberConnection } from '../../shared/federation/clusters/auth.ts';
import { clusterFacts } from '../../shared/federation/clusters/facts.ts';
import { clustersByName, clusterView } from '../../shared/federation/clusters/view.ts';
import { federatedType, federatedTypes, SCOPES } from '../../shared/federation/type-config.ts';
import type { Clock, Ids, Log } from '../../shared/ports/system.ts';
import type { BatchHandler } from '../../shared/runtime/batch.ts';
import { createBreakers } from '../../shared/runtime/breaker.ts';
import { createMemberAccess } from '../../shared/runtime/members.ts';
import type { QueueName } from '../../shared/runtime/messages.ts';
import { createObjectReader } from '../../shared/runtime/objects.ts';
import { createRecordWriter } from '../../shared/runtime/record-writer.ts';
import { createScopeCache } from '../../shared/runtime/scope-cache.ts';
import { createSender } from '../../shared/runtime/send.ts';
import { runWorkers } from '../../shared/runtime/workers.ts';
import { SYSTEM_NAMESPACE } from './bootstrap.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Narrator } from './narrator.ts';

/** How often clusters are looked at, and how often the slow pass runs. */
const CLUSTER_TICK_MS = 2_000;
const SWEEP_TICK_MS = 30_000;

export type FunctionsDeps = {
  medium: ReturnType<typeof openSqlite>;
  plane: ControlPlane;
  clock: Clock;
  ids: Ids;
  log: Log;
  narrator: Narrator;
  clusterTimes?: ClusterTimes;
};
export type RunningFunctions = { stop(): Promise<void> };

/** Starts all functions; resolves when they receive. `stop` waits for what is in flight. */
export async function startFunctions(deps: FunctionsDeps): Promise<RunningFunctions> {
  const { medium, clock, log } = deps;
  const ending = new AbortController();
  const { signal } = ending;
  const { handlers, relay, sender, watches, clients } = wire(deps);
  const running = [
    runRelay(relay, { lanes: medium.store.lanes, signal }),
    ...Object.entries(handlers).map(([name, handler]) =>
      runWorkers({ queue: medium.queue, name: name as QueueName, handler, signal, clock, log }),
    ),
    tick(CLUSTER_TICK_MS, (period) => clusterTick({ objects: medium.store.objects, sender }, period), deps, signal),
    tick(SWEEP_TICK_MS, (period) => sweepTick({ sender }, period), deps, signal),
  ];
  await watches.resume();
  return {
    stop: async () => {
      ending.abort();
      await watches.close();
      await Promise.all(running);
      await clients.close();
    },
  };
}

/** What every function is given, made once: readers and caches are shared, so that an object is parsed once per version. */
function wire({ medium, plane, clock, ids, log, narrator, clusterTimes = DEV_CLUSTER_TIMES }: FunctionsDeps) {
  const { store, queue } = medium;
  const { objects, records, index, cursors, feed } = store;
  const { registry } = plane;
  const reader = createObjectReader(objects);
  const types = createScopeCache(store, SCOPES.typeConfigs, (stored) => federatedType(fromStored(stored)), federatedTypes);
  const clusters = createScopeCache(store, SCOPES.clusters, (stored) => clusterView(fromStored(stored)), clustersByName);
  const facts = createScopeCache(
    store,
    SCOPES.clusters,
    (stored) => clusterFacts(fromStored(stored)),
    (all) => all,
  );
  const clients = createMemberClients({ log });
  const access = (joining: boolean) =>
    createMemberAccess({
      reader,
      clients,
      connectionOf: (cluster, secret) => memberConnection(cluster, secret, { joining }),
      secretNamespace: SYSTEM_NAMESPACE,
    });
  const [members, bootstrapMembers] = [access(false), access(true)];
  const sender = createSender(queue);
  const breakers = createBreakers(clock);
  const common = { reader, types, registry, sender, clock, ids, log };
  const watches = createMemberWatches({ objects, records, clusters, members, types, sender, clock, log });
  const handlers: Record<QueueName, BatchHandler> = {
    scheduler: createSchedulerHandler({
      ...common,
      objects,
      records,
      clusters: facts,
      reservations: createReservations(),
      onPlaced: narrator.placed,
    }),
    dispatcher: createDispatcherHandler({
      ...common,
      objects,
      records,
      recordWriter: createRecordWriter(records, clock),
      clusters,
      members,
      breakers,
      onManaged: watches.ensure,
    }),
    status: createStatusHandler({
      ...common,
      objects,
      records,
      index,
      clusters,
      throttle: createThrottle(clock),
      onStatus: narrator.status,
    }),
    clusters: createClustersHandler({
      ...common,
      objects,
      records,
      clusters,
      members,
      bootstrapMembers,
      breakers,
      times: clusterTimes,
      nodeFilters: [],
      onCluster: (change) => {
        const { cluster, type } = change;
        narrator.cluster(change);
        if (type === 'gone') watches.stop(cluster);
        if (type === 'ready') watches.wake(cluster);
      },
    }),
    sweeper: createSweeperHandler({ objects, index, registry, clock, records, cursors, clusters, sender, log }),
  };
  const relay = { feed, cursors, objects, reader, records, index, types, registry, sender, clock, log };
  return { handlers, relay, sender, watches, clients };
}

/** Calls `act` at once and then every `everyMs`, until `signal` aborts. A failure is logged; the next turn comes. */
async function tick(
  everyMs: number,
  act: (period: string) => Promise<void>,
  { clock, log }: FunctionsDeps,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await act(String(Math.floor(clock.now() / everyMs)));
    } catch (error) {
      log.error('a scheduled turn failed', { error: error instanceof Error ? error.stack : String(error) });
    }
    await clock.sleep(everyMs, signal).catch(() => undefined);
  }
}
