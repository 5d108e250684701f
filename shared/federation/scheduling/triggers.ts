/**
 * When an object is scheduled anew: what the last attempt saw is compared with what is there now. KubeAdmiral's rules (what always counts,
 * what a policy's `rescheduleWhen` gates, and that gated differences accumulate); the record is ours and lies in the SchedulingDecision.
 */
import { canonicalJson } from '../../machinery/canonical.ts';
import { deepEqual } from '../../machinery/equality.ts';
import { fnv1_32 } from '../../machinery/fnv.ts';
import type { JsonValue } from '../../machinery/object.ts';
import { type PolicySpec, policyContent, type ReschedulePolicy } from '../policies/spec.ts';
import type { ClusterFacts, ResourceAmounts } from '../snapshot.ts';

/** Annotations whose change always schedules anew. */
const SCHEDULING_KEYS = [
  'scheduling-mode',
  'sticky-cluster',
  'tolerations',
  'placements',
  'clusterSelector',
  'affinity',
  'maxClusters',
  'follows-object',
  'applied-migration-configuration',
  'dry-run',
].map((key) => `kubeadmiral.io/${key}`);

/** Hashes of one cluster, as the last attempt saw it. */
export type SeenCluster = { cluster: string; labels: number; taints: number; apiResources: number };

/** What an attempt saw. `clusters` are the joined ones, by name. */
export type Triggers = {
  annotations: number;
  replicas: number | null;
  request: ResourceAmounts;
  /** Hash of what auto-migration learnt, while the policy uses it. */
  migration: number;
  policy: string;
  policyContent: number;
  clusters: readonly SeenCluster[];
};

/** `reasons` name the differences that fired, `deferred` those that the policy holds back. */
export type Reschedule = { reschedule: boolean; reasons: readonly string[]; deferred: string };

/** What a new attempt would see. */
export function schedulingTriggers(input: {
  annotations: Readonly<Record<string, string>>;
  replicas: number | null;
  request: ResourceAmounts;
  migration: JsonValue | undefined;
  policy: { name: string; spec: PolicySpec } | undefined;
  clusters: readonly ClusterFacts[];
}): Triggers {
  const seen: SeenCluster[] = [];
  for (const { name, joined, hashes } of input.clusters)
    if (joined) seen.push({ cluster: name, labels: hashes.labels, taints: hashes.taints, apiResources: hashes.apiResources });
  return {
    annotations: annotationsHash(input.annotations),
    replicas: input.replicas,
    request: input.request,
    migration: input.policy?.spec.autoMigration ? fnv1_32(canonicalJson(input.migration ?? null)) : 0,
    policy: input.policy?.name ?? '',
    policyContent: input.policy ? fnv1_32(canonicalJson(policyContent(input.policy.spec))) : 0,
    clusters: seen.sort(byName),
  };
}

/** Decides whether to schedule anew. `before` undefined: never scheduled. `policy` undefined: no policy now. */
export function decideReschedule(
  before: Triggers | undefined,
  now: Triggers,
  policy: { reschedulePolicy?: ReschedulePolicy | undefined } | undefined,
): Reschedule {
  const fired = (...reasons: string[]): Reschedule => ({ reschedule: true, reasons, deferred: '' });
  if (!before) return fired('first');
  if (!policy) return deepEqual(before, now) ? { reschedule: false, reasons: [], deferred: '' } : fired('policy');
  const always = alwaysChanged(before, now);
  if (always.length > 0) return fired(...always);
  const clusters = clusterChanges(before.clusters, now.clusters);
  const changed = { policyContentChanged: before.policyContent !== now.policyContent, ...clusters };
  if (!Object.values(changed).some((difference) => difference)) return { reschedule: false, reasons: [], deferred: '' };
  const { disableRescheduling, rescheduleWhen } = policy.reschedulePolicy ?? {};
  if (disableRescheduling) return { reschedule: false, reasons: [], deferred: 'disableRescheduling:true' };
  if (!rescheduleWhen) return { reschedule: false, reasons: [], deferred: 'rescheduleWhen:nil' };
  const reasons = changed.taintsChanged ? ['taints'] : [];
  const deferred: string[] = [];
  for (const gate of ['policyContentChanged', 'clusterLabelsChanged', 'clusterAPIResourcesChanged', 'clusterJoined'] as const) {
    if (!changed[gate]) continue;
    if (rescheduleWhen[gate]) reasons.push(gate);
    else deferred.push(`${gate}:false`);
  }
  if (reasons.length > 0) return fired(...reasons);
  return { reschedule: false, reasons: [], deferred: deferred.join('; ') };
}

/** True when a cluster that was seen is gone, or its hash differs; clusters that were only added do not count. Both lists are sorted by name. */
export function knownChanged(
  before: readonly SeenCluster[],
  now: readonly SeenCluster[],
  field: 'labels' | 'taints' | 'apiResources',
): boolean {
  let at = 0;
  for (const old of before) {
    while (at < now.length && (now[at]?.cluster ?? '') < old.cluster) at++;
    const seen = now[at];
    if (seen?.cluster !== old.cluster || seen[field] !== old[field]) return true;
  }
  return false;
}

function annotationsHash(annotations: Readonly<Record<string, string>>): number {
  const present = SCHEDULING_KEYS.filter((key) => Object.hasOwn(annotations, key));
  return present.length === 0 ? 0 : fnv1_32(canonicalJson(present.map((key) => [key, annotations[key] ?? ''])));
}

function alwaysChanged(before: Triggers, now: Triggers): string[] {
  const reasons: string[] = [];
  if (before.annotations !== now.annotations) reasons.push('annotations');
  if (before.replicas !== now.replicas) reasons.push('replicas');
  if (!deepEqual(before.request, now.request)) reasons.push('request');
  if (before.policy !== now.policy) reasons.push('policy');
  if (before.migration !== now.migration) reasons.push('migration');
  return reasons;
}

type ClusterChanges = {
  clusterLabelsChanged: boolean;
  taintsChanged: boolean;
  clusterAPIResourcesChanged: boolean;
  clusterJoined: boolean;
};

function clusterChanges(before: readonly SeenCluster[], now: readonly SeenCluster[]): ClusterChanges {
  const taintsChanged = knownChanged(before, now, 'taints');
  return {
    clusterLabelsChanged: knownChanged(before, now, 'labels'),
    taintsChanged,
    clusterAPIResourcesChanged: knownChanged(before, now, 'apiResources'),
    clusterJoined: now.length > before.length,
  };
}

function byName(a: SeenCluster, b: SeenCluster): number {
  return a.cluster < b.cluster ? -1 : a.cluster > b.cluster ? 1 : 0;
}
