/** Server-side apply: what the recorded sequences do not single out. */
import { describe, expect, test } from 'vitest';
import { builtInSchema } from '../../../shared/apis/schemas.ts';
import { cloneJson } from '../../../shared/machinery/equality.ts';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../../../shared/machinery/object.ts';
import {
  type ApplyInput,
  type ApplyOutcome,
  applyConfiguration,
  conflictStatus,
  keepTimes,
  resetFieldsOf,
  trackUpdate,
} from '../../../shared/machinery/patch/apply/apply.ts';

const DEPLOYMENT = { group: 'apps', version: 'v1', kind: 'Deployment' };
const CONFIG_MAP = { group: '', version: 'v1', kind: 'ConfigMap' };
const MINUTE_MS = 60_000;

function deployment(spec: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'd', ...metadata }, spec };
}

function configMap(data: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'd', ...metadata }, data };
}

type Options = { live?: KubeObject; manager?: string; force?: boolean; minute?: number; subresource?: string };

function applyOf(
  config: KubeObject,
  { live, manager = 'alpha', force = false, minute = 0, subresource = '' }: Options = {},
): ApplyOutcome {
  const kind = config.kind === 'Deployment' ? DEPLOYMENT : CONFIG_MAP;
  const schema = builtInSchema(kind.group, kind.version, kind.kind);
  const resetFields = resetFieldsOf(kind, subresource, config.kind === 'Deployment');
  const input: ApplyInput = { live, config, schema, manager, force, subresource, now: minute * MINUTE_MS, resetFields };
  return applyConfiguration(input);
}

function applied(config: KubeObject, options: Options = {}): KubeObject {
  const outcome = applyOf(config, options);
  if (outcome.type !== 'applied') throw new Error(JSON.stringify(outcome));
  return { ...outcome.object, metadata: { ...outcome.object.metadata, uid: 'u' } };
}

function updated(old: KubeObject | undefined, next: KubeObject, manager: string, minute: number): KubeObject {
  const kind = next.kind === 'Deployment' ? DEPLOYMENT : CONFIG_MAP;
  const resetFields = resetFieldsOf(kind, '', next.kind === 'Deployment');
  const schema = builtInSchema(kind.group, kind.version, kind.kind);
  const managedFields = trackUpdate({ old, new: next, schema, manager, subresource: '', now: minute * MINUTE_MS, resetFields });
  return { ...next, metadata: { ...next.metadata, uid: 'u', managedFields } };
}

function owners(object: KubeObject): Record<string, ManagedFieldsEntry> {
  return Object.fromEntries((object.metadata.managedFields ?? []).map((entry) => [`${entry.manager} ${entry.operation}`, entry]));
}

