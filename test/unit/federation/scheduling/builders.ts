/** Builders of snapshots: an ordinary Deployment with a policy on three ordinary clusters, changed by what a test is about. */
import { clusterFacts } from '../../../../shared/federation/clusters/facts.ts';
import { plan } from '../../../../shared/federation/plan.ts';
import type { PolicySpec } from '../../../../shared/federation/policies/spec.ts';
import type { ClusterDecision, DecisionSpec } from '../../../../shared/federation/scheduling/decision.ts';
import type { ClusterFacts, Plan, PlanSnapshot } from '../../../../shared/federation/snapshot.ts';
import type { KubeObject } from '../../../../shared/machinery/object.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;
export const LATER = NOW + HOUR_MS;

type ClusterOptions = {
  cpu?: number;
  free?: number;
  memory?: string;
  labels?: Record<string, string>;
  taints?: { key: string; value?: string; effect: string }[];
  ready?: boolean;
  joined?: boolean;
  terminating?: boolean;
  serves?: string[];
};

/** A FederatedCluster as scheduling sees it: 16 cores, all free, serving Deployments and ConfigMaps. */
export function cluster(name: string, options: ClusterOptions = {}): ClusterFacts {
  const cpu = options.cpu ?? 16;
  const serves = options.serves ?? ['apps/v1/Deployment', '/v1/ConfigMap'];
  return clusterFacts({
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'FederatedCluster',
    metadata: {
      name,
      labels: options.labels ?? {},
      ...(options.terminating ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { taints: options.taints ?? [] },
    status: {
      conditions: [
        { type: 'Joined', status: options.joined === false ? 'False' : 'True' },
        { type: 'Ready', status: options.ready === false ? 'False' : 'True' },
      ],
      resources: {
        allocatable: { cpu: String(cpu), memory: options.memory ?? '64Gi' },
        available: { cpu: String(options.free ?? cpu), memory: options.memory ?? '64Gi' },
      },
      apiResourceTypes: serves.map((type) => {
        const [group = '', version = '', kind = ''] = type.split('/');
        return { group, version, kind };
      }),
    },
  });
}

/** `us-1` with half of all capacity, `eu-1` and `ap-1` with a quarter each. */
export function threeClusters(): ClusterFacts[] {
  return [cluster('ap-1', { cpu: 16 }), cluster('eu-1', { cpu: 16 }), cluster('us-1', { cpu: 32 })];
}

/** Deployment default/web with 8 replicas, labelled for policy `pp`. */
export function deployment(change: (object: KubeObject) => void = () => undefined): KubeObject {
  const object: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'uid-web',
      resourceVersion: '64',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'web', 'kubeadmiral.io/propagation-policy-name': 'pp' },
      annotations: {},
    },
    spec: { replicas: 8, template: { spec: { containers: [{ name: 'web', image: 'nginx' }] } } },
    status: { replicas: 0 },
  };
  change(object);
  return object;
}

/** The same with another count. */
export function replicas(count: number): KubeObject {
  return deployment((object) => {
    object.spec.replicas = count;
    object.metadata.generation = 2;
  });
}

/** The same with annotations. */
export function annotated(annotations: Record<string, string>): KubeObject {
  return deployment((object) => {
    object.metadata.annotations = annotations;
  });
}

/** A PropagationPolicy `pp`: Divide, unless the spec says otherwise. */
export function policy(spec: PolicySpec = {}, annotations: Record<string, string> = {}): NonNullable<PlanSnapshot['policy']> {
  return {
    kind: 'PropagationPolicy',
    name: 'pp',
    object: {
      apiVersion: 'core.kubeadmiral.io/v1alpha1',
      kind: 'PropagationPolicy',
      metadata: { name: 'pp', namespace: 'default', annotations },
      spec: { schedulingMode: 'Divide', ...spec },
    },
  };
}

export const DEPLOYMENTS: KubeObject = {
  apiVersion: 'core.kubeadmiral.io/v1alpha1',
  kind: 'FederatedTypeConfig',
  metadata: { name: 'deployments.apps' },
  spec: {
    controllers: [['kubeadmiral.io/global-scheduler'], ['kubeadmiral.io/overridepolicy-controller']],
    pathDefinition: { replicasSpec: 'spec.replicas' },
  },
};

/** A whole snapshot. */
export function snapshot(change: Partial<PlanSnapshot> = {}): PlanSnapshot {
  return {
    source: deployment(),
    type: { group: 'apps', version: 'v1', kind: 'Deployment', pluralName: 'deployments', scope: 'Namespaced' },
    typeConfig: DEPLOYMENTS,
    namespaceLabels: {},
    policy: policy(),
    overridePolicies: [],
    clusters: threeClusters(),
    leaders: [],
    reservations: new Map(),
    ...change,
  };
}

/** A ConfigMap without policy labels. */
export function configMap(change: Partial<PlanSnapshot> = {}): PlanSnapshot {
  const { policy: _policy, ...rest } = snapshot();
  return {
    ...rest,
    source: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'default', uid: 'uid-settings', generation: 1 },
      data: { a: '1' },
    },
    type: { group: '', version: 'v1', kind: 'ConfigMap', pluralName: 'configmaps', scope: 'Namespaced' },
    typeConfig: { ...DEPLOYMENTS, metadata: { name: 'configmaps' }, spec: { controllers: DEPLOYMENTS.spec.controllers } },
    ...change,
  };
}

export type Planned = Extract<Plan, { type: 'planned' }>;

/** Plans, and insists on a plan. */
export function planOf(input: PlanSnapshot, now = NOW): Planned {
  const result = plan(input, now);
  if (result.type !== 'planned') throw new Error(`${result.type}: ${result.reason}`);
  return result;
}

/** The snapshot after a plan was stored, read back as JSON, with what changed since. */
export function later(before: PlanSnapshot, planned: Planned, change: Partial<PlanSnapshot> = {}): PlanSnapshot {
  return {
    ...before,
    federated: JSON.parse(JSON.stringify(planned.federated)) as KubeObject,
    previous: JSON.parse(JSON.stringify(planned.decision)) as KubeObject,
    ...change,
  };
}

/** Cluster -> replicas. */
export function placed({ placements }: Planned): Record<string, number | null> {
  return Object.fromEntries(placements.map(({ cluster: name, replicas: count }) => [name, count]));
}

export function specOf({ decision }: Planned): DecisionSpec {
  return decision.spec as DecisionSpec;
}

/** The entry of one cluster. */
export function entryOf(planned: Planned, name: string): ClusterDecision {
  const entry = specOf(planned).clusters.find((candidate) => candidate.cluster === name);
  if (!entry) throw new Error(`the decision does not know ${name}`);
  return entry;
}
