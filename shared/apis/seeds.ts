/** What a fresh cluster holds before its first user: bootstrap objects, as kube-apiserver creates them. */
import type { KubeObject } from '../machinery/object.ts';
import { seedSet } from './data/load.ts';
import { federationRoles } from './kubeadmiral/roles.ts';
import { shippedTypeConfigs } from './kubeadmiral/type-configs.ts';
import { LAMIRAL_GROUP } from './lamiral/kinds.ts';

/** Namespace of the control plane: Secrets of member clusters lie here. */
export const SYSTEM_NAMESPACE = 'kube-admiral-system';

/** First address of the Service range 10.96.0.0/12: the API server's own Service. */
const KUBERNETES_SERVICE_IP = '10.96.0.1';

/**
 * Namespaces, the `default/kubernetes` Service, bootstrap RBAC, priority classes and flow schemas, in an order in which each may be created
 * (namespaces first). Without uid, resourceVersion and times. A fresh copy at each call. Endpoints of the Service: `kubernetesEndpoints`.
 */
export function seedObjects(): KubeObject[] {
  return [
    ...seedSet('namespaces'),
    ...seedSet('priorityclasses'),
    ...seedSet('prioritylevelconfigurations'),
    ...seedSet('flowschemas'),
    ...seedSet('clusterroles'),
    ...seedSet('clusterrolebindings'),
    ...seedSet('roles'),
    ...seedSet('rolebindings'),
    serviceCidr(),
    kubernetesService(),
  ];
}

/**
 * `seedObjects` and what the control plane adds: roles for its own kinds, its system namespace and the shipped FederatedTypeConfigs. Seeds belong to the control
 * plane alone: every member has its own, so they are marked as not to be federated. `own`: seeds that only the caller knows, marked likewise.
 */
export function controlPlaneSeeds(own: readonly KubeObject[] = []): KubeObject[] {
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE } };
  const seeds = [...seedObjects(), ...federationRoles(LAMIRAL_GROUP), ...own];
  return [...seeds.map(keptAtHome), namespace, ...shippedTypeConfigs()];
}

function keptAtHome(seed: KubeObject): KubeObject {
  const annotations = { ...seed.metadata.annotations, 'kubeadmiral.io/no-federated-resource': 'true' };
  return { ...seed, metadata: { ...seed.metadata, annotations } };
}

/**
 * Endpoints and EndpointSlice behind `default/kubernetes`, once the address and port of the server are known. None for a loopback address:
 * no endpoint may have one.
 */
export function kubernetesEndpoints(address: string, port: number): KubeObject[] {
  if (address === '::1' || address.startsWith('127.')) return [];
  const isIpv6 = address.includes(':');
  return [
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'kubernetes', namespace: 'default', labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: isIpv6 ? 'IPv6' : 'IPv4',
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports: [{ name: 'https', port, protocol: 'TCP' }],
    },
  ];
}

/** The range of Service addresses; its controller makes it ready. */
function serviceCidr(): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'kubernetes', finalizers: ['networking.k8s.io/service-cidr-finalizer'] },
    spec: { cidrs: ['10.96.0.0/12'] },
  };
}

function kubernetesService(): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP: KUBERNETES_SERVICE_IP,
      clusterIPs: [KUBERNETES_SERVICE_IP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      sessionAffinity: 'None',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
    },
  };
}
