/** Server-side apply at its edges: kubectl's rights, untyped parts, hostile and misfit input, the count of /scale. */
import { describe, expect, test } from 'vitest';
import { builtInSchema } from '../../../shared/apis/schemas.ts';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../../../shared/machinery/object.ts';
import { type ApplyOutcome, applyConfiguration, trackUpdate } from '../../../shared/machinery/patch/apply/apply.ts';
import { applied, applyOf, configMap, deployment, MINUTE_MS, updated } from './builders.ts';

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
