/** Snapshots of federations of any size, as the scheduler loads them: mixed clusters, a Deployment of 1,000 replicas, one policy. */
import { shippedTypeConfigs } from '../../../shared/apis/kubeadmiral/type-configs.ts';
import { clusterFacts } from '../../../shared/federation/clusters/facts.ts';
import type { PolicySpec } from '../../../shared/federation/policies/spec.ts';
import type { ClusterFacts, PlanSnapshot } from '../../../shared/federation/snapshot.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import type { Mode } from '../report/anchors.ts';

export const REPLICAS = 1000;
const CORES = [16, 32, 64, 128, 256, 512];
const GIB_PER_CORE = [2, 4, 8];
const REGIONS = ['eu-west', 'us-east', 'ap-south'];
/** Served by every cluster: about what a kube-apiserver lists, so that looking one up costs what it costs. */
const KINDS = 60;
const SEED = 7;

const SERVED = [
  { group: 'apps', version: 'v1', kind: 'Deployment' },
  ...Array.from({ length: KINDS - 1 }, (_, i) => ({ group: `group-${i}.example.org`, version: 'v1', kind: `Kind${i}` })),
];

/** `count` clusters of mixed size and load. The same at each call. */
export function mixedClusters(count: number): ClusterFacts[] {
  const random = seeded(SEED);
  const pick = <T>(values: readonly T[], other: T): T => values[Math.floor(random() * values.length)] ?? other;
  return Array.from({ length: count }, (_, i) => {
    const cores = pick(CORES, 16);
    const gib = cores * pick(GIB_PER_CORE, 4);
    const free = 0.2 + 0.7 * random();
    return clusterFacts({
      apiVersion: 'core.kubeadmiral.io/v1alpha1',
      kind: 'FederatedCluster',
      metadata: {
        name: `cluster-${String(i).padStart(5, '0')}`,
        uid: `uid-${i}`,
        resourceVersion: '1',
        labels: { 'topology.kubernetes.io/region': pick(REGIONS, 'eu-west'), tier: i % 4 === 0 ? 'gold' : 'silver' },
      },
      spec: { taints: [] },
      status: {
        conditions: [
          { type: 'Joined', status: 'True' },
          { type: 'Ready', status: 'True' },
        ],
        resources: {
          allocatable: { cpu: String(cores), memory: `${gib}Gi` },
          available: { cpu: `${Math.floor(cores * 1000 * free)}m`, memory: `${Math.floor(gib * 1024 * free)}Mi` },
        },
        apiResourceTypes: SERVED,
      },
    });
  });
}

/** A new object and its policy on these clusters. */
export function firstSnapshot(clusters: readonly ClusterFacts[], mode: Mode): PlanSnapshot {
  const typeConfig = shippedTypeConfigs().find(({ metadata }) => metadata.name === 'deployments.apps');
  if (!typeConfig) throw new Error('no type configuration is shipped for Deployments');
  const name = 'everywhere';
  const object = { apiVersion: 'core.kubeadmiral.io/v1alpha1', kind: 'PropagationPolicy', spec: policySpec(clusters, mode) };
  return {
    source: deployment(REPLICAS, 1),
    type: { group: 'apps', version: 'v1', kind: 'Deployment', pluralName: 'deployments', scope: 'Namespaced' },
    typeConfig,
    namespaceLabels: {},
    policy: { kind: 'PropagationPolicy', name, object: { ...object, metadata: { name, namespace: 'default', generation: 1 } } },
    overridePolicies: [],
    clusters,
    leaders: [],
    reservations: new Map(),
  };
}

/** The object of a plan that was stored, with another number of replicas. */
export function nextSnapshot(before: PlanSnapshot, federated: KubeObject, previous: KubeObject): PlanSnapshot {
  return { ...before, source: deployment(REPLICAS + 200, 2), federated, previous };
}

function policySpec(clusters: readonly ClusterFacts[], mode: Mode): PolicySpec {
  if (mode === 'duplicate') return { schedulingMode: 'Duplicate' };
  if (mode === 'dynamic') return { schedulingMode: 'Divide' };
  return {
    schedulingMode: 'Divide',
    placement: clusters.map(({ name }, i) => ({ cluster: name, preferences: { weight: 1 + (i % 5) } })),
  };
}

function deployment(replicas: number, generation: number): KubeObject {
  const requests = { cpu: '100m', memory: '128Mi' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'uid-web',
      resourceVersion: '64',
      generation,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'web', 'kubeadmiral.io/propagation-policy-name': 'everywhere' },
    },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'nginx:1.29', resources: { requests } }] },
      },
    },
    status: {},
  };
}

/** A linear congruential generator: enough to mix clusters, and the same on every machine. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
