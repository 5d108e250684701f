/** A whole API server with roles, ServiceAccount tokens, impersonation and audit as `dev` has them, seeded as a fresh cluster is. */
import { createAccess } from '../../../functions/api/access.ts';
import { ensureObjects } from '../../../localstack/seed.ts';
import { temporarySigner } from '../../../shared/adapters/keys/file-signer.ts';
import { createVerifier } from '../../../shared/adapters/keys/verify.ts';
import { type FakeClock, fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { seededIds } from '../../../shared/adapters/memory/ids.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import type { SqliteStore } from '../../../shared/adapters/sqlite/open.ts';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import { seedObjects } from '../../../shared/apis/seeds.ts';
import { defaultAdmission } from '../../../shared/apiserver/admission/chain.ts';
import type { AuditEvent } from '../../../shared/apiserver/audit/event.ts';
import type { TokenCheck } from '../../../shared/apiserver/authn/chain.ts';
import { createApiServer } from '../../../shared/apiserver/create.ts';
import type { ApiServer, Connection } from '../../../shared/apiserver/server.ts';
import type { Signer } from '../../../shared/ports/signer.ts';
import { type Answer, START } from './server.ts';

export type Call = {
  body?: unknown;
  type?: string;
  /** Undefined: the administrator's. '': no credential at all. */
  token?: string;
  headers?: Record<string, string>;
  connection?: Connection;
};

export type AccessServer = {
  server: ApiServer;
  medium: SqliteStore;
  clock: FakeClock;
  signer: Signer;
  audit: AuditEvent[];
  send(method: string, path: string, call?: Call): Promise<Answer>;
  /** POST as the administrator, which must succeed. */
  create(path: string, body: unknown): Promise<Answer>;
  close(): Promise<void>;
};

/** Tokens `alice` and `alice:group-a,group-b`; `admin` is one of system:masters. */
export const named: TokenCheck = async (token, audiences) => {
  if (!/^[\w@-]+(:[\w,:-]+)?$/.test(token)) return { type: 'unknown' };
  const colon = token.indexOf(':');
  const name = colon < 0 ? token : token.slice(0, colon);
  const groups = colon < 0 ? [] : token.slice(colon + 1).split(',');
  const user = { name, groups: [...groups, ...(name === 'admin' ? ['system:masters'] : []), 'system:authenticated'] };
  return { type: 'known', user, audiences };
};

export async function startAccessServer(options: { checks?: readonly TokenCheck[] } = {}): Promise<AccessServer> {
  const clock = fakeClock(START);
  const log = memoryLog();
  const medium = openMemory({ clock });
  const { store } = medium;
  const registry = createRegistry(builtInDefinitions());
  const signer = temporarySigner();
  const access = createAccess({ store, clock, log, signer, verify: createVerifier(), checks: options.checks ?? [named] });
  const ids = seededIds(7);
  const audit: AuditEvent[] = [];
  const server = createApiServer({
    store,
    registry: () => registry,
    clock,
    ids,
    log,
    ...access,
    audit: (event) => void audit.push(event),
    admission: defaultAdmission({ store, registry: () => registry, clock, ids, log, ...access }),
    views: new Map(),
    version: { major: '1', minor: '35', gitVersion: 'v1.35.4' },
    readiness: new Map(),
  });
  await ensureObjects(server, registry, seedObjects());
  const send = (method: string, path: string, call: Call = {}) => request(server, method, path, call);
  return {
    server,
    medium,
    clock,
    signer,
    audit,
    send,
    create: async (path, body) => {
      const answer = await send('POST', path, { body });
      if (answer.code !== 201) throw new Error(`POST ${path}: ${answer.code} ${answer.text}`);
      return answer;
    },
    close: async () => {
      await server.close();
      await medium.close();
    },
  };
}

async function request(server: ApiServer, method: string, path: string, call: Call): Promise<Answer> {
  const { body, type = 'application/json', token = 'admin', headers = {}, connection } = call;
  const sent: Record<string, string> = { ...headers };
  if (token !== '') sent.Authorization ??= `Bearer ${token}`;
  const init: RequestInit = { method, headers: sent };
  if (body !== undefined) {
    init.body = typeof body === 'string' ? body : JSON.stringify(body);
    sent['Content-Type'] = type;
  }
  const response = await server.app.request(`https://test${path}`, init, connection ? { connection } : {});
  const text = await response.text();
  return { code: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const apiVersion = 'rbac.authorization.k8s.io/v1';
const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });

export type Rule = Partial<Record<'verbs' | 'apiGroups' | 'resources' | 'resourceNames' | 'nonResourceURLs', string[]>>;
export type SubjectText = `User ${string}` | `Group ${string}` | `ServiceAccount ${string}/${string}`;

/** Path of a collection of RBAC objects. */
export function rbacPath(plural: string, namespace = ''): string {
  return namespace === '' ? `${RBAC}/${plural}` : `${RBAC}/namespaces/${namespace}/${plural}`;
}

export function role(kind: 'Role' | 'ClusterRole', name: string, ...rules: Rule[]) {
  return { apiVersion, kind, metadata: { name }, rules };
}

/** `ClusterRole/view` or `Role/mine` for `User alice`, `Group devs`, `ServiceAccount ns/name`. */
export function binding(kind: 'RoleBinding' | 'ClusterRoleBinding', name: string, ref: string, ...subjects: SubjectText[]) {
  const [refKind = '', refName = ''] = ref.split('/');
  return { apiVersion, kind, metadata: { name }, roleRef: roleRef(refKind, refName), subjects: subjects.map(subject) };
}

function subject(text: SubjectText) {
  const [kind = '', who = ''] = text.split(' ');
  if (kind !== 'ServiceAccount') return { apiGroup: 'rbac.authorization.k8s.io', kind, name: who };
  const [namespace = '', name = ''] = who.split('/');
  return { kind, namespace, name };
}
