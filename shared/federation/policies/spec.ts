/** The spec of both propagation policies as plain types, and the defaults of its schema. */
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import type { ClusterTerm } from './affinity.ts';
import type { Toleration } from './tolerations.ts';

/** `placement[]`. */
export type PolicyPlacement = {
  cluster: string;
  preferences?: { minReplicas?: number; maxReplicas?: number; weight?: number; priority?: number };
};

/** `reschedulePolicy`. Absent parts stay absent here: `withPolicyDefaults` fills them. */
export type ReschedulePolicy = {
  disableRescheduling?: boolean;
  rescheduleWhen?: {
    policyContentChanged?: boolean;
    clusterJoined?: boolean;
    clusterLabelsChanged?: boolean;
    clusterAPIResourcesChanged?: boolean;
  };
  replicaRescheduling?: { avoidDisruption?: boolean };
};

/** Spec of a PropagationPolicy or ClusterPropagationPolicy. */
export type PolicySpec = {
  schedulingProfile?: string;
  schedulingMode?: string;
  replicasStrategy?: string;
  clusterSelector?: Record<string, string>;
  clusterAffinity?: ClusterTerm[];
  tolerations?: Toleration[];
  maxClusters?: number;
  placement?: PolicyPlacement[];
  disableFollowerScheduling?: boolean;
  autoMigration?: { when?: { podUnschedulableFor?: string }; keepUnschedulableReplicas?: boolean };
  reschedulePolicy?: ReschedulePolicy;
};

const DEFAULT_UNSCHEDULABLE_FOR = '1m';

/**
 * The spec with the defaults of the schema, for policies that were stored without them. As in the schema, a `reschedulePolicy` that is
 * written without `rescheduleWhen` does not get one.
 */
export function withPolicyDefaults(spec: PolicySpec): PolicySpec {
  const reschedule = spec.reschedulePolicy ?? { rescheduleWhen: { policyContentChanged: true } };
  const when = reschedule.rescheduleWhen;
  return {
    ...spec,
    reschedulePolicy: {
      ...reschedule,
      ...(when ? { rescheduleWhen: { ...when, policyContentChanged: when.policyContentChanged ?? true } } : {}),
      replicaRescheduling: { avoidDisruption: reschedule.replicaRescheduling?.avoidDisruption ?? true },
    },
    ...(spec.autoMigration ? { autoMigration: migrationWithDefaults(spec.autoMigration) } : {}),
  };
}

function migrationWithDefaults(migration: NonNullable<PolicySpec['autoMigration']>): NonNullable<PolicySpec['autoMigration']> {
  const podUnschedulableFor = migration.when?.podUnschedulableFor ?? DEFAULT_UNSCHEDULABLE_FOR;
  return { ...migration, when: { ...migration.when, podUnschedulableFor } };
}

/** What a hash of the policy's content covers: all of the spec but `autoMigration`. */
export function policyContent(spec: PolicySpec): JsonValue {
  const { autoMigration: _migration, ...content } = spec;
  return content as unknown as JsonObject;
}
