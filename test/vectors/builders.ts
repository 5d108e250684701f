/** Vector shapes of units and clusters, as the production types want them. */
import { clusterFacts } from '../../shared/federation/clusters/facts.ts';
import type { Affinity } from '../../shared/federation/policies/annotations.ts';
import type { EffectivePolicy } from '../../shared/federation/policies/effective.ts';
import type { Toleration } from '../../shared/federation/policies/tolerations.ts';
import { type AppliedMigration, migrationLimits } from '../../shared/federation/scheduling/migration.ts';
import { type SchedulingUnit, schedulingUnit } from '../../shared/federation/scheduling/unit.ts';
import type { ClusterFacts, ResourceAmounts } from '../../shared/federation/snapshot.ts';
import type { JsonObject } from '../../shared/machinery/object.ts';

type Counts = Record<string, number>;

/** The unit of the vector files. */
export type UnitVector = {
  name?: string;
  namespace?: string;
  groupVersion?: string;
  kind?: string;
  desiredReplicas?: number | null;
  schedulingMode?: 'Duplicate' | 'Divide';
  replicasStrategy?: string;
  stickyCluster?: boolean;
  avoidDisruption?: boolean;
  currentClusters?: Record<string, number | null> | null;
  clusterSelector?: Record<string, string> | null;
  clusterNames?: JsonObject | null;
  affinity?: Affinity | null;
  tolerations?: Toleration[] | null;
  maxClusters?: number | null;
  minReplicas?: Counts | null;
  maxReplicas?: Counts | null;
  weights?: Counts | null;
  priorities?: Counts | null;
  resourceRequest?: { milliCPU?: number; memory?: number; ephemeralStorage?: number; scalarResources?: Counts | null } | null;
  autoMigration?: {
    info?: { estimatedCapacity?: Counts | null; scheduledReplicas?: Counts | null } | null;
    keepUnschedulableReplicas?: boolean;
  } | null;
  customMigration?: { info?: AppliedMigration | null } | null;
};

/** The cluster of the vector files. */
export type ClusterVector = {
  name?: string;
  labels?: Record<string, string> | null;
  taints?: JsonObject[] | null;
  deletionTimestamp?: string;
  resources?: { allocatable?: Record<string, string>; available?: Record<string, string> } | null;
  apiResourceTypes?: JsonObject[] | null;
  ready?: boolean;
  conditions?: { type: string; status: string }[] | null;
};

/** The unit, through the production compiler. */
export function unitOf(vector: UnitVector): SchedulingUnit {
  const limits = migrationLimits(vector.customMigration?.info ?? undefined);
  return schedulingUnit(policyOf(vector), {
    key: vector.namespace ? `${vector.namespace}/${vector.name ?? ''}` : (vector.name ?? ''),
    apiResource: apiResourceOf(vector.groupVersion ?? '', vector.kind ?? ''),
    replicas: vector.desiredReplicas ?? 0,
    current: new Map(Object.entries(vector.currentClusters ?? {})),
    request: requestOf(vector.resourceRequest ?? {}),
    estimated: mapOf(vector.autoMigration?.info?.estimatedCapacity),
    scheduled: mapOf(vector.autoMigration?.info?.scheduledReplicas),
    limited: limits.limited,
    evictedUntil: limits.evictedUntil,
  });
}

/** The cluster, through the production reader of FederatedClusters. */
export function factsOf(vector: ClusterVector): ClusterFacts {
  const ready = vector.ready === undefined ? [] : [{ type: 'Ready', status: vector.ready ? 'True' : 'False' }];
  return clusterFacts({
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'FederatedCluster',
    metadata: {
      name: vector.name ?? '',
      labels: vector.labels ?? {},
      ...(vector.deletionTimestamp ? { deletionTimestamp: vector.deletionTimestamp } : {}),
    },
    spec: { taints: vector.taints ?? [] },
    status: {
      resources: vector.resources ?? {},
      apiResourceTypes: vector.apiResourceTypes ?? [],
      conditions: [{ type: 'Joined', status: 'True' }, ...ready, ...(vector.conditions ?? [])],
    },
  });
}

function policyOf(vector: UnitVector): EffectivePolicy {
  return {
    schedulingMode: vector.schedulingMode ?? 'Duplicate',
    replicasStrategy: vector.replicasStrategy ?? 'Spread',
    stickyCluster: vector.stickyCluster ?? false,
    avoidDisruption: vector.avoidDisruption ?? false,
    ...(vector.autoMigration
      ? { autoMigration: { keepUnschedulableReplicas: vector.autoMigration.keepUnschedulableReplicas ?? false } }
      : {}),
    clusterSelector: vector.clusterSelector ?? {},
    affinity: vector.affinity ?? undefined,
    clusterNames: new Set(Object.keys(vector.clusterNames ?? {})),
    tolerations: vector.tolerations ?? [],
    ...(typeof vector.maxClusters === 'number' ? { maxClusters: vector.maxClusters } : {}),
    minReplicas: mapOf(vector.minReplicas),
    maxReplicas: mapOf(vector.maxReplicas),
    weights: mapOf(vector.weights),
    priorities: mapOf(vector.priorities),
    notes: [],
  };
}

function requestOf(request: NonNullable<UnitVector['resourceRequest']>): ResourceAmounts {
  return {
    ...(request.milliCPU ? { cpu: request.milliCPU } : {}),
    ...(request.memory ? { memory: request.memory } : {}),
    ...(request.ephemeralStorage ? { 'ephemeral-storage': request.ephemeralStorage } : {}),
    ...(request.scalarResources ?? {}),
  };
}

function mapOf(counts: Counts | null | undefined): Map<string, number> {
  return new Map(Object.entries(counts ?? {}));
}

function apiResourceOf(groupVersion: string, kind: string): string {
  return groupVersion.includes('/') ? `${groupVersion}/${kind}` : `/${groupVersion}/${kind}`;
}
