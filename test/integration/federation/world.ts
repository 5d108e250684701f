/**
 * The whole control plane in one process without HTTP: in-memory store and queue, every function as production builds it, fake members, and a clock
 * that stands still until a test moves it. `settle` plays relay, workers and watches until nothing is left to do.
 */

import {
  clusterTick,
  createClustersHandler,
  createMemberWatches,
  DEV_CLUSTER_TIMES,
} from '../../../functions/clusters/handler.ts';
import { createDispatcherHandler } from '../../../functions/dispatcher/handler.ts';
import { relayOnce } from '../../../functions/relay/handler.ts';
import { createReservations, createSchedulerHandler } from '../../../functions/scheduler/handler.ts';
import { createStatusHandler, createThrottle } from '../../../functions/status/handler.ts';
import { createSweeperHandler, sweepTick } from '../../../functions/sweeper/handler.ts';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { seededIds } from '../../../shared/adapters/memory/ids.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import type { Registry } from '../../../shared/apis/definition.ts';
import { kubeadmiralDefinitions } from '../../../shared/apis/kubeadmiral/kinds.ts';
import { lamiralDefinitions } from '../../../shared/apis/lamiral/kinds.ts';
import { controlPlaneSeeds } from '../../../shared/apis/seeds.ts';
import { fromStored } from '../../../shared/apis/stored.ts';
import { defaultAdmission } from '../../../shared/apiserver/admission/chain.ts';
import { createApiServer } from '../../../shared/apiserver/create.ts';
import type { ApiServer } from '../../../shared/apiserver/server.ts';
import { openTypes, type Types } from '../../../shared/apiserver/types/types.ts';
import { memberConnection } from '../../../shared/federation/clusters/auth.ts';
import { clusterFacts } from '../../../shared/federation/clusters/facts.ts';
import { clustersByName, clusterView } from '../../../shared/federation/clusters/view.ts';
import { SYSTEM_NAMESPACE } from '../../../shared/federation/keys.ts';
import { federatedType, federatedTypes, SCOPES } from '../../../shared/federation/type-config.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { parseApiVersion } from '../../../shared/machinery/resource.ts';
import type { MemberClients } from '../../../shared/ports/member-client.ts';
import type { BatchHandler } from '../../../shared/runtime/batch.ts';
import { createBreakers } from '../../../shared/runtime/breaker.ts';
import { createControlRouter } from '../../../shared/runtime/control/router.ts';
import { controlRoutes } from '../../../shared/runtime/control/routes.ts';
import { createMemberAccess } from '../../../shared/runtime/members.ts';
import type { QueueName } from '../../../shared/runtime/messages.ts';
import { createObjectReader } from '../../../shared/runtime/objects.ts';
import { createRecordWriter } from '../../../shared/runtime/record-writer.ts';
import { createScopeCache } from '../../../shared/runtime/scope-cache.ts';
import { createSender } from '../../../shared/runtime/send.ts';
import { createFakeMember, type FakeMember } from './fake-member.ts';

export type World = Awaited<ReturnType<typeof createWorld>>;

/** 2026-01-01T00:00:00Z. */
const START = Date.UTC(2026, 0, 1);
const TICK_MS = 20;

