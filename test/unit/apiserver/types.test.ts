/** The registry that follows the definitions in the store. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeClock, fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { CRD_SCOPE } from '../../../shared/apis/custom/crd.ts';
import type { Registry } from '../../../shared/apis/definition.ts';
import { toStored } from '../../../shared/apis/stored.ts';
import { openTypes, type Types } from '../../../shared/apiserver/types/types.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';

let clock: FakeClock;
let medium: ReturnType<typeof openMemory>;
let types: Types;

beforeEach(async () => {
  clock = fakeClock(0);
  medium = openMemory({ clock });
  types = await open();
});
afterEach(async () => {
  types.close();
  await medium.close();
});

const open = (maxAgeMs?: number) =>
  openTypes({
    store: medium.store,
    base: builtInDefinitions(),
    clock,
    log: memoryLog(),
    ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
  });

/** An established definition. */
function crd(plural: string, change: { kind?: string; group?: string; versions?: string[]; note?: string } = {}): KubeObject {
  const { kind = plural, group = 'example.com', versions = ['v1'], note = '' } = change;
  const names = { plural, kind, singular: plural, listKind: `${kind}List` };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, uid: plural, generation: 1, annotations: { note } },
    spec: {
      group,
      scope: 'Namespaced',
      names,
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0 })),
    },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True' }] },
  };
}

const definition = () => {
  const found = types.registry().byScope(CRD_SCOPE);
  if (!found) throw new Error('no definitions of definitions');
  return found;
};

async function put(object: KubeObject): Promise<void> {
  const encoded = toStored(definition(), object);
  const stored = await medium.store.objects.get(encoded);
  const operation = stored
    ? ({ type: 'update', object: encoded, expected: stored.resourceVersion } as const)
    : ({ type: 'create', object: encoded } as const);
  await medium.store.objects.write({ operations: [operation], writer: 'api' });
}

async function remove(object: KubeObject): Promise<void> {
  const stored = await medium.store.objects.get(toStored(definition(), object));
  if (!stored) throw new Error('not there');
  const { resourceVersion, ...last } = stored;
  await medium.store.objects.write({ operations: [{ type: 'delete', object: last, expected: resourceVersion }], writer: 'api' });
}

const kinds = (registry: Registry) =>
  registry
    .all()
    .filter(({ custom }) => custom)
    .map(({ version, kind }) => `${version} ${kind}`);

describe('the registry', () => {
  test('holds what is established, after whoever heard of it has waited', async () => {
    expect(types.pending()).toBeUndefined();
    await put(crd('widgets'));
    await types.pending();
    expect(kinds(types.registry())).toEqual(['v1 widgets']);
    expect(types.pending()).toBeUndefined();
  });

  test('is the same value until a kind changes', async () => {
    await put(crd('widgets'));
    await types.settle();
    const before = types.registry();
    await put(crd('widgets', { note: 'another' }));
    await types.settle();
    expect(types.registry()).toBe(before);
    await put(crd('widgets', { kind: 'Widget' }));
    await types.settle();
    expect(types.registry()).not.toBe(before);
  });

  test('keeps the compiled kinds of definitions that did not change', async () => {
    await put(crd('widgets'));
    await types.settle();
    const widgets = types.registry().byScope('example.com/widgets');
    await put(crd('gadgets'));
    await types.settle();
    expect(types.registry().byScope('example.com/widgets')).toBe(widgets);
  });

  test('forgets what is deleted', async () => {
    const widgets = crd('widgets');
    await put(widgets);
    await types.settle();
    await remove(widgets);
    await types.settle();
    expect(kinds(types.registry())).toEqual([]);
  });

  test('prefers the newest stable version of a group, and stores in the one that says so', async () => {
    await put(crd('widgets', { versions: ['v1beta1', 'v1'] }));
    await put(crd('gadgets', { versions: ['v2alpha1'] }));
    await types.settle();
    const group = types
      .registry()
      .groups()
      .find((each) => each.group === 'example.com');
    expect(group).toEqual({ group: 'example.com', versions: ['v1', 'v1beta1', 'v2alpha1'], preferred: 'v1' });
    expect(types.registry().byScope('example.com/widgets')?.version).toBe('v1beta1');
  });

  test('lets no definition take the place of a built-in kind', async () => {
    await put(crd('deployments', { kind: 'Deployment', group: 'apps' }));
    await types.settle();
    expect(types.registry().byResource('apps', 'v1', 'deployments')?.builtIn).toBe(true);
  });

  test('tells of every change', async () => {
    const told: string[][] = [];
    const stop = types.onChange((registry) => told.push(kinds(registry)));
    await put(crd('widgets'));
    await types.settle();
    stop();
    await put(crd('gadgets'));
    await types.settle();
    expect(told).toEqual([['v1 widgets']]);
  });

  test('of a process that does not hear of commits is read again after its age', async () => {
    const deaf = await openTypes({
      store: { objects: medium.store.objects, lanes: { ...medium.store.lanes, onCommit: () => () => undefined } },
      base: builtInDefinitions(),
      clock,
      log: memoryLog(),
      maxAgeMs: 5000,
    });
    await put(crd('widgets'));
    expect(deaf.pending()).toBeUndefined();
    await clock.advance(5001);
    await deaf.pending();
    expect(kinds(deaf.registry())).toEqual(['v1 widgets']);
  });
});
