/** What the placement step gives, and the answer that leaves everything as it is. */
import type { PolicySpec } from '../policies/spec.ts';
import type { ClusterDecision, DecisionSpec, Outcome } from '../scheduling/decision.ts';
import type { Placement } from '../snapshot.ts';
import type { Subject } from './subject.ts';

/** What the decision says beside the outcome. */
export type PlacedDetails = Pick<DecisionSpec, 'clusters'> &
  Partial<
    Pick<
      DecisionSpec,
      | 'mode'
      | 'strategy'
      | 'maxClusters'
      | 'profile'
      | 'weights'
      | 'plugins'
      | 'notes'
      | 'deferred'
      | 'triggers'
      | 'request'
      | 'again'
    >
  >;

/** `placements` are those of the subject's controller. `policy` is the spec that was used, with defaults. */
export type Placed = { outcome: Outcome; placements: readonly Placement[]; details: PlacedDetails; policy?: PolicySpec };

/** The present placement, unchanged; every cluster says the same reason. */
export function stay(subject: Subject, outcome: Outcome): Placed {
  const { snapshot, current, previous } = subject;
  const placements: Placement[] = [];
  const clusters = snapshot.clusters.map(({ name }): ClusterDecision => {
    const replicas = current.get(name);
    if (replicas === undefined) return { cluster: name, verdict: 'NotSelected', why: outcome.message };
    placements.push({ cluster: name, replicas });
    return { cluster: name, verdict: 'Kept', replicas, before: replicas, why: `kept: ${outcome.message}` };
  });
  const details: PlacedDetails = { clusters };
  if (previous?.triggers) details.triggers = previous.triggers;
  if (previous?.mode && previous.policy?.name === snapshot.policy?.name) details.mode = previous.mode;
  if (subject.notes.length > 0) details.notes = [...subject.notes];
  return { outcome, placements, details };
}
