import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { protobufData } from '../../../shared/apis/data/load.ts';
import { PROTOBUF_LIST_ITEMS_MAX } from '../../../shared/apiserver/limits.ts';
import { createReader, readBytes, readString, readUint32 } from '../../../shared/machinery/codec/protobuf/wire.ts';
import { createProtobufCodec } from '../../../shared/machinery/codec/protobuf.ts';
import { configMap, deployment, startTestServer, type TestServer } from './server.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const TYPED_CLIENT = `${PROTOBUF},application/json`;
const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const codec = createProtobufCodec(protobufData());
const encode = (object: object): Uint8Array => {
  const bytes = codec.encode(object as Parameters<typeof codec.encode>[0]);
  if (bytes === undefined) throw new Error('the kind has no protobuf form');
  return bytes;
};

/** Asks with an Accept header; a body is protobuf. */
async function ask(method: string, path: string, accept: string, body?: Uint8Array) {
  const response = await api.server.app.request(`https://test${path}`, {
    method,
    headers: { Authorization: 'Bearer admin', Accept: accept, ...(body ? { 'Content-Type': PROTOBUF } : {}) },
    ...(body ? { body: new Uint8Array(body) } : {}),
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { code: response.status, type: response.headers.get('content-type'), object: () => codec.decode(bytes) };
}

/** Events of a watch: four bytes of length, then `WatchEvent {type = 1, object = 2 {raw = 1}}`. */
async function* readFrames(response: Response) {
  let buffer = Buffer.alloc(0);
  for await (const chunk of response.body ?? []) {
    buffer = Buffer.concat([buffer, chunk]);
    while (buffer.length >= 4 && buffer.length >= 4 + buffer.readUInt32BE()) {
      const end = 4 + buffer.readUInt32BE();
      const reader = createReader(buffer.subarray(4, end));
      buffer = buffer.subarray(end);
      expect(readUint32(reader)).toBe(0x0a);
      const type = readString(reader);
      expect(readUint32(reader)).toBe(0x12);
      const extension = createReader(readBytes(reader));
      expect(readUint32(extension)).toBe(0x0a);
      yield { type, object: codec.decode(readBytes(extension)) };
    }
  }
}

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer();
});
afterAll(() => api.close());

