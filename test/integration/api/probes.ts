/**
 * Requests that a server must refuse, or answer in a way that is easy to get wrong, by the catalogue of faults (docs: bad inputs A02-A24). They are
 * played on a real kube-apiserver by `record-probes.ts`; `probes.test.ts` holds our server to what it answered.
 */
export type Probe = {
  /** Catalogue entry and what is wrong, unique. */
  name: string;
  method: string;
  path: string;
  /** Text is sent as it is, anything else as JSON. */
  body?: unknown;
  type?: string;
  accept?: string;
  headers?: Readonly<Record<string, string>>;
};

const NS = '/api/v1/namespaces/probes';
const APPS = '/apis/apps/v1/namespaces/probes';
const MAPS = `${NS}/configmaps`;
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

const configMap = (metadata: object, more: object = { data: { a: '1' } }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  ...more,
});

function deployment(spec: object, metadata: object = { name: 'new' }) {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { selector: { matchLabels: { a: 'b' } }, template, ...spec },
  };
}

function pod(spec: object, container: object = {}) {
  const containers = [{ name: 'c', image: 'nginx', ...container }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'new' },
    spec: { automountServiceAccountToken: false, containers, ...spec },
  };
}

/** What the probes find: made before them, in this order. */
export const SETUP: readonly Probe[] = [
  {
    name: 'namespace',
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'probes' } },
  },
  {
    name: 'account',
    method: 'POST',
    path: `${NS}/serviceaccounts`,
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
  },
  { name: 'map', method: 'POST', path: MAPS, body: configMap({ name: 'cm', labels: { app: 'x' } }) },
  { name: 'fixed map', method: 'POST', path: MAPS, body: configMap({ name: 'fixed' }, { immutable: true, data: { a: '1' } }) },
  { name: 'held map', method: 'POST', path: MAPS, body: configMap({ name: 'held', finalizers: ['example.com/hold'] }) },
  { name: 'held map goes', method: 'DELETE', path: `${MAPS}/held` },
  { name: 'deployment', method: 'POST', path: `${APPS}/deployments`, body: deployment({ replicas: 2 }, { name: 'web' }) },
  { name: 'owned map', method: 'PATCH', path: `${MAPS}/owned?fieldManager=one`, body: configMap({ name: 'owned' }), type: APPLY },
];

const create = (name: string, body: unknown, more: Partial<Probe> = {}): Probe => ({
  name,
  method: 'POST',
  path: MAPS,
  body,
  ...more,
});
const get = (name: string, path: string, more: Partial<Probe> = {}): Probe => ({ name, method: 'GET', path, ...more });
const patch = (name: string, body: unknown, type: string, path = `${MAPS}/cm`): Probe => ({
  name,
  method: 'PATCH',
  path,
  body,
  type,
});
const workload = (name: string, spec: object, query = ''): Probe => ({
  name,
  method: 'POST',
  path: `${APPS}/deployments${query}`,
  body: deployment(spec),
});

const DUPLICATE = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},"data":{"a":"1","a":"2"}}';
const DUPLICATE_YAML = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata:\n  a: "1"\n  a: "2"\n';
const YAML = 'application/yaml';

