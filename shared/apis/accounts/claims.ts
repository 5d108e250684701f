/** What is written into a ServiceAccount's token, and read out of it (k8s.io/kubernetes/pkg/serviceaccount/claims.go). Pure. */
import type { JsonObject, JsonValue } from '../../machinery/object.ts';

/** An object that a token is bound to, by name and uid. */
export type BoundRef = { name: string; uid: string };
/** Whose token it is, and what must stand for it to be good. */
export type AccountClaims = {
  namespace: string;
  account: BoundRef;
  pod?: BoundRef;
  secret?: BoundRef;
  node?: BoundRef;
  /** Id of the token (`jti`); empty in tokens that have none. */
  id: string;
};

/** The user that a token stands for. */
export type AccountUser = { name: string; uid: string; groups: readonly string[]; extra?: Record<string, readonly string[]> };

/** Group of everybody who proved who he is. */
export const AUTHENTICATED = 'system:authenticated';

const ACCOUNT_PREFIX = 'system:serviceaccount:';
const EXTRA = 'authentication.kubernetes.io';

/** `system:serviceaccount:<namespace>:<name>`. */
export function accountUsername(namespace: string, name: string): string {
  return `${ACCOUNT_PREFIX}${namespace}:${name}`;
}

/** Groups of every ServiceAccount of a namespace, without system:authenticated. */
export function accountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** Namespace and name of a ServiceAccount's user name; undefined for other users. */
export function splitAccountUsername(username: string): { namespace: string; name: string } | undefined {
  if (!username.startsWith(ACCOUNT_PREFIX)) return undefined;
  const parts = username.slice(ACCOUNT_PREFIX.length).split(':');
  const [namespace = '', name = ''] = parts;
  return parts.length === 2 && isNamespaceName(namespace) && isAccountName(name) ? { namespace, name } : undefined;
}

const isNamespaceName = (text: string) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text);
const isAccountName = (text: string) => text.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text);

/** The private claim `kubernetes.io`. Absent bindings are left out. */
export function privateClaims({ namespace, account, pod, secret, node }: AccountClaims): JsonObject {
  const ref = ({ name, uid }: BoundRef): JsonObject => ({ name, ...(uid === '' ? {} : { uid }) });
  return {
    namespace,
    ...(node ? { node: ref(node) } : {}),
    ...(pod ? { pod: ref(pod) } : {}),
    ...(secret ? { secret: ref(secret) } : {}),
    serviceaccount: ref(account),
  };
}

/** Reads the private claim; undefined when it names no account. */
export function readAccountClaims(claims: JsonObject): AccountClaims | undefined {
  const own = claims['kubernetes.io'];
  if (!isObject(own) || typeof own.namespace !== 'string') return undefined;
  const account = readRef(own.serviceaccount);
  if (!account) return undefined;
  const result: AccountClaims = { namespace: own.namespace, account, id: typeof claims.jti === 'string' ? claims.jti : '' };
  for (const kind of ['pod', 'secret', 'node'] as const) {
    const ref = readRef(own[kind]);
    if (ref) result[kind] = ref;
  }
  return result;
}

function readRef(value: JsonValue | undefined): BoundRef | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined;
  return { name: value.name, uid: typeof value.uid === 'string' ? value.uid : '' };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The user that the token stands for. */
export function accountUser({ namespace, account, pod, node, id }: AccountClaims): AccountUser {
  const extra: Record<string, readonly string[]> = {};
  if (id !== '') extra[`${EXTRA}/credential-id`] = [`JTI=${id}`];
  if (pod) {
    extra[`${EXTRA}/pod-name`] = [pod.name];
    extra[`${EXTRA}/pod-uid`] = [pod.uid];
  }
  if (node) {
    extra[`${EXTRA}/node-name`] = [node.name];
    if (node.uid !== '') extra[`${EXTRA}/node-uid`] = [node.uid];
  }
  return {
    name: accountUsername(namespace, account.name),
    uid: account.uid,
    groups: [...accountGroups(namespace), AUTHENTICATED],
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
