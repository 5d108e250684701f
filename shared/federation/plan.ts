/**
 * One decision: everything that follows from a source object, its policies and the clusters. What KubeAdmiral does in five controllers, each
 * with an update of its own, is one pure function here: federate, place, follow, override, explain.
 */
import { stringifyJson } from '../machinery/codec/json.ts';
import type { KubeObject } from '../machinery/object.ts';
import { followersOf, refusesToFollow, USUALLY_FOLLOW } from './followers/followers.ts';
import { DECISION_ANNOTATION, DRY_RUN_ANNOTATION } from './keys.ts';
import { federatedObject, federatedSpec, isSentChanged, lastDecision, type Parts } from './plan/compose.ts';
import { type FederatedSpec, placedClusters } from './plan/current.ts';
import { type DecisionParts, decisionObject, decisionSpec, eventsOf } from './plan/decision.ts';
import { feedbackChanges, SCHEDULING } from './plan/feedback.ts';
import { ENABLE_FOLLOWER_SCHEDULING, FEDERATE_FINALIZER } from './plan/keys.ts';
import { overrideStep } from './plan/overrides.ts';
import { hasForeign, PENDING_CONTROLLERS, pendingControllers, pendingForeign } from './plan/pending.ts';
import { noPolicyMessage, place } from './plan/place.ts';
import { type Placed, stay } from './plan/placed.ts';
import { isUnselected, whyNotFederated } from './plan/scope.ts';
import { type Subject, subjectOf } from './plan/subject.ts';
import type { Outcome } from './scheduling/decision.ts';
import { APPLIED_MIGRATION_CONFIGURATION } from './scheduling/migration.ts';
import type { FollowRef, LeaderPlacement, Placement, Plan, PlanSnapshot } from './snapshot.ts';

/** How soon to try again when capacity is what is missing. */
const CAPACITY_RETRY_MS = 60_000;
/** The filter whose verdict changes by itself, as pods come and go. */
const CAPACITY_FILTER = 'ClusterResourcesFit';

type Planned = Extract<Plan, { type: 'planned' }>;

/** Plans one source object. `now` in epoch ms. Pure: the same snapshot and time give the same bytes. */
export function plan(snapshot: PlanSnapshot, now: number): Plan {
  const reason = whyNotFederated(snapshot);
  if (reason !== undefined) return { type: 'notFederated', reason };
  const subject = subjectOf(snapshot);
  const leaders = refusesToFollow(snapshot.source) ? [] : snapshot.leaders;
  // Before anything is asked of the clusters: this is what most objects of most namespaces come to.
  if (isUnselected(subject, leaders)) {
    const message = noPolicyMessage(snapshot);
    const isNews = !USUALLY_FOLLOW.has(`${snapshot.type.group}/${snapshot.type.kind}`);
    const events = isNews ? [{ type: 'Normal', reason: 'Unscheduled', message } as const] : [];
    return { type: 'unselected', reason: message, events };
  }
  const placed = place(subject, now);
  const parts: Parts = { subject, placed, overrides: [], leaders };
  const spec = federatedSpec(parts);
  const overridden = overrideStep(subject, spec);
  if (overridden.type === 'failed') return retained(parts, overridden.outcome, now);
  const complete: Parts = { ...parts, overrides: overridden.overrides };
  const federated = federatedObject(complete, overridden.overrides.length === 0 ? spec : federatedSpec(complete));
  const waiting = waitingFor(subject, federated);
  if (waiting) return waiting;
  return planned(complete, federated, now);
}

/** The SchedulingDecision of an object for which none is stored, as it is unselected: for whoever asks why it is nowhere. */
export function unselectedDecision(snapshot: PlanSnapshot, now: number): KubeObject {
  const subject = subjectOf(snapshot);
  const parts: Parts = { subject, placed: place(subject, now), overrides: [], leaders: [] };
  const decisionParts: DecisionParts = { subject, placed: parts.placed, placements: [], leaders: [], decision: 0 };
  return decisionObject(decisionParts, decisionSpec(decisionParts, now), federatedObject(parts, federatedSpec(parts)));
}

/** The foreign controllers that must act before anything is sent. */
function waitingFor(subject: Subject, federated: KubeObject): Extract<Plan, { type: 'waiting' }> | undefined {
  const { snapshot, pipeline } = subject;
  if (!hasForeign(pipeline)) return undefined;
  const old = snapshot.federated;
  const unsent = { ...federated, metadata: { ...federated.metadata } };
  const known = old && { ...old, metadata: { ...old.metadata, annotations: { ...old.metadata.annotations } } };
  if (known) delete known.metadata.annotations?.[PENDING_CONTROLLERS];
  // A change arms the whole pipeline again; without one, what is left of it counts.
  const pending = isSentChanged(known, federated) ? pendingForeign(pipeline) : pendingForeign(pendingControllers(old));
  if (pending.length === 0) return undefined;
  unsent.metadata.annotations = { ...federated.metadata.annotations, [PENDING_CONTROLLERS]: stringifyJson(pending) };
  return { type: 'waiting', reason: `waits for ${(pending[0] ?? []).join(', ')}`, federated: unsent };
}

