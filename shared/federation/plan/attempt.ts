/** A scheduling attempt of a plan: whether one is due, what it is made of, and what it says. */
import type { KubeObject } from '../../machinery/object.ts';
import { annotationOverrides, type EffectivePolicy, effectivePolicy } from '../policies/effective.ts';
import { type PolicySpec, withPolicyDefaults } from '../policies/spec.ts';
import type { DecisionSpec, Outcome } from '../scheduling/decision.ts';
import type { Profile } from '../scheduling/framework.ts';
import {
  APPLIED_MIGRATION_CONFIGURATION,
  type AppliedMigration,
  AUTO_MIGRATION_INFO,
  type AutoMigrationInfo,
  migrationLimits,
  readJsonAnnotation,
} from '../scheduling/migration.ts';
import { resolveProfile } from '../scheduling/profile.ts';
import { scheduledRequest } from '../scheduling/resources.ts';
import { type AttemptResult, schedule } from '../scheduling/schedule.ts';
import { decideReschedule, type Reschedule, schedulingTriggers, type Triggers } from '../scheduling/triggers.ts';
import { resolveMode, schedulingUnit } from '../scheduling/unit.ts';
import type { ClusterFacts, PlanSnapshot } from '../snapshot.ts';
import { type Placed, type PlacedDetails, stay } from './placed.ts';
import type { Subject } from './subject.ts';
import { placedReplicas, placementText } from './texts.ts';

/** Reasons that come from the object or from broken clusters: they do not move work that could stay. */
const PLACED_FIRST: ReadonlySet<string> = new Set([
  'replicas',
  'request',
  'migration',
  'taints',
  'retry',
  'ready',
  'eviction ended',
]);
/** Ends of an attempt that stand until something changes; after any other end, the next plan tries again. */
const STANDING: ReadonlySet<string> = new Set(['Scheduled', 'PartlyScheduled']);
const KATALYST_FILTER = 'KatalystResourcesExist';

type Prepared = { policy: PolicySpec; effective: EffectivePolicy; triggers: Triggers; info: AutoMigrationInfo | undefined };

/** Schedules when something that counts has changed since the last attempt; otherwise everything stays, and so does the explanation. */
export function attempt(subject: Subject, policyObject: KubeObject, now: number): Placed {
  const { snapshot, previous } = subject;
  const prepared = prepare(subject, policyObject);
  const due = whetherDue(subject, prepared, now);
  if (!due.reschedule && previous) return { ...unchanged(subject, previous, due, prepared.effective), policy: prepared.policy };
  const fail = (reason: string, message: string): Placed => ({
    ...stay(subject, { status: 'False', reason, message }),
    policy: prepared.policy,
  });
  const mode = resolveMode(prepared.effective.schedulingMode, subject.replicasPath, subject.replicas);
  if (mode.type === 'invalid') return fail('ReplicasMissing', mode.message);
  const profile = resolveProfile(snapshot.profile?.object);
  if (profile.type === 'invalid') return fail('ProfileInvalid', profile.message);
  const unit = unitOf(subject, prepared, mode.mode, profile.profile, due);
  const clusters = withReservations(snapshot);
  const result = schedule({ unit, profile: profile.profile, clusters, request: subject.request, now });
  const outcome = outcomeOf(result, subject);
  const details: PlacedDetails = {
    ...detailsOf(result, prepared, profile.profile, mode.mode),
    request: subject.request,
    triggers: prepared.triggers,
    ...withNotes(subject, prepared.effective),
    ...againOf(unit.evictedUntil, now),
  };
  return { outcome, placements: result.placements, details, policy: prepared.policy };
}

function prepare(subject: Subject, policyObject: KubeObject): Prepared {
  const { snapshot, split, migration } = subject;
  const policy = withPolicyDefaults((policyObject.spec ?? {}) as PolicySpec);
  const allowed = annotationOverrides(policyObject.metadata.annotations, snapshot.typeConfig.metadata.annotations);
  const info = readJsonAnnotation<AutoMigrationInfo>(snapshot.federated?.metadata.annotations?.[AUTO_MIGRATION_INFO]);
  const annotations = migration === undefined ? split.moved : { ...split.moved, [APPLIED_MIGRATION_CONFIGURATION]: migration };
  const triggers = schedulingTriggers({
    annotations,
    replicas: subject.replicas ?? null,
    request: subject.request,
    migration: info,
    policy: { name: `${snapshot.policy?.kind}/${snapshot.policy?.name}`, spec: policy },
    clusters: snapshot.clusters,
  });
  return { policy, effective: effectivePolicy(policy, split.moved, allowed), triggers, info };
}

/** KubeAdmiral's triggers, and three of ours: an attempt that failed, a cluster that was only not ready, an eviction that ended. */
function whetherDue({ snapshot, previous }: Subject, { triggers, policy }: Prepared, now: number): Reschedule {
  const due = decideReschedule(snapshot.federated && previous?.triggers, triggers, policy);
  if (due.reschedule || !previous) return due;
  const because = (reason: string): Reschedule => ({ reschedule: true, reasons: [reason], deferred: due.deferred });
  if (!STANDING.has(previous.scheduled.reason)) return because('retry');
  if (previous.again !== undefined && previous.again <= now) return because('eviction ended');
  return cameBack(previous, snapshot.clusters) ? because('ready') : due;
}

function cameBack(previous: DecisionSpec, clusters: readonly ClusterFacts[]): boolean {
  const waiting = new Set<string>();
  for (const { cluster, verdict, rejections } of previous.clusters)
    if (verdict === 'Rejected' && rejections?.some(({ filter }) => filter === 'ClusterReady')) waiting.add(cluster);
  return waiting.size > 0 && clusters.some(({ name, ready, joined }) => ready && joined && waiting.has(name));
}

