/** Server-side apply: what the recorded sequences do not single out. */
import { describe, expect, test } from 'vitest';
import { builtInSchema } from '../../../shared/apis/schemas.ts';
import { cloneJson } from '../../../shared/machinery/equality.ts';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../../../shared/machinery/object.ts';
import { applyConfiguration, conflictStatus, keepTimes } from '../../../shared/machinery/patch/apply/apply.ts';
import { applied, applyOf, configMap, deployment, owners, updated } from './builders.ts';

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
