import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configMap, deployment, startTestServer, type TestServer } from './server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer();
});
afterEach(() => api.close());

describe('patch formats', () => {
  beforeEach(async () => {
    await api.send('POST', DEPLOYMENTS, { body: deployment('d', 2) });
  });
  const patch = (type: string, body: unknown, query = '') => api.send('PATCH', `${DEPLOYMENTS}/d${query}`, { body, type });

  test('JSON patch', async () => {
    const answer = await patch(JSON_PATCH, [{ op: 'replace', path: '/spec/replicas', value: 4 }]);
    expect([answer.code, answer.json().spec.replicas]).toEqual([200, 4]);
  });

  test('merge patch', async () => {
    expect((await patch(MERGE, { spec: { replicas: 4 } })).json().spec.replicas).toBe(4);
  });

  test('strategic merge patch merges containers by name', async () => {
    const body = { spec: { template: { spec: { containers: [{ name: 'side', image: 's:1' }] } } } };
    const { containers } = (await patch(STRATEGIC, body)).json().spec.template.spec;
    expect(containers.map((container: { name: string }) => container.name).sort()).toEqual(['c', 'side']);
  });

  const REFUSED: readonly [string, string, unknown, number, string][] = [
    [
      'a failing test',
      JSON_PATCH,
      [{ op: 'test', path: '/spec/replicas', value: 9 }],
      422,
      'the server rejected our request due to an error in our request',
    ],
    [
      'a missing path',
      JSON_PATCH,
      [{ op: 'remove', path: '/spec/none' }],
      422,
      'the server rejected our request due to an error in our request',
    ],
    ['an operation that is none', JSON_PATCH, [{ op: 'jump', path: '/a' }], 422, 'the server rejected our request'],
    ['no list', JSON_PATCH, { a: 1 }, 400, ''],
    ['no object', MERGE, [1], 400, ''],
    ['broken JSON', MERGE, '{"spec":', 400, ''],
    [
      'another content type',
      'application/json',
      {},
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml',
    ],
    [
      'a wrong type in the result',
      MERGE,
      { spec: { replicas: 'x' } },
      422,
      '": json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'an invalid result',
      MERGE,
      { spec: { replicas: -1 } },
      422,
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    ['another name', MERGE, { metadata: { name: 'x' } }, 400, 'does not match the name on the URL'],
    [
      'a stale version',
      MERGE,
      { metadata: { resourceVersion: '64' }, spec: { replicas: 3 } },
      409,
      'the object has been modified',
    ],
  ];
  test.each(REFUSED)('%s is refused', async (_sentence, type, body, code, message) => {
    const answer = await patch(type, body);
    expect(answer.code).toBe(code);
    expect(answer.json().message).toContain(message);
    expect((await api.send('GET', `${DEPLOYMENTS}/d`)).json().spec.replicas).toBe(2);
  });

  test('a patch that changes nothing keeps the version', async () => {
    const before = (await api.send('GET', `${DEPLOYMENTS}/d`)).json();
    await api.clock.advance(10_000);
    expect((await patch(MERGE, { spec: { replicas: 2 } })).json().metadata).toEqual(before.metadata);
    expect((await patch(MERGE, {})).json()).toEqual(before);
  });

  test('unknown fields: warned of by default, refused by Strict', async () => {
    const body = { spec: { foo: 1, replicas: 3 } };
    const warned = await patch(MERGE, body);
    expect([warned.code, warned.headers.get('warning')]).toEqual([200, '299 - "unknown field \\"spec.foo\\""']);
    const strict = await patch(MERGE, body, '?fieldValidation=Strict');
    expect([strict.code, strict.json().message]).toEqual([
      422,
      expect.stringContaining('strict decoding error: unknown field \\"spec.foo\\"'.replaceAll('\\', '')),
    ]);
  });

  test('nothing there is a 404, force is for apply', async () => {
    expect((await api.send('PATCH', `${DEPLOYMENTS}/none`, { body: {}, type: MERGE })).code).toBe(404);
    const forced = await patch(MERGE, {}, '?force=true');
    expect([forced.code, forced.json().message]).toEqual([
      422,
      expect.stringContaining('force: Forbidden: may not be specified for non-apply patch'),
    ]);
  });

  test('custom resources take no strategic merge patch', async () => {
    const answer = await api.send('PATCH', '/apis/core.kubeadmiral.io/v1alpha1/federatedclusters/c', {
      body: {},
      type: STRATEGIC,
    });
    expect(answer.code).toBe(415);
  });

  test('a dry run changes nothing', async () => {
    expect((await patch(MERGE, { spec: { replicas: 4 } }, '?dryRun=All')).json().spec.replicas).toBe(4);
    expect((await api.send('GET', `${DEPLOYMENTS}/d`)).json().spec.replicas).toBe(2);
  });
});

describe('server-side apply', () => {
  const apply = (body: unknown, query: string, path = `${MAPS}/a`) =>
    api.send('PATCH', `${path}?${query}`, { body, type: APPLY });

  test('creates what is absent, from YAML too', async () => {
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n';
    const created = await apply(yaml, 'fieldManager=one');
    expect([created.code, created.json().data]).toEqual([201, { k: 'v' }]);
    expect(created.json().metadata.managedFields).toMatchObject([
      { manager: 'one', operation: 'Apply', fieldsV1: { 'f:data': { 'f:k': {} } } },
    ]);
    const again = await apply(configMap('a', { k: 'v' }), 'fieldManager=one');
    expect([again.code, again.json()]).toEqual([200, created.json()]);
  });

  test('a foreign field is a conflict until it is forced', async () => {
    await apply(configMap('a', { k: '1' }), 'fieldManager=one');
    const conflict = await apply(configMap('a', { k: '2' }), 'fieldManager=two');
    expect(conflict.json()).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .data.k',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.k' }] },
    });
    expect((await apply(configMap('a', { k: '2' }), 'fieldManager=two&force=true')).json().data).toEqual({ k: '2' });
  });

  test('what a manager no longer applies goes, what others own stays', async () => {
    await apply(configMap('a', { mine: '1', shared: '1' }), 'fieldManager=one');
    await apply(configMap('a', { shared: '1' }), 'fieldManager=two');
    expect((await apply(configMap('a', {}), 'fieldManager=one')).json().data).toEqual({ shared: '1' });
  });

  const REFUSED: readonly [string, unknown, string, number, string][] = [
    ['no manager', configMap('a'), '', 422, 'fieldManager: Required value: is required for apply patch'],
    [
      'managedFields of its own',
      configMap('a', {}, { managedFields: [{ manager: 'x' }] }),
      'fieldManager=one',
      400,
      'metadata.managedFields must be nil',
    ],
    [
      'another version',
      { ...configMap('a'), apiVersion: 'v2' },
      'fieldManager=one',
      400,
      'invalid object type: /v2, Kind=ConfigMap',
    ],
    ['another name', configMap('b'), 'fieldManager=one', 400, 'does not match the name on the URL'],
    ['an unknown field', { ...configMap('a'), foo: 1 }, 'fieldManager=one', 500, 'field not declared in schema'],
    [
      'a uid of something that is gone',
      configMap('a', {}, { uid: 'gone' }),
      'fieldManager=one&force=true',
      409,
      'no existing object was found',
    ],
    [
      'no name',
      { apiVersion: 'v1', kind: 'ConfigMap' },
      'fieldManager=one',
      400,
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ],
    ['no object', '- a\n- b\n', 'fieldManager=one', 400, 'error decoding YAML'],
  ];
  test.each(REFUSED)('%s is refused and nothing is stored', async (_sentence, body, query, code, message) => {
    const answer = await apply(body, query);
    expect(answer.code).toBe(code);
    expect(answer.json().message).toContain(message);
    expect((await api.send('GET', `${MAPS}/a`)).code).toBe(404);
  });

  test('a stale version or uid is refused even when forced', async () => {
    const { metadata } = (await apply(configMap('a', { k: '1' }), 'fieldManager=one')).json();
    await apply(configMap('a', { k: '2' }), 'fieldManager=one');
    const stale = await apply(
      configMap('a', { k: '3' }, { resourceVersion: metadata.resourceVersion }),
      'fieldManager=one&force=true',
    );
    const foreign = await apply(configMap('a', { k: '3' }, { uid: 'other' }), 'fieldManager=one&force=true');
    const recreated = await apply(
      configMap('a', { k: '3' }, { uid: 'other', resourceVersion: '64' }),
      'fieldManager=one&force=true',
    );
    expect([stale.code, foreign.code, recreated.code]).toEqual([409, 422, 409]);
    expect(foreign.json().message).toBe('ConfigMap "a" is invalid: metadata.uid: Invalid value: "other": field is immutable');
  });

  test('creating by apply needs the right to create', async () => {
    const mayPatch = new Set(['patch', 'get']);
    const other = await startTestServer({ authorize: async ({ verb }) => ({ allowed: mayPatch.has(verb), reason: '' }) });
    const answer = await other.send('PATCH', `${MAPS}/a?fieldManager=one`, { body: configMap('a'), type: APPLY });
    expect([answer.code, answer.json().message]).toEqual([
      403,
      'configmaps "a" is forbidden: User "admin" cannot create resource "configmaps" in API group "" in the namespace "default"',
    ]);
    await other.close();
  });

  test('a Scale is applied with the owners of its object', async () => {
    await apply({ ...deployment('d'), metadata: { name: 'd' } }, 'fieldManager=one', `${DEPLOYMENTS}/d`);
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' }, spec: { replicas: 5 } };
    const path = `${DEPLOYMENTS}/d/scale`;
    expect((await apply(scale, 'fieldManager=two', path)).json().message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
    );
    const forced = await apply(scale, 'fieldManager=two&force=true', path);
    expect([forced.code, forced.json().kind, forced.json().spec.replicas]).toEqual([200, 'Scale', 5]);
    const { metadata } = (await api.send('GET', `${DEPLOYMENTS}/d`)).json();
    const entry = metadata.managedFields.find((each: { manager: string }) => each.manager === 'two');
    expect(entry).toMatchObject({
      operation: 'Apply',
      apiVersion: 'apps/v1',
      subresource: 'scale',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    });
    expect((await apply({ ...scale, metadata: { name: 'none' } }, 'fieldManager=two', `${DEPLOYMENTS}/none/scale`)).code).toBe(
      404,
    );
  });

  test('status is applied apart', async () => {
    await apply({ ...deployment('d'), metadata: { name: 'd' } }, 'fieldManager=one', `${DEPLOYMENTS}/d`);
    const status = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, status: { replicas: 3 } };
    const applied = await apply(status, 'fieldManager=two', `${DEPLOYMENTS}/d/status`);
    expect([applied.code, applied.json().status.replicas, applied.json().spec.replicas]).toEqual([200, 3, 1]);
  });
});
