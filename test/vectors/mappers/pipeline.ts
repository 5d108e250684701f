/** Mappers of the pipeline annotation, the feedback on sources, and auto-migration's counts. */
import { feedbackAnnotation } from '../../../shared/federation/plan/feedback.ts';
import { afterRun, mayRun } from '../../../shared/federation/plan/pending.ts';
import {
  type CountedPod,
  countPods,
  estimateCapacity,
  podScheduledChanged,
} from '../../../shared/federation/scheduling/auto-migration.ts';
import { byFunction, type Mapper, type Mappers, value } from '../outcome.ts';

const SECOND_MS = 1000;

const pending: Mapper = ({ input }) => {
  if (input.modified === undefined) return value({ mayRun: mayRun(input.pending, input.controller) });
  return value({ pending: afterRun(input.pending, input.all, input.controller, input.modified) });
};

const feedback: Mapper = ({ input }) =>
  value(feedbackAnnotation(input.key, input.sourceAnnotations ?? {}, input.federatedAnnotations ?? {}));

type PodVector = { terminating?: boolean; condition?: { status: string; reason?: string; lastTransitionTime: string } | null };

function podOf({ terminating, condition }: PodVector): CountedPod {
  if (!condition) return { terminating: terminating ?? false };
  const scheduled = {
    status: condition.status,
    reason: condition.reason ?? '',
    sinceMs: Date.parse(condition.lastTransitionTime),
  };
  return { terminating: terminating ?? false, scheduled };
}

const count: Mapper = ({ input }) => {
  const pods = (input.pods as PodVector[]).map(podOf);
  const { scheduled, unschedulable, nextCrossMs } = countPods(pods, input.thresholdSeconds * SECOND_MS, Date.parse(input.now));
  return value({ scheduled, unschedulable, nextCrossInSeconds: nextCrossMs === undefined ? null : nextCrossMs / SECOND_MS });
};

const capacity: Mapper = ({ input }) => {
  const { scheduledReplicas, estimatedCapacity } = estimateCapacity(input);
  return value({ scheduledReplicas, estimatedCapacity: estimatedCapacity ?? null });
};

export const mappers: Mappers = {
  pending_controllers: pending,
  source_feedback: feedback,
  automigration: byFunction({
    countPods: count,
    podScheduledConditionChanged: ({ input }) =>
      value({ changed: podScheduledChanged(input.old ?? undefined, input.new ?? undefined) }),
    estimateClusterCapacity: capacity,
  }),
};
