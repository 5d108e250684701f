/**
 * `useServiceAccount`: after the first contact, an account of our own in the member, with a role that lists only what is propagated (KubeAdmiral
 * asks for every verb on everything).
 */
import { SYSTEM_NAMESPACE } from '../../shared/federation/keys.ts';
import type { FederatedTypes } from '../../shared/federation/type-config.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import type { MemberClient, MemberRef, MemberResult } from '../../shared/ports/member-client.ts';

const ACCOUNT = 'kubeadmiral-member';
const ROLE = `kubeadmiral-controller-manager:${ACCOUNT}`;
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' };

/** `pending`: the member has not filled the token Secret yet. */
export type AccountToken = { type: 'token'; token: string } | { type: 'pending' } | { type: 'failed'; message: string };

/** Makes the account, its role and its token Secret, and reads the token. Safe to repeat. */
export async function serviceAccountToken(client: MemberClient, types: FederatedTypes): Promise<AccountToken> {
  for (const { ref, object } of accountObjects(types)) {
    const applied = await client.apply(ref, object, { force: true });
    if (applied.type !== 'ok') return { type: 'failed', message: applied.message };
  }
  const secret: MemberResult<KubeObject> = await client.get(inSystem('secrets', ACCOUNT));
  if (secret.type !== 'ok') return { type: 'failed', message: secret.message };
  const token: unknown = secret.value.data?.token;
  if (typeof token !== 'string' || token === '') return { type: 'pending' };
  return { type: 'token', token: Buffer.from(token, 'base64').toString('utf8') };
}

function inSystem(resource: string, name: string): MemberRef {
  return { group: '', version: 'v1', resource, namespace: SYSTEM_NAMESPACE, name };
}

function accountObjects(types: FederatedTypes): { ref: MemberRef; object: KubeObject }[] {
  const metadata = { name: ACCOUNT, namespace: SYSTEM_NAMESPACE };
  const subjects = [{ kind: 'ServiceAccount', ...metadata }];
  const roleRef = { apiGroup: RBAC.group, kind: 'ClusterRole', name: ROLE };
  const apiVersion = `${RBAC.group}/${RBAC.version}`;
  return [
    { ref: inSystem('serviceaccounts', ACCOUNT), object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata } },
    {
      ref: inSystem('secrets', ACCOUNT),
      object: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': ACCOUNT } },
        type: 'kubernetes.io/service-account-token',
      },
    },
    {
      ref: { ...RBAC, resource: 'clusterroles', namespace: '', name: ROLE },
      object: { apiVersion, kind: 'ClusterRole', metadata: { name: ROLE }, rules: rulesFor(types) },
    },
    {
      ref: { ...RBAC, resource: 'clusterrolebindings', namespace: '', name: ROLE },
      object: { apiVersion, kind: 'ClusterRoleBinding', metadata: { name: ROLE }, subjects, roleRef },
    },
  ];
}

type Rule = { apiGroups?: string[]; resources?: string[]; nonResourceURLs?: string[]; verbs: string[] };

function rulesFor(types: FederatedTypes): Rule[] {
  const resourcesByGroup = new Map<string, Set<string>>([['', new Set(['namespaces'])]]);
  for (const { type } of types.all) {
    const resources = resourcesByGroup.get(type.group) ?? new Set<string>();
    resources.add(type.pluralName);
    resourcesByGroup.set(type.group, resources);
  }
  const propagated = [...resourcesByGroup]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, resources]) => ({
      apiGroups: [group],
      resources: [...resources].sort(),
      verbs: ['get', 'list', 'watch', 'create', 'patch', 'update', 'delete'],
    }));
  return [
    ...propagated,
    { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['get', 'list', 'watch'] },
    { nonResourceURLs: ['/healthz', '/version', '/api', '/api/*', '/apis', '/apis/*'], verbs: ['get'] },
  ];
}
