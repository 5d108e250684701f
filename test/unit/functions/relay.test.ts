import { beforeEach, describe, expect, test } from 'vitest';
import { createRelayHandler, relayOnce, runRelay } from '../../../functions/relay/handler.ts';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { kubeadmiralDefinitions } from '../../../shared/apis/kubeadmiral/kinds.ts';
import { shippedTypeConfigs } from '../../../shared/apis/kubeadmiral/type-configs.ts';
import { lamiralDefinitions } from '../../../shared/apis/lamiral/kinds.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import { fromStored, storedScope } from '../../../shared/apis/stored.ts';
import { federatedType, federatedTypes, SCOPES } from '../../../shared/federation/type-config.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { parseApiVersion } from '../../../shared/machinery/resource.ts';
import { createControlRouter } from '../../../shared/runtime/control/router.ts';
import { createObjectReader } from '../../../shared/runtime/objects.ts';
import {
  createOperation,
  deleteOperation,
  removeOperation,
  updateOperation,
  writeAll,
} from '../../../shared/runtime/operations.ts';
import { createScopeCache } from '../../../shared/runtime/scope-cache.ts';
import { identityOf, type Outgoing } from '../../../shared/runtime/send.ts';

const CORE = 'core.kubeadmiral.io/v1alpha1';
const registry = createRegistry([...builtInDefinitions(), ...kubeadmiralDefinitions(), ...lamiralDefinitions()]);
const definitionFor = ({ apiVersion, kind }: KubeObject) => {
  const { group, version } = parseApiVersion(apiVersion);
  const definition = registry.byKind(group, version, kind);
  if (!definition) throw new Error(`no kind ${kind}`);
  return definition;
};

function setup() {
  const clock = fakeClock(0);
  const { store } = openMemory({ clock });
  const sent: Outgoing[] = [];
  let uid = 0;
  const deps = {
    ...store,
    reader: createObjectReader(store.objects),
    types: createScopeCache(store, SCOPES.typeConfigs, (stored) => federatedType(fromStored(stored)), federatedTypes),
    registry: () => registry,
    control: createControlRouter([]),
    sender: {
      send: async (outgoing: readonly Outgoing[]) => void sent.push(...outgoing),
      sendLater: async (outgoing: Outgoing) => void sent.push(outgoing),
    },
    clock,
    log: memoryLog(),
  };
  const refOf = (object: KubeObject) => ({
    scope: storedScope(definitionFor(object)),
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
  });
  const must = async (object: KubeObject) => {
    const loaded = await deps.reader.get(refOf(object));
    if (!loaded) throw new Error(`no ${object.metadata.name}`);
    return loaded;
  };
  return {
    clock,
    store,
    sent,
    deps,
    create: (object: KubeObject, writer = 'api') => {
      uid += 1;
      const operation = createOperation(definitionFor(object), object, { now: 0, uid: `uid-${uid}`, part: 'objectAndStatus' });
      return writeAll(store.objects, [operation], writer);
    },
    async change(object: KubeObject, writer = 'api') {
      const operation = updateOperation(definitionFor(object), await must(object), object, { now: 0, part: 'objectAndStatus' });
      await writeAll(store.objects, [operation], writer);
    },
    async mark(object: KubeObject, propagationPolicy: 'Foreground' | 'Background') {
      await writeAll(
        store.objects,
        [deleteOperation(definitionFor(object), await must(object), { now: 0, propagationPolicy })],
        'api',
      );
    },
    remove: async (object: KubeObject) => void (await writeAll(store.objects, [removeOperation(await must(object))], 'api')),
    /** What the changes since the last call made the relay send, sorted. */
    async relayed() {
      sent.length = 0;
      while ((await relayOnce(deps)) > 0);
      return sent.map(({ work }) => identityOf(work)).sort();
    },
  };
}

let world: ReturnType<typeof setup>;
beforeEach(async () => {
  world = setup();
  for (const config of shippedTypeConfigs()) await world.create(config);
  await world.relayed();
});

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  labels: Record<string, string> = {},
  rest: object = {},
): KubeObject => ({
  apiVersion,
  kind,
  metadata: {
    name,
    ...(kind.startsWith('Cluster') || kind === 'Namespace' || kind === 'FederatedCluster' ? {} : { namespace: 'default' }),
    labels,
  },
  ...rest,
});
const configMap = (name: string, labels = {}) => object('v1', 'ConfigMap', name, labels, { data: { a: '1' } });
const federated = (name: string, labels = {}) => object(CORE, 'FederatedObject', name, labels, { spec: { template: {} } });
const schedule = (scope: string, name: string, namespace = 'default') => `schedule ${scope}/${namespace}/${name}`;
const FO = SCOPES.federated;

