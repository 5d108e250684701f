import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from './server.ts';

const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

type Resource = {
  resource: string;
  scope: string;
  verbs: string[];
  responseKind: { kind: string };
  shortNames?: string[];
  subresources?: { subresource: string; verbs: string[] }[];
};
type Group = { metadata: { name?: string }; versions: { version: string; resources: Resource[] }[] };

let api: TestServer;
beforeAll(async () => {
  let ready = true;
  api = await startTestServer({
    readiness: new Map([
      ['store', async () => undefined],
      ['queue', async () => (ready ? undefined : 'the queue is away')],
    ]),
  });
  setReady = (value) => {
    ready = value;
  };
});
let setReady: (value: boolean) => void;
afterAll(() => api.close());

describe('discovery', () => {
  test('aggregated: one answer for all groups, with an ETag that gives 304', async () => {
    const answer = await api.send('GET', '/apis', { accept: AGGREGATED });
    expect(answer.headers.get('content-type')).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    expect([answer.json().kind, answer.json().apiVersion]).toEqual(['APIGroupDiscoveryList', 'apidiscovery.k8s.io/v2']);
    const etag = answer.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    const again = await api.send('GET', '/apis', { accept: AGGREGATED, headers: { 'If-None-Match': etag } });
    expect([again.code, again.text]).toEqual([304, '']);
  });

  test('aggregated in the older version, for older clients', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
    expect((await api.send('GET', '/api', { accept })).json().apiVersion).toBe('apidiscovery.k8s.io/v2beta1');
  });

  test('names, kinds, verbs and subresources of a resource', async () => {
    const { items } = (await api.send('GET', '/apis', { accept: AGGREGATED })).json() as { items: Group[] };
    const apps = items.find((group) => group.metadata.name === 'apps');
    expect(apps?.versions[0]?.resources.find((each) => each.resource === 'deployments')).toEqual({
      resource: 'deployments',
      responseKind: { group: '', version: '', kind: 'Deployment' },
      scope: 'Namespaced',
      singularResource: 'deployment',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['deploy'],
      categories: ['all'],
      subresources: [
        {
          subresource: 'scale',
          responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
          verbs: ['get', 'patch', 'update'],
        },
        {
          subresource: 'status',
          responseKind: { group: '', version: '', kind: 'Deployment' },
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
  });

  test('legacy: groups, one group, one list', async () => {
    expect((await api.send('GET', '/api')).json()).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const groups = (await api.send('GET', '/apis')).json();
    expect(groups.groups.find((group: { name: string }) => group.name === 'apps').preferredVersion).toEqual({
      groupVersion: 'apps/v1',
      version: 'v1',
    });
    expect((await api.send('GET', '/apis/autoscaling')).json().versions.map((each: { version: string }) => each.version)).toEqual(
      ['v2', 'v1'],
    );
    const list = (await api.send('GET', '/apis/apps/v1')).json();
    const scale = list.resources.find((each: { name: string }) => each.name === 'deployments/scale');
    expect(scale).toEqual({
      name: 'deployments/scale',
      singularName: '',
      namespaced: true,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
    expect((await api.send('GET', '/api/v1')).json().resources.some((each: { name: string }) => each.name === 'pods')).toBe(true);
  });

  test.each([['/apis/none'], ['/apis/apps/v2'], ['/api/v2'], ['/none']])('%s is a 404', async (path) => {
    expect((await api.send('GET', path)).json()).toMatchObject({
      code: 404,
      message: 'the server could not find the requested resource',
    });
  });

  test('every verb that is listed is answered', async () => {
    const lists = await Promise.all(
      ['/api', '/apis'].map(async (path) => (await api.send('GET', path, { accept: AGGREGATED })).json().items as Group[]),
    );
    const refused: string[] = [];
    for (const group of lists.flat()) {
      for (const { version, resources } of group.versions) {
        const root = group.metadata.name ? `/apis/${group.metadata.name}/${version}` : `/api/${version}`;
        for (const resource of resources) {
          const where =
            resource.scope === 'Namespaced' ? `${root}/namespaces/default/${resource.resource}` : `${root}/${resource.resource}`;
          for (const verb of resource.verbs) if (!(await isAnswered(verb, where))) refused.push(`${verb} ${where}`);
        }
      }
    }
    expect(refused).toEqual([]);
  });

  test('what nothing answers is not listed, a view is', async () => {
    const subresources = async (server: TestServer) => {
      const { items } = (await server.send('GET', '/api', { accept: AGGREGATED })).json() as { items: Group[] };
      const pods = items[0]?.versions[0]?.resources.find((each) => each.resource === 'pods');
      return pods?.subresources?.map((each) => each.subresource);
    };
    expect(await subresources(api)).toEqual(['binding', 'ephemeralcontainers', 'eviction', 'resize', 'status']);
    const views = new Map([['/pods/log', async () => ({ code: 200, object: {} })]]);
    const other = await startTestServer({ views });
    expect(await subresources(other)).toEqual(['ephemeralcontainers', 'log', 'resize', 'status']);
    await other.close();
  });

  /** Served, though what was sent may be refused: a missing object is a 404 that names it, an empty body a 4xx of its own. */
  async function isAnswered(verb: string, path: string): Promise<boolean> {
    const answer = await ask(verb, path);
    if (answer.code === 405 || answer.code >= 500) return false;
    return answer.code !== 404 || answer.json().message.includes('"none"');
  }

  const ask = (verb: string, path: string) => {
    switch (verb) {
      case 'list':
        return api.send('GET', path);
      case 'watch':
        return api.send('GET', `${path}?watch=true&resourceVersion=1`);
      case 'get':
        return api.send('GET', `${path}/none`);
      case 'create':
        return api.send('POST', path, { body: {} });
      case 'update':
        return api.send('PUT', `${path}/none`, { body: { metadata: { name: 'none', resourceVersion: '64' } } });
      case 'patch':
        return api.send('PATCH', `${path}/none`, { body: {}, type: 'application/merge-patch+json' });
      case 'delete':
        return api.send('DELETE', `${path}/none`);
      default:
        return api.send('DELETE', `${path}?dryRun=All`);
    }
  };
});

describe('OpenAPI', () => {
  test('v3: an index of documents by hash, each kept for a year', async () => {
    const index = (await api.send('GET', '/openapi/v3')).json();
    const url: string = index.paths['apis/apps/v1'].serverRelativeURL;
    expect(url).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
    const document = await api.send('GET', url);
    expect([document.headers.get('cache-control'), document.headers.get('etag')]).toEqual([
      'public, immutable',
      `"${url.split('=')[1]}"`,
    ]);
    expect(document.json().components.schemas['io.k8s.api.apps.v1.Deployment']).toBeDefined();
    expect((await api.send('GET', url, { headers: { 'If-None-Match': `"${url.split('=')[1]}"` } })).code).toBe(304);
  });

  test('v3: another hash is sent to the right one, none at all gets the document', async () => {
    const moved = await api.send('GET', '/openapi/v3/apis/apps/v1?hash=OLD');
    expect([moved.code, moved.headers.get('location')]).toEqual([
      301,
      expect.stringMatching(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/),
    ]);
    expect((await api.send('GET', '/openapi/v3/apis/apps/v1')).code).toBe(200);
    expect((await api.send('GET', '/openapi/v3/apis/none/v1')).code).toBe(404);
  });

  test('v3 of our own kinds tells kubectl that the server validates, and explains the kind', async () => {
    const document = (await api.send('GET', '/openapi/v3/apis/core.kubeadmiral.io/v1alpha1')).json();
    const gvk = { group: 'core.kubeadmiral.io', version: 'v1alpha1', kind: 'PropagationPolicy' };
    const paths = Object.values(document.paths) as {
      patch?: { 'x-kubernetes-group-version-kind': object; parameters: { name: string }[] };
    }[];
    const patch = paths
      .map((path) => path.patch)
      .find(
        (each) =>
          JSON.stringify(each?.['x-kubernetes-group-version-kind']) ===
          JSON.stringify({ group: gvk.group, kind: gvk.kind, version: gvk.version }),
      );
    expect(patch?.parameters.map((parameter) => parameter.name)).toContain('fieldValidation');
    const { creationTimestamp } = document.components.schemas['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'].properties;
    expect(creationTimestamp.description).toMatch(/^CreationTimestamp is a timestamp/);
    const schema = document.components.schemas['io.kubeadmiral.core.v1alpha1.PropagationPolicy'];
    expect(schema['x-kubernetes-group-version-kind']).toEqual([{ group: gvk.group, kind: gvk.kind, version: gvk.version }]);
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(['apiVersion', 'kind', 'metadata', 'spec']));
    const refs = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(refs.filter((name) => document.components.schemas[name] === undefined)).toEqual([]);
  });

  test('v2 in JSON, with our kinds and their lists', async () => {
    const answer = await api.send('GET', '/openapi/v2', { accept: 'application/json' });
    const document = answer.json();
    const kind = 'io.kubeadmiral.core.v1alpha1.PropagationPolicy';
    expect([document.swagger, Object.keys(document.definitions)]).toEqual([
      '2.0',
      expect.arrayContaining(['io.k8s.api.apps.v1.Deployment', kind, `${kind}List`]),
    ]);
    const refs = [...answer.text.matchAll(/"#\/definitions\/([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(refs.filter((name) => document.definitions[name] === undefined)).toEqual([]);
    expect(document.paths['/apis/core.kubeadmiral.io/v1alpha1/namespaces/{namespace}/propagationpolicies'].post).toMatchObject({
      'x-kubernetes-group-version-kind': { group: 'core.kubeadmiral.io', kind: 'PropagationPolicy', version: 'v1alpha1' },
    });
    const again = await api.send('GET', '/openapi/v2', { headers: { 'If-None-Match': answer.headers.get('etag') ?? '' } });
    expect([again.code, again.text]).toEqual([304, '']);
  });

  test.each([
    ['application/com.github.proto-openapi.spec.v2@v1.0+protobuf'],
    ['application/com.github.proto-openapi.spec.v2.v1.0+protobuf,application/json'],
  ])('v2 in protobuf for %s, under a type that Go can parse', async (accept) => {
    const answer = await api.send('GET', '/openapi/v2', { accept });
    expect(answer.headers.get('content-type')).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    expect(answer.text).toContain('io.kubeadmiral.core.v1alpha1.PropagationPolicy');
  });

  test('v2 in nothing else', async () => {
    expect((await api.send('GET', '/openapi/v2', { accept: 'application/yaml' })).code).toBe(406);
  });

  test('descriptions come from where they are to be had, and change the hash', async () => {
    const source = {
      version: () => 'member/v1',
      document: async (path: string) =>
        path === 'apis/apps/v1'
          ? {
              components: {
                schemas: {
                  'io.k8s.api.apps.v1.Deployment': {
                    description: 'A deployment.',
                    properties: { spec: { description: 'What is wanted.' }, other: { description: 'not ours' } },
                  },
                },
              },
            }
          : undefined,
    };
    const described = await startTestServer({ descriptions: source });
    const url = async (server: TestServer) =>
      (await server.send('GET', '/openapi/v3')).json().paths['apis/apps/v1'].serverRelativeURL as string;
    expect(await url(described)).not.toBe(await url(api));
    const answer = await described.send('GET', await url(described));
    const schema = answer.json().components.schemas['io.k8s.api.apps.v1.Deployment'];
    expect([schema.description, schema.properties.spec.description, schema.properties.other]).toEqual([
      'A deployment.',
      'What is wanted.',
      undefined,
    ]);
    expect(answer.headers.get('cache-control')).toBe('public, immutable');
    const without = await described.send('GET', '/openapi/v3/apis/batch/v1');
    expect([without.code, without.headers.get('cache-control')]).toEqual([200, 'no-cache, private']);
    await described.close();
  });
});

describe('health and version', () => {
  test('health is told to anybody, the version to users', async () => {
    for (const path of ['/healthz', '/livez', '/readyz']) {
      const answer = await api.send('GET', path, { token: 'nobody' });
      expect([answer.code, answer.text]).toEqual([200, 'ok']);
    }
    expect((await api.send('GET', '/version')).json()).toMatchObject({
      major: '1',
      minor: '35',
      gitVersion: 'v1.35.4',
    });
  });

  test('readyz says which check fails; livez does not depend on it', async () => {
    setReady(false);
    const ready = await api.send('GET', '/readyz');
    expect([ready.code, ready.text]).toEqual([
      500,
      '[+]ping ok\n[+]store ok\n[-]queue failed: the queue is away\nreadyz check failed\n',
    ]);
    expect((await api.send('GET', '/livez')).code).toBe(200);
    expect((await api.send('GET', '/readyz?exclude=queue')).code).toBe(200);
    expect([
      (await api.send('GET', '/readyz/queue')).code,
      (await api.send('GET', '/readyz/store')).code,
      (await api.send('GET', '/readyz/none')).code,
    ]).toEqual([500, 200, 404]);
    setReady(true);
    expect((await api.send('GET', '/readyz?verbose')).text).toBe('[+]ping ok\n[+]store ok\n[+]queue ok\nreadyz check passed\n');
  });

  test('the root lists paths', async () => {
    expect((await api.send('GET', '/')).json().paths).toEqual(
      expect.arrayContaining(['/api/v1', '/apis/apps/v1', '/openapi/v3', '/version']),
    );
  });
});

describe('reviews', () => {
  const post = (path: string, body: object, token = 'reader') => api.send('POST', path, { body, token });
  const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
  const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
  let all: TestServer;
  beforeAll(async () => {
    const canRead = ({ user, verb }: { user: { groups: readonly string[] }; verb: string }) =>
      user.groups.includes('system:masters') || verb === 'get';
    // Everybody may ask what they may do.
    all = await startTestServer({
      authorize: async (asked) => ({ allowed: canRead(asked) || asked.group.startsWith('auth'), reason: '' }),
    });
  });
  afterAll(() => all.close());

  const CASES: readonly [string, string, object, boolean][] = [
    ['a reader may get', 'reader', { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } }, true],
    [
      'a reader may not delete',
      'reader',
      { resourceAttributes: { verb: 'delete', resource: 'pods', namespace: 'default' } },
      false,
    ],
    ['an administrator may', 'admin', { resourceAttributes: { verb: 'delete', resource: 'pods' } }, true],
    ['a path', 'reader', { nonResourceAttributes: { verb: 'get', path: '/healthz' } }, true],
  ];
  test.each(CASES)('SelfSubjectAccessReview: %s', async (_sentence, token, spec, allowed) => {
    const answer = await all.send('POST', `${AUTHORIZATION}/selfsubjectaccessreviews`, { body: { spec }, token });
    expect([answer.code, answer.json().status.allowed]).toEqual([201, allowed]);
  });

  test('SubjectAccessReview speaks of another user', async () => {
    const spec = { user: 'x', groups: ['system:masters'], resourceAttributes: { verb: 'delete', resource: 'pods' } };
    expect((await all.send('POST', `${AUTHORIZATION}/subjectaccessreviews`, { body: { spec } })).json().status.allowed).toBe(
      true,
    );
  });

  test('a LocalSubjectAccessReview stays in its namespace', async () => {
    const spec = { user: 'x', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'other' } };
    expect(
      (await all.send('POST', `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`, { body: { spec } })).code,
    ).toBe(422);
  });

  test('attributes of both kinds, or none, are refused', async () => {
    expect((await all.send('POST', `${AUTHORIZATION}/selfsubjectaccessreviews`, { body: { spec: {} } })).code).toBe(422);
  });

  test('SelfSubjectRulesReview: everything, or what was found by asking', async () => {
    const path = `${AUTHORIZATION}/selfsubjectrulesreviews`;
    const admin = (await all.send('POST', path, { body: { spec: { namespace: 'default' } } })).json().status;
    expect([admin.incomplete, admin.resourceRules]).toEqual([false, [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]]);
    const reader = (await all.send('POST', path, { body: { spec: { namespace: 'default' } }, token: 'reader' })).json().status;
    expect([reader.incomplete, reader.resourceRules]).toEqual([
      true,
      expect.arrayContaining([{ verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'] }]),
    ]);
  });

  test('whoami and TokenReview', async () => {
    const self = await all.send('POST', `${AUTHENTICATION}/selfsubjectreviews`, { body: {}, token: 'reader' });
    expect(self.json().status.userInfo).toEqual({ username: 'reader', groups: ['system:authenticated'] });
    const review = (token: string) => all.send('POST', `${AUTHENTICATION}/tokenreviews`, { body: { spec: { token } } });
    expect((await review('reader')).json().status).toMatchObject({ authenticated: true, user: { username: 'reader' } });
    expect((await review('wrong')).json().status).toEqual({ user: {}, error: 'invalid bearer token' });
    expect((await review('')).json().status.authenticated).toBeUndefined();
  });

  test('a user who may not is refused, and a Table alone is not acceptable', async () => {
    expect((await post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec: {} })).code).toBe(403);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    expect((await api.send('POST', `${AUTHORIZATION}/selfsubjectaccessreviews`, { body: { spec: {} }, accept })).code).toBe(406);
  });
});
