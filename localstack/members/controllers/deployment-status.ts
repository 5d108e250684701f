/** Conditions of a Deployment, with the reasons and messages of kube-controller-manager. */
import type { Condition, KubeObject } from '../../../shared/machinery/object.ts';
import { formatTime } from '../../../shared/machinery/time.ts';
import { nameOf } from './pods.ts';
import { resolveLimits } from './rolling.ts';

export type Counts = {
  replicas: number;
  updatedReplicas: number;
  readyReplicas: number;
  availableReplicas: number;
  unavailableReplicas: number;
};

/** The conditions after this turn; `wakeAt` is when the progress deadline passes. */
export function deploymentConditions(
  deployment: KubeObject,
  fresh: KubeObject | undefined,
  counts: Counts,
  now: number,
): { conditions: Condition[]; wakeAt?: number } {
  const old = new Map(((deployment.status?.conditions ?? []) as Condition[]).map((condition) => [condition.type, condition]));
  const available = merge(old.get('Available'), availableCondition(deployment, counts), now);
  const progress = progressing(deployment, fresh, counts, old.get('Progressing'), now);
  const conditions = [available, merge(old.get('Progressing'), progress.condition, now, progress.moved)];
  return { conditions, ...(progress.wakeAt === undefined ? {} : { wakeAt: progress.wakeAt }) };
}

type Wanted = { type: string; status: 'True' | 'False' | 'Unknown'; reason: string; message: string };

function availableCondition(deployment: KubeObject, counts: Counts): Wanted {
  const replicas = deployment.spec.replicas as number;
  const rolling = deployment.spec.strategy?.type !== 'Recreate';
  const limits = resolveLimits(
    replicas,
    deployment.spec.strategy?.rollingUpdate?.maxSurge ?? '25%',
    deployment.spec.strategy?.rollingUpdate?.maxUnavailable ?? '25%',
  );
  const least = rolling ? replicas - Math.min(limits.unavailable, replicas) : replicas;
  if (counts.availableReplicas >= least)
    return {
      type: 'Available',
      status: 'True',
      reason: 'MinimumReplicasAvailable',
      message: 'Deployment has minimum availability.',
    };
  return {
    type: 'Available',
    status: 'False',
    reason: 'MinimumReplicasUnavailable',
    message: 'Deployment does not have minimum availability.',
  };
}

function progressing(
  deployment: KubeObject,
  fresh: KubeObject | undefined,
  counts: Counts,
  old: Condition | undefined,
  now: number,
): { condition: Wanted; moved: boolean; wakeAt?: number } {
  const replicas = deployment.spec.replicas as number;
  const subject = fresh ? `ReplicaSet "${nameOf(fresh)}"` : `Deployment "${nameOf(deployment)}"`;
  const type = 'Progressing';
  if (counts.updatedReplicas === replicas && counts.replicas === replicas && counts.availableReplicas === replicas) {
    return {
      condition: { type, status: 'True', reason: 'NewReplicaSetAvailable', message: `${subject} has successfully progressed.` },
      moved: false,
    };
  }
  if (deployment.spec.paused === true)
    return { condition: { type, status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' }, moved: false };
  const before = deployment.status ?? {};
  const moved =
    !old ||
    old.reason === 'NewReplicaSetAvailable' ||
    counts.updatedReplicas > (before.updatedReplicas ?? 0) ||
    counts.availableReplicas > (before.availableReplicas ?? 0) ||
    counts.replicas - counts.updatedReplicas < (before.replicas ?? 0) - (before.updatedReplicas ?? 0);
  const deadlineMs = ((deployment.spec.progressDeadlineSeconds as number | undefined) ?? 600) * 1000;
  const deadline = (moved ? now : Date.parse(old?.lastUpdateTime ?? '') || now) + deadlineMs;
  if (deadline <= now)
    return {
      condition: { type, status: 'False', reason: 'ProgressDeadlineExceeded', message: `${subject} has timed out progressing.` },
      moved: false,
    };
  return {
    condition: { type, status: 'True', reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` },
    moved,
    wakeAt: deadline + 1000,
  };
}

function merge(old: Condition | undefined, wanted: Wanted, now: number, moved = false): Condition {
  const time = formatTime(now);
  const same = old?.status === wanted.status;
  const unchanged = same && old?.reason === wanted.reason && old?.message === wanted.message && !moved;
  return {
    type: wanted.type,
    status: wanted.status,
    lastUpdateTime: unchanged ? (old?.lastUpdateTime ?? time) : time,
    lastTransitionTime: same ? (old?.lastTransitionTime ?? time) : time,
    reason: wanted.reason,
    message: wanted.message,
  };
}