describe('ownership', () => {
  test('two managers may apply the same value: nobody conflicts, both own it', () => {
    const live = applied(configMap({ a: '1' }));
    const shared = applied(configMap({ a: '1', b: '2' }), { live, manager: 'beta', minute: 1 });
    expect(owners(shared)['alpha Apply']?.fieldsV1).toEqual({ 'f:data': { 'f:a': {} } });
    expect(owners(shared)['beta Apply']?.fieldsV1).toEqual({ 'f:data': { 'f:a': {}, 'f:b': {} } });
  });

  test('another value conflicts, and says with whom and about what', () => {
    const live = applied(configMap({ a: '1', b: '1' }));
    const outcome = applyOf(configMap({ a: '2', b: '2' }), { live, manager: 'beta' });
    expect(outcome).toEqual({
      type: 'conflict',
      conflicts: [
        { manager: 'alpha', operation: 'Apply', apiVersion: 'v1', time: '1970-01-01T00:00:00Z', fields: ['.data.a', '.data.b'] },
      ],
    });
    if (outcome.type !== 'conflict') return;
    const { status } = conflictStatus({ group: '', resource: 'configmaps' }, 'c', outcome.conflicts);
    expect(status).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(status.message).toBe('Apply failed with 2 conflicts: conflicts with "alpha":\n- .data.a\n- .data.b');
    expect(status.details).toEqual({
      causes: ['.data.a', '.data.b'].map((field) => ({
        reason: 'FieldManagerConflict',
        message: 'conflict with "alpha"',
        field,
      })),
    });
  });

  test('force takes the value and the field', () => {
    const live = applied(configMap({ a: '1', b: '1' }));
    const forced = applied(configMap({ a: '2' }), { live, manager: 'beta', force: true, minute: 1 });
    expect(forced.data).toEqual({ a: '2', b: '1' });
    expect(owners(forced)['alpha Apply']?.fieldsV1).toEqual({ 'f:data': { 'f:b': {} } });
  });

  test('a field that its only applier drops goes; one that others own stays', () => {
    const live = applied(configMap({ a: '1' }), { live: applied(configMap({ a: '1', b: '1' })), manager: 'beta', minute: 1 });
    const dropped = applied(configMap({}), { live, minute: 2 });
    expect(dropped.data).toEqual({ a: '1' });
    expect(Object.keys(owners(dropped))).toEqual(['beta Apply', 'alpha Apply']);
  });

  test('a field that an updater set stays when its applier drops it', () => {
    const live = applied(configMap({ a: '1' }));
    const changed = updated(live, { ...live, data: { a: '2' } }, 'editor', 1);
    const dropped = applied(configMap({}), { live: changed, minute: 2 });
    expect(dropped.data).toEqual({ a: '2' });
  });

  test('the identity of an object belongs to nobody', () => {
    const object = applied(configMap({}, { labels: { x: 'y' }, uid: undefined, generation: 3 }));
    expect(owners(object)['alpha Apply']?.fieldsV1).toEqual({ 'f:data': {}, 'f:metadata': { 'f:labels': { 'f:x': {} } } });
  });

  test('status applied to the object itself is owned by nobody; on /status it is all that is', () => {
    const config = { ...deployment({ replicas: 1 }), status: { replicas: 1 } };
    expect(owners(applied(config))['alpha Apply']?.fieldsV1).toEqual({ 'f:spec': { 'f:replicas': {} } });
    const entry = owners(applied(config, { subresource: 'status' }))['alpha Apply'];
    expect(entry).toMatchObject({ subresource: 'status', fieldsV1: { 'f:status': { 'f:replicas': {} } } });
  });
});

describe('keyed lists', () => {
  const pod = (...containers: JsonObject[]): KubeObject => deployment({ template: { spec: { containers } } });
  const namesOf = (object: KubeObject): string[] =>
    object.spec.template.spec.containers.map(({ name }: { name: string }) => name);

  test.each<[string, string[], string[], string[]]>([
    ['an item that is new comes last', ['a', 'b'], ['c'], ['a', 'b', 'c']],
    ['the applied order wins among items both have', ['a', 'b', 'c'], ['c', 'a'], ['b', 'c', 'a']],
    ['a live item keeps its neighbour', ['a', 'x', 'b'], ['a', 'b'], ['a', 'x', 'b']],
    ['a new item stands where it was applied', ['a', 'b'], ['a', 'n', 'b'], ['a', 'n', 'b']],
  ])('%s', (_sentence, live, config, want) => {
    const container = (name: string): JsonObject => ({ name, image: 'i' });
    const before = applied(pod(...live.map(container)));
    expect(namesOf(applied(pod(...config.map(container)), { live: before, manager: 'beta' }))).toEqual(want);
  });

  test('a key that is left out takes its default', () => {
    const live = applied(pod({ name: 'a', image: 'i', ports: [{ containerPort: 80, protocol: 'TCP' }] }));
    const again = applied(pod({ name: 'a', image: 'i', ports: [{ containerPort: 80 }] }), { live, manager: 'beta' });
    expect(again.spec.template.spec.containers[0].ports).toEqual([{ containerPort: 80, protocol: 'TCP' }]);
  });

  test('an item with fields of others keeps them and itself when its applier leaves', () => {
    const live = applied(pod({ name: 'a', image: 'i' }, { name: 'b', image: 'i' }));
    const tuned = applied(pod({ name: 'b', workingDir: '/w' }), { live, manager: 'beta', minute: 1 });
    const left = applied(pod({ name: 'a', image: 'i' }), { live: tuned, minute: 2 });
    expect(left.spec.template.spec.containers).toEqual([
      { name: 'a', image: 'i' },
      { name: 'b', workingDir: '/w' },
    ]);
  });

  test('duplicates in the live object are borne, in the applied one refused', () => {
    const live = updated(
      undefined,
      pod({
        name: 'a',
        image: 'i',
        env: [
          { name: 'E', value: '1' },
          { name: 'E', value: '2' },
        ],
      }),
      'editor',
      0,
    );
    const next = applied(pod({ name: 'a', workingDir: '/w' }), { live, manager: 'beta' });
    expect(next.spec.template.spec.containers[0].env).toHaveLength(2);
    const twice = applyOf(pod({ name: 'a', image: 'i' }, { name: 'a', image: 'j' }));
    expect(twice).toEqual({
      type: 'invalid',
      code: 500,
      message:
        'failed to create typed patch object (d/web; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="a"]',
    });
  });
});

