import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { protobufData } from '../../../shared/apis/data/load.ts';
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

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer();
});
afterAll(() => api.close());

describe('protobuf', () => {
  test('a body from a typed client is stored like JSON, and answered in JSON', async () => {
    const answer = await api.send('POST', `${DEPLOYMENTS}?fieldValidation=Strict`, {
      body: encode(deployment('d', 2)),
      type: PROTOBUF,
      accept: TYPED_CLIENT,
    });
    expect([answer.code, answer.headers.get('content-type')]).toEqual([201, 'application/json']);
    const json = await api.send('POST', `${DEPLOYMENTS}?fieldValidation=Strict`, { body: deployment('j', 2) });
    expect(answer.json().spec.template.spec).toEqual(json.json().spec.template.spec);
    expect(answer.json().spec.replicas).toBe(2);
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
      items: [{ metadata: { name: 'a' } }],
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
    const answer = await api.send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      body: encode(review),
      type: PROTOBUF,
      accept: TYPED_CLIENT,
    });
    expect([answer.code, answer.json().status.allowed]).toEqual([201, true]);
  });

  test.each([
    ['no envelope', new Uint8Array([1, 2, 3, 4, 5])],
    ['a torn envelope', encode(configMap('c')).subarray(0, 20)],
    ['nothing', new Uint8Array()],
  ])('%s is a 400', async (_sentence, body) => {
    expect((await api.send('POST', MAPS, { body, type: PROTOBUF })).code).toBe(400);
  });
});
