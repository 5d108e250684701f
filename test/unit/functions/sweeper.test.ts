import { beforeEach, describe, expect, test } from 'vitest';
import { reconcileDeleting, reconcileNamespace, reconcileOwnerGone } from '../../../functions/sweeper/handler.ts';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import { fromStored } from '../../../shared/apis/stored.ts';
import type { KubeObject, OwnerReference } from '../../../shared/machinery/object.ts';
import {
  createOperation,
  deleteOperation,
  removeOperation,
  updateOperation,
  writeAll,
} from '../../../shared/runtime/operations.ts';

const registry = createRegistry(builtInDefinitions());
const owner = (uid: string, name = uid, extra: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...extra,
});

let deps: ReturnType<typeof setup>;
beforeEach(() => {
  deps = setup();
});

function setup() {
  const clock = fakeClock(0);
  const { store } = openMemory({ clock });
  return { clock, objects: store.objects, index: store.index, registry: () => registry };
}
const definitionOf = (scope: string) => {
  const definition = registry.byScope(scope);
  if (!definition) throw new Error(`nothing serves ${scope}`);
  return definition;
};
const put = async (name: string, metadata: Partial<KubeObject['metadata']> = {}, scope = '/configmaps') => {
  const { kind } = definitionOf(scope);
  const namespace = scope === '/namespaces' ? {} : { namespace: 'default' };
  const object = { apiVersion: 'v1', kind, metadata: { name, ...namespace, ...metadata } };
  await writeAll(deps.objects, [createOperation(definitionOf(scope), object, { now: 0, uid: name })], 'test');
};
const read = async (name: string, scope = '/configmaps') => {
  const stored = await deps.objects.get({ scope, namespace: scope === '/namespaces' ? '' : 'default', name });
  return stored && { stored, object: fromStored(stored) };
};
const must = async (name: string, scope?: string) => {
  const loaded = await read(name, scope);
  if (!loaded) throw new Error(`no ${name}`);
  return loaded;
};
const erase = async (name: string) => void (await writeAll(deps.objects, [removeOperation(await must(name))], 'test'));
const markDeleted = async (name: string, propagationPolicy: 'Foreground' | 'Orphan' | 'Background', scope = '/configmaps') => {
  const operation = deleteOperation(definitionOf(scope), await must(name, scope), { now: 0, propagationPolicy });
  await writeAll(deps.objects, [operation], 'test');
};
const ref = (name: string) => ({ scope: '/configmaps', namespace: 'default', name });

