/** The SchedulingDecision of a plan, and the events that tell of it. */
import { deepEqual } from '../../machinery/equality.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { formatTime } from '../../machinery/time.ts';
import type { Attempt, DecisionSpec } from '../scheduling/decision.ts';
import type { LeaderPlacement, Placement, PlanEvent } from '../snapshot.ts';
import type { Placed } from './placed.ts';
import type { Subject } from './subject.ts';
import { leaderText, placementText, summaryText } from './texts.ts';

/** So many attempts are kept. */
const ATTEMPTS_MAX = 10;
/** Ends without a placement that are no fault of anybody. */
const EXPECTED: ReadonlySet<string> = new Set(['NoPolicy', 'NoClusters', 'Frozen', 'OptedOut']);
/** Leaders named in a sentence. */
const LEADERS_NAMED_MAX = 3;

/** What a decision is made of. `placements` is the union over controllers. */
export type DecisionParts = {
  subject: Subject;
  placed: Placed;
  placements: readonly Placement[];
  leaders: readonly LeaderPlacement[];
  decision: number;
};

/** `spec`: the previous one where nothing but time has passed, so that nothing is written. */
export function decisionSpec(parts: DecisionParts, now: number): DecisionSpec {
  const { subject, placed, placements, leaders, decision } = parts;
  const { snapshot, previous, replicas } = subject;
  const { policy, source, type } = snapshot;
  const { name = '', namespace = '', generation = 0 } = source.metadata;
  const content: Omit<DecisionSpec, 'decidedAt' | 'attempts'> = {
    decision,
    source: { ...type, namespace, name, generation },
    scheduled: scheduledOf(parts),
    summary: summaryText(placements, replicas, placed.outcome.message),
    ...(policy ? { policy: { kind: policy.kind, name: policy.name } } : {}),
    ...(replicas === undefined ? {} : { replicas }),
    placements: [...placements],
    ...(leaders.length > 0 ? { follows: leaders.map(({ ref, clusters }) => ({ leader: ref, clusters: [...clusters] })) } : {}),
    ...placed.details,
  };
  if (previous) {
    const { decidedAt, attempts, ...old } = previous;
    if (deepEqual(old, content)) return previous;
    return { ...content, decidedAt: formatTime(now), attempts: attemptsOf(content, attempts ?? [], now) };
  }
  return { ...content, decidedAt: formatTime(now), attempts: attemptsOf(content, [], now) };
}

/** The object around the spec; owned by the source. Its `Scheduled` condition repeats the outcome for readers of conditions. */
export function decisionObject({ subject }: DecisionParts, spec: DecisionSpec, federated: KubeObject): KubeObject {
  const namespaced = subject.snapshot.type.scope === 'Namespaced';
  const { name, namespace, labels, ownerReferences } = federated.metadata;
  return {
    apiVersion: 'lamiral.dev/v1alpha1',
    kind: namespaced ? 'SchedulingDecision' : 'ClusterSchedulingDecision',
    metadata: {
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      ...(labels ? { labels } : {}),
      ...(ownerReferences ? { ownerReferences } : {}),
    },
    spec,
    status: { conditions: [{ type: 'Scheduled', ...spec.scheduled }] },
  };
}

/** What to tell of a decision: only what is new. */
export function eventsOf({ subject, placements }: DecisionParts, spec: DecisionSpec): PlanEvent[] {
  const { previous } = subject;
  const events: PlanEvent[] = [];
  const { status, reason, message } = spec.scheduled;
  const isNews = previous?.scheduled.reason !== reason || previous.scheduled.message !== message;
  if (isNews && status === 'False')
    events.push({ type: EXPECTED.has(reason) ? 'Normal' : 'Warning', reason: 'Unscheduled', message });
  if (status === 'True' && (isNews || !deepEqual(previous?.placements, placements)))
    events.push({
      type: reason === 'PartlyScheduled' ? 'Warning' : 'Normal',
      reason: 'Scheduled',
      message: `${message} (decision ${spec.decision})`,
    });
  const known = new Set(previous?.notes);
  for (const note of spec.notes ?? [])
    if (!known.has(note)) events.push({ type: 'Warning', reason: 'SchedulingNote', message: note });
  if (spec.deferred && spec.deferred !== previous?.deferred)
    events.push({
      type: 'Normal',
      reason: 'ReschedulingDeferred',
      message: `not scheduled anew, as the policy says: ${spec.deferred}`,
    });
  return events;
}

/** An object that only follows is scheduled by following. */
function scheduledOf({ placed, placements, leaders }: DecisionParts): DecisionSpec['scheduled'] {
  if (placed.outcome.reason !== 'NoPolicy' || placements.length === 0) return placed.outcome;
  const names = leaders.filter(({ clusters }) => clusters.length > 0).map(({ ref }) => leaderText(ref));
  const rest = names.length > LEADERS_NAMED_MAX ? ` and ${names.length - LEADERS_NAMED_MAX} more` : '';
  const following = names.length > 0 ? `, following ${names.slice(0, LEADERS_NAMED_MAX).join(', ')}${rest}` : '';
  return { status: 'True', reason: 'Follows', message: `${placementText(placements, undefined)}${following}` };
}

function attemptsOf(spec: Omit<DecisionSpec, 'decidedAt' | 'attempts'>, attempts: readonly Attempt[], now: number): Attempt[] {
  const [last] = attempts;
  const { decision, summary, scheduled } = spec;
  if (last?.decision === decision && last.reason === scheduled.reason && last.summary === summary) return [...attempts];
  return [{ at: formatTime(now), decision, reason: scheduled.reason, summary }, ...attempts].slice(0, ATTEMPTS_MAX);
}