describe('who wrote before', () => {
  test('an object nobody tracked belongs to before-first-apply', () => {
    const live = { ...configMap({ a: '1', b: '1' }), metadata: { name: 'c', namespace: 'd', uid: 'u' } };
    const outcome = applyOf(configMap({ a: '2' }), { live, minute: 1 });
    expect(outcome).toMatchObject({
      type: 'conflict',
      conflicts: [{ manager: 'before-first-apply', operation: 'Update', fields: ['.data.a'] }],
    });
    const forced = applied(configMap({ a: '2' }), { live, force: true, minute: 1 });
    expect(owners(forced)['before-first-apply Update']?.fieldsV1).toEqual({ 'f:data': { '.': {}, 'f:b': {} } });
  });

  test('the eleventh updater is folded with the oldest', () => {
    let object = updated(undefined, configMap({ k0: 'x' }), 'u0', 0);
    for (let index = 1; index <= 11; index += 1)
      object = updated(object, { ...object, data: { ...object.data, [`k${index}`]: 'x' } }, `u${index}`, index);
    const entries = object.metadata.managedFields ?? [];
    expect(entries).toHaveLength(10);
    expect(entries[0]).toMatchObject({
      manager: 'ancient-changes',
      time: '1970-01-01T00:02:00Z',
      fieldsV1: { 'f:data': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} } },
    });
  });

  test('forged entries that cannot be read are ignored, readable ones count, an empty one resets', () => {
    const live = applied(configMap({ a: '1' }));
    const write = (managedFields: unknown): ManagedFieldsEntry[] | undefined =>
      updated(
        live,
        { ...live, metadata: { ...live.metadata, managedFields: managedFields as ManagedFieldsEntry[] } },
        'editor',
        1,
      ).metadata.managedFields;
    expect(write([{ manager: 'm', operation: 'Own', apiVersion: 'v1', fieldsType: 'FieldsV1' }])).toEqual(
      live.metadata.managedFields,
    );
    expect(
      write([{ manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'k:{': {} } }]),
    ).toEqual(live.metadata.managedFields);
    const readable: ManagedFieldsEntry = {
      manager: 'm',
      operation: 'Apply',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    };
    expect(write([readable])).toEqual([readable]);
    expect(write([{}])).toEqual([]);
    expect(write([])).toEqual([]);
  });

  test('managedFields in an applied configuration are refused', () => {
    expect(applyOf(configMap({}, { managedFields: [{}] }))).toEqual({
      type: 'invalid',
      code: 400,
      message: 'metadata.managedFields must be nil',
    });
  });

  test('owners of a version that is gone are forgotten, others are asked in their version', () => {
    const entry = (manager: string, apiVersion: string): ManagedFieldsEntry => ({
      manager,
      operation: 'Update',
      apiVersion,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    });
    const live = configMap({ a: '1' }, { managedFields: [entry('old', 'v0'), entry('older', 'v00')] as never });
    const schema = builtInSchema('', 'v1', 'ConfigMap');
    const convert = (object: JsonObject, apiVersion: string): { object: JsonObject; schema: typeof schema } | undefined =>
      apiVersion === 'v00' ? undefined : { object, schema };
    const outcome = applyConfiguration({
      live,
      config: configMap({ a: '2' }),
      schema,
      manager: 'alpha',
      force: true,
      subresource: '',
      now: 0,
      resetFields: { without: [] },
      convert,
    });
    expect(outcome.type === 'applied' && outcome.object.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['alpha']);
    expect(applyOf(configMap({ a: '2' }), { live })).toMatchObject({
      type: 'conflict',
      conflicts: [{ manager: 'old' }, { manager: 'older' }],
    });
  });
});

