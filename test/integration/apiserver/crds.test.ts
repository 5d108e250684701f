/** CustomResourceDefinitions through the whole server: what is declared is served, and goes with its definition. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reconcileCrd } from '../../../functions/sweeper/crd.ts';
import { crdBody, schemaOf } from './crd-bodies.ts';
import { startTestServer, type TestServer } from './server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.close());

/** Lets the controller look at a definition as often as it asks for. */
async function control(name: string): Promise<void> {
  const { objects, index } = server.medium.store;
  const deps = { objects, index, registry: server.types.registry, clock: server.clock };
  for (let turn = 0; turn < 5; turn += 1) if ((await reconcileCrd(deps, { name }, 0)).type === 'done') return;
}

async function install(body: object): Promise<void> {
  const answer = await server.send('POST', DEFINITIONS, { body });
  expect(answer.code, answer.text).toBe(201);
  await control(answer.json().metadata.name);
}

const widget = (name: string, spec: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
});

describe('a definition', () => {
  test('is established by the controller, and served from then on', async () => {
    const created = await server.send('POST', DEFINITIONS, { body: crdBody() });
    expect(created.code, created.text).toBe(201);
    expect((await server.send('GET', WIDGETS)).code).toBe(404);
    await control('widgets.example.com');
    const crd = (await server.send('GET', `${DEFINITIONS}/widgets.example.com`)).json();
    expect(crd.status.conditions.map(({ type, status, reason }: Record<string, string>) => [type, status, reason])).toEqual([
      ['NamesAccepted', 'True', 'NoConflicts'],
      ['Established', 'True', 'InitialNamesAccepted'],
    ]);
    expect(crd.status.acceptedNames).toEqual({ kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' });
    expect(crd.status.storedVersions).toEqual(['v1']);
    expect((await server.send('GET', WIDGETS)).json()).toMatchObject({ kind: 'WidgetList', items: [] });
  });

  test('is in discovery', async () => {
    await install(crdBody({ names: { shortNames: ['wd'], categories: ['all'] } }));
    const groups = (await server.send('GET', '/apis')).json().groups.map(({ name }: { name: string }) => name);
    expect(groups).toContain('example.com');
    expect((await server.send('GET', '/apis/example.com/v1')).json().resources).toEqual([
      expect.objectContaining({
        name: 'widgets',
        singularName: 'widget',
        kind: 'Widget',
        shortNames: ['wd'],
        categories: ['all'],
      }),
      expect.objectContaining({ name: 'widgets/status', kind: 'Widget' }),
    ]);
  });
});

describe('an instance', () => {
  test('is created, read, patched, applied, listed and deleted', async () => {
    await install(crdBody());
    const created = await server.send('POST', WIDGETS, { body: widget('one', { size: 1 }) });
    expect(created.code, created.text).toBe(201);
    expect(created.json()).toMatchObject({ metadata: { generation: 1 }, spec: { size: 1, color: 'red' } });
    const merge = 'application/merge-patch+json';
    const patched = await server.send('PATCH', `${WIDGETS}/one`, { body: { spec: { size: 2 } }, type: merge });
    expect(patched.json()).toMatchObject({ metadata: { generation: 2 }, spec: { size: 2, color: 'red' } });
    const applied = await server.send('PATCH', `${WIDGETS}/two?fieldManager=me`, {
      body: widget('two', { size: 3 }),
      type: 'application/apply-patch+yaml',
    });
    expect(applied.code, applied.text).toBe(201);
    const names = (await server.send('GET', WIDGETS))
      .json()
      .items.map((item: { metadata: { name: string } }) => item.metadata.name);
    expect(names).toEqual(['one', 'two']);
    expect((await server.send('DELETE', `${WIDGETS}/one`)).code).toBe(200);
    expect((await server.send('GET', `${WIDGETS}/one`)).code).toBe(404);
  });

  test('is seen by a watch', async () => {
    await install(crdBody());
    const watch = await server.watch(`${WIDGETS}?watch=true&resourceVersion=0`);
    await server.send('POST', WIDGETS, { body: widget('one') });
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { kind: 'Widget', metadata: { name: 'one' } } });
    await watch.cancel();
  });

  test('keeps what its schema names and nothing else', async () => {
    await install(crdBody());
    const body = widget('one', { size: 1, unknown: true, free: { any: [1] } });
    expect((await server.send('POST', WIDGETS, { body })).json().spec).toEqual({ size: 1, color: 'red', free: { any: [1] } });
  });

  test('is shown in its columns', async () => {
    await install(crdBody());
    await server.send('POST', WIDGETS, { body: widget('one', { size: 7 }) });
    const table = (await server.send('GET', WIDGETS, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })).json();
    expect(table.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Size']);
    expect(table.rows[0].cells).toEqual(['one', 7]);
  });

  test('goes with its definition', async () => {
    await install(crdBody());
    await server.send('POST', WIDGETS, { body: widget('one') });
    const deleted = await server.send('DELETE', `${DEFINITIONS}/widgets.example.com`);
    expect(deleted.code).toBe(200);
    const late = await server.send('POST', WIDGETS, { body: widget('late') });
    expect([late.code, late.json().reason]).toEqual([403, 'Forbidden']);
    await control('widgets.example.com');
    expect((await server.send('GET', `${DEFINITIONS}/widgets.example.com`)).code).toBe(404);
    expect((await server.send('GET', WIDGETS)).code).toBe(404);
    await install(crdBody());
    expect((await server.send('GET', WIDGETS)).json().items).toEqual([]);
  });
});

