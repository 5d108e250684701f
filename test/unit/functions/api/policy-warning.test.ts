import { describe, expect, test } from 'vitest';
import { policyWarning } from '../../../../functions/api/policy-warning.ts';
import { builtInDefinitions } from '../../../../shared/apis/built-in.ts';
import { shippedTypeConfigs } from '../../../../shared/apis/kubeadmiral/type-configs.ts';
import { createRegistry } from '../../../../shared/apis/registry.ts';
import type { AdmissionRequest } from '../../../../shared/apiserver/server.ts';
import { federatedType, federatedTypes } from '../../../../shared/federation/type-config.ts';
import type { KubeObject } from '../../../../shared/machinery/object.ts';

const registry = createRegistry(builtInDefinitions());
const types = federatedTypes(shippedTypeConfigs().map(federatedType));

/** Warnings on the create of `object` in a namespace with these labels. */
async function warnings(
  object: KubeObject,
  namespaceLabels: Record<string, string>,
  change: Partial<AdmissionRequest> = {},
): Promise<string[]> {
  const [group = '', version = ''] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['', object.apiVersion];
  const definition = registry.byKind(group, version, object.kind);
  if (!definition) throw new Error(`${object.kind} is not served`);
  const told: string[] = [];
  const namespace = definition.namespaced ? 'shop' : '';
  const stored = {
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: namespaceLabels } },
    stored: {} as never,
  };
  const step = policyWarning({ types: { all: async () => types }, reader: { get: async () => stored } });
  const user = { name: 'u', groups: [] };
  await step.validate?.({
    definition,
    operation: 'create',
    subresource: '',
    namespace,
    name: object.metadata.name ?? '',
    object,
    user,
    dryRun: false,
    warn: (text) => told.push(text),
    ...change,
  });
  return told;
}

const deployment = (metadata: KubeObject['metadata'] = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', ...metadata },
});
const policy = { 'kubeadmiral.io/propagation-policy-name': 'p' };

describe('an object that no policy selects', () => {
  test('is warned of, with the labels that would help', async () => {
    const [text] = await warnings(deployment(), {});
    expect(text).toBe(
      'deployments web is stored but placed in no cluster: neither it nor namespace shop has a label kubeadmiral.io/propagation-policy-name or kubeadmiral.io/cluster-propagation-policy-name',
    );
  });
  test('of cluster scope can only name a cluster policy', async () => {
    const [text] = await warnings(
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r' } },
      {},
    );
    expect(text).toBe(
      'clusterroles r is stored but placed in no cluster: it has no label kubeadmiral.io/cluster-propagation-policy-name',
    );
  });
});

test.each<[string, KubeObject, string]>([
  ['Pod', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }, 'pods a'],
  ['ReplicaSet', { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'a' } }, 'replicasets a'],
])('a %s of one’s own is warned of, policy or not: its kind is not sent anywhere', async (kind, object, subject) => {
  expect(await warnings(object, policy)).toEqual([
    `${subject} is stored but runs nowhere: no FederatedTypeConfig names ${kind}, so it is sent to no cluster`,
  ]);
});

describe('no warning', () => {
  test('for a Pod that a controller made', async () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u', controller: true }];
    expect(await warnings({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', ownerReferences } }, policy)).toEqual([]);
  });

  test.each<[string, KubeObject, Record<string, string>, Partial<AdmissionRequest>]>([
    ['the object names a policy', deployment({ labels: policy }), {}, {}],
    ['its namespace does', deployment(), policy, {}],
    ['it opts out', deployment({ annotations: { 'kubeadmiral.io/no-federated-resource': 'true' } }), {}, {}],
    [
      'a controller made it',
      deployment({ ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u', controller: true }] }),
      {},
      {},
    ],
    ['it follows others', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }, {}, {}],
    ['its kind is not federated', { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' } }, {}, {}],
    ['an update', deployment(), {}, { operation: 'update' }],
    ['the system namespace', deployment(), {}, { namespace: 'kube-admiral-system' }],
  ])('%s', async (_name, object, namespaceLabels, change) => {
    expect(await warnings(object, namespaceLabels, change)).toEqual([]);
  });
});
