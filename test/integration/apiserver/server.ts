/** A whole API server in this process, over the in-memory store, asked through `app.request`: nothing listens. */
import { type FakeClock, fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { seededIds } from '../../../shared/adapters/memory/ids.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import type { SqliteStore } from '../../../shared/adapters/sqlite/open.ts';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import type { Registry, ResourceDefinition } from '../../../shared/apis/definition.ts';
import { kubeadmiralDefinitions } from '../../../shared/apis/kubeadmiral/kinds.ts';
import { defaultAdmission } from '../../../shared/apiserver/admission/chain.ts';
import { createApiServer } from '../../../shared/apiserver/create.ts';
import { podViews } from '../../../shared/apiserver/pods/views.ts';
import type { ApiServer, ApiServerDeps } from '../../../shared/apiserver/server.ts';
import { openTypes, type Types } from '../../../shared/apiserver/types/types.ts';

/** An answer with its body read. `json` throws when the body is no JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests open bodies freely
export type Answer = { code: number; headers: Headers; text: string; json(): any };

export type RequestOptions = { body?: unknown; type?: string; accept?: string; token?: string; headers?: Record<string, string> };

export type TestServer = {
  server: ApiServer;
  registry: Registry;
  types: Types;
  medium: SqliteStore;
  clock: FakeClock;
  log: ReturnType<typeof memoryLog>;
  definition(group: string, version: string, plural: string): ResourceDefinition;
  /** Sends a request as the administrator. Bodies that are no text are sent as JSON. */
  send(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Opens a watch and reads its events as they come. */
  watch(path: string, options?: RequestOptions): Promise<WatchReading>;
  close(): Promise<void>;
};

// biome-ignore lint/suspicious/noExplicitAny: tests open events freely
export type WatchEvent = { type: string; object: any };
export type WatchReading = {
  code: number;
  headers: Headers;
  /** The next event; keep-alives are passed over. Undefined: the stream has ended. */
  next(): Promise<WatchEvent | undefined>;
  /** The next line as it came, empty for a keep-alive. */
  nextLine(): Promise<string | undefined>;
  cancel(): Promise<void>;
};

const USERS: ReadonlyMap<string, { name: string; groups: string[] }> = new Map([
  ['admin', { name: 'admin', groups: ['system:masters', 'system:authenticated'] }],
  ['reader', { name: 'reader', groups: ['system:authenticated'] }],
]);
const READ_VERBS = new Set(['get', 'list', 'watch']);

/** 2026-01-01T00:00:00Z. */
export const START = Date.UTC(2026, 0, 1);

/** Starts a server with every built-in and KubeAdmiral kind and the namespace `default`. `reader` may read only. */
export async function startTestServer(overrides: Partial<ApiServerDeps> = {}): Promise<TestServer> {
  const clock = fakeClock(START);
  const log = memoryLog();
  const medium = openMemory({ clock });
  const types = await openTypes({
    store: medium.store,
    base: [...builtInDefinitions(), ...kubeadmiralDefinitions()],
    clock,
    log,
  });
  const authorize: ApiServerDeps['authorize'] =
    overrides.authorize ??
    (async ({ user, verb }) => ({ allowed: user.groups.includes('system:masters') || READ_VERBS.has(verb), reason: '' }));
  const server: ApiServer = createApiServer({
    store: medium.store,
    registry: types.registry,
    types,
    clock,
    ids: seededIds(7),
    log,
    authenticate: async (request) => USERS.get(request.headers.get('authorization')?.replace('Bearer ', '') ?? ''),
    authorize,
    admission: defaultAdmission({
      store: medium.store,
      registry: types.registry,
      clock,
      ids: seededIds(8),
      log,
      authorize,
      ...(overrides.http ? { http: overrides.http } : {}),
      ...(overrides.resolveService ? { resolveService: overrides.resolveService } : {}),
    }),
    views: podViews({ resources: () => server.resources, registry: types.registry, clock }),
    version: { major: '1', minor: '35', gitVersion: 'v1.35.4' },
    readiness: new Map(),
    ...overrides,
  });
  const definition = (group: string, version: string, plural: string) => {
    const found = types.registry().byResource(group, version, plural);
    if (!found) throw new Error(`${group}/${version} ${plural} is not served`);
    return found;
  };
  const namespaces = definition('', 'v1', 'namespaces');
  const seeded = await server.resources.list(namespaces, {});
  if (seeded.items.length === 0)
    await server.resources.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  const send = (method: string, path: string, options: RequestOptions = {}) => request(server, method, path, options);
  return {
    server,
    registry: types.registry(),
    types,
    medium,
    clock,
    log,
    definition,
    send,
    watch: (path, options = {}) => openWatch(server, path, options),
    close: async () => {
      await server.close();
      await medium.close();
    },
  };
}

function initOf(method: string, { body, type, accept, token = 'admin', headers = {} }: RequestOptions): RequestInit {
  const init: RequestInit & { duplex?: 'half' } = {
    method,
    headers: { Authorization: `Bearer ${token}`, 'User-Agent': 'tests/v1', ...headers },
  };
  const sent = init.headers as Record<string, string>;
  if (accept) sent.Accept = accept;
  if (body !== undefined) {
    const payload = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    init.body = payload as NonNullable<RequestInit['body']>;
    sent['Content-Type'] = type ?? 'application/json';
    sent['Content-Length'] ??= String(Buffer.byteLength(payload));
  }
  return init;
}

async function request(server: ApiServer, method: string, path: string, options: RequestOptions): Promise<Answer> {
  const response = await server.app.request(`https://test${path}`, initOf(method, options));
  const text = await response.text();
  return { code: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
}

async function openWatch(server: ApiServer, path: string, options: RequestOptions): Promise<WatchReading> {
  const response = await server.app.request(`https://test${path}`, initOf('GET', options));
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  const nextLine = async () => {
    while (!buffer.includes('\n')) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return undefined;
      buffer += chunk.value;
    }
    const end = buffer.indexOf('\n');
    const line = buffer.slice(0, end);
    buffer = buffer.slice(end + 1);
    return line;
  };
  const next = async () => {
    for (;;) {
      const line = await nextLine();
      if (line !== '') return line === undefined ? undefined : (JSON.parse(line) as WatchEvent);
    }
  };
  return { code: response.status, headers: response.headers, next, nextLine, cancel: async () => reader?.cancel() };
}

/** A ConfigMap body. */
export function configMap(name: string, data: Record<string, string> = {}, metadata: Record<string, unknown> = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** A Deployment body with one container. */
export function deployment(name: string, replicas = 1) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'nginx:1' }] } },
    },
  };
}
