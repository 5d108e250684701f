/** One valid object of every kind that discovery lists: those that kube-apiserver was seen to accept, and a table for the rest. */
import { readFileSync } from 'node:fs';
import type { JsonObject, KubeObject } from '../../../shared/machinery/object.ts';

type Recorded = { given: KubeObject };

const recorded = JSON.parse(
  readFileSync(new URL('../../unit/apis/real/created.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

/** What a kind needs beside a name, by `apiVersion/kind`. `name` where the kind is choosy. */
const OTHERS: Readonly<Record<string, JsonObject & { name?: string }>> = {
  'certificates.k8s.io/v1/CertificateSigningRequest': {
    spec: {
      request: Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n').toString('base64'),
      signerName: 'example.com/signer',
      usages: ['client auth'],
    },
  },
  'networking.k8s.io/v1/IPAddress': {
    name: '10.1.2.3',
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'x' } },
  },
  'networking.k8s.io/v1/ServiceCIDR': { spec: { cidrs: ['10.9.0.0/16'] } },
  'rbac.authorization.k8s.io/v1/Role': { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  'rbac.authorization.k8s.io/v1/RoleBinding': {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'x' },
    subjects: [{ kind: 'ServiceAccount', name: 'x', namespace: 'default' }],
  },
  'storage.k8s.io/v1/CSINode': { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: [] }] } },
  'storage.k8s.io/v1/CSIStorageCapacity': { storageClassName: 'x', nodeTopology: {}, capacity: '1Gi' },
  'storage.k8s.io/v1/VolumeAttachment': { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'pv' } } },
  'storage.k8s.io/v1/VolumeAttributesClass': { driverName: 'd', parameters: { a: 'b' } },
  'resource.k8s.io/v1/DeviceClass': { spec: {} },
  'resource.k8s.io/v1/ResourceClaim': { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } },
  'resource.k8s.io/v1/ResourceSlice': {
    spec: { driver: 'd', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
  },
  'core.kubeadmiral.io/v1alpha1/FederatedCluster': {
    spec: { apiEndpoint: 'https://127.0.0.1:6443', secretRef: { name: 's' }, useServiceAccount: false },
  },
  'core.kubeadmiral.io/v1alpha1/FederatedTypeConfig': {
    name: 'foos.example.com',
    spec: {
      sourceType: { group: 'example.com', version: 'v1', kind: 'Foo', pluralName: 'foos', scope: 'Namespaced' },
      controllers: [['kubeadmiral.io/global-scheduler']],
    },
  },
  'core.kubeadmiral.io/v1alpha1/PropagationPolicy': { spec: { schedulingMode: 'Duplicate' } },
  'core.kubeadmiral.io/v1alpha1/ClusterPropagationPolicy': { spec: { schedulingMode: 'Divide' } },
  'core.kubeadmiral.io/v1alpha1/OverridePolicy': { spec: { overrideRules: [] } },
  'core.kubeadmiral.io/v1alpha1/ClusterOverridePolicy': { spec: { overrideRules: [] } },
  'core.kubeadmiral.io/v1alpha1/FederatedObject': {
    spec: { template: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } } },
  },
  'core.kubeadmiral.io/v1alpha1/ClusterFederatedObject': {
    spec: { template: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } } },
  },
  'core.kubeadmiral.io/v1alpha1/CollectedStatus': { clusters: [], lastUpdateTime: '2026-01-01T00:00:00Z' },
  'core.kubeadmiral.io/v1alpha1/ClusterCollectedStatus': { clusters: [], lastUpdateTime: '2026-01-01T00:00:00Z' },
  'multicluster.x-k8s.io/v1alpha1/ServiceImport': { spec: { type: 'ClusterSetIP', ports: [{ port: 80 }] } },
};

/** Bodies of reviews, which are answered and not stored. */
const REVIEWS: Readonly<Record<string, JsonObject>> = {
  TokenReview: { spec: { token: 'admin' } },
  LocalSubjectAccessReview: {
    metadata: { namespace: 'default' },
    spec: { user: 'reader', resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
  },
  SelfSubjectAccessReview: { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
  SelfSubjectRulesReview: { spec: { namespace: 'default' } },
  SubjectAccessReview: { spec: { user: 'reader', nonResourceAttributes: { path: '/version', verb: 'get' } } },
};

/** A body that the server must accept. The object is the caller's own. */
export function validBody(apiVersion: string, kind: string): KubeObject {
  const review = REVIEWS[kind];
  if (review) return { apiVersion, kind, metadata: {}, ...structuredClone(review) } as KubeObject;
  const known = recorded.find(({ given }) => given.apiVersion === apiVersion && given.kind === kind);
  if (known) return structuredClone(known.given);
  const { name = 'verbs', ...content } = structuredClone(OTHERS[`${apiVersion}/${kind}`] ?? {});
  return { apiVersion, kind, metadata: { name }, ...content } as KubeObject;
}