describe('no change', () => {
  test('applying again changes nothing, not even a time', () => {
    const live = applied(deployment({ replicas: 2, template: { spec: { containers: [{ name: 'a', image: 'i' }] } } }));
    const again = applied(deployment({ replicas: 2, template: { spec: { containers: [{ name: 'a', image: 'i' }] } } }), {
      live,
      minute: 5,
    });
    expect(again).toEqual(live);
  });

  test('neither the live object nor the configuration is changed', () => {
    const live = applied(configMap({ a: '1', b: '2' }, { labels: { x: 'y' } }));
    const config = configMap({ a: '2' });
    const [liveBefore, configBefore] = [cloneJson(live), cloneJson(config)];
    applied(config, { live, force: true, manager: 'beta' });
    applied(config, { live, minute: 1 });
    expect(live).toEqual(liveBefore);
    expect(config).toEqual(configBefore);
  });

  test('times are kept when only they would change', () => {
    const live = applied(configMap({ a: '1' }));
    const later = (live.metadata.managedFields ?? []).map((entry) => ({ ...entry, time: '2030-01-01T00:00:00Z' }));
    expect(keepTimes(live, live, later)).toEqual(live.metadata.managedFields);
    expect(keepTimes(live, { ...live, data: { a: '2' } }, later)).toEqual(later);
  });
});

describe('kubectl', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const lastApplied = (data: JsonObject): JsonObject => ({
    annotations: { [annotation]: `${JSON.stringify(configMap(data))}\n` },
  });

  test('takes over what client-side apply set, and refreshes its note', () => {
    const live = updated(undefined, configMap({ a: '1' }, lastApplied({ a: '1' })), 'kubectl-client-side-apply', 0);
    const next = applied(configMap({ a: '<2>' }), { live, manager: 'kubectl', minute: 1 });
    expect(next.data).toEqual({ a: '<2>' });
    expect(next.metadata.annotations?.[annotation]).toBe(
      '{"apiVersion":"v1","data":{"a":"\\u003c2\\u003e"},"kind":"ConfigMap","metadata":{"name":"c","namespace":"d"}}\n',
    );
  });

  test('conflicts about what others changed since', () => {
    const created = updated(
      undefined,
      configMap({ a: '1', b: '1' }, lastApplied({ a: '1', b: '1' })),
      'kubectl-client-side-apply',
      0,
    );
    const live = updated(created, { ...created, data: { a: '1', b: '9' } }, 'editor', 1);
    const outcome = applyOf(configMap({ a: '2', b: '2' }), { live, manager: 'kubectl', minute: 2 });
    expect(outcome).toMatchObject({ type: 'conflict', conflicts: [{ manager: 'editor', fields: ['.data.b'] }] });
    expect(outcome.type === 'conflict' && outcome.conflicts).toHaveLength(1);
  });

  test('a note that is no JSON gives no rights', () => {
    const live = updated(
      undefined,
      configMap({ a: '1' }, { annotations: { [annotation]: 'nonsense' } }),
      'kubectl-client-side-apply',
      0,
    );
    expect(applyOf(configMap({ a: '2' }), { live, manager: 'kubectl' }).type).toBe('conflict');
  });
});

describe('parts without structure', () => {
  const custom = (spec: JsonObject, metadata: JsonObject = {}): KubeObject => ({
    apiVersion: 'e.io/v1',
    kind: 'Thing',
    metadata: { name: 't', ...metadata },
    spec,
  });
  const free = (live: KubeObject | undefined, config: KubeObject, manager: string, force = false): ApplyOutcome =>
    applyConfiguration({
      live,
      config,
      schema: undefined,
      manager,
      force,
      subresource: '',
      now: 0,
      resetFields: { without: [] },
    });

  test('maps are granular, lists atomic', () => {
    const first = free(undefined, custom({ map: { a: 1 }, list: [{ name: 'x' }] }), 'alpha');
    expect(first.type === 'applied' && first.object.metadata.managedFields?.[0]?.fieldsV1).toEqual({
      'f:spec': { '.': {}, 'f:list': {}, 'f:map': { '.': {}, 'f:a': {} } },
    });
    const live = first.type === 'applied' ? first.object : undefined;
    expect(free(live, custom({ map: { b: 2 } }), 'beta').type).toBe('applied');
    expect(free(live, custom({ list: [] }), 'beta')).toMatchObject({ type: 'conflict', conflicts: [{ fields: ['.spec.list'] }] });
  });

  test('a value may change its shape', () => {
    const first = free(undefined, custom({ x: { a: 1 } }), 'alpha');
    const live = first.type === 'applied' ? first.object : undefined;
    const second = free(live, custom({ x: [1] }), 'alpha');
    expect(second.type === 'applied' && second.object.spec).toEqual({ x: [1] });
  });
});

