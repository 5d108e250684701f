/** Requests that nobody should send, made from a seed: odd paths, queries, headers, and bodies of every kind, broken in every way. */
import { protobufData } from '../../shared/apis/data/load.ts';
import { createProtobufCodec } from '../../shared/machinery/codec/protobuf.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';

export type Random = {
  next(): number;
  below(count: number): number;
  pick<T>(items: readonly T[]): T;
  chance(share: number): boolean;
};

/** mulberry32: small, fast, the same everywhere. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    chance: (share) => next() < share,
  };
}

export type Input = { method: string; path: string; headers: Record<string, string>; body?: string | Uint8Array };

const codec = createProtobufCodec(protobufData());
const METHODS = ['GET', 'GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const NAMES = [
  'a',
  'web',
  'A',
  '-',
  '..',
  '.',
  '%2e%2e',
  '%252e',
  '%2F',
  'a%00b',
  '%F0%9F%92%A9',
  '__proto__',
  'constructor',
  'x'.repeat(300),
  '~',
  'status',
  ' ',
];
const COLLECTIONS = [
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/secrets',
  '/api/v1/namespaces/default/services',
  '/api/v1/namespaces/default/events',
  '/api/v1/nodes',
  '/api/v1/namespaces',
  '/apis/apps/v1/namespaces/default/deployments',
  '/apis/batch/v1/namespaces/default/jobs',
  '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
  '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/core.kubeadmiral.io/v1alpha1/namespaces/default/propagationpolicies',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
];
const OTHER_PATHS = [
  '/',
  '/api',
  '/apis',
  '/apis/apps',
  '/apis/apps/v1',
  '/openapi/v3/apis/apps/v1',
  '/version',
  '/healthz',
  '/readyz',
  '/x',
  '//',
  '/api/v1/',
  '/apis/../api/v1',
  '/openapi/v2/x',
  '/.well-known/x',
  '/metrics',
  '/api/v1/watch/nodes',
  '/logs',
];
const SUBRESOURCES = ['status', 'scale', 'log', 'exec', 'binding', 'eviction', 'token', 'finalize', 'x', 'proxy/a/b', 'resize'];
const PARAMETERS = [
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'labelSelector',
  'fieldSelector',
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'force',
  'timeoutSeconds',
  'watch',
  'sendInitialEvents',
  'allowWatchBookmarks',
  'pretty',
  'includeObject',
  'propagationPolicy',
  'gracePeriodSeconds',
  'orphanDependents',
  'hash',
  '__proto__',
];
const VALUES = [
  '',
  '0',
  '1',
  '-1',
  'true',
  'false',
  'All',
  'Strict',
  'Ignore',
  'Warn',
  'Exact',
  'NotOlderThan',
  'x',
  '999999999999999999999',
  '1e400',
  'NaN',
  'a=b',
  'a in (b',
  'a!=b,c notin (d),!e',
  '%00',
  'metadata.name=web',
  'status.phase=x',
  'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhL2IifQ',
  'Background',
  'Orphan',
  'a'.repeat(2000),
  '💩',
  '__proto__',
  '.*.*.*.*.*a',
];
const TYPES = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'text/plain',
  'application/json; charset=utf-16',
  '',
  'application/cbor',
  'multipart/form-data',
];
const ACCEPTS = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  '*/*',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,*/*',
  'text/html',
  'application/json;q=0',
  ';;;,,,',
  'application/json;as=X;g=y;v=z,application/json',
];

