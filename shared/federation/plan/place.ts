/** The placement step: decides whether to schedule, schedules, or says why what runs stays as it is. */
import { NO_SCHEDULING_ANNOTATION } from '../keys.ts';
import { CLUSTER_PROPAGATION_POLICY_LABEL, PROPAGATION_POLICY_LABEL } from '../policies/match.ts';
import type { ClusterDecision, Outcome } from '../scheduling/decision.ts';
import type { Placement, PlanSnapshot } from '../snapshot.ts';
import { attempt } from './attempt.ts';
import { NAMESPACE_CONTROLLER, NO_AUTO_PROPAGATION } from './keys.ts';
import { type Placed, stay } from './placed.ts';
import type { Subject } from './subject.ts';
import { placementText } from './texts.ts';

/** Places a subject. */
export function place(subject: Subject, now: number): Placed {
  const { snapshot, split } = subject;
  const { policy, profile } = snapshot;
  if (subject.controller === NAMESPACE_CONTROLLER) return everywhere(subject);
  if (!policy) return nowhere(subject);
  if (!policy.object) return stay(subject, { status: 'False', reason: 'PolicyNotFound', message: missingPolicy(policy) });
  const profileName = policy.object.spec?.schedulingProfile as string | undefined;
  if (profileName && !profile?.object)
    return stay(subject, {
      status: 'False',
      reason: 'ProfileNotFound',
      message: `SchedulingProfile ${profileName}, named by ${policy.kind} ${policy.name}, does not exist`,
    });
  if (split.moved[NO_SCHEDULING_ANNOTATION])
    return stay(subject, {
      status: subject.current.size > 0 ? 'True' : 'False',
      reason: 'Frozen',
      message: `annotation ${NO_SCHEDULING_ANNOTATION} keeps the placement as it is`,
    });
  return attempt(subject, policy.object, now);
}

function missingPolicy({ kind, name }: { kind: string; name: string }): string {
  const label = kind === 'PropagationPolicy' ? PROPAGATION_POLICY_LABEL : CLUSTER_PROPAGATION_POLICY_LABEL;
  return name === '' ? `label ${label} is empty` : `${kind} ${name}, named by label ${label}, does not exist`;
}

/** Which labels an object lacks that no policy selects. */
export function noPolicyMessage({ type, source }: PlanSnapshot): string {
  const own =
    type.scope === 'Namespaced'
      ? `${PROPAGATION_POLICY_LABEL} or ${CLUSTER_PROPAGATION_POLICY_LABEL}`
      : CLUSTER_PROPAGATION_POLICY_LABEL;
  const where = source.metadata.namespace ? ` on it or on Namespace ${source.metadata.namespace}` : '';
  return `no policy selects it: set label ${own}${where}`;
}

/** No label names a policy: the object goes nowhere by itself. */
function nowhere({ snapshot, notes }: Subject): Placed {
  const { leaders, clusters } = snapshot;
  const why = leaders.length > 0 ? 'no policy selects it, and no leader runs here' : 'no policy selects it';
  return {
    outcome: { status: 'False', reason: 'NoPolicy', message: noPolicyMessage(snapshot) },
    placements: [],
    details: {
      clusters: clusters.map(({ name }) => ({ cluster: name, verdict: 'NotSelected', why })),
      ...(notes.length > 0 ? { notes: [...notes] } : {}),
    },
  };
}

/** Namespaces go to every cluster, joined or not, unless they opt out; then what is there stays, for removing it would remove what it holds. */
function everywhere(subject: Subject): Placed {
  const { snapshot, split } = subject;
  if (split.moved[NO_AUTO_PROPAGATION] === 'true')
    return stay(subject, {
      status: subject.current.size > 0 ? 'True' : 'False',
      reason: 'OptedOut',
      message: `annotation ${NO_AUTO_PROPAGATION} keeps it from further clusters`,
    });
  const placements = snapshot.clusters.map(({ name }): Placement => ({ cluster: name, replicas: null }));
  const clusters = snapshot.clusters.map(
    ({ name }): ClusterDecision => ({
      cluster: name,
      verdict: 'Selected',
      replicas: null,
      ...(subject.current.has(name) ? { before: null } : {}),
      why: 'namespaces go to every cluster',
    }),
  );
  const outcome: Outcome =
    placements.length === 0
      ? { status: 'False', reason: 'NoClusters', message: 'there is no cluster yet' }
      : { status: 'True', reason: 'Everywhere', message: placementText(placements, undefined) };
  return { outcome, placements, details: { clusters } };
}