describe('sources', () => {
  test.each(['api', 'lamiral', 'sweeper'])('a change by %s is placed', async (writer) => {
    await world.create(configMap('c'), writer);
    expect(await world.relayed()).toEqual([schedule('/configmaps', 'c')]);
  });

  test.each(['scheduler', 'status', 'controller'])('what the %s wrote itself is passed over', async (writer) => {
    await world.create(configMap('c'));
    await world.relayed();
    await world.change({ ...configMap('c'), data: { a: '2' } }, writer);
    expect(await world.relayed()).toEqual([]);
  });

  test('a removal is placed too, whoever did it, and its dependents are collected', async () => {
    await world.create(configMap('c'));
    await world.create({
      ...configMap('child'),
      metadata: {
        ...configMap('child').metadata,
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'uid-x' }],
      },
    });
    const [child] = await world.relayed().then((all) => all.filter((one) => one.startsWith('ownerGone')));
    expect(child).toBe('ownerGone uid-x');
    await world.remove(configMap('c'));
    expect(await world.relayed()).toEqual([schedule('/configmaps', 'c')]);
  });

  test('kinds without a type, events and companions ask for nothing', async () => {
    await world.create(object('coordination.k8s.io/v1', 'Lease', 'l'));
    await world.create(object('v1', 'Event', 'e'));
    await world.create(object('lamiral.dev/v1alpha1', 'SchedulingDecision', 'd'));
    expect(await world.relayed()).toEqual([]);
  });
});

describe('federated objects, policies and types', () => {
  test('one changed by a user is planned anew', async () => {
    await world.create(federated('f'), 'scheduler');
    expect(await world.relayed()).toEqual([]);
    await world.change({ ...federated('f'), spec: { template: { x: 1 } } });
    expect(await world.relayed()).toEqual([schedule(FO, 'f')]);
  });

  test('a policy concerns those that name it, in its own namespace', async () => {
    await world.create(federated('f', { 'kubeadmiral.io/propagation-policy-name': 'p' }), 'scheduler');
    await world.create(federated('g', { 'kubeadmiral.io/propagation-policy-name': 'q' }), 'scheduler');
    await world.relayed();
    await world.create(object(CORE, 'PropagationPolicy', 'p', {}, { spec: { schedulingMode: 'Duplicate' } }));
    expect(await world.relayed()).toEqual([schedule(FO, 'f')]);
    await world.create(object(CORE, 'OverridePolicy', 'p', {}, { spec: {} }));
    expect(await world.relayed()).toEqual([]);
  });

  test('a policy that a namespace names concerns what is in it and names none', async () => {
    await world.create(object('v1', 'Namespace', 'default', { 'kubeadmiral.io/cluster-propagation-policy-name': 'p' }));
    await world.create(configMap('c'));
    await world.create(configMap('own', { 'kubeadmiral.io/propagation-policy-name': 'q' }));
    await world.relayed();
    await world.create(object(CORE, 'ClusterPropagationPolicy', 'p', {}, { spec: { schedulingMode: 'Duplicate' } }));
    expect(await world.relayed()).toEqual([schedule('/configmaps', 'c')]);
  });

  test('a profile concerns the objects of the policies that name it', async () => {
    await world.create(federated('f', { 'kubeadmiral.io/propagation-policy-name': 'p' }), 'scheduler');
    await world.create(
      object(CORE, 'PropagationPolicy', 'p', {}, { spec: { schedulingMode: 'Duplicate', schedulingProfile: 's' } }),
    );
    await world.relayed();
    await world.create({ apiVersion: CORE, kind: 'SchedulingProfile', metadata: { name: 's' }, spec: {} });
    expect(await world.relayed()).toEqual([schedule(FO, 'f')]);
  });

  test('changed labels of a namespace concern what is in it', async () => {
    await world.create(object('v1', 'Namespace', 'default'));
    await world.create(configMap('c'));
    await world.relayed();
    await world.change(object('v1', 'Namespace', 'default', { a: 'b' }));
    expect(await world.relayed()).toEqual([schedule('/namespaces', 'default', ''), schedule('/configmaps', 'c')].sort());
  });
});

