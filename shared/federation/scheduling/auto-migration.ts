/** What auto-migration learns from the pods of one workload on one cluster. KubeAdmiral's rules; pods are counted, never kept. */

/** `PodScheduled` condition of a pod. */
export type PodScheduledCondition = { status?: string; reason?: string; lastTransitionTime?: string };

/** What matters of one pod; `scheduled` is its PodScheduled condition, since when in epoch ms. */
export type CountedPod = { terminating: boolean; scheduled?: { status: string; reason: string; sinceMs: number } };

/** Counts; `nextCrossMs`: until the next young pod counts as unschedulable. */
export type PodCounts = { scheduled: number; unschedulable: number; nextCrossMs?: number };

/** Counts pods that are bound, and pods that have been unschedulable for at least the threshold. */
export function countPods(pods: readonly CountedPod[], thresholdMs: number, now: number): PodCounts {
  const counts: PodCounts = { scheduled: 0, unschedulable: 0 };
  for (const { terminating, scheduled } of pods) {
    if (terminating || !scheduled) continue;
    if (scheduled.status === 'True') counts.scheduled++;
    if (scheduled.status !== 'False' || scheduled.reason !== 'Unschedulable') continue;
    const crossesInMs = scheduled.sinceMs + thresholdMs - now;
    if (crossesInMs <= 0) counts.unschedulable++;
    else counts.nextCrossMs = Math.min(counts.nextCrossMs ?? crossesInMs, crossesInMs);
  }
  return counts;
}

/** True when a pod's PodScheduled condition came, went or changed: the pod is to be counted again. */
export function podScheduledChanged(before: PodScheduledCondition | undefined, now: PodScheduledCondition | undefined): boolean {
  if (!before || !now) return before !== now;
  return before.status !== now.status || before.reason !== now.reason || before.lastTransitionTime !== now.lastTransitionTime;
}

/** Replicas known to run, and the learnt capacity where it is below what is wanted. */
export function estimateCapacity(seen: {
  statusReplicas: number;
  readyReplicas: number;
  desiredReplicas: number;
  podCount: number;
  scheduledPods: number;
  unschedulablePods: number;
}): { scheduledReplicas: number; estimatedCapacity?: number } {
  if (seen.statusReplicas === seen.readyReplicas) return { scheduledReplicas: seen.statusReplicas };
  const base = Math.max(seen.podCount, seen.desiredReplicas);
  const capacity = base - seen.unschedulablePods;
  if (capacity >= seen.desiredReplicas) return { scheduledReplicas: seen.scheduledPods };
  return { scheduledReplicas: seen.scheduledPods, estimatedCapacity: Math.max(capacity, 0) };
}
