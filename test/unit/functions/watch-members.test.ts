import { expect, test } from 'vitest';
import { createMemberWatches } from '../../../functions/clusters/handler.ts';
import { createReporter } from '../../../functions/clusters/report.ts';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import { shippedTypeConfigs } from '../../../shared/apis/kubeadmiral/type-configs.ts';
import { clusterView } from '../../../shared/federation/clusters/view.ts';
import { federatedType, federatedTypes } from '../../../shared/federation/type-config.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { type MemberClient, MemberWatchError, type MemberWatchEvent } from '../../../shared/ports/member-client.ts';
import { createSender } from '../../../shared/runtime/send.ts';

const types = federatedTypes(shippedTypeConfigs().map(federatedType));
const configMaps = types.byKind.get('/ConfigMap');
if (!configMaps) throw new Error('ConfigMaps are federated');

const copy = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion },
});
const modified = (name: string, resourceVersion: string): MemberWatchEvent => ({
  type: 'modified',
  object: copy(name, resourceVersion),
});

/** A member whose watches end as scripted: `how` per watch, `hang` when the script is over. */
function setup(script: readonly (readonly MemberWatchEvent[] | 'expired')[]) {
  const clock = fakeClock(0);
  const { store, queue } = openMemory({ clock });
  const began: string[] = [];
  const client = {
    list: async () => {
      began.push('list');
      return { type: 'ok', value: { items: [], resourceVersion: '10' } };
    },
    async *watch(_resource: unknown, { resourceVersion, signal }: { resourceVersion: string; signal: AbortSignal }) {
      const events = script[began.filter((one) => one !== 'list').length];
      began.push(`watch ${resourceVersion}`);
      if (events === 'expired') throw new MemberWatchError({ type: 'expired', message: 'too old' });
      if (events) yield* events;
      else await clock.sleep(1e9, signal);
    },
  } as unknown as MemberClient;
  const view = clusterView({
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'FederatedCluster',
    metadata: { name: 'eu-1' },
    status: { conditions: [{ type: 'Joined', status: 'True' }] },
  });
  const deps = {
    ...store,
    clusters: { all: async () => new Map([['eu-1', view]]) },
    members: { connect: async () => ({ type: 'ok', client }) as const, forget: async () => undefined },
    types: { all: async () => types },
    sender: createSender(queue),
    clock,
    log: memoryLog(),
  };
  return { clock, store, began, deps };
}

test('a watch that the member ends goes on where it was; one that expired begins with a list', async () => {
  const { clock, began, deps } = setup([
    [modified('a', '11'), { type: 'bookmark', resourceVersion: '15' }],
    [modified('a', '17')],
    [],
    'expired',
  ]);
  const watches = createMemberWatches(deps);
  watches.ensure('eu-1', configMaps);
  for (let turn = 0; turn < 20; turn += 1) await clock.advance(250);
  expect(began).toEqual(['list', 'watch 10', 'watch 15', 'watch 17', 'watch 17', 'list', 'watch 10']);
  await watches.close();
});

test('a cluster that answers again is listed, for it may be another one', async () => {
  const { clock, began, deps } = setup([[modified('a', '11')]]);
  const watches = createMemberWatches(deps);
  watches.ensure('eu-1', configMaps);
  await clock.advance(100);
  watches.wake('eu-1');
  await clock.advance(1_000);
  expect(began).toEqual(['list', 'watch 10', 'list', 'watch 10']);
  await watches.close();
});

test('what the store does not take is kept and stored later, and nothing hangs at the end', async () => {
  const { clock, store, deps } = setup([]);
  const owner = 'D#core.kubeadmiral.io/federatedobjects#default#a-configmaps';
  let isBroken = true;
  const write: typeof store.records.write = async (records) => {
    if (isBroken) throw new Error('disk full');
    return store.records.write(records);
  };
  const reporter = createReporter({ ...deps, records: { ...store.records, get: store.records.get, write } });
  reporter.report({ cluster: 'eu-1', type: configMaps, copy: copy('a', '11'), gone: false });
  await clock.advance(3_000);
  expect(await store.records.ofOwner(owner)).toEqual([]);
  isBroken = false;
  await clock.advance(3_000);
  expect(await store.records.ofOwner(owner)).toHaveLength(1);
  isBroken = true;
  reporter.report({ cluster: 'eu-1', type: configMaps, copy: copy('b', '12'), gone: false });
  const closed = reporter.close();
  await clock.advance(3_000);
  await closed;
});

test('a copy that is on its way waits for more, one that has arrived takes its waiting siblings along', async () => {
  const { clock, deps } = setup([]);
  const deployments = types.byKind.get('apps/Deployment');
  if (!deployments) throw new Error('Deployments are federated');
  const batches: string[][] = [];
  const write = async (records: readonly { cluster: string }[]) => {
    batches.push(records.map(({ cluster }) => cluster));
    return { stale: [] };
  };
  const reporter = createReporter({ ...deps, records: { get: deps.records.get, write } });
  const seen = (cluster: string, ready: number) => {
    const metadata = { name: 'web', namespace: 'default', uid: `uid-${cluster}`, resourceVersion: '1', generation: 1 };
    const status = { observedGeneration: 1, replicas: 2, readyReplicas: ready, updatedReplicas: 2 };
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 2 }, status };
    reporter.report({ cluster, type: deployments, copy: object, gone: false });
  };
  seen('eu-1', 0);
  seen('us-1', 1);
  await clock.advance(100);
  expect(batches).toEqual([]);
  seen('eu-1', 2);
  await clock.advance(30);
  expect(batches).toEqual([['eu-1', 'us-1']]);
  seen('us-1', 1);
  await clock.advance(700);
  expect(batches).toEqual([['eu-1', 'us-1'], ['us-1']]);
  await reporter.close();
});