describe('hostile keys are ordinary keys', () => {
  test.each(['__proto__', 'constructor', 'prototype'])('%s', (key) => {
    const config = configMap(JSON.parse(`{"${key}":"mine"}`) as JsonObject);
    const object = applied(config);
    expect(Object.getOwnPropertyDescriptor(object.data, key)?.value).toBe('mine');
    const other = applied(configMap({ z: '1' }), { live: object, manager: 'beta', minute: 1 });
    expect(Object.getOwnPropertyDescriptor(other.data, key)?.value).toBe('mine');
    const dropped = applied(configMap({}), { live: other, minute: 2 });
    expect(Object.keys(dropped.data)).toEqual(['z']);
    expect(Object.getPrototypeOf(dropped.data)).toBe(Object.prototype);
  });
});

describe('what does not fit', () => {
  test.each<[string, KubeObject, string]>([
    ['a field that is not declared', deployment({ foo: 1 }), '.spec.foo: field not declared in schema'],
    ['text for a number', deployment({ replicas: 'x' }), '.spec.replicas: expected numeric (int or float), got string'],
    ['a number for text', configMap({ a: 1 }), '.data.a: expected string, got &value.valueUnstructured{Value:1}'],
    ['a list for a map', deployment({ template: [1] }), '.spec.template: expected map, got &{[1]}'],
    [
      'a map for a list',
      deployment({ template: { spec: { containers: { a: 'b' } } } }),
      '.spec.template.spec.containers: expected list, got &{map[a:b]}',
    ],
    ['text for a flag', deployment({ paused: 'x' }), '.spec.paused: expected boolean, got &{x}'],
    [
      'a null item',
      deployment({ template: { spec: { containers: [null] } } }),
      '.spec.template.spec.containers: element 0: associative list with keys may not have a null element',
    ],
  ])('%s', (_sentence, config, want) => {
    const outcome = applyOf(config);
    expect(outcome).toMatchObject({ type: 'invalid', code: 500 });
    expect(outcome.type === 'invalid' && outcome.message).toContain(`Kind=${config.kind}): ${want}`);
  });

  test('another kind or version than the live object', () => {
    const live = applied(configMap({ a: '1' }));
    expect(applyOf({ ...configMap({}), kind: 'Secret' }, { live })).toEqual({
      type: 'invalid',
      code: 400,
      message: 'invalid object type: /v1, Kind=Secret',
    });
  });
});

describe('the count of /scale', () => {
  const scaled = (old: KubeObject, replicas: number, manager: string): ManagedFieldsEntry[] =>
    trackUpdate({
      old,
      new: { ...old, spec: { ...old.spec, replicas } },
      schema: builtInSchema('apps', 'v1', 'Deployment'),
      manager,
      subresource: 'scale',
      now: MINUTE_MS,
      resetFields: { without: [] },
    });

  test('goes to who scales, without a time', () => {
    const live = applied(deployment({ replicas: 1, paused: true }));
    expect(scaled(live, 3, 'kubectl')).toEqual([
      expect.objectContaining({ manager: 'alpha', fieldsV1: { 'f:spec': { 'f:paused': {} } } }),
      {
        manager: 'kubectl',
        operation: 'Update',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        subresource: 'scale',
      },
    ]);
  });

  test('is not tracked while nobody owns it, and not when it stays', () => {
    const live = applied(deployment({ paused: true }));
    expect(scaled(live, 3, 'kubectl')).toEqual(live.metadata.managedFields);
    const owned = applied(deployment({ replicas: 2 }));
    expect(scaled(owned, 2, 'kubectl')).toEqual(owned.metadata.managedFields);
  });
});
