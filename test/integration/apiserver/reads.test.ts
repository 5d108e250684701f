import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configMap, deployment, startTestServer, type TestServer } from './server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = 'application/merge-patch+json';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer();
});
afterEach(() => api.close());

async function createMaps(names: readonly string[], labels: (name: string) => Record<string, string> = () => ({})) {
  for (const name of names) await api.send('POST', MAPS, { body: configMap(name, { n: name }, { labels: labels(name) }) });
}
const namesOf = (list: { items: { metadata: { name: string } }[] }) => list.items.map((item) => item.metadata.name);
const letters = (count: number) => Array.from({ length: count }, (_, index) => `m${String(index).padStart(3, '0')}`);

describe('lists', () => {
  test('an empty list has items', async () => {
    expect((await api.send('GET', MAPS)).json()).toEqual({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: expect.stringMatching(/^[1-9]\d*$/) },
      items: [],
    });
  });

  test('is sorted by name and carries whole objects', async () => {
    await createMaps(['b', 'a', 'c']);
    const list = (await api.send('GET', MAPS)).json();
    expect(namesOf(list)).toEqual(['a', 'b', 'c']);
    expect(list.items[0]).toEqual((await api.send('GET', `${MAPS}/a`)).json());
  });

  test('a long list is the same, byte for byte, as its objects', async () => {
    for (const name of letters(40)) await api.send('POST', MAPS, { body: configMap(name, { n: `${name} é 漢 \u{1F600}` }) });
    const items = await Promise.all(letters(40).map(async (name) => (await api.send('GET', `${MAPS}/${name}`)).text));
    const list = await api.send('GET', MAPS);
    const { resourceVersion } = list.json().metadata;
    const head = `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"${resourceVersion}"},"items":[`;
    expect(list.text).toBe(`${head}${items.join(',')}]}`);
  });

  test('pages show one version, whatever happens meanwhile, and count what is left', async () => {
    await createMaps(letters(7));
    const first = (await api.send('GET', `${MAPS}?limit=3`)).json();
    expect([namesOf(first), first.metadata.remainingItemCount]).toEqual([['m000', 'm001', 'm002'], 4]);
    await api.send('DELETE', `${MAPS}/m004`);
    await api.send('POST', MAPS, { body: configMap('m0035') });
    const second = (await api.send('GET', `${MAPS}?limit=3&continue=${first.metadata.continue}`)).json();
    const third = (await api.send('GET', `${MAPS}?limit=3&continue=${second.metadata.continue}`)).json();
    expect([namesOf(second), namesOf(third)]).toEqual([['m003', 'm004', 'm005'], ['m006']]);
    expect([second.metadata.resourceVersion, third.metadata.resourceVersion, third.metadata.continue]).toEqual([
      first.metadata.resourceVersion,
      first.metadata.resourceVersion,
      undefined,
    ]);
  });

  const SELECTORS: readonly [string, string[]][] = [
    ['labelSelector=color%3Dred', ['m000', 'm002', 'm004']],
    ['labelSelector=color!%3Dred', ['m001', 'm003']],
    ['labelSelector=color+in+(red,blue)', ['m000', 'm001', 'm002', 'm003', 'm004']],
    ['labelSelector=!color', []],
    ['fieldSelector=metadata.name%3Dm003', ['m003']],
    ['fieldSelector=metadata.name!%3Dm003', ['m000', 'm001', 'm002', 'm004']],
    ['fieldSelector=metadata.name%3Dm003&labelSelector=color%3Dred', []],
    ['fieldSelector=metadata.namespace%3Dother', []],
  ];
  test.each(SELECTORS)('%s', async (query, want) => {
    await createMaps(letters(5), (name) => ({ color: Number(name.slice(1)) % 2 === 0 ? 'red' : 'blue' }));
    expect(namesOf((await api.send('GET', `${MAPS}?${query}`)).json())).toEqual(want);
  });

  test('pages with a selector are filled, and count nothing', async () => {
    await createMaps(letters(20), (name) => ({ color: Number(name.slice(1)) % 5 === 0 ? 'red' : 'blue' }));
    const first = (await api.send('GET', `${MAPS}?limit=2&labelSelector=color%3Dred`)).json();
    expect([namesOf(first), first.metadata.remainingItemCount]).toEqual([['m000', 'm005'], undefined]);
    const second = (
      await api.send('GET', `${MAPS}?limit=2&labelSelector=color%3Dred&continue=${first.metadata.continue}`)
    ).json();
    expect(namesOf(second)).toEqual(['m010', 'm015']);
  });

  test('fields of a kind select; others are a 400', async () => {
    const secret = (name: string, type: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, type, data: {} });
    await api.send('POST', '/api/v1/namespaces/default/secrets', { body: secret('a', 'Opaque') });
    await api.send('POST', '/api/v1/namespaces/default/secrets', { body: secret('b', 'test.dev/kind') });
    expect(namesOf((await api.send('GET', '/api/v1/secrets?fieldSelector=type%3Dtest.dev/kind')).json())).toEqual(['b']);
    const odd = await api.send('GET', '/api/v1/secrets?fieldSelector=spec.x%3D1');
    expect([odd.code, odd.json().message]).toEqual([400, 'field label not supported: spec.x']);
    expect((await api.send('GET', '/api/v1/secrets?labelSelector=a+b+c')).code).toBe(400);
  });

  test('a version that was never given out is a 504 with a hint', async () => {
    const answer = await api.send('GET', `${MAPS}?resourceVersion=9000000`);
    expect(answer.json()).toMatchObject({
      code: 504,
      reason: 'Timeout',
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
    });
    expect((await api.send('GET', `${MAPS}/a?resourceVersion=9000000`)).code).toBe(504);
    expect((await api.send('GET', `${MAPS}?resourceVersion=x`)).code).toBe(400);
  });

  test('Exact shows the past; once the log has dropped it, 410', async () => {
    await createMaps(['a']);
    const { metadata } = (await api.send('GET', MAPS)).json();
    await createMaps(['b']);
    const exact = `${MAPS}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expect(namesOf((await api.send('GET', exact)).json())).toEqual(['a']);
    await expireLog();
    expect((await api.send('GET', exact)).json()).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
  });

  test('an expired token comes with one that goes on, no longer consistent', async () => {
    await createMaps(letters(4));
    const first = (await api.send('GET', `${MAPS}?limit=2`)).json();
    await expireLog();
    await api.send('DELETE', `${MAPS}/m002`);
    const gone = await api.send('GET', `${MAPS}?limit=2&continue=${first.metadata.continue}`);
    expect([gone.code, gone.json().reason, gone.json().message.slice(0, 40)]).toEqual([
      410,
      'Expired',
      'The provided continue parameter is too o',
    ]);
    const rest = await api.send('GET', `${MAPS}?limit=2&continue=${gone.json().metadata.continue}`);
    expect(namesOf(rest.json())).toEqual(['m003']);
    expect(Number(rest.json().metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
  });

  test('the pages of one list show one state for five minutes, however long the log is kept', async () => {
    await createMaps(letters(4));
    const first = (await api.send('GET', `${MAPS}?limit=1`)).json();
    await api.clock.advance(5 * 60_000);
    const second = (await api.send('GET', `${MAPS}?limit=1&continue=${first.metadata.continue}`)).json();
    expect(namesOf(second)).toEqual(['m001']);
    await api.clock.advance(1000);
    const gone = await api.send('GET', `${MAPS}?limit=1&continue=${second.metadata.continue}`);
    expect([gone.code, gone.json().reason]).toEqual([410, 'Expired']);
    const third = (await api.send('GET', `${MAPS}?limit=1&continue=${gone.json().metadata.continue}`)).json();
    expect(namesOf(third)).toEqual(['m002']);
    const fourth = (await api.send('GET', `${MAPS}?limit=1&continue=${third.metadata.continue}`)).json();
    expect([namesOf(fourth), fourth.metadata.resourceVersion]).toEqual([['m003'], third.metadata.resourceVersion]);
  });

  /** Makes everything written so far impossible to replay. */
  async function expireLog() {
    await createMaps(['z']);
    await api.clock.advance(60_000);
    await api.medium.store.lanes.compact(1000);
    await api.send('DELETE', `${MAPS}/z`);
  }

  test('kubectl apply on a member of another namespace sees nothing of this one', async () => {
    await createMaps(['a']);
    expect((await api.send('GET', '/api/v1/namespaces/none/configmaps')).json().items).toEqual([]);
    expect(namesOf((await api.send('GET', '/api/v1/configmaps')).json())).toEqual(['a']);
  });
});

describe('forms', () => {
  test('a Table with columns, rows and the metadata of each object', async () => {
    await createMaps(['a']);
    await api.clock.advance(90_000);
    const table = (await api.send('GET', MAPS, { accept: TABLE })).json();
    expect([table.kind, table.apiVersion]).toEqual(['Table', 'meta.k8s.io/v1']);
    expect(table.columnDefinitions.map((column: { name: string }) => column.name)).toEqual(['Name', 'Data', 'Age']);
    expect(table.rows[0].cells).toEqual(['a', 1, '90s']);
    expect(table.rows[0].object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a' },
    });
    expect(table.metadata.resourceVersion).toMatch(/^\d+$/);
  });

  test('rows may carry the object, or nothing', async () => {
    await createMaps(['a']);
    const whole = (await api.send('GET', `${MAPS}?includeObject=Object`, { accept: TABLE })).json();
    const none = (await api.send('GET', `${MAPS}?includeObject=None`, { accept: TABLE })).json();
    expect([whole.rows[0].object.data, none.rows[0].object]).toEqual([{ n: 'a' }, undefined]);
  });

  test('one object as a Table has one row', async () => {
    await createMaps(['a']);
    expect((await api.send('GET', `${MAPS}/a`, { accept: TABLE })).json().rows).toHaveLength(1);
  });

  test('metadata alone, of an object and of a list', async () => {
    await createMaps(['a']);
    const one = (await api.send('GET', `${MAPS}/a`, { accept: METADATA })).json();
    expect([one.kind, one.metadata.name, one.data]).toEqual(['PartialObjectMetadata', 'a', undefined]);
    const list = (await api.send('GET', MAPS, { accept: METADATA_LIST })).json();
    expect([list.kind, list.items[0].kind]).toEqual(['PartialObjectMetadataList', 'PartialObjectMetadata']);
  });

  test('YAML and pretty JSON', async () => {
    await createMaps(['a']);
    const yaml = await api.send('GET', `${MAPS}/a`, { accept: 'application/yaml' });
    expect([yaml.headers.get('content-type'), yaml.text]).toEqual([
      'application/yaml',
      expect.stringContaining('kind: ConfigMap'),
    ]);
    expect((await api.send('GET', `${MAPS}/a?pretty=true`)).text).toContain('\n  "kind": "ConfigMap"');
  });

  test('an unknown media type is a 406', async () => {
    expect((await api.send('GET', MAPS, { accept: 'text/html' })).json()).toMatchObject({ code: 406, reason: 'NotAcceptable' });
  });

  test('a large list is compressed where the client allows', async () => {
    for (let index = 0; index < 3; index += 1)
      await api.send('POST', MAPS, { body: configMap(`m${index}`, { k: 'x'.repeat(100_000) }) });
    const headers = { 'Accept-Encoding': 'gzip' };
    const response = await api.server.app.request(`https://test${MAPS}`, {
      headers: { ...headers, Authorization: 'Bearer admin' },
    });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const small = await api.send('GET', `${MAPS}?limit=1`, { headers });
    expect(small.headers.get('content-encoding')).toBeNull();
  });

  test('an integer beyond 2^53 comes back as it went', async () => {
    const body =
      '{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"c"},"spec":{"schedule":"* * * * *","startingDeadlineSeconds":9007199254740993,"jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}';
    await api.send('POST', '/apis/batch/v1/namespaces/default/cronjobs', { body });
    expect((await api.send('GET', '/apis/batch/v1/namespaces/default/cronjobs/c')).text).toContain(
      '"startingDeadlineSeconds":9007199254740993',
    );
  });

  test('a kind stored in another version is shown in the one asked for', async () => {
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 60,
    };
    const body = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'h' }, spec };
    const created = await api.send('POST', '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers', { body });
    expect([created.code, created.json().apiVersion, created.json().spec.targetCPUUtilizationPercentage]).toEqual([
      201,
      'autoscaling/v1',
      60,
    ]);
    const v2 = (await api.send('GET', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers')).json();
    expect(v2.items[0]).toMatchObject({
      apiVersion: 'autoscaling/v2',
      spec: { metrics: [{ type: 'Resource', resource: { name: 'cpu' } }] },
    });
    const patched = await api.send('PATCH', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/h', {
      body: { spec: { maxReplicas: 9 } },
      type: MERGE,
    });
    expect(patched.json().spec.maxReplicas).toBe(9);
  });
});