/** Builds the functions over one store, as docs/functions.md says. */
function createFunctions(medium: ReturnType<typeof openMemory>, shared: Shared) {
  const { store } = medium;
  const { clock, ids, log, kinds, reader, sender, clients } = shared;
  const types = createScopeCache(store, SCOPES.typeConfigs, (stored) => federatedType(fromStored(stored)), federatedTypes);
  const facts = createScopeCache(
    store,
    SCOPES.clusters,
    (stored) => clusterFacts(fromStored(stored)),
    (all) => all,
  );
  const views = createScopeCache(store, SCOPES.clusters, (stored) => clusterView(fromStored(stored)), clustersByName);
  const breakers = createBreakers(clock);
  const access = (joining: boolean) =>
    createMemberAccess({
      reader,
      clients,
      connectionOf: (cluster, secret) => memberConnection(cluster, secret, { joining }),
      secretNamespace: SYSTEM_NAMESPACE,
    });
  const members = access(false);
  const base = {
    objects: store.objects,
    records: store.records,
    reader,
    registry: kinds.registry,
    sender,
    clock,
    ids,
    log,
    types,
  };
  const watches = createMemberWatches({ ...base, clusters: views, members });
  const clusterDeps = {
    ...base,
    clusters: views,
    members,
    bootstrapMembers: access(true),
    breakers,
    times: DEV_CLUSTER_TIMES,
    nodeFilters: [],
    onCluster: ({ cluster, type }: { cluster: string; type: string }) =>
      type === 'gone' ? watches.stop(cluster) : watches.wake(cluster),
  };
  const control = createControlRouter(controlRoutes(store));
  const { index, cursors, lanes } = store;
  const sweeperDeps = { ...base, index, cursors, lanes, clusters: views, caCert: 'CA', placesObjects: true, control };
  const handlers: Record<QueueName, BatchHandler> = {
    scheduler: createSchedulerHandler({
      ...base,
      clusters: facts,
      reservations: createReservations(),
      onPlaced: ({ source, summary }) => shared.told.push(`${source.name} ${summary}`),
    }),
    dispatcher: createDispatcherHandler({
      ...base,
      clusters: views,
      members,
      breakers,
      recordWriter: createRecordWriter(store.records, clock),
      onManaged: (cluster, type) => watches.ensure(cluster, type),
    }),
    status: createStatusHandler({ ...base, index: store.index, clusters: views, throttle: createThrottle(clock) }),
    clusters: createClustersHandler(clusterDeps),
    sweeper: createSweeperHandler(sweeperDeps),
  };
  const relay = { ...base, feed: store.feed, cursors, index, control };
  return { handlers, watches, relay, clusterDeps, facts };
}

type Shared = {
  clock: ReturnType<typeof fakeClock>;
  ids: ReturnType<typeof seededIds>;
  log: ReturnType<typeof memoryLog>;
  /** All kinds, those of CustomResourceDefinitions too. */
  kinds: Types;
  reader: ReturnType<typeof createObjectReader>;
  sender: ReturnType<typeof createSender>;
  clients: MemberClients;
  /** What the scheduler told of its decisions, as `dev` shows it. */
  told: string[];
};

/** Starts a world with joined members of the given names, all kinds, the shipped types, and namespace `default`. */
export async function createWorld(names: readonly string[] = ['eu-1', 'us-1', 'ap-1']) {
  const clock = fakeClock(START);
  const ids = seededIds(7);
  const log = memoryLog();
  const medium = openMemory({ clock });
  const base = [...builtInDefinitions(), ...kubeadmiralDefinitions(), ...lamiralDefinitions()];
  const kinds = await openTypes({ store: medium.store, base, clock, log });
  const members = new Map<string, FakeMember>(names.map((name) => [name, createFakeMember(name, { clock, ids })]));
  const reader = createObjectReader(medium.store.objects);
  const shared: Shared = {
    clock,
    ids,
    log,
    kinds,
    reader,
    sender: createSender(medium.queue, clock),
    clients: fakeClients(members),
    told: [],
  };
  const functions = createFunctions(medium, shared);
  const server = createServer(medium, shared);
  const users = createUsers(server, kinds.registry);
  const world = {
    clock,
    log,
    medium,
    members,
    functions,
    shared,
    resources: server.resources,
    member(name: string): FakeMember {
      const member = members.get(name);
      if (!member) throw new Error(`no member ${name}`);
      return member;
    },
    ...users,
    settle: (ms = 2_000) => settle(medium, functions, clock, ms),
    /** One look at every cluster. */
    async tick() {
      await clusterTick(functions.clusterDeps, String(clock.now()));
      await settle(medium, functions, clock, 200);
    },
    async sweep() {
      await sweepTick(shared, String(clock.now()));
      await settle(medium, functions, clock, 200);
    },
    async close() {
      await functions.watches.close();
      await server.close();
      await medium.close();
    },
  };
  for (const object of controlPlaneSeeds()) await world.create(object);
  for (const name of names) await join(world.create, name);
  await world.settle();
  await world.tick();
  return world;
}