const TEMPLATE = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: 'b' }] }] },
};
const OBJECTS: readonly object[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', labels: { a: 'b' } }, data: { k: 'v' } },
  { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'p-' }, spec: TEMPLATE.spec },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web' }, stringData: { a: 'b' }, data: { c: 'ZA==' } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { ports: [{ port: 80, targetPort: 'http' }], selector: { a: 'b' } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', ownerReferences: [] },
    spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'web' },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
  },
  {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web' },
    spec: {
      rules: [
        {
          host: 'a.b',
          http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }] },
        },
      ],
    },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'web' },
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
  },
  {
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: 'web' },
    spec: { schedulingMode: 'Divide', placement: [{ cluster: 'c' }] },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'foos.x.y' },
    spec: {
      group: 'x.y',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
        },
      ],
    },
  },
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'web' }, spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
  { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes: { verb: 'get' } } },
];
/** Raw JSON for where a value stood. */
const JUNK = [
  'null',
  '1',
  '-0',
  '1e400',
  '9223372036854775808',
  '0.1',
  'true',
  '""',
  '[]',
  '{}',
  '"\\ud800"',
  '"\\u0000"',
  '"💩"',
  '[[[[[[]]]]]]',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '"999Zi"',
  '"-5"',
  '[null]',
  '{"a":{"b":{"c":{}}}}',
  '{"$patch":"delete"}',
  '[{"$patch":"replace"}]',
  `"${'x'.repeat(5000)}"`,
  '1.0',
  '{"a":1,"a":2}',
];
const PATCHES = [
  '[{"op":"add","path":"/metadata/labels/x","value":"y"}]',
  '[{"op":"move","from":"/metadata","path":"/metadata/a"}]',
  '[{"op":"remove","path":"/__proto__/x"},{"op":"test","path":"","value":{}}]',
  '[{"op":"copy","from":"","path":"/data/x"}]',
  '[{"op":"replace","path":"/spec/replicas","value":1e400}]',
  '{"metadata":{"labels":{"x":null}},"data":{"__proto__":{"a":"b"}}}',
  '{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"c"}],"containers":[{"$patch":"delete","name":"c"}]}}}}',
  '{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"managedFields":[{}]}}',
  '{"spec":null}',
];

/** The next request. */
export function nextInput(random: Random): Input {
  return random.chance(0.5) ? likelyInput(random) : wildInput(random);
}

/** Patch formats, with one body that each takes. */
const FORMATS = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** A write of a kind where it belongs, in a format that is taken: broken inside, if at all. */
function likelyInput(random: Random): Input {
  const object = random.pick(OBJECTS) as KubeObject;
  const collection = COLLECTIONS.find((path) => path.endsWith(`/${pluralOf(object)}`)) ?? '/api/v1/nodes';
  const method = random.pick(['POST', 'POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE', 'GET']);
  const headers: Record<string, string> = { Authorization: 'Bearer admin', 'User-Agent': 'fuzz' };
  const query = random.chance(0.3) ? nextQuery(random) : '';
  const path = `${collection}${method === 'POST' ? '' : '/web'}${query}`;
  if (method === 'GET' || method === 'DELETE') return { method, path, headers };
  if (method === 'PATCH') {
    headers['Content-Type'] = random.pick(FORMATS);
    const isApply = headers['Content-Type'].includes('apply');
    const body = isApply ? brokenText(random, JSON.stringify(object)) : random.pick(PATCHES);
    return { method, path: isApply && query === '' ? `${path}?fieldManager=fuzz&force=true` : path, headers, body };
  }
  const isProtobuf = random.chance(0.2) && !object.apiVersion.includes('kubeadmiral');
  headers['Content-Type'] = isProtobuf
    ? 'application/vnd.kubernetes.protobuf'
    : random.pick(['application/json', 'application/yaml']);
  return { method, path, headers, body: isProtobuf ? brokenBytes(random, object) : brokenText(random, JSON.stringify(object)) };
}

const pluralOf = ({ kind }: KubeObject) => {
  const plain = kind.toLowerCase();
  if (plain.endsWith('y')) return `${plain.slice(0, -1)}ies`;
  return plain.endsWith('s') ? `${plain}es` : `${plain}s`;
};