/**
 * An override that cannot be computed: sending the plain template would be wrong, and so would removing anything. The last complete state
 * stays, template included; an object that was never sent stays unsent.
 */
function retained(parts: Parts, outcome: Outcome, now: number): Planned {
  const { subject } = parts;
  const { policy } = parts.placed;
  const kept: Parts = { ...parts, placed: { ...stay(subject, outcome), ...(policy ? { policy } : {}) } };
  const old = subject.snapshot.federated?.spec as FederatedSpec | undefined;
  return planned(kept, federatedObject(kept, old ?? { template: subject.split.template }), now);
}

function planned(parts: Parts, federated: KubeObject, now: number): Planned {
  const { subject, placed, leaders } = parts;
  const { source, federated: old } = subject.snapshot;
  const last = lastDecision(subject);
  const decision = isSentChanged(old, federated) || last === 0 ? last + 1 : last;
  const annotations = { ...federated.metadata.annotations, [DECISION_ANNOTATION]: String(decision) };
  const numbered: KubeObject = { ...federated, metadata: { ...federated.metadata, annotations } };
  const placements = unionOf(placed.placements, federated.spec as FederatedSpec);
  const decisionParts: DecisionParts = { subject, placed, placements, leaders: placedLeaders(leaders), decision };
  const spec = decisionSpec(decisionParts, now);
  const again = againAt(placed, now);
  return {
    type: 'planned',
    federated: numbered,
    decision: decisionObject(decisionParts, spec, numbered),
    decisionNumber: decision,
    scheduled: spec.scheduled,
    placements,
    feedback: {
      annotations: feedbackChanges([SCHEDULING, APPLIED_MIGRATION_CONFIGURATION], source.metadata.annotations ?? {}, annotations),
      finalizer: FEDERATE_FINALIZER,
    },
    followers: followersFor(subject, annotations),
    events: eventsOf(decisionParts, spec),
    ...(again === undefined ? {} : { again }),
    summary: spec.summary,
  };
}

/** Leaders that bring the object somewhere, by name. */
function placedLeaders(leaders: readonly LeaderPlacement[]): LeaderPlacement[] {
  return leaders.filter(({ clusters }) => clusters.length > 0).sort((a, b) => (a.ref.name < b.ref.name ? -1 : 1));
}

/** All clusters of the object, by name; those that the scheduler did not choose run the template's own count. */
function unionOf(own: readonly Placement[], spec: FederatedSpec): readonly Placement[] {
  const others = (spec.placements ?? []).length - (own.length > 0 ? 1 : 0);
  if (others <= 0) return own;
  const byCluster = new Map(own.map((placement) => [placement.cluster, placement]));
  for (const cluster of placedClusters(spec)) if (!byCluster.has(cluster)) byCluster.set(cluster, { cluster, replicas: null });
  return [...byCluster.values()].sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
}

/** Followers go along unless the policy says no, or nothing is to be sent. */
function followersFor({ snapshot }: Subject, annotations: Readonly<Record<string, string>>): FollowRef[] {
  if (annotations[ENABLE_FOLLOWER_SCHEDULING] !== 'true') return [];
  const sent = (snapshot.federated?.status?.clusters ?? []) as unknown[];
  if (annotations[DRY_RUN_ANNOTATION] === 'true' && sent.length === 0) return [];
  return followersOf(snapshot.source);
}

/**
 * When to plan again without a change: at the end of an eviction, or in about a minute where only capacity is missing. On a grid, so that plans
 * that are made for other reasons meanwhile ask for the same moment.
 */
function againAt({ details, outcome }: Placed, now: number): number | undefined {
  if (outcome.reason !== 'Unschedulable' || !lacksCapacity(details.clusters)) return details.again;
  const retry = Math.ceil((now + CAPACITY_RETRY_MS / 2) / CAPACITY_RETRY_MS) * CAPACITY_RETRY_MS;
  return Math.min(details.again ?? retry, retry);
}

/** Some cluster would do, were there room. */
function lacksCapacity(clusters: Placed['details']['clusters']): boolean {
  return clusters.some(({ rejections = [] }) => rejections.every(({ filter }) => filter === CAPACITY_FILTER));
}
