/** Discovery keeps its word: each listed verb of each resource and subresource is called and works; what is not listed is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { kubeadmiralDefinitions } from '../../../shared/apis/kubeadmiral/kinds.ts';
import { lamiralDefinitions } from '../../../shared/apis/lamiral/kinds.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import { startTestServer, type TestServer } from '../apiserver/server.ts';
import { apiVersionOf, collectionOf, type Listed, MERGE_PATCH, playVerbs } from './verbs.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const registry = createRegistry([...builtInDefinitions(), ...kubeadmiralDefinitions(), ...lamiralDefinitions()]);

type Group = { metadata: { name?: string }; versions: { version: string; resources: Omit<Listed, 'group' | 'version'>[] }[] };

async function discover(api: TestServer): Promise<Listed[]> {
  const lists = await Promise.all(
    ['/api', '/apis'].map(async (path) => (await api.send('GET', path, { accept: AGGREGATED })).json().items as Group[]),
  );
  return lists
    .flat()
    .flatMap(({ metadata, versions }) =>
      versions.flatMap(({ version, resources }) =>
        resources.map((resource) => ({ ...resource, group: metadata.name ?? '', version })),
      ),
    );
}

/** Tests are named before the server of the tests is up: discovery is pure, and the same registry says the same. */
const naming = await startTestServer({ registry: () => registry });
const listed = await discover(naming);
await naming.close();
const nameOf = (each: Listed) => `${apiVersionOf(each)} ${each.resource}`;

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer({ registry: () => registry });
});
afterAll(() => api.close());

describe('what discovery lists', () => {
  test('is what the registry holds, in both forms', async () => {
    expect(listed.length).toBeGreaterThan(80);
    const legacy: string[] = [];
    for (const apiVersion of new Set(listed.map(apiVersionOf))) {
      const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const { resources } = (await api.send('GET', path)).json() as { resources: { name: string; verbs: string[] }[] };
      legacy.push(...resources.map(({ name, verbs }) => `${apiVersion} ${name} ${verbs}`));
    }
    const aggregated = listed.flatMap((each) => [
      `${nameOf(each)} ${each.verbs}`,
      ...(each.subresources ?? []).map(({ subresource, verbs }) => `${nameOf(each)}/${subresource} ${verbs}`),
    ]);
    expect(legacy.sort()).toEqual(aggregated.sort());
  });

  test.each(listed.map((each) => [nameOf(each), each] as const))('%s', async (_name, each) => {
    const called = new Set<string>();
    await playVerbs({ api, listed: each, called });
    const promised = [
      ...each.verbs,
      ...(each.subresources ?? []).flatMap(({ subresource, verbs }) => verbs.map((verb) => `${verb} ${subresource}`)),
    ];
    expect([...called].sort()).toEqual(promised.sort());
  });
});

describe('what discovery does not list', () => {
  const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

  const ask = (verb: string, collection: string, name: string) => {
    const one = `${collection}/${name}`;
    const requests: Record<string, () => ReturnType<TestServer['send']>> = {
      create: () => api.send('POST', collection, { body: {} }),
      delete: () => api.send('DELETE', one),
      deletecollection: () => api.send('DELETE', collection),
      get: () => api.send('GET', one),
      list: () => api.send('GET', collection),
      patch: () => api.send('PATCH', one, { body: {}, type: MERGE_PATCH }),
      update: () => api.send('PUT', one, { body: { metadata: { name } } }),
      watch: () => api.send('GET', `${collection}?watch=true`),
    };
    return requests[verb]?.();
  };

  test('verbs of a resource: 405', async () => {
    const found: string[] = [];
    for (const each of listed)
      for (const verb of ALL.filter((one) => !each.verbs.includes(one))) {
        const answer = await ask(verb, collectionOf(each), 'x');
        if (answer?.code !== 405 || answer.json().reason !== 'MethodNotAllowed')
          found.push(`${verb} ${nameOf(each)}: ${answer?.code}`);
      }
    expect(found).toEqual([]);
  });

  test('verbs of a subresource: 405', async () => {
    const found: string[] = [];
    for (const each of listed)
      for (const { subresource, verbs } of each.subresources ?? []) {
        const url = `${collectionOf(each)}/x/${subresource}`;
        const methods = { get: 'GET', update: 'PUT', patch: 'PATCH', create: 'POST', delete: 'DELETE' };
        for (const [verb, method] of Object.entries(methods)) {
          if (verbs.includes(verb)) continue;
          const answer = await api.send(method, url, method === 'GET' ? {} : { body: {} });
          if (answer.code !== 405) found.push(`${verb} ${nameOf(each)}/${subresource}: ${answer.code}`);
        }
      }
    expect(found).toEqual([]);
  });

  test('kinds and subresources that nothing here answers: 404, as a Status', async () => {
    const served = new Set(
      listed.flatMap((each) => [
        nameOf(each),
        ...(each.subresources ?? []).map(({ subresource }) => `${nameOf(each)}/${subresource}`),
      ]),
    );
    const found: string[] = [];
    for (const { group, version, plural, namespaced, subresources } of registry.all()) {
      const each = { group, version, resource: plural, scope: namespaced ? 'Namespaced' : 'Cluster' } as Listed;
      const urls = served.has(nameOf(each)) ? [] : [{ method: 'POST', url: collectionOf(each) }];
      for (const { name, verbs } of subresources)
        if (!served.has(`${nameOf(each)}/${name}`))
          urls.push(
            ...verbs.map((verb) => ({ method: verb === 'create' ? 'POST' : 'GET', url: `${collectionOf(each)}/x/${name}` })),
          );
      for (const { method, url } of urls) {
        const answer = await api.send(method, url, method === 'POST' ? { body: {} } : {});
        if (answer.code !== 404 || answer.json().kind !== 'Status') found.push(`${method} ${url}: ${answer.code}`);
      }
    }
    expect(found).toEqual([]);
  });

  test.each([
    ['an unknown resource', '/api/v1/namespaces/default/nothings'],
    ['an unknown group', '/apis/none.example/v1/things'],
    ['an unknown version', '/apis/apps/v9/deployments'],
    ['an unknown subresource', '/apis/apps/v1/namespaces/default/deployments/x/nothing'],
    ['scale of what has none', '/api/v1/namespaces/default/configmaps/x/scale'],
    ['status of what has none', '/api/v1/namespaces/default/configmaps/x/status'],
    ['an unknown root', '/nothing'],
  ])('%s: 404 for every method', async (_name, path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await api.send(method, path, method === 'GET' ? {} : { body: {} });
      expect([method, answer.code, answer.json().kind], answer.text).toEqual([method, 404, 'Status']);
    }
  });
});