function wildInput(random: Random): Input {
  const method = random.pick(METHODS);
  const headers: Record<string, string> = {
    Authorization: random.chance(0.97) ? 'Bearer admin' : 'Bearer x',
    'User-Agent': 'fuzz',
  };
  if (random.chance(0.5)) headers.Accept = random.pick(ACCEPTS);
  if (random.chance(0.05)) headers['Content-Encoding'] = random.pick(['gzip', 'br', 'x']);
  if (random.chance(0.05)) headers['If-None-Match'] = random.pick(['*', '"x"', '']);
  if (random.chance(0.03)) headers['X-HTTP-Method-Override'] = 'DELETE';
  const input: Input = { method, path: nextPath(random) + nextQuery(random), headers };
  if (method === 'GET' || method === 'HEAD' || random.chance(0.1)) return input;
  headers['Content-Type'] = random.pick(TYPES);
  const body = nextBody(random, headers);
  return body === undefined ? input : { ...input, body };
}

function nextPath(random: Random): string {
  if (random.chance(0.12)) return random.pick(OTHER_PATHS);
  let path = random.pick(COLLECTIONS);
  if (random.chance(0.05)) path = path.replace('default', random.pick(NAMES));
  if (random.chance(0.05)) path = path.replace('v1', random.pick(['v2', 'v1beta1', '', 'V1']));
  if (random.chance(0.6)) path += `/${random.chance(0.5) ? 'web' : random.pick(NAMES)}`;
  if (random.chance(0.2)) path += `/${random.pick(SUBRESOURCES)}`;
  return random.chance(0.05) ? `${path}/` : path;
}

function nextQuery(random: Random): string {
  if (random.chance(0.4)) return '';
  const parts = Array.from({ length: 1 + random.below(4) }, () => {
    const value = random.pick(VALUES);
    return `${random.pick(PARAMETERS)}=${random.chance(0.8) ? encodeURIComponent(value) : value.replace(/[#\s]/g, '')}`;
  });
  return `?${parts.join(random.chance(0.95) ? '&' : '&&;')}`;
}

function nextBody(random: Random, headers: Record<string, string>): string | Uint8Array | undefined {
  const choice = random.below(20);
  if (choice === 0) return '';
  if (choice === 1) return `${'['.repeat(3000 + random.below(9000))}`;
  if (choice === 2) return `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
  if (choice === 3) return 'a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n';
  if (choice === 4)
    return random.pick(['---\na: b\n---\nc: d', '\ufeff{}', '%', '\u0000', 'null', '"x"', '<a/>', '{"kind":"Pod"']);
  if (choice < 9) return random.pick(PATCHES);
  const object = random.pick(OBJECTS);
  if (headers['Content-Type']?.includes('protobuf') === true) return brokenBytes(random, object);
  return brokenText(random, JSON.stringify(object));
}

/** Leaves are replaced by junk, members doubled, text cut or stirred. */
function brokenText(random: Random, whole: string): string {
  let text = whole;
  for (let times = random.below(3); times > 0; times -= 1) {
    const leaves = [...text.matchAll(/:("[^"]*"|\d+|\[[^[\]{}]*\]|\{[^{}]*\})/g)];
    const leaf = leaves.length > 0 ? random.pick(leaves) : undefined;
    if (leaf) text = `${text.slice(0, leaf.index + 1)}${random.pick(JUNK)}${text.slice(leaf.index + leaf[0].length)}`;
  }
  if (random.chance(0.1))
    text = text.replace(
      '"metadata":{',
      `"metadata":{${random.pick(['"name":"twice",', '"__proto__":{"x":1},', '"uid":"u",', '"resourceVersion":"1",', '"deletionTimestamp":"x",', '"finalizers":["a"],'])}`,
    );
  if (random.chance(0.1)) text = text.slice(0, random.below(text.length));
  if (random.chance(0.05)) {
    const at = random.below(text.length);
    text = text.slice(0, at) + random.pick(['"', '}', ',', '\u0000', '\\', '😀', '\ud800']) + text.slice(at + 1);
  }
  return text;
}

function brokenBytes(random: Random, object: object): Uint8Array {
  const bytes = Buffer.from(codec.encode(object as KubeObject) ?? Buffer.from('k8s\0'));
  for (let times = random.below(4); times > 0; times -= 1) bytes[random.below(bytes.length)] = random.below(256);
  return new Uint8Array(random.chance(0.2) ? bytes.subarray(0, random.below(bytes.length)) : bytes);
}