describe('what every answer carries', () => {
  test('an audit id, kept when the client gave one', async () => {
    const given = await api.send('GET', MAPS, { headers: { 'Audit-Id': 'abc-1' } });
    const made = await api.send('GET', MAPS, { headers: { 'Audit-Id': 'not an id' } });
    expect([given.headers.get('audit-id'), made.headers.get('audit-id')]).toEqual([
      'abc-1',
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
    expect([given.headers.get('cache-control'), given.headers.get('vary')]).toEqual(['no-cache, private', 'Accept']);
  });

  test('no user is a 401, a user without the right a 403 in the standard words', async () => {
    expect((await api.send('GET', MAPS, { token: 'nobody' })).json()).toMatchObject({
      code: 401,
      reason: 'Unauthorized',
      message: 'Unauthorized',
    });
    const denied = await api.send('DELETE', `${MAPS}/a`, { token: 'reader' });
    expect(denied.json()).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps "a" is forbidden: User "reader" cannot delete resource "configmaps" in API group "" in the namespace "default"',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('a method that nothing serves is a 405, a misplaced name a 404', async () => {
    expect((await api.send('PUT', MAPS, { body: {} })).code).toBe(405);
    expect((await api.send('POST', '/api/v1/configmaps', { body: configMap('a') })).code).toBe(405);
    expect((await api.send('GET', '/api/v1/configmaps/a')).code).toBe(404);
    expect((await api.send('GET', '/api/v1/namespaces/default/nodes')).code).toBe(404);
    expect((await api.send('OPTIONS', MAPS)).code).toBe(405);
  });

  test('a deprecated kind says so on every answer', async () => {
    const answer = await api.send('GET', '/api/v1/namespaces/default/endpoints');
    expect(answer.headers.get('warning')).toBe(
      '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"',
    );
  });

  test('a store that fails is a 503; reads may be repeated at once, writes not', async () => {
    const { store } = api.medium;
    let isAway = false;
    const objects = {
      ...store.objects,
      get: async (ref: Parameters<typeof store.objects.get>[0]) => fail() ?? store.objects.get(ref),
      write: async (batch: Parameters<typeof store.objects.write>[0]) => fail() ?? store.objects.write(batch),
    };
    const fail = () => {
      if (isAway) throw new Error('the disk is gone');
      return undefined;
    };
    const broken = await startTestServer({ store: { objects, lanes: store.lanes } });
    isAway = true;
    const read = await broken.send('GET', `${MAPS}/a`);
    const write = await broken.send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'n' } } });
    expect([read.code, read.headers.get('retry-after'), write.code, write.headers.get('retry-after')]).toEqual([
      503,
      '1',
      503,
      null,
    ]);
    expect(broken.log.entries.map((entry) => entry.fields.error)).toEqual(['Error: the disk is gone', 'Error: the disk is gone']);
    await broken.close();
  });

  test('a defect is a 500 without its inside, and is logged with it', async () => {
    const broken = await startTestServer({
      authorize: async () => {
        throw new TypeError('secret inside');
      },
    });
    const answer = await broken.send('GET', MAPS);
    expect([answer.code, answer.text.includes('secret')]).toEqual([500, false]);
    expect(String(broken.log.entries[0]?.fields.error)).toContain('secret inside');
    await broken.close();
  });
});

