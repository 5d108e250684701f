/** The scheduling unit: one object as scheduling sees it, with everything parsed once. */

import { type CompiledTerms, compileTerms } from '../policies/affinity.ts';
import type { Affinity } from '../policies/annotations.ts';
import type { Admission, EffectivePolicy } from '../policies/effective.ts';
import type { Toleration } from '../policies/tolerations.ts';
import type { ResourceAmounts } from '../snapshot.ts';

/** What admits a cluster, ready to be evaluated. */
export type CompiledAdmission = {
  clusterSelector: Readonly<Record<string, string>>;
  /** Undefined: no required terms. An empty list matches nothing. */
  required: CompiledTerms | undefined;
  /** Empty: all names. */
  clusterNames: ReadonlySet<string>;
  tolerations: readonly Toleration[];
};

/** `preferred` terms with their weights; weight 0 is left out. */
export type PreferredTerm = { weight: number; term: CompiledTerms };

/** One object to place. Maps are by cluster name; `null` replicas mean that the cluster runs the template's own count. */
export type SchedulingUnit = CompiledAdmission & {
  /** `namespace/name` or `name`: salt of ties. */
  key: string;
  /** `group/version/kind`. */
  apiResource: string;
  mode: 'Duplicate' | 'Divide';
  strategy: string;
  sticky: boolean;
  avoidDisruption: boolean;
  /** Wanted total in Divide mode. */
  replicas: number;
  current: ReadonlyMap<string, number | null>;
  preferred: readonly PreferredTerm[];
  maxClusters: number | undefined;
  minReplicas: ReadonlyMap<string, number>;
  maxReplicas: ReadonlyMap<string, number>;
  weights: ReadonlyMap<string, number>;
  priorities: ReadonlyMap<string, number>;
  /** What one replica asks for, as scores and fits count it. */
  request: ResourceAmounts;
  /** Learnt capacity; empty unless the policy migrates. */
  estimated: ReadonlyMap<string, number>;
  /** Pods bound to nodes, where auto-migration counted them. */
  scheduled: ReadonlyMap<string, number>;
  keepUnschedulable: boolean;
  /** Hard caps of a user's migration, and evictions until a time (epoch ms). */
  limited: ReadonlyMap<string, number>;
  evictedUntil: ReadonlyMap<string, number>;
  /** What the policy itself admits, when annotations may only narrow it. */
  bounds: CompiledAdmission | undefined;
  /** True: among clusters that are to be cut to `maxClusters`, those that run the object come first. */
  preferPlaced: boolean;
};

/** What a unit is made of, beside the policy. Absent parts are empty. */
export type UnitParts = {
  key: string;
  apiResource: string;
  replicas?: number;
  current?: ReadonlyMap<string, number | null>;
  request?: ResourceAmounts;
  estimated?: ReadonlyMap<string, number>;
  scheduled?: ReadonlyMap<string, number>;
  limited?: ReadonlyMap<string, number>;
  evictedUntil?: ReadonlyMap<string, number>;
  preferPlaced?: boolean;
};

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

/** Compiles a unit. `policy.schedulingMode` is taken as resolved (`resolveMode`). */
export function schedulingUnit(policy: EffectivePolicy, parts: UnitParts): SchedulingUnit {
  return {
    ...compileAdmission(policy),
    key: parts.key,
    apiResource: parts.apiResource,
    mode: policy.schedulingMode,
    strategy: policy.replicasStrategy,
    sticky: policy.stickyCluster,
    avoidDisruption: policy.avoidDisruption,
    replicas: parts.replicas ?? 0,
    current: parts.current ?? NOTHING,
    preferred: preferredTerms(policy.affinity),
    maxClusters: policy.maxClusters,
    minReplicas: policy.minReplicas,
    maxReplicas: policy.maxReplicas,
    weights: policy.weights,
    priorities: policy.priorities,
    request: parts.request ?? {},
    estimated: policy.autoMigration ? withoutNegative(parts.estimated ?? NOTHING) : NOTHING,
    scheduled: policy.autoMigration ? (parts.scheduled ?? NOTHING) : NOTHING,
    keepUnschedulable: policy.autoMigration?.keepUnschedulableReplicas ?? false,
    limited: parts.limited ?? NOTHING,
    evictedUntil: parts.evictedUntil ?? NOTHING,
    bounds: policy.bounds ? compileAdmission(policy.bounds) : undefined,
    preferPlaced: parts.preferPlaced ?? false,
  };
}

/** The mode that can be carried out: Divide needs a path to the count (else Duplicate), and a count there (else an error). */
export function resolveMode(
  asked: 'Duplicate' | 'Divide',
  replicasPath: string | undefined,
  replicas: unknown,
): { type: 'ok'; mode: 'Duplicate' | 'Divide'; replicas: number | null } | { type: 'invalid'; message: string } {
  if (!replicasPath) return { type: 'ok', mode: 'Duplicate', replicas: null };
  const count = typeof replicas === 'number' ? replicas : null;
  if (asked === 'Duplicate') return { type: 'ok', mode: 'Duplicate', replicas: count };
  if (count === null) return { type: 'invalid', message: `schedulingMode Divide needs a number at ${replicasPath}` };
  return { type: 'ok', mode: 'Divide', replicas: count };
}

function compileAdmission(admission: Admission): CompiledAdmission {
  const required = admission.affinity?.clusterAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    clusterSelector: admission.clusterSelector,
    required: required ? compileTerms(required.clusterSelectorTerms ?? []) : undefined,
    clusterNames: admission.clusterNames,
    tolerations: admission.tolerations,
  };
}

function preferredTerms(affinity: Affinity | undefined): PreferredTerm[] {
  const preferred = affinity?.clusterAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred
    .filter(({ weight }) => (weight ?? 0) !== 0)
    .map(({ weight, preference }) => ({ weight: weight ?? 0, term: compileTerms([preference ?? {}]) }));
}

function withoutNegative(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...counts].filter(([, count]) => count >= 0));
}