/** What was decided stands. The triggers stay as they were, so that differences that are held back add up. */
function unchanged(subject: Subject, previous: DecisionSpec, { deferred }: Reschedule, effective: EffectivePolicy): Placed {
  const { clusters, mode, strategy, maxClusters, profile, weights, plugins, triggers, request, again } = previous;
  const details: PlacedDetails = {
    clusters,
    ...defined({ mode, strategy, maxClusters, profile, weights, plugins, triggers, request, again }),
    ...(deferred === '' ? {} : { deferred }),
    ...withNotes(subject, effective),
  };
  const placements = [...subject.current].map(([cluster, replicas]) => ({ cluster, replicas }));
  return { outcome: previous.scheduled, placements, details };
}

function unitOf(
  subject: Subject,
  { effective, info }: Prepared,
  mode: 'Duplicate' | 'Divide',
  profile: Profile,
  due: Reschedule,
) {
  const { type, source } = subject.snapshot;
  const limits = migrationLimits(readJsonAnnotation<AppliedMigration>(subject.migration));
  const katalyst = profile.filters.some(({ name }) => name === KATALYST_FILTER);
  const { name = '', namespace } = source.metadata;
  return schedulingUnit(
    { ...effective, schedulingMode: mode },
    {
      key: namespace ? `${namespace}/${name}` : name,
      apiResource: `${type.group}/${type.version}/${type.kind}`,
      replicas: subject.replicas ?? 0,
      current: subject.current,
      request: scheduledRequest(subject.request, { katalyst }),
      estimated: new Map(Object.entries(info?.estimatedCapacity ?? {})),
      scheduled: new Map(Object.entries(info?.scheduledReplicas ?? {})),
      ...limits,
      preferPlaced: due.reasons.every((reason) => PLACED_FIRST.has(reason)),
    },
  );
}

/** Capacity that was given away but is not reported yet is not free. */
function withReservations({ clusters, reservations }: PlanSnapshot): readonly ClusterFacts[] {
  if (reservations.size === 0) return clusters;
  return clusters.map((cluster) => {
    const reserved = reservations.get(cluster.name);
    if (!reserved) return cluster;
    const available = { ...cluster.available };
    for (const [resource, amount] of Object.entries(reserved))
      if (available[resource] !== undefined) available[resource] -= amount;
    return { ...cluster, available };
  });
}

function outcomeOf(result: AttemptResult, { replicas }: Subject): Outcome {
  const { placements } = result;
  if (result.type === 'kept') {
    const kept = placements.length > 0 ? '; the current placement is kept' : '';
    return { status: 'False', reason: result.reason, message: `${result.message}${kept}` };
  }
  if (placements.length === 0) return { status: 'True', reason: 'Scheduled', message: '0 replicas: no cluster runs it' };
  const divided = placements.some((placement) => placement.replicas !== null);
  const short = divided && replicas !== undefined && placedReplicas(placements) < replicas;
  return { status: 'True', reason: short ? 'PartlyScheduled' : 'Scheduled', message: placementText(placements, replicas) };
}

function detailsOf(
  result: AttemptResult,
  { effective }: Prepared,
  profile: Profile,
  mode: 'Duplicate' | 'Divide',
): PlacedDetails {
  const placed = result.type === 'placed' ? result : undefined;
  return {
    clusters: result.clusters,
    mode,
    strategy: effective.replicasStrategy,
    plugins: {
      filters: profile.filters.map(({ name }) => name),
      scores: profile.scores.map(({ plugin, weight }) => ({ name: plugin.name, weight })),
      selects: profile.selects.map(({ name }) => name),
      ...defined({ replicas: placed?.replicasPlugin }),
    },
    ...defined({ maxClusters: effective.maxClusters, weights: placed?.weights && weightSource(placed.weights) }),
    ...(profile.name === '' ? {} : { profile: profile.name }),
  };
}

function weightSource({
  source,
  resource,
}: {
  source: 'placement' | 'dynamic';
  resource?: string;
}): DecisionSpec['weights'] & object {
  return { source, ...defined({ resource }) };
}

/** Clusters that a policy names and nobody knows are said, not refused. */
function withNotes(subject: Subject, effective: EffectivePolicy): { notes?: string[] } {
  const { snapshot, notes } = subject;
  const unknown = new Set(effective.clusterNames);
  if (unknown.size > 0) for (const { name } of snapshot.clusters) unknown.delete(name);
  const all = [
    ...notes,
    ...effective.notes,
    ...undividedNotes(subject, effective),
    ...[...unknown].sort().map((name) => `placement names cluster ${name}, which does not exist`),
  ];
  return all.length > 0 ? { notes: all } : {};
}

/** As in KubeAdmiral, what has no path to its count is sent whole even where the policy divides; whoever runs it is to know. */
function undividedNotes({ snapshot, split, replicasPath }: Subject, { schedulingMode, maxClusters }: EffectivePolicy): string[] {
  const isCounted = typeof split.template.spec?.replicas === 'number';
  if (schedulingMode !== 'Divide' || replicasPath || !isCounted || maxClusters === 1) return [];
  return [
    `every chosen cluster runs all replicas although schedulingMode is Divide: FederatedTypeConfig ${snapshot.typeConfig.metadata.name ?? ''} ` +
      'has no spec.pathDefinition.replicasSpec; set it to spec.replicas, or maxClusters: 1 in the policy',
  ];
}

function againOf(evictedUntil: ReadonlyMap<string, number>, now: number): { again?: number } {
  const ends = [...evictedUntil.values()].filter((until) => until > now);
  return ends.length === 0 ? {} : { again: Math.min(...ends) };
}

/** The members that are there: an absent member and an undefined one are not the same in what is stored. */
function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
