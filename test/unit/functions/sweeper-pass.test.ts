import { expect, test } from 'vitest';
import { reconcilePass } from '../../../functions/sweeper/handler.ts';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { kubeadmiralDefinitions } from '../../../shared/apis/kubeadmiral/kinds.ts';
import { shippedTypeConfigs } from '../../../shared/apis/kubeadmiral/type-configs.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import { federatedType, federatedTypes } from '../../../shared/federation/type-config.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { createControlRouter } from '../../../shared/runtime/control/router.ts';
import { createOperation, writeAll } from '../../../shared/runtime/operations.ts';
import { identityOf, type Outgoing } from '../../../shared/runtime/send.ts';

const registry = createRegistry([...builtInDefinitions(), ...kubeadmiralDefinitions()]);
const POLICY = { 'kubeadmiral.io/propagation-policy-name': 'p' };

test('a pass goes on where the last one stopped, meets every object once, and reads no more than its part', async () => {
  const clock = fakeClock(0);
  const { store } = openMemory({ clock });
  const definition = registry.byScope('/configmaps');
  if (!definition) throw new Error('ConfigMaps are served');
  const names: string[] = [];
  const objects: KubeObject[] = [];
  for (const namespace of ['a', 'a-b', 'b'])
    for (let index = 0; index < 400; index += 1) {
      names.push(`schedule /configmaps/${namespace}/c-${index}`);
      objects.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c-${index}`, namespace, labels: POLICY } });
    }
  const creates = objects.map((object, index) => createOperation(definition, object, { now: 0, uid: `uid-${index}` }));
  await writeAll(store.objects, creates, 'api');
  let rows = 0;
  const sent: Outgoing[] = [];
  const deps = {
    ...store,
    objects: {
      ...store.objects,
      list: async (query: Parameters<typeof store.objects.list>[0]) => {
        const page = await store.objects.list(query);
        if (query.scope === '/configmaps' && page.type === 'page') rows += page.items.length;
        return page;
      },
    },
    clusters: { all: async () => new Map() },
    types: { all: async () => federatedTypes(shippedTypeConfigs().map(federatedType)) },
    sender: {
      send: async (outgoing: readonly Outgoing[]) => void sent.push(...outgoing),
      sendLater: async () => undefined,
    },
    registry: () => registry,
    control: createControlRouter([]),
    clock,
    log: memoryLog(),
  };
  const read: number[] = [];
  for (let pass = 0; pass < 3; pass += 1) {
    rows = 0;
    await reconcilePass(deps);
    read.push(rows);
  }
  expect(sent.map(({ work }) => identityOf(work)).sort()).toEqual(names.sort());
  // A page, and one more to see that there is more.
  for (const count of read) expect(count).toBeLessThanOrEqual(1_001);
});