describe('a definition that changes', () => {
  test('prunes and defaults what was written before', async () => {
    await install(crdBody());
    await server.send('POST', WIDGETS, { body: widget('one', { size: 1 }) });
    const path = `${DEFINITIONS}/widgets.example.com`;
    const crd = (await server.send('GET', path)).json();
    crd.spec.versions[0].schema.openAPIV3Schema = schemaOf({ shape: { type: 'string', default: 'round' } });
    expect((await server.send('PUT', path, { body: crd })).code).toBe(200);
    expect((await server.send('GET', `${WIDGETS}/one`)).json().spec).toEqual({ shape: 'round' });
    expect((await server.send('GET', WIDGETS)).json().items[0].spec).toEqual({ shape: 'round' });
  });

  test('serves one stored object in every version, and stores it in the new one', async () => {
    await install(crdBody());
    await server.send('POST', WIDGETS, { body: widget('one', { size: 1 }) });
    const path = `${DEFINITIONS}/widgets.example.com`;
    const crd = (await server.send('GET', path)).json();
    const [v1] = crd.spec.versions;
    crd.spec.versions = [
      { ...v1, storage: false },
      { ...v1, name: 'v2', storage: true },
    ];
    const updated = await server.send('PUT', path, { body: crd });
    expect(updated.json().status.storedVersions).toEqual(['v1', 'v2']);
    const v2 = WIDGETS.replace('/v1/', '/v2/');
    expect((await server.send('GET', `${v2}/one`)).json()).toMatchObject({ apiVersion: 'example.com/v2', spec: { size: 1 } });
    const before = (await server.send('GET', `${WIDGETS}/one`)).json();
    const touched = (await server.send('PUT', `${WIDGETS}/one`, { body: before })).json();
    expect(touched.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    const scope = 'example.com/widgets';
    const stored = await server.medium.store.objects.get({ scope, namespace: 'default', name: 'one' });
    expect(stored?.body).toContain('"apiVersion":"example.com/v2"');
    const again = (await server.send('PUT', `${WIDGETS}/one`, { body: touched })).json();
    expect(again.metadata.resourceVersion).toBe(touched.metadata.resourceVersion);
  });
});

describe('an update', () => {
  const rules = { 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is immutable' }] };
  const strict = schemaOf({
    size: { type: 'integer', maximum: 5 },
    color: { type: 'string' },
    fixed: { type: 'string', ...rules },
  });
  const merge = 'application/merge-patch+json';

  test('is not refused for what was wrong before', async () => {
    await install(crdBody());
    await server.send('POST', WIDGETS, { body: widget('one', { size: 9 }) });
    const path = `${DEFINITIONS}/widgets.example.com`;
    const crd = (await server.send('GET', path)).json();
    crd.spec.versions[0].schema.openAPIV3Schema = strict;
    expect((await server.send('PUT', path, { body: crd })).code).toBe(200);
    const other = await server.send('PATCH', `${WIDGETS}/one`, { body: { spec: { color: 'blue' } }, type: merge });
    expect(other.code, other.text).toBe(200);
    const wrong = await server.send('PATCH', `${WIDGETS}/one`, { body: { spec: { size: 8 } }, type: merge });
    expect([wrong.code, wrong.json().details.causes[0].field]).toEqual([422, 'spec.size']);
  });

  test('is held against what was there', async () => {
    await install(crdBody({ schema: strict }));
    await server.send('POST', WIDGETS, { body: widget('one', { fixed: 'a' }) });
    const changed = await server.send('PATCH', `${WIDGETS}/one`, { body: { spec: { fixed: 'b' } }, type: merge });
    expect(changed.json().message).toBe('Widget.example.com "one" is invalid: spec.fixed: Invalid value: "b": is immutable');
    const twice = await server.send('PATCH', `${WIDGETS}/one`, { body: { spec: { size: 1 } }, type: merge });
    expect(twice.code, twice.text).toBe(200);
  });

  test('of the status changes the status alone', async () => {
    await install(crdBody());
    await server.send('POST', WIDGETS, { body: widget('one', { size: 1 }) });
    const body = { metadata: { labels: { a: 'b' } }, spec: { size: 2 }, status: { phase: 'Ready' } };
    const patched = (await server.send('PATCH', `${WIDGETS}/one/status`, { body, type: merge })).json();
    expect(patched).toMatchObject({ spec: { size: 1 }, status: { phase: 'Ready' }, metadata: { generation: 1 } });
    expect(patched.metadata.labels).toBeUndefined();
  });
});

describe('forms and selectors', () => {
  test('fields that the definition names can be selected', async () => {
    await install(crdBody({ version: { selectableFields: [{ jsonPath: '.spec.color' }] } }));
    for (const [name, color] of [
      ['one', 'red'],
      ['two', 'blue'],
    ])
      await server.send('POST', WIDGETS, { body: widget(name ?? '', { color }) });
    const names = async (selector: string) =>
      (await server.send('GET', `${WIDGETS}?fieldSelector=${encodeURIComponent(selector)}`))
        .json()
        .items?.map((item: { metadata: { name: string } }) => item.metadata.name);
    expect(await names('spec.color=blue')).toEqual(['two']);
    expect(await names('spec.color!=blue')).toEqual(['one']);
    const refused = await server.send('GET', `${WIDGETS}?fieldSelector=spec.size%3D1`);
    expect(refused.json().message).toBe('field label not supported: spec.size');
  });

  test('a strategic merge patch is not for custom resources', async () => {
    await install(crdBody());
    await server.send('POST', WIDGETS, { body: widget('one') });
    const patch = { body: { spec: {} }, type: 'application/strategic-merge-patch+json' };
    expect((await server.send('PATCH', `${WIDGETS}/one`, patch)).code).toBe(415);
  });

  test('nor is protobuf', async () => {
    await install(crdBody());
    await server.send('POST', WIDGETS, { body: widget('one') });
    const protobuf = 'application/vnd.kubernetes.protobuf';
    expect((await server.send('GET', `${WIDGETS}/one`, { accept: protobuf })).code).toBe(406);
    const both = await server.send('GET', `${WIDGETS}/one`, { accept: `${protobuf},application/json` });
    expect([both.code, both.headers.get('content-type')]).toEqual([200, 'application/json']);
  });

  test('a kind without a scale has none', async () => {
    const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size', labelSelectorPath: '.status.selector' };
    await install(crdBody({ version: { subresources: { status: {}, scale } } }));
    await server.send('POST', WIDGETS, { body: widget('one', { size: 3 }) });
    const patch = { body: { spec: { replicas: 4 } }, type: 'application/merge-patch+json' };
    expect((await server.send('PATCH', `${WIDGETS}/one/scale`, patch)).json()).toMatchObject({ spec: { replicas: 4 } });
    expect((await server.send('GET', `${WIDGETS}/one`)).json().spec.size).toBe(4);
  });
});
