/** The FederatedTypeConfigs that KubeAdmiral ships (reference: KubeAdmiral, section 9): which kinds are federated from the start. */
import type { KubeObject } from '../../machinery/object.ts';
import { KUBEADMIRAL_API_VERSION } from './names.ts';

const OVERRIDES = 'kubeadmiral.io/overridepolicy-controller';
const SCHEDULER = 'kubeadmiral.io/global-scheduler';
const SCHEDULED: readonly (readonly string[])[] = [[SCHEDULER], [OVERRIDES]];
const CREATED = 'metadata.creationTimestamp';
const GENERATION = 'metadata.generation';

/** One type, as short as it can be said. `name` is `plural[.group]`; `collect` absent: no status is collected. */
type TypeDeclaration = {
  /** `version/kind`, with the group in front where there is one: `apps/v1/Deployment`. */
  type: string;
  plural: string;
  scope?: 'Cluster';
  collect?: readonly string[];
  spec?: Record<string, unknown>;
  annotations?: Record<string, string>;
  /** FederatedTypeConfig name; `plural` for core kinds and StorageClasses, else `plural.group`. */
  name?: string;
};

const rbac = (kind: string, plural: string, scope?: 'Cluster'): TypeDeclaration => ({
  type: `rbac.authorization.k8s.io/v1/${kind}`,
  plural,
  ...(scope ? { scope } : {}),
});

const TYPES: readonly TypeDeclaration[] = [
  {
    type: 'v1/Namespace',
    plural: 'namespaces',
    scope: 'Cluster',
    spec: { controllers: [['kubeadmiral.io/nsautoprop-controller'], [OVERRIDES]], statusAggregation: { enabled: false } },
  },
  { type: 'v1/ConfigMap', plural: 'configmaps', collect: [CREATED] },
  {
    type: 'apps/v1/Deployment',
    plural: 'deployments',
    collect: [CREATED, GENERATION, 'spec.replicas', 'status'],
    spec: {
      autoMigration: { enabled: true },
      pathDefinition: {
        labelSelector: 'spec.selector',
        replicasSpec: 'spec.replicas',
        replicasStatus: 'status.replicas',
        availableReplicasStatus: 'status.availableReplicas',
        readyReplicasStatus: 'status.readyReplicas',
      },
    },
  },
  { type: 'v1/ServiceAccount', plural: 'serviceaccounts', collect: [CREATED] },
  { type: 'v1/Secret', plural: 'secrets', collect: [CREATED] },
  { type: 'v1/Service', plural: 'services', collect: [CREATED, 'spec.clusterIP', 'spec.type', 'spec.ports', 'status'] },
  {
    type: 'storage.k8s.io/v1/StorageClass',
    plural: 'storageclasses',
    name: 'storageclasses',
    scope: 'Cluster',
    collect: [CREATED, 'provisioner', 'reclaimPolicy'],
  },
  {
    type: 'v1/PersistentVolume',
    plural: 'persistentvolumes',
    scope: 'Cluster',
    collect: [
      CREATED,
      'spec.accessModes',
      'spec.capacity',
      'spec.storageClassName',
      'spec.persistentVolumeReclaimPolicy',
      'status',
    ],
  },
  {
    type: 'v1/PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    collect: [CREATED, 'spec.resources.requests', 'spec.storageClassName', 'status'],
  },
  rbac('ClusterRoleBinding', 'clusterrolebindings', 'Cluster'),
  rbac('ClusterRole', 'clusterroles', 'Cluster'),
  rbac('RoleBinding', 'rolebindings'),
  rbac('Role', 'roles'),
  { type: 'apps/v1/StatefulSet', plural: 'statefulsets', collect: [CREATED, GENERATION, 'spec.replicas', 'status'] },
  { type: 'apps/v1/DaemonSet', plural: 'daemonsets', collect: [CREATED, GENERATION, 'status'] },
  { type: 'batch/v1/Job', plural: 'jobs', collect: [CREATED, GENERATION, 'status'] },
  { type: 'batch/v1/CronJob', plural: 'cronjobs', collect: [CREATED, GENERATION, 'status'] },
  { type: 'networking.k8s.io/v1/Ingress', plural: 'ingresses', collect: [CREATED, 'spec.rules', 'status'] },
  { type: 'v1/LimitRange', plural: 'limitranges' },
  { type: 'v1/ResourceQuota', plural: 'resourcequotas', collect: [CREATED, 'status'] },
  {
    type: 'apiextensions.k8s.io/v1/CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    scope: 'Cluster',
    collect: [CREATED, 'status'],
  },
  {
    type: 'autoscaling/v2/HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
    collect: [CREATED, 'status'],
    spec: { controllers: [['kubeadmiral.io/federatedhpa-controller'], ...SCHEDULED] },
    annotations: { 'kubeadmiral.io/scale-target-ref-path': 'spec.scaleTargetRef' },
  },
  { type: 'multicluster.x-k8s.io/v1alpha1/ServiceImport', plural: 'serviceimports' },
  { type: 'multicluster.x-k8s.io/v1alpha1/ServiceExport', plural: 'serviceexports' },
  { type: 'discovery.k8s.io/v1/EndpointSlice', plural: 'endpointslices', spec: { controllers: [] } },
];

/** The optional type that KubeAdmiral has in a file of its own. */
const POD: TypeDeclaration = {
  type: 'v1/Pod',
  plural: 'pods',
  collect: [CREATED, 'spec.nodeName', 'status'],
  spec: { statusAggregation: { enabled: true } },
};

/** The shipped set: 25 objects without identity. A fresh copy at each call. */
export function shippedTypeConfigs(): KubeObject[] {
  return TYPES.map(typeConfigOf);
}

/** The FederatedTypeConfig of Pods, which is not part of the shipped set. */
export function podTypeConfig(): KubeObject {
  return typeConfigOf(POD);
}

function typeConfigOf({ type, plural, scope, collect, spec, annotations, name }: TypeDeclaration): KubeObject {
  const [kind = '', version = '', group] = type.split('/').reverse();
  const metadata = {
    name: name ?? (group ? `${plural}.${group}` : plural),
    ...(annotations ? { annotations: { ...annotations } } : {}),
  };
  return structuredClone({
    apiVersion: KUBEADMIRAL_API_VERSION,
    kind: 'FederatedTypeConfig',
    metadata,
    spec: {
      sourceType: { ...(group ? { group } : {}), version, kind, pluralName: plural, scope: scope ?? 'Namespaced' },
      controllers: SCHEDULED.map((step) => [...step]),
      ...(collect ? { statusCollection: { enabled: true, fields: [...collect] } } : {}),
      ...spec,
    },
  }) as KubeObject;
}
