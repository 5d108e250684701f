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
import type { MemberClients } from '../../shared/ports/member-client.ts';
import type { Clock, Ids, Log } from '../../shared/ports/system.ts';
import type { BatchHandler } from '../../shared/runtime/batch.ts';
import { createBreakers } from '../../shared/runtime/breaker.ts';
import { createControlRouter } from '../../shared/runtime/control/router.ts';
import { controlRoutes } from '../../shared/runtime/control/routes.ts';
import { createMemberAccess } from '../../shared/runtime/members.ts';
import type { QueueName } from '../../shared/runtime/messages.ts';
import { createObjectReader } from '../../shared/runtime/objects.ts';
import { createRecordWriter } from '../../shared/runtime/record-writer.ts';
import { createScopeCache } from '../../shared/runtime/scope-cache.ts';
import { createSender } from '../../shared/runtime/send.ts';
import { runWorkers } from '../../shared/runtime/workers.ts';
import { SYSTEM_NAMESPACE } from './bootstrap.ts';
import type { ControlPlane } from './control-plane.ts';
import { createDescriptionSearch } from './descriptions.ts';
import type { Narrator } from './narrator.ts';

/** How often clusters are looked at, and how often the slow pass runs. */
const CLUSTER_TICK_MS = 2_000;
const SWEEP_TICK_MS = 30_000;
/** Dispatches wait for members most of their time: more of them in flight than of other work. */
const DISPATCHES_MAX = 64;
/** Compaction runs hourly and keeps twelve hours of history, as the API promises to watches that come back late. */
const COMPACT_TICK_MS = 3_600_000;
const HISTORY_MS = 12 * 3_600_000;

export type FunctionsDeps = {
  medium: ReturnType<typeof openSqlite>;
  plane: ControlPlane;
  clock: Clock;
  ids: Ids;
  log: Log;
  narrator: Narrator;
  /** PEM of the authority behind the API's certificate. */
  caCert: string;
  clusterTimes?: ClusterTimes;
};
export type RunningFunctions = { stop(): Promise<void> };

/** Starts all functions; resolves when they receive. `stop` waits for what is in flight. */
export async function startFunctions(deps: FunctionsDeps): Promise<RunningFunctions> {
  const { medium, clock, log } = deps;
  const ending = new AbortController();
  const { signal } = ending;
  const { handlers, relay, base, watches, clients, prose } = wire(deps);
  const caughtUp = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => caughtUp.resolve(), { once: true });
  // What a process that died left unread may be older than the history that is kept.
  const compaction = caughtUp.promise.then(() =>
    tick(COMPACT_TICK_MS, async () => void (await medium.store.lanes.compact(HISTORY_MS)), deps, signal),
  );
  const running = [
    runRelay(relay, { lanes: medium.store.lanes, signal, onCaughtUp: caughtUp.resolve }),
    ...Object.entries(handlers).map(([name, handler]) =>
      runWorkers({
        queue: medium.queue,
        name: name as QueueName,
        handler,
        signal,
        clock,
        log,
        ...(name === 'dispatcher' ? { concurrency: DISPATCHES_MAX } : {}),
      }),
    ),
    tick(CLUSTER_TICK_MS, (period) => clusterTick(base, period), deps, signal),
    compaction,
    tick(SWEEP_TICK_MS, (period) => sweepTick(base, period), deps, signal),
  ];
  await watches.resume();
  prose.start();
  return {
    stop: async () => {
      ending.abort();
      await watches.close();
      await Promise.all(running);
      await Promise.all(clients.map((set) => set.close()));
    },
  };
}

/** What functions share, made once: readers and caches are common, so that an object is parsed once per version. */
function sharedParts({ medium, plane, clock, ids, log }: FunctionsDeps) {
  const { store, queue } = medium;
  const reader = createObjectReader(store.objects);
  const types = createScopeCache(store, SCOPES.typeConfigs, (stored) => federatedType(fromStored(stored)), federatedTypes);
  const views = createScopeCache(store, SCOPES.clusters, (stored) => clusterView(fromStored(stored)), clustersByName);
  const facts = createScopeCache(
    store,
    SCOPES.clusters,
    (stored) => clusterFacts(fromStored(stored)),
    (all) => all,
  );
  // Two sets of clients, so that joining with other credentials never closes the connections of daily work.
  const clients = [createMemberClients({ log }), createMemberClients({ log })] as const;
  const access = (set: MemberClients, joining: boolean) =>
    createMemberAccess({
      reader,
      clients: set,
      connectionOf: (cluster, secret) => memberConnection(cluster, secret, { joining }),
      secretNamespace: SYSTEM_NAMESPACE,
    });
  const base = {
    objects: store.objects,
    records: store.records,
    reader,
    registry: plane.registry,
    sender: createSender(queue, clock),
    clock,
    ids,
    log,
    types,
  };
  return {
    base,
    views,
    facts,
    clients,
    members: access(clients[0], false),
    bootstrapMembers: access(clients[1], true),
    breakers: createBreakers(clock),
  };
}

/** The handlers, as docs/functions.md puts them together. */
function wire(deps: FunctionsDeps) {
  const { medium, clock, narrator, clusterTimes = DEV_CLUSTER_TIMES } = deps;
  const { feed, cursors, index, lanes, records } = medium.store;
  const control = createControlRouter(controlRoutes(medium.store));
  const { base, views, facts, clients, members, bootstrapMembers, breakers } = sharedParts(deps);
  const watches = createMemberWatches({ ...base, clusters: views, members });
  const prose = createDescriptionSearch({ descriptions: deps.plane.descriptions, store: medium.store, members, ...base });
  const onCluster = (change: { cluster: string; type: 'joined' | 'ready' | 'offline' | 'gone'; message: string }) => {
    narrator.cluster(change);
    prose.changed(change);
    if (change.type === 'gone') watches.stop(change.cluster);
    else watches.wake(change.cluster);
  };
  const handlers: Record<QueueName, BatchHandler> = {
    scheduler: createSchedulerHandler({
      ...base,
      clusters: facts,
      reservations: createReservations(),
      onPlaced: narrator.placed,
    }),
    dispatcher: createDispatcherHandler({
      ...base,
      clusters: views,
      members,
      breakers,
      recordWriter: createRecordWriter(records, clock),
      onManaged: watches.ensure,
    }),
    status: createStatusHandler({ ...base, index, clusters: views, throttle: createThrottle(clock), onStatus: narrator.status }),
    clusters: createClustersHandler({
      ...base,
      clusters: views,
      members,
      bootstrapMembers,
      breakers,
      times: clusterTimes,
      nodeFilters: [],
      onCluster,
    }),
    sweeper: createSweeperHandler({
      ...base,
      index,
      cursors,
      lanes,
      clusters: views,
      caCert: deps.caCert,
      placesObjects: true,
      signer: deps.plane.signer,
      control,
    }),
  };
  return { handlers, relay: { ...base, feed, cursors, index, control }, base, watches, clients, prose };
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