describe('protobuf', () => {
  test('a body from a typed client is stored like JSON, and answered in protobuf', async () => {
    const answer = await ask('POST', `${DEPLOYMENTS}?fieldValidation=Strict`, TYPED_CLIENT, encode(deployment('d', 2)));
    expect([answer.code, answer.type]).toEqual([201, PROTOBUF]);
    const json = (await api.send('POST', `${DEPLOYMENTS}?fieldValidation=Strict`, { body: deployment('j', 2) })).json();
    const { spec } = answer.object();
    expect(spec).toMatchObject({ replicas: 2, template: { spec: json.spec.template.spec } });
  });

  test.each([
    [
      'an object that is not there',
      `${MAPS}/none`,
      404,
      { kind: 'Status', reason: 'NotFound', details: { name: 'none', kind: 'configmaps' } },
    ],
    ['a bad option', `${MAPS}?limit=x`, 400, { kind: 'Status', reason: 'BadRequest' }],
  ])('%s is a Status in protobuf', async (_sentence, path, code, want) => {
    const answer = await ask('GET', path, TYPED_CLIENT);
    expect([answer.code, answer.type, answer.object()]).toEqual([code, PROTOBUF, expect.objectContaining(want)]);
  });

  test('metadata alone, of custom kinds too', async () => {
    await api.send('POST', MAPS, { body: configMap('meta', {}, { labels: { a: 'b' } }) });
    const as = (kind: string) => `${PROTOBUF};as=${kind};g=meta.k8s.io;v=v1,application/json;as=${kind};g=meta.k8s.io;v=v1`;
    const one = await ask('GET', `${MAPS}/meta`, as('PartialObjectMetadata'));
    expect([one.type, one.object()]).toEqual([
      PROTOBUF,
      expect.objectContaining({ kind: 'PartialObjectMetadata', metadata: expect.objectContaining({ labels: { a: 'b' } }) }),
    ]);
    const list = await ask('GET', `/apis/core.kubeadmiral.io/v1alpha1/federatedclusters`, as('PartialObjectMetadataList'));
    expect([list.type, list.object().kind]).toEqual([PROTOBUF, 'PartialObjectMetadataList']);
  });

  test('custom kinds and Tables come in JSON where that is taken too', async () => {
    const custom = await ask('GET', '/apis/core.kubeadmiral.io/v1alpha1/federatedclusters', TYPED_CLIENT);
    expect(custom.type).toBe('application/json');
    const table = await ask('GET', MAPS, `${PROTOBUF};as=Table;g=meta.k8s.io;v=v1,application/json`);
    expect(table.type).toBe('application/json');
  });

  test('a long list comes in JSON to who takes both', async () => {
    await api.server.resources.create(api.definition('', 'v1', 'namespaces'), {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'many' },
    });
    for (let index = 0; index <= PROTOBUF_LIST_ITEMS_MAX; index += 1)
      await api.server.resources.create(api.definition('', 'v1', 'configmaps'), {
        ...configMap(`many-${index}`),
        metadata: { name: `many-${index}`, namespace: 'many' },
      });
    const path = '/api/v1/namespaces/many/configmaps';
    const types = [];
    for (const accept of [TYPED_CLIENT, PROTOBUF]) types.push((await ask('GET', path, accept)).type);
    expect([...types, (await ask('GET', `${path}?limit=5`, TYPED_CLIENT)).type]).toEqual([
      'application/json',
      PROTOBUF,
      PROTOBUF,
    ]);
  });

  test('a write whose answer the client cannot read does not happen', async () => {
    const body = { apiVersion: 'core.kubeadmiral.io/v1alpha1', kind: 'PropagationPolicy', metadata: { name: 'p' }, spec: {} };
    const policies = '/apis/core.kubeadmiral.io/v1alpha1/namespaces/default/propagationpolicies';
    expect((await api.send('POST', policies, { body, accept: PROTOBUF })).code).toBe(406);
    expect((await api.send('GET', `${policies}/p`)).code).toBe(404);
  });

  test('a watch comes in frames', async () => {
    const version = (await api.send('GET', MAPS)).json().metadata.resourceVersion;
    const response = await api.server.app.request(
      `https://test${MAPS}?watch=true&resourceVersion=${version}&allowWatchBookmarks=true&timeoutSeconds=30`,
      { headers: { Authorization: 'Bearer admin', Accept: TYPED_CLIENT } },
    );
    expect(response.headers.get('content-type')).toBe(`${PROTOBUF};stream=watch`);
    await api.send('POST', MAPS, { body: configMap('w', { k: 'v' }) });
    await api.send('DELETE', `${MAPS}/w`);
    const frames = readFrames(response);
    const events = [await frames.next(), await frames.next()];
    expect(events.map(({ value }) => value)).toEqual([
      { type: 'ADDED', object: expect.objectContaining({ kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' } }) },
      { type: 'DELETED', object: expect.objectContaining({ kind: 'ConfigMap' }) },
    ]);
    await frames.return(undefined);
  });

  test('a client that reads nothing else gets protobuf', async () => {
    await api.send('POST', MAPS, { body: configMap('a', { k: 'v' }) });
    const want = (await api.send('GET', `${MAPS}/a`)).json();
    const response = await api.server.app.request(`https://test${MAPS}/a`, {
      headers: { Authorization: 'Bearer admin', Accept: PROTOBUF },
    });
    expect(response.headers.get('content-type')).toBe(PROTOBUF);
    expect(codec.decode(new Uint8Array(await response.arrayBuffer()))).toEqual(want);
  });

  test('a list too', async () => {
    const response = await api.server.app.request(`https://test${MAPS}`, {
      headers: { Authorization: 'Bearer admin', Accept: PROTOBUF },
    });
    expect(codec.decode(new Uint8Array(await response.arrayBuffer()))).toMatchObject({
      kind: 'ConfigMapList',
      items: expect.arrayContaining([expect.objectContaining({ metadata: expect.objectContaining({ name: 'a' }) })]),
    });
  });

  test('a kind without protobuf form is a 406', async () => {
    expect((await api.send('GET', '/apis/core.kubeadmiral.io/v1alpha1/federatedclusters', { accept: PROTOBUF })).code).toBe(406);
  });

  test('options of a delete', async () => {
    await api.send('POST', MAPS, { body: configMap('b') });
    const body = encode({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'other' } });
    expect((await api.send('DELETE', `${MAPS}/b`, { body, type: PROTOBUF })).code).toBe(409);
  });

  test('a review', async () => {
    const review = {
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const answer = await ask('POST', path, TYPED_CLIENT, encode(review));
    expect([answer.code, answer.type, answer.object().status]).toMatchObject([201, PROTOBUF, { allowed: true }]);
  });

  test.each([
    ['no envelope', new Uint8Array([1, 2, 3, 4, 5])],
    ['a torn envelope', encode(configMap('c')).subarray(0, 20)],
    ['nothing', new Uint8Array()],
  ])('%s is a 400', async (_sentence, body) => {
    expect((await api.send('POST', MAPS, { body, type: PROTOBUF })).code).toBe(400);
  });
});
