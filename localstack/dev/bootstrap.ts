/** What a new control plane of `dev` holds: the seeds, a policy that places everything, and the member clusters. */
import type { Registry } from '../../shared/apis/definition.ts';
import { controlPlaneSeeds } from '../../shared/apis/seeds.ts';
import type { ApiServer } from '../../shared/apiserver/server.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import type { MemberConnection } from '../../shared/ports/member-client.ts';
import type { MemberAccess } from '../members/pool.ts';
import { definitionOf, ensureObjects, find, localEndpoints, putObject } from '../seed.ts';

export const SYSTEM_NAMESPACE = 'kube-admiral-system';
/** The policy that `dev` gives to namespace default. */
export const DEFAULT_POLICY = 'everywhere';
const POLICY_LABEL = 'kubeadmiral.io/cluster-propagation-policy-name';

/** Seeds, the policy `everywhere`, and its label on namespace default. The policy comes once: who deletes it does not get it back. */
export async function bootstrap(server: ApiServer, registry: Registry): Promise<void> {
  const made = await ensureObjects(server, registry, controlPlaneSeeds(localEndpoints()));
  if (made === 0) return;
  const policy: KubeObject = {
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'ClusterPropagationPolicy',
    metadata: { name: DEFAULT_POLICY },
    spec: { schedulingMode: 'Divide' },
  };
  await ensureObjects(server, registry, [policy]);
  await putObject(server, registry, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'default', labels: { [POLICY_LABEL]: DEFAULT_POLICY } },
  });
}

/** True while namespace default is placed by `everywhere`: said in the start lines only when it is so. */
export async function isDefaultPlaced(server: ApiServer, registry: Registry): Promise<boolean> {
  const definition = definitionOf(registry, { apiVersion: 'v1', kind: 'Namespace', metadata: {} });
  const namespace = await find(server, definition, '', 'default');
  return namespace?.metadata.labels?.[POLICY_LABEL] === DEFAULT_POLICY;
}

/** Secret and FederatedCluster of one simulated member. */
export function simulatedCluster(member: MemberAccess, caCert: string): KubeObject[] {
  const { spec } = member;
  const connection: MemberConnection = {
    cluster: spec.name,
    server: member.url,
    insecure: false,
    caData: caCert,
    token: member.token,
  };
  const labels = {
    'topology.kubernetes.io/region': spec.region,
    'topology.kubernetes.io/zone': spec.zone,
    'lamiral.dev/simulated': 'true',
  };
  return clusterObjects(connection, labels, { 'lamiral.dev/price-per-cpu-hour': String(spec.pricePerCpuHour) });
}

/** Secret and FederatedCluster of a cluster that a kubeconfig names. */
export function clusterObjects(
  connection: MemberConnection,
  labels: Record<string, string> = {},
  annotations: Record<string, string> = {},
): KubeObject[] {
  const encode = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text).toString('base64'));
  const data = {
    'certificate-authority-data': encode(connection.caData),
    'client-certificate-data': encode(connection.certData),
    'client-key-data': encode(connection.keyData),
    'bootstrap-token-data': encode(connection.token),
  };
  const present = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: connection.cluster, namespace: SYSTEM_NAMESPACE },
      type: 'Opaque',
      data: present,
    },
    {
      apiVersion: 'core.kubeadmiral.io/v1alpha1',
      kind: 'FederatedCluster',
      metadata: { name: connection.cluster, labels, annotations },
      spec: { apiEndpoint: connection.server, insecure: connection.insecure, secretRef: { name: connection.cluster } },
    },
  ];
}

/** Registers clusters, or brings what is registered up to date: a member may have come back at another port. */
export async function registerClusters(server: ApiServer, registry: Registry, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) await putObject(server, registry, object);
}