const malformed: readonly Probe[] = [
  create('unknown kind: a resource that is not served', {}, { path: `${NS}/nothings` }),
  create('unknown kind: a body of another kind', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'new' } }),
  create('unknown kind: a body of another version', { apiVersion: 'apps/v1', kind: 'ConfigMap', metadata: { name: 'new' } }),
  create('malformed JSON: cut off', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{'),
  create('malformed JSON: a comma too many', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},}'),
  create('malformed JSON: words', 'hello'),
  create('malformed JSON: a list', '[1]'),
  create('malformed JSON: nothing', ''),
  create('malformed YAML: a tab', 'kind: ConfigMap\n\tx: y\n', { type: YAML }),
  create(
    'A02 too deep',
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},"x":${'['.repeat(10_001)}${']'.repeat(10_001)}}`,
  ),
  create('A04 duplicate key, Strict', DUPLICATE, { path: `${MAPS}?fieldValidation=Strict&dryRun=All` }),
  create('A04 duplicate key, Warn', DUPLICATE, { path: `${MAPS}?fieldValidation=Warn&dryRun=All` }),
  create('A04 duplicate key, Ignore', DUPLICATE, { path: `${MAPS}?fieldValidation=Ignore&dryRun=All` }),
  create('A04 duplicate key in YAML, Strict', DUPLICATE_YAML, { path: `${MAPS}?fieldValidation=Strict&dryRun=All`, type: YAML }),
  create('A04 unknown field, Strict', configMap({ name: 'new', foo: 1 }, { bar: 1 }), { path: `${MAPS}?fieldValidation=Strict` }),
  create('A04 unknown field, Warn', configMap({ name: 'new', foo: 1 }, { bar: 1 }), { path: `${MAPS}?dryRun=All` }),
  create('A04 unknown fieldValidation', configMap({ name: 'new' }), { path: `${MAPS}?fieldValidation=Loose` }),
];

const values: readonly Probe[] = [
  workload('negative replicas', { replicas: -1 }),
  workload('A06 replicas beyond int32', { replicas: 2 ** 31 }),
  workload('A06 replicas as text', { replicas: '3' }),
  workload('A06 replicas with a fraction', { replicas: 1.5 }),
  create(
    'A06 replicas beyond every number',
    JSON.stringify(deployment({ replicas: 7 })).replace('"replicas":7', '"replicas":1e400'),
    { path: `${APPS}/deployments` },
  ),
  create('A06 NaN', JSON.stringify(deployment({ replicas: 7 })).replace('"replicas":7', '"replicas":NaN'), {
    path: `${APPS}/deployments`,
  }),
  workload('A06 a list for an object', { template: [] }),
  create('A06 a number in a map of texts', configMap({ name: 'new' }, { data: { a: 1 } })),
  create('A07 quantity: unknown suffix', pod({}, { resources: { requests: { cpu: '1Q' } } }), { path: `${NS}/pods` }),
  create('A07 quantity: empty', pod({}, { resources: { requests: { cpu: '' } } }), { path: `${NS}/pods` }),
  create('A07 quantity: negative', pod({}, { resources: { requests: { cpu: '-1' } } }), { path: `${NS}/pods` }),
  create('A07 quantity: request above limit', pod({}, { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }), {
    path: `${NS}/pods`,
  }),
  create('bad label value', configMap({ name: 'new', labels: { a: 'no spaces' } })),
  create('bad label key', configMap({ name: 'new', labels: { 'a/b/c': 'x' } })),
  create('bad annotation key', configMap({ name: 'new', annotations: { '': 'x' } })),
  create('bad data key', configMap({ name: 'new' }, { data: { 'a/b': 'x' } })),
  create('A05 label __proto__', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new","labels":{"__proto__":"x"}}}'),
  create(
    'A05 unknown field __proto__',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},"__proto__":{"polluted":"yes"}}',
    { path: `${MAPS}?fieldValidation=Strict` },
  ),
  create('A08 NUL in a name', configMap({ name: 'a\u0000b' })),
  create('A08 right-to-left mark in a name', configMap({ name: 'a\u202eb' })),
  create('A08 zero-width space in a label', configMap({ name: 'new', labels: { a: 'x\u200by' } })),
  create('A09 upper case name', configMap({ name: 'New' })),
  create('A09 leading dash', configMap({ name: '-new' })),
  create('A09 254 characters', configMap({ name: 'a'.repeat(254) })),
  create('A09 no name at all', configMap({})),
  create(
    'A09 64 characters of a Service',
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a'.repeat(64) }, spec: { ports: [{ port: 80 }] } },
    { path: `${NS}/services` },
  ),
  create(
    'A09 dots in a Namespace',
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a.b' } },
    { path: '/api/v1/namespaces' },
  ),
  create('A09 label value of 64 characters', configMap({ name: 'new', labels: { a: 'x'.repeat(64) } })),
  create('A09 a bad generateName', configMap({ generateName: 'Bad_' })),
  workload('selector that does not match', { selector: { matchLabels: { a: 'c' } } }),
  workload('no containers', { template: { metadata: { labels: { a: 'b' } }, spec: { containers: [] } } }),
  create(
    'two containers of one name',
    pod({
      containers: [
        { name: 'c', image: 'x' },
        { name: 'c', image: 'y' },
      ],
    }),
    { path: `${NS}/pods` },
  ),
  create('a mount of no volume', pod({}, { volumeMounts: [{ name: 'v', mountPath: '/v' }] }), { path: `${NS}/pods` }),
  create('an owner without a uid', configMap({ name: 'new', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p' }] })),
  create(
    'two controllers',
    configMap({
      name: 'new',
      ownerReferences: ['1', '2'].map((uid) => ({ apiVersion: 'v1', kind: 'Pod', name: uid, uid, controller: true })),
    }),
  ),
  create('another namespace in the body', configMap({ name: 'new', namespace: 'other' })),
  create('a namespace that is not there', configMap({ name: 'new' }), { path: '/api/v1/namespaces/missing/configmaps' }),
  create('a taken name', configMap({ name: 'cm' })),
  create('a taken name that is going', configMap({ name: 'held' })),
  create('a version on create', configMap({ name: 'new', resourceVersion: '5' })),
];

const changes: readonly Probe[] = [
  { name: 'stale version', method: 'PUT', path: `${MAPS}/cm`, body: configMap({ name: 'cm', resourceVersion: '1' }) },
  {
    name: 'a version that is no number',
    method: 'PUT',
    path: `${MAPS}/cm`,
    body: configMap({ name: 'cm', resourceVersion: 'x' }),
  },
  { name: 'PUT of nothing', method: 'PUT', path: `${MAPS}/none`, body: configMap({ name: 'none' }) },
  { name: 'PUT of another name', method: 'PUT', path: `${MAPS}/cm`, body: configMap({ name: 'other' }) },
  {
    name: 'PUT with another uid',
    method: 'PUT',
    path: `${MAPS}/cm`,
    body: configMap({ name: 'cm', uid: '11111111-1111-4111-8111-111111111111' }),
  },
  patch('A10 test that fails', [{ op: 'test', path: '/data/a', value: '2' }], JSON_PATCH),
  patch('A10 remove of what is not there', [{ op: 'remove', path: '/data/none' }], JSON_PATCH),
  patch('A10 add below what is not there', [{ op: 'add', path: '/nothing/here', value: 1 }], JSON_PATCH),
  patch('A10 unknown operation', [{ op: 'invent', path: '/data/a' }], JSON_PATCH),
  patch('A10 no list', { op: 'add' }, JSON_PATCH),
  patch(
    'A10 too many operations',
    Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: '1' })),
    JSON_PATCH,
  ),
  patch('A11 merge patch that is no object', [1], MERGE),
  patch('A11 merge patch of a wrong type', { data: 'x' }, MERGE),
  patch('A11 unknown directive', { data: { $patch: 'explode' } }, STRATEGIC),
  patch(
    'A11 element without its key',
    { spec: { template: { spec: { containers: [{ image: 'x' }] } } } },
    STRATEGIC,
    `${APPS}/deployments/web`,
  ),
  patch('A11 unknown patch format', {}, 'application/explosive-patch+json'),
  patch('A11 patch of nothing', { data: {} }, MERGE, `${MAPS}/none`),
  patch('A12 no field manager', configMap({ name: 'cm' }), APPLY),
  patch(
    'A12 two owners of one field',
    configMap({ name: 'owned' }, { data: { a: '2' } }),
    APPLY,
    `${MAPS}/owned?fieldManager=two`,
  ),
  patch(
    'A12 managedFields in the configuration',
    configMap({ name: 'owned', managedFields: [] }),
    APPLY,
    `${MAPS}/owned?fieldManager=two`,
  ),
  patch('A12 an unknown field', configMap({ name: 'owned' }, { nothing: 1 }), APPLY, `${MAPS}/owned?fieldManager=two`),
  patch('A12 another version', { ...configMap({ name: 'owned' }), apiVersion: 'v2' }, APPLY, `${MAPS}/owned?fieldManager=two`),
  patch('A12 force without apply', { data: {} }, MERGE, `${MAPS}/cm?force=true`),
  patch('A12 a manager that cannot be printed', { data: {} }, MERGE, `${MAPS}/cm?fieldManager=a%00b`),
  patch('A12 a manager of 129 characters', { data: {} }, MERGE, `${MAPS}/cm?fieldManager=${'m'.repeat(129)}`),
  patch('A22 immutable data', { data: { a: '2' } }, MERGE, `${MAPS}/fixed`),
  patch('A22 immutable selector', { spec: { selector: { matchLabels: { a: 'c' } } } }, MERGE, `${APPS}/deployments/web`),
  patch(
    'A22 a new finalizer while going',
    { metadata: { finalizers: ['example.com/hold', 'example.com/new'] } },
    MERGE,
    `${MAPS}/held`,
  ),
  {
    name: 'A23 another uid',
    method: 'DELETE',
    path: `${MAPS}/cm`,
    body: { preconditions: { uid: '11111111-1111-4111-8111-111111111111' } },
  },
  { name: 'A23 an older version', method: 'DELETE', path: `${MAPS}/cm`, body: { preconditions: { resourceVersion: '1' } } },
  { name: 'A23 an unknown policy', method: 'DELETE', path: `${MAPS}/cm`, body: { propagationPolicy: 'Burn' } },
  {
    name: 'A23 two policies',
    method: 'DELETE',
    path: `${MAPS}/cm`,
    body: { propagationPolicy: 'Orphan', orphanDependents: true },
  },
  { name: 'delete of nothing', method: 'DELETE', path: `${MAPS}/none` },
  { name: 'delete of a namespace that stays', method: 'DELETE', path: '/api/v1/namespaces/kube-system' },
  create('A24 an unknown dryRun', configMap({ name: 'new' }), { path: `${MAPS}?dryRun=Some` }),
  create('A24 the same refusal in a dry run', configMap({ name: 'New' }), { path: `${MAPS}?dryRun=All` }),
  patch('scale: negative', { spec: { replicas: -1 } }, MERGE, `${APPS}/deployments/web/scale`),
  patch('scale: no number', { spec: { replicas: 'x' } }, MERGE, `${APPS}/deployments/web/scale`),
];

const reads: readonly Probe[] = [
  get('A13 bad operator', `${MAPS}?labelSelector=a%20like%20b`),
  get('A13 unclosed set', `${MAPS}?labelSelector=a%20in%20(b`),
  get('A13 bad key', `${MAPS}?labelSelector=a%2Fb%2Fc%3Dx`),
  get('A13 bad value', `${MAPS}?labelSelector=a%3D-`),
  get('A13 unsupported field', `${MAPS}?fieldSelector=data.a%3Dx`),
  get('A13 unreadable field selector', `${MAPS}?fieldSelector=nothing`),
  get('A16 a token made up', `${MAPS}?limit=1&continue=abc`),
  get('A16 a token of another version', `${MAPS}?limit=1&continue=eyJ2IjoidjkiLCJydiI6MSwic3RhcnQiOiJhIn0`),
  get('A16 limit is no number', `${MAPS}?limit=x`),
  get('A17 version is no number', `${MAPS}?resourceVersion=x`),
  get('A17 match without a version', `${MAPS}?resourceVersionMatch=Exact`),
  get('A17 Exact of 0', `${MAPS}?resourceVersionMatch=Exact&resourceVersion=0`),
  get('A17 an unknown match', `${MAPS}?resourceVersionMatch=Near&resourceVersion=1`),
  get(
    'A17 version with a token',
    `${MAPS}?resourceVersion=1&limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0`,
  ),
  get('A17 sendInitialEvents on a list', `${MAPS}?sendInitialEvents=true`),
  get('A17 sendInitialEvents without a match', `${MAPS}?watch=true&sendInitialEvents=true`),
  get('A17 a match on a watch alone', `${MAPS}?watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=0`),
  get('A18 an unknown Accept', `${MAPS}/cm`, { accept: 'application/pdf' }),
  create('A18 an unknown content type', 'x', { type: 'text/plain' }),
  create('A18 a form', 'a=b', { type: 'application/x-www-form-urlencoded' }),
  create('A18 protobuf that is none', 'k8s', { type: 'application/vnd.kubernetes.protobuf' }),
  get('A19 an unknown version', '/apis/apps/v9/deployments'),
  get('A19 an unknown subresource', `${APPS}/deployments/web/nothing`),
  get('A19 an encoded slash', `${MAPS}/a%2Fb`),
  get('A19 a name in a cluster-wide list', '/api/v1/configmaps/cm'),
  get('A19 something not there', `${MAPS}/none`),
  { name: 'A19 POST to a name', method: 'POST', path: `${MAPS}/cm`, body: configMap({ name: 'cm' }) },
  { name: 'A19 PUT to a collection', method: 'PUT', path: MAPS, body: configMap({ name: 'cm' }) },
  {
    name: 'A20 a method override',
    method: 'POST',
    path: `${MAPS}?dryRun=All`,
    body: configMap({ name: 'New' }),
    headers: { 'X-HTTP-Method-Override': 'DELETE' },
  },
  get('A20 a parameter twice', `${MAPS}?limit=1&limit=x`),
];

export const PROBES: readonly Probe[] = [...malformed, ...values, ...changes, ...reads];