describe('in-process resources', () => {
  test('follow the same rules as HTTP', async () => {
    const { resources } = api.server;
    const kind = api.definition('apps', 'v1', 'deployments');
    const given = { ...deployment('d', 2), metadata: { name: 'd', namespace: 'default' } };
    const created = await resources.create(kind, given, { fieldManager: 'kcm' });
    expect(created).toEqual((await api.send('GET', '/apis/apps/v1/namespaces/default/deployments/d')).json());
    expect(given.metadata).toEqual({ name: 'd', namespace: 'default' });
    const status = await resources.update(
      kind,
      { ...created, status: { replicas: 2 } },
      { subresource: 'status', fieldManager: 'kcm' },
    );
    expect(status.status).toEqual({ replicas: 2 });
    await expect(resources.update(kind, { ...created, spec: { ...created.spec, replicas: 3 } })).rejects.toMatchObject({
      status: { code: 409 },
    });
    const patched = await resources.patch(kind, 'default', 'd', { contentType: MERGE, body: '{"spec":{"replicas":3}}' });
    expect(patched.spec.replicas).toBe(3);
    const listed = await resources.list(kind, { namespace: 'default', fieldSelector: 'metadata.name=d' });
    expect(listed.items).toEqual([patched]);
    await expect(resources.delete(kind, 'default', 'd', { uid: 'other' })).rejects.toMatchObject({ status: { code: 409 } });
    await resources.delete(kind, 'default', 'd');
    await expect(resources.get(kind, 'default', 'd')).rejects.toMatchObject({ status: { code: 404 } });
  });

  test('admission may change and refuse', async () => {
    const step = {
      name: 'test',
      mutate: async ({ object }: { object?: { metadata: { labels?: Record<string, string> } } }) => {
        if (object) object.metadata.labels = { seen: 'yes' };
      },
      validate: async (request: { operation: string; warn(text: string): void }) => {
        request.warn(`saw ${request.operation}`);
      },
    };
    const other = await startTestServer({ admission: [step] });
    const answer = await other.send('POST', MAPS, { body: configMap('a') });
    expect([answer.json().metadata.labels, answer.headers.get('warning')]).toEqual([{ seen: 'yes' }, '299 - "saw create"']);
    await other.close();
  });
});