describe('an owner is gone', () => {
  test('dependents without another owner go, others lose the reference', async () => {
    await put('a');
    await put('b');
    await put('only-a', { ownerReferences: [owner('a')] });
    await put('both', { ownerReferences: [owner('a'), owner('b')] });
    await erase('a');
    expect((await reconcileOwnerGone(deps, 'a', 0)).type).toBe('done');
    expect(await read('only-a')).toBeUndefined();
    expect((await must('both')).object.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual(['b']);
  });

  test('one of the same name but another uid is not the owner', async () => {
    await put('a');
    await put('child', { ownerReferences: [owner('old-uid', 'a')] });
    await reconcileOwnerGone(deps, 'old-uid', 0);
    expect(await read('child')).toBeUndefined();
  });

  test('an owner that stands, or of a kind that nobody serves, keeps its dependents', async () => {
    await put('a');
    await put('child', { ownerReferences: [owner('a')] });
    await put('foreign', { ownerReferences: [owner('x', 'x', { apiVersion: 'example.com/v1', kind: 'Thing' })] });
    await reconcileOwnerGone(deps, 'a', 0);
    await reconcileOwnerGone(deps, 'x', 0);
    expect(await read('child')).toBeDefined();
    expect(await read('foreign')).toBeDefined();
  });

  test('a dependent with a finalizer is marked', async () => {
    await put('child', { ownerReferences: [owner('a')], finalizers: ['example.com/hold'] });
    await reconcileOwnerGone(deps, 'a', 0);
    expect((await must('child')).object.metadata.deletionTimestamp).toBeDefined();
  });

  test('a Job goes for good, though a request without a policy would leave its pods behind', async () => {
    await put('job', { ownerReferences: [owner('a')] }, 'batch/jobs');
    await reconcileOwnerGone(deps, 'a', 0);
    expect(await read('job', 'batch/jobs')).toBeUndefined();
  });

  test.each(['orphan', 'foregroundDeletion'])('what a dependent’s finalizer %s asks for stays asked', async (finalizer) => {
    await put('job', { ownerReferences: [owner('a')], finalizers: [finalizer] }, 'batch/jobs');
    await reconcileOwnerGone(deps, 'a', 0);
    expect((await must('job', 'batch/jobs')).object.metadata.finalizers).toEqual([finalizer]);
  });

  test('more than fit into one write', async () => {
    for (let child = 0; child < 11; child += 1) await put(`child-${child}`, { ownerReferences: [owner('a')] });
    await reconcileOwnerGone(deps, 'a', 0);
    expect(await deps.index.dependents('a')).toEqual([]);
  });
});

describe('an owner is being deleted', () => {
  test('orphan: dependents stay without the reference, then the owner goes', async () => {
    await put('a');
    await put('child', { ownerReferences: [owner('a')] });
    await markDeleted('a', 'Orphan');
    expect((await reconcileDeleting(deps, ref('a'), 0)).type).toBe('done');
    expect((await must('child')).object.metadata.ownerReferences ?? []).toEqual([]);
    expect(await read('a')).toBeUndefined();
  });

  test('foreground: blocking dependents go first, the owner waits for those that cannot', async () => {
    await put('a');
    await put('child', { ownerReferences: [owner('a', 'a', { blockOwnerDeletion: true })], finalizers: ['example.com/hold'] });
    await put('loose', { ownerReferences: [owner('a')] });
    await markDeleted('a', 'Foreground');
    expect(await reconcileDeleting(deps, ref('a'), 0)).toMatchObject({ type: 'requeueAfter' });
    const child = await must('child');
    expect(child.object.metadata.deletionTimestamp).toBeDefined();
    expect(await read('loose')).toBeDefined();
    const freed = { ...child.object, metadata: { ...child.object.metadata, finalizers: [] } };
    await writeAll(deps.objects, [updateOperation(definitionOf('/configmaps'), child, freed, { now: 0 })], 'test');
    expect((await reconcileDeleting(deps, ref('a'), 1)).type).toBe('done');
    expect(await read('a')).toBeUndefined();
  });

  test('foreground in a circle: nobody waits for ever, and all go', async () => {
    const blocks = (uid: string) => [owner(uid, uid, { blockOwnerDeletion: true })];
    await put('a', { ownerReferences: blocks('c') });
    await put('b', { ownerReferences: blocks('a') });
    await put('c', { ownerReferences: blocks('b') });
    await markDeleted('a', 'Foreground');
    for (let round = 0; round < 4; round += 1) {
      for (const name of ['a', 'b', 'c']) {
        await reconcileDeleting(deps, ref(name), 0);
        if (!(await read(name))) await reconcileOwnerGone(deps, name, 0);
      }
    }
    expect(await Promise.all(['a', 'b', 'c'].map((name) => read(name)))).toEqual([undefined, undefined, undefined]);
  });

  test('nothing to do for what is not being deleted, or gone', async () => {
    await put('a');
    expect((await reconcileDeleting(deps, ref('a'), 0)).type).toBe('done');
    expect((await reconcileDeleting(deps, ref('none'), 0)).type).toBe('done');
  });
});

describe('a namespace is being deleted', () => {
  test('pods first, then everything, then the namespace', async () => {
    await put('default', {}, '/namespaces');
    await put('pod', { finalizers: ['example.com/hold'] }, '/pods');
    await put('map');
    await markDeleted('default', 'Background', '/namespaces');
    expect(await reconcileNamespace(deps, 'default', 0)).toMatchObject({ type: 'requeueAfter' });
    expect(await read('map')).toBeDefined();
    const held = await must('default', '/namespaces');
    expect(held.object.status.phase).toBe('Terminating');
    expect(held.object.status.conditions).toContainEqual(
      expect.objectContaining({
        type: 'NamespaceFinalizersRemaining',
        status: 'True',
        message: 'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
      }),
    );
    const pod = await must('pod', '/pods');
    const freed = { ...pod.object, metadata: { ...pod.object.metadata, finalizers: [] } };
    await writeAll(deps.objects, [updateOperation(definitionOf('/pods'), pod, freed, { now: 0 })], 'test');
    expect((await reconcileNamespace(deps, 'default', 1)).type).toBe('done');
    expect(await read('map')).toBeUndefined();
    expect(await read('default', '/namespaces')).toBeUndefined();
  });

  test('Jobs in it leave nothing behind either', async () => {
    await put('default', {}, '/namespaces');
    await put('job', {}, 'batch/jobs');
    await markDeleted('default', 'Background', '/namespaces');
    expect((await reconcileNamespace(deps, 'default', 0)).type).toBe('done');
    expect(await read('job', 'batch/jobs')).toBeUndefined();
  });

  test('one that is not being deleted keeps its contents', async () => {
    await put('default', {}, '/namespaces');
    await put('map');
    expect((await reconcileNamespace(deps, 'default', 0)).type).toBe('done');
    expect(await read('map')).toBeDefined();
  });
});
