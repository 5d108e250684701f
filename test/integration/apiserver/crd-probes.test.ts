/** What kube-apiserver 1.35.4 refuses, we refuse in the same words. `crd-probes.json` was recorded from one. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reconcileCrd } from '../../../functions/sweeper/crd.ts';
import { crdBody } from './crd-bodies.ts';
import { BAD_DEFINITIONS, BAD_INSTANCES, INSTANCE_SCHEMA } from './crd-probes.ts';
import { startTestServer, type TestServer } from './server.ts';

type Told = { code: number; message?: string; reason?: string; causes?: object[] };
const recorded = JSON.parse(readFileSync(new URL('./crd-probes.json', import.meta.url), 'utf8')) as {
  definitions: Record<string, Told>;
  instances: Record<string, Told>;
};

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  const created = await server.send('POST', DEFINITIONS, { body: crdBody({ schema: INSTANCE_SCHEMA }) });
  expect(created.code, created.text).toBe(201);
  const { objects, index } = server.medium.store;
  const deps = { objects, index, registry: server.types.registry, clock: server.clock };
  await reconcileCrd(deps, { name: 'widgets.example.com' }, 0);
});
afterAll(() => server.close());

/** Go's maps have no order: the causes are compared as a set, and the message by its beginning. */
async function told(path: string, body: object): Promise<unknown> {
  const answer = await server.send('POST', `${path}?dryRun=All`, { body });
  const { reason, details } = answer.json();
  return { code: answer.code, reason, causes: sorted(details?.causes) };
}

function sorted(causes: object[] | undefined): string[] | undefined {
  return causes?.map((cause) => JSON.stringify(cause)).sort();
}

const wanted = ({ code, reason, causes }: Told) => ({ code, reason, causes: sorted(causes) });

describe('a definition is refused for', () => {
  test.each(Object.entries(BAD_DEFINITIONS))('%s', async (name, body) => {
    const want = recorded.definitions[name];
    expect(want, `record ${name}`).toBeDefined();
    if (want) expect(await told(DEFINITIONS, body)).toEqual(wanted(want));
  });
});

describe('an instance is refused for', () => {
  test.each(Object.entries(BAD_INSTANCES))('%s', async (name, spec) => {
    const want = recorded.instances[name];
    const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'x' }, spec };
    expect(want, `record ${name}`).toBeDefined();
    if (want) expect(await told(WIDGETS, body)).toEqual(wanted(want));
  });
});