describe('clusters', () => {
  const cluster = (status: object, labels = {}): KubeObject =>
    object(CORE, 'FederatedCluster', 'eu-1', labels, { spec: { apiEndpoint: 'x', secretRef: { name: 'eu-1' } }, status });
  const READY = { conditions: [{ type: 'Ready', status: 'True' }] };

  test('what decides who is chosen asks for new plans, capacity does not', async () => {
    await world.create(federated('f'), 'scheduler');
    await world.store.records.write([{ owner: `D#${FO}#default#f`, cluster: 'eu-1', body: '{}' }]);
    await world.create(cluster({}));
    const everything = [schedule(FO, 'f'), `status ${FO}/default/f`];
    expect(await world.relayed()).toEqual(['cluster eu-1', ...everything].sort());
    await world.change(cluster({ ...READY }), 'clusters');
    expect(await world.relayed()).toEqual(everything);
    await world.change(cluster({ ...READY, resources: { schedulableNodes: 3 } }), 'clusters');
    expect(await world.relayed()).toEqual([]);
    await world.change(cluster({ ...READY }, { zone: 'b' }));
    expect(await world.relayed()).toEqual(['cluster eu-1', ...everything].sort());
    await world.remove(cluster(READY));
    expect(await world.relayed()).toEqual(['cluster eu-1', ...everything].sort());
  });

  test('an object that has no copy there gets a new plan and no new status', async () => {
    await world.create(federated('f'), 'scheduler');
    await world.create(cluster(READY));
    expect(await world.relayed()).toEqual(['cluster eu-1', schedule(FO, 'f')].sort());
  });

  test('clusters that change together ask once', async () => {
    await world.create(federated('f'), 'scheduler');
    await world.relayed();
    world.sent.length = 0;
    for (let index = 0; index < 20; index += 1) {
      const made = cluster(READY);
      await world.create({ ...made, metadata: { ...made.metadata, name: `c${index}` } });
    }
    while ((await relayOnce(world.deps)) > 0);
    expect(world.sent.filter(({ work }) => work.type === 'schedule')).toHaveLength(1);
    expect(await world.deps.records.get('relay#clusters', 'c19')).toBeDefined();
  });

  test('a crash before the messages were sent repeats them', async () => {
    await world.create(federated('f'), 'scheduler');
    await world.relayed();
    await world.create(cluster(READY));
    const { send } = world.deps.sender;
    world.deps.sender.send = async () => Promise.reject(new Error('down'));
    await expect(relayOnce(world.deps)).rejects.toThrow('down');
    world.deps.sender.send = send;
    expect(await world.relayed()).toContain(schedule(FO, 'f'));
  });

  test('a Secret of the system namespace concerns the clusters that log in with it', async () => {
    await world.create(cluster(READY));
    await world.relayed();
    const secret = (name: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'kube-admiral-system' },
    });
    await world.create(secret('eu-1'));
    await world.create(secret('other'));
    expect((await world.relayed()).filter((one) => one.startsWith('cluster'))).toEqual(['cluster eu-1']);
  });
});

describe('deletion', () => {
  test('finalizers of garbage collection and terminating namespaces go to the sweeper', async () => {
    await world.create(configMap('c'));
    await world.create(object('v1', 'Namespace', 'default'));
    await world.relayed();
    await world.mark(configMap('c'), 'Foreground');
    expect(await world.relayed()).toEqual(['deleting /configmaps/default/c', schedule('/configmaps', 'c')].sort());
    await world.mark(object('v1', 'Namespace', 'default'), 'Background');
    expect(await world.relayed()).toContain('namespace default');
  });
});

test('a long-lived relay is woken by commits and stores its cursor lazily', async () => {
  const stop = new AbortController();
  const running = runRelay(world.deps, { lanes: world.store.lanes, signal: stop.signal });
  const before = await world.store.cursors.load('relay');
  world.sent.length = 0;
  await world.create(configMap('c'));
  for (let turn = 0; turn < 50 && world.sent.length === 0; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  expect(world.sent.map(({ work }) => identityOf(work))).toEqual([schedule('/configmaps', 'c')]);
  expect(await world.store.cursors.load('relay')).toBe(before);
  await world.clock.advance(1_000);
  expect(await world.store.cursors.load('relay')).not.toBe(before);
  stop.abort();
  await running;
});

test('the stream handler of AWS takes the same entries', async () => {
  const entry = {
    scope: '/configmaps',
    namespace: 'default',
    name: 'c',
    type: 'added',
    uid: 'u',
    resourceVersion: '9',
    writer: 'api',
    ownerUids: [],
  } as const;
  world.sent.length = 0;
  await createRelayHandler(world.deps)([entry]);
  expect(world.sent).toEqual([
    {
      work: { type: 'schedule', source: { scope: '/configmaps', namespace: 'default', name: 'c' }, attempt: 0 },
      cause: '/configmaps@9',
    },
  ]);
});
