/** Requests that nobody should send, made from a seed: odd paths, queries, headers, and bodies of every kind, broken in every way. */
import { protobufData } from '../../shared/apis/data/load.ts';
import { createProtobufCodec } from '../../shared/machinery/codec/protobuf.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import {
  ACCEPTS,
  COLLECTIONS,
  JUNK,
  METHODS,
  NAMES,
  OBJECTS,
  OTHER_PATHS,
  PARAMETERS,
  PATCHES,
  SUBRESOURCES,
  TYPES,
  VALUES,
} from './fuzz-parts.ts';

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
