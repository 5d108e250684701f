/** A policy and an object's annotations together: what scheduling works with. */
import { type Affinity, type AnnotatedScheduling, annotatedScheduling, SCHEDULING_ANNOTATIONS } from './annotations.ts';
import type { PolicyPlacement, PolicySpec } from './spec.ts';
import type { Toleration } from './tolerations.ts';

/**
 * What the admin lets annotations do: `allow` they replace fields of the policy (as KubeAdmiral does), `narrow` likewise, but only
 * clusters that the policy itself admits can be reached, `deny` they are passed over.
 */
export type AnnotationOverrides = 'allow' | 'narrow' | 'deny';

/** Annotation of a policy or a FederatedTypeConfig that holds the choice. */
export const ANNOTATION_OVERRIDES = 'lamiral.dev/annotation-overrides';

/** The clusters that something admits. `clusterNames` empty: all names. */
export type Admission = {
  clusterSelector: Readonly<Record<string, string>>;
  affinity?: Affinity | undefined;
  clusterNames: ReadonlySet<string>;
  tolerations: readonly Toleration[];
};

/** Scheduling fields after annotations; maps are by cluster name. */
export type EffectivePolicy = Admission & {
  schedulingMode: 'Duplicate' | 'Divide';
  replicasStrategy: string;
  stickyCluster: boolean;
  avoidDisruption: boolean;
  /** Absent: no auto-migration. */
  autoMigration?: { keepUnschedulableReplicas: boolean };
  maxClusters?: number;
  minReplicas: ReadonlyMap<string, number>;
  maxReplicas: ReadonlyMap<string, number>;
  weights: ReadonlyMap<string, number>;
  priorities: ReadonlyMap<string, number>;
  /** Under `narrow`, when annotations are used: what the policy itself admits. */
  bounds?: Admission;
  /** For people: annotations that were passed over, and why. */
  notes: readonly string[];
};

/** Joins a policy's spec with annotations. Nothing is defaulted but mode (Duplicate) and strategy (Spread). */
export function effectivePolicy(
  spec: PolicySpec,
  annotations: Readonly<Record<string, string>>,
  overrides: AnnotationOverrides,
): EffectivePolicy {
  const asked = annotatedScheduling(annotations);
  const notes = asked.unreadable.map((key) => `annotation ${key} cannot be read and is passed over`);
  const used = overrides === 'deny' ? { unreadable: [] } : asked;
  if (overrides === 'deny' && hasFields(asked))
    notes.push('scheduling annotations are passed over: the admin does not allow them');
  const narrowed = overrides === 'narrow' && hasFields(asked);
  const placements = used.placements ?? spec.placement ?? [];
  const policyMaximums = narrowed ? preferencesOf(spec.placement ?? [], 'maxReplicas') : new Map<string, number>();
  const maxClusters = smallest(used.maxClusters ?? spec.maxClusters, narrowed ? spec.maxClusters : undefined);
  return {
    schedulingMode: used.schedulingMode ?? (spec.schedulingMode === 'Divide' ? 'Divide' : 'Duplicate'),
    replicasStrategy: spec.replicasStrategy ? spec.replicasStrategy : 'Spread',
    stickyCluster: used.stickyCluster ?? spec.reschedulePolicy?.disableRescheduling ?? false,
    avoidDisruption: spec.reschedulePolicy?.replicaRescheduling?.avoidDisruption ?? false,
    ...(spec.autoMigration
      ? { autoMigration: { keepUnschedulableReplicas: spec.autoMigration.keepUnschedulableReplicas ?? false } }
      : {}),
    clusterSelector: used.clusterSelector ?? spec.clusterSelector ?? {},
    affinity: used.affinity ?? affinityOf(spec),
    clusterNames: namesOf(placements),
    tolerations: used.tolerations ?? spec.tolerations ?? [],
    ...(maxClusters === undefined ? {} : { maxClusters }),
    minReplicas: preferencesOf(placements, 'minReplicas'),
    maxReplicas: bounded(preferencesOf(placements, 'maxReplicas'), policyMaximums),
    weights: preferencesOf(placements, 'weight'),
    priorities: preferencesOf(placements, 'priority'),
    ...(narrowed ? { bounds: policyAdmission(spec) } : {}),
    notes,
  };
}

/** Reads the admin's choice: the policy's annotation, else the type's, else `narrow`. An unknown value counts as `narrow`. */
export function annotationOverrides(
  policy: Readonly<Record<string, string>> | undefined,
  typeConfig: Readonly<Record<string, string>> | undefined,
): AnnotationOverrides {
  const chosen = policy?.[ANNOTATION_OVERRIDES] ?? typeConfig?.[ANNOTATION_OVERRIDES];
  return chosen === 'allow' || chosen === 'deny' ? chosen : 'narrow';
}

function hasFields(asked: AnnotatedScheduling): boolean {
  return Object.keys(SCHEDULING_ANNOTATIONS).some((field) => asked[field as keyof AnnotatedScheduling] !== undefined);
}

function policyAdmission(spec: PolicySpec): Admission {
  return {
    clusterSelector: spec.clusterSelector ?? {},
    affinity: affinityOf(spec),
    clusterNames: namesOf(spec.placement ?? []),
    tolerations: spec.tolerations ?? [],
  };
}

function affinityOf({ clusterAffinity }: PolicySpec): Affinity | undefined {
  if (!clusterAffinity || clusterAffinity.length === 0) return undefined;
  const required = { clusterSelectorTerms: clusterAffinity };
  return { clusterAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
}

function namesOf(placements: readonly PolicyPlacement[]): ReadonlySet<string> {
  return new Set(placements.map(({ cluster }) => cluster));
}

function preferencesOf(
  placements: readonly PolicyPlacement[],
  field: keyof NonNullable<PolicyPlacement['preferences']>,
): Map<string, number> {
  const values = new Map<string, number>();
  for (const { cluster, preferences } of placements) {
    const value = preferences?.[field];
    if (value !== undefined && value !== null) values.set(cluster, value);
  }
  return values;
}

function bounded(values: Map<string, number>, limits: ReadonlyMap<string, number>): Map<string, number> {
  for (const [cluster, limit] of limits) values.set(cluster, Math.min(values.get(cluster) ?? limit, limit));
  return values;
}

function smallest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
