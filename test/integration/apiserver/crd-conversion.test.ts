/** Versions that a webhook turns into one another: reads, lists, watches and writes in any of them. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reconcileCrd } from '../../../functions/sweeper/crd.ts';
import type { JsonObject, KubeObject } from '../../../shared/machinery/object.ts';
import type { Http, HttpAnswer, HttpRequest } from '../../../shared/ports/system.ts';
import { crdBody, schemaOf } from './crd-bodies.ts';
import { startTestServer, type TestServer } from './server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const path = (version: string) => `/apis/example.com/${version}/namespaces/default/widgets`;
const text = { type: 'string' };

/** A webhook that splits `host` of v1 into `name` and `port` of v2, and counts how often it is asked. */
function fakeWebhook() {
  const asked: { desired: string; count: number }[] = [];
  let answerWith = (request: HttpRequest): HttpAnswer => {
    const review = JSON.parse(request.body ?? '') as {
      request: { uid: string; desiredAPIVersion: string; objects: KubeObject[] };
    };
    const { uid, desiredAPIVersion, objects } = review.request;
    asked.push({ desired: desiredAPIVersion, count: objects.length });
    const convertedObjects = objects.map((object) => converted(object, desiredAPIVersion));
    const response = { uid, convertedObjects, result: { status: 'Success' } };
    return { type: 'answer', status: 200, body: JSON.stringify({ ...review, request: undefined, response }) };
  };
  const http: Http = { send: async (request) => answerWith(request) };
  return { http, asked, answer: (next: typeof answerWith) => (answerWith = next) };
}

function converted(object: KubeObject, apiVersion: string): KubeObject {
  const { host, name, port } = object.spec as Record<string, string>;
  const [first = '', second = ''] = (host ?? '').split(':');
  const spec: JsonObject = apiVersion.endsWith('/v2') ? { name: first, port: second } : { host: `${name}:${port}` };
  return { ...object, apiVersion, spec };
}

const widget = (version: string, name: string, spec: object) => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name },
  spec,
});

let server: TestServer;
let webhook: ReturnType<typeof fakeWebhook>;
beforeEach(async () => {
  webhook = fakeWebhook();
  server = await startTestServer({ http: webhook.http });
  const version = (name: string, properties: object, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: schemaOf(properties) },
  });
  const body = crdBody({
    spec: {
      versions: [version('v1', { host: text }, true), version('v2', { name: text, port: text }, false)],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://webhook/convert' }, conversionReviewVersions: ['v1'] },
      },
    },
  });
  const created = await server.send('POST', DEFINITIONS, { body });
  expect(created.code, created.text).toBe(201);
  const { objects, index } = server.medium.store;
  const deps = { objects, index, registry: server.types.registry, clock: server.clock };
  await reconcileCrd(deps, { name: 'widgets.example.com' }, 0);
});
afterEach(() => server.close());

describe('a webhook', () => {
  test('is not asked where versions agree', async () => {
    await server.send('POST', path('v1'), { body: widget('v1', 'a', { host: 'h:1' }) });
    await server.send('GET', `${path('v1')}/a`);
    expect(webhook.asked).toEqual([]);
  });

  test('converts what is read, written and listed', async () => {
    await server.send('POST', path('v1'), { body: widget('v1', 'a', { host: 'h:1' }) });
    const created = await server.send('POST', path('v2'), { body: widget('v2', 'b', { name: 'i', port: '2' }) });
    expect(created.json()).toMatchObject({ apiVersion: 'example.com/v2', spec: { name: 'i', port: '2' } });
    const stored = await server.medium.store.objects.get({ scope: 'example.com/widgets', namespace: 'default', name: 'b' });
    expect(JSON.parse(stored?.body ?? '')).toMatchObject({ apiVersion: 'example.com/v1', spec: { host: 'i:2' } });
    const specs = (await server.send('GET', path('v2'))).json().items.map(({ spec }: KubeObject) => spec);
    expect(specs).toEqual([
      { name: 'h', port: '1' },
      { name: 'i', port: '2' },
    ]);
    expect(webhook.asked.at(-1)).toEqual({ desired: 'example.com/v2', count: 2 });
  });

  test('converts what a watch shows', async () => {
    const watch = await server.watch(`${path('v2')}?watch=true&resourceVersion=0`);
    await server.send('POST', path('v1'), { body: widget('v1', 'a', { host: 'h:1' }) });
    expect(await watch.next()).toMatchObject({
      type: 'ADDED',
      object: { apiVersion: 'example.com/v2', spec: { name: 'h', port: '1' } },
    });
    await watch.cancel();
  });

  test('patches in the version that was asked for', async () => {
    await server.send('POST', path('v1'), { body: widget('v1', 'a', { host: 'h:1' }) });
    const type = 'application/merge-patch+json';
    const patched = await server.send('PATCH', `${path('v2')}/a`, { body: { spec: { port: '9' } }, type });
    expect(patched.json().spec).toEqual({ name: 'h', port: '9' });
    expect((await server.send('GET', `${path('v1')}/a`)).json().spec).toEqual({ host: 'h:9' });
  });

  test.each<[string, (object: KubeObject, uid: string) => object, string]>([
    ['renames', (object) => ({ ...object, metadata: { ...object.metadata, name: 'x' } }), 'must have the same name: a != x'],
    [
      'answers another version',
      (object) => ({ ...object, apiVersion: 'example.com/v3' }),
      'invalid groupVersion (expected example.com/v2, received example.com/v3)',
    ],
  ])('that %s is refused', async (_sentence, change, why) => {
    await server.send('POST', path('v1'), { body: widget('v1', 'a', { host: 'h:1' }) });
    webhook.answer((request) => {
      const { request: asked } = JSON.parse(request.body ?? '');
      const convertedObjects = asked.objects.map((object: KubeObject) =>
        change(converted(object, asked.desiredAPIVersion), asked.uid),
      );
      const response = { uid: asked.uid, convertedObjects, result: { status: 'Success' } };
      const review = { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', response };
      return { type: 'answer', status: 200, body: JSON.stringify(review) };
    });
    const answer = await server.send('GET', `${path('v2')}/a`);
    expect([answer.code, answer.json().message]).toEqual([
      500,
      `conversion webhook for example.com/v1, Kind=Widget returned invalid converted object at index 0: ${why}`,
    ]);
  });

  test('that does not answer is named', async () => {
    await server.send('POST', path('v1'), { body: widget('v1', 'a', { host: 'h:1' }) });
    webhook.answer(() => ({ type: 'failure', reason: 'context deadline exceeded' }));
    const answer = await server.send('GET', `${path('v2')}/a`);
    expect(answer.json().message).toBe(
      'conversion webhook for example.com/v1, Kind=Widget failed: Post "https://webhook/convert?timeout=30s": context deadline exceeded',
    );
  });
});