function createServer(medium: ReturnType<typeof openMemory>, { clock, ids, log, kinds }: Shared): ApiServer {
  return createApiServer({
    store: medium.store,
    registry: kinds.registry,
    types: kinds,
    clock,
    ids,
    log,
    authenticate: async () => undefined,
    authorize: async () => ({ allowed: true, reason: '' }),
    admission: defaultAdmission({ store: medium.store, registry: kinds.registry, clock, ids, log }),
    views: new Map(),
    version: { major: '1', minor: '35', gitVersion: 'v1.35.4' },
    readiness: new Map(),
  });
}

/** What users do, through the API server's own rules. */
function createUsers({ resources }: ApiServer, registry: () => Registry) {
  const definitionOf = (apiVersion: string, kind: string) => {
    const { group, version } = parseApiVersion(apiVersion);
    const definition = registry().byKind(group, version, kind);
    if (!definition) throw new Error(`no kind ${apiVersion} ${kind}`);
    return definition;
  };
  return {
    create: (object: KubeObject) => resources.create(definitionOf(object.apiVersion, object.kind), object),
    get: (apiVersion: string, kind: string, namespace: string, name: string) =>
      resources.get(definitionOf(apiVersion, kind), namespace, name),
    async list(apiVersion: string, kind: string, namespace?: string) {
      const options = namespace === undefined ? {} : { namespace };
      return (await resources.list(definitionOf(apiVersion, kind), options)).items;
    },
    patch: (apiVersion: string, kind: string, namespace: string, name: string, patch: unknown) =>
      resources.patch(definitionOf(apiVersion, kind), namespace, name, {
        contentType: 'application/merge-patch+json',
        body: JSON.stringify(patch),
      }),
    delete: (apiVersion: string, kind: string, namespace: string, name: string, propagationPolicy = 'Background') =>
      resources.delete(definitionOf(apiVersion, kind), namespace, name, { propagationPolicy }),
  };
}

function fakeClients(members: ReadonlyMap<string, FakeMember>): MemberClients {
  return {
    connect({ cluster }) {
      const member = members.get(cluster);
      if (!member) throw new Error(`no member ${cluster}`);
      return member.client;
    },
    forget: async () => undefined,
    close: async () => undefined,
  };
}

async function join(create: (object: KubeObject) => Promise<unknown>, name: string): Promise<void> {
  const token = Buffer.from('token').toString('base64');
  await create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: SYSTEM_NAMESPACE },
    data: { 'bootstrap-token-data': token },
  });
  await create({
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'FederatedCluster',
    metadata: { name, labels: { region: name.slice(0, 2) } },
    spec: { apiEndpoint: `https://${name}.example`, insecure: true, secretRef: { name } },
  });
}

type Functions = ReturnType<typeof createFunctions>;
const QUEUES: readonly QueueName[] = ['clusters', 'scheduler', 'dispatcher', 'status', 'sweeper'];

/** Plays everything that is due; where nothing is, time goes on, at most `ms`. */
async function settle(
  medium: ReturnType<typeof openMemory>,
  functions: Functions,
  clock: ReturnType<typeof fakeClock>,
  ms: number,
): Promise<void> {
  const end = clock.now() + ms;
  while (clock.now() < end) {
    let progress = await relayOnce(functions.relay);
    for (const name of QUEUES) progress += await work(medium, functions, name);
    if (progress === 0) await clock.advance(TICK_MS);
  }
}

async function work(medium: ReturnType<typeof openMemory>, functions: Functions, name: QueueName): Promise<number> {
  const messages = await medium.queue.receive({ queue: name, max: 10, visibilityMs: 60_000, waitMs: 0 });
  if (messages.length === 0) return 0;
  const failed = new Set((await functions.handlers[name](messages)).failed);
  await medium.queue.acknowledge(messages.filter(({ id }) => !failed.has(id)));
  await medium.queue.release(
    messages.filter(({ id }) => failed.has(id)),
    1_000,
  );
  return messages.length;
}
