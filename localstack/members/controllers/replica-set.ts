/** Plays the ReplicaSet controller: as many pods as asked for, and their counts in the status. */
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { type ControllerContext, tolerateRace, writeStatus } from './context.ts';
import { availability, compareForDeletion, isActive, isReady, nameOf, podFromTemplate } from './pods.ts';

/** At most this many pods are made or removed in one turn, so that a huge ReplicaSet does not starve the others (upstream: 500). */
const BURST_MAX = 100;

export type ReplicaSetPlan = { create: number; remove: KubeObject[]; status: Record<string, unknown>; wakeAt?: number };

/** What one ReplicaSet needs, given its pods (all that it controls, finished ones too). */
export function planReplicaSet(replicaSet: KubeObject, pods: readonly KubeObject[], now: number): ReplicaSetPlan {
  const wanted = replicaSet.metadata.deletionTimestamp ? 0 : (replicaSet.spec.replicas as number);
  const active = pods.filter(isActive);
  const minReadySeconds = (replicaSet.spec.minReadySeconds as number | undefined) ?? 0;
  const availabilities = active.map((pod) => availability(pod, minReadySeconds, now));
  const later = availabilities.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const templateLabels = Object.entries((replicaSet.spec.template?.metadata?.labels ?? {}) as Record<string, string>);
  const labelled = active.filter((pod) => templateLabels.every(([key, value]) => pod.metadata.labels?.[key] === value));
  const surplus = active.length - wanted;
  return {
    create: Math.min(BURST_MAX, Math.max(0, -surplus)),
    remove: surplus > 0 ? [...active].sort(compareForDeletion).slice(0, Math.min(BURST_MAX, surplus)) : [],
    status: {
      replicas: active.length,
      fullyLabeledReplicas: labelled.length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: availabilities.filter(({ available }) => available).length,
      observedGeneration: replicaSet.metadata.generation ?? 0,
    },
    ...(later.length > 0 ? { wakeAt: Math.min(...later) } : {}),
  };
}

/** Zero counts are left out, as Go's omitempty does; `replicas` stays. */
function withoutZeros(status: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(status).filter(([key, value]) => value !== 0 || key === 'replicas'));
}

export async function reconcileReplicaSet(context: ControllerContext, namespace: string, name: string): Promise<void> {
  const replicaSet = context.cache.get('replicasets', namespace, name);
  if (!replicaSet) return;
  const pods = context.cache.controlledBy('pods', replicaSet.metadata.uid ?? '');
  const plan = planReplicaSet(replicaSet, pods, context.clock.now());
  // A namespace or owner on its way out takes its pods along by garbage collection: making new ones would only fight it.
  if (!replicaSet.metadata.deletionTimestamp) {
    for (let i = 0; i < plan.create; i += 1) {
      await context.api.create(context.kinds('pods'), podFromTemplate(replicaSet, replicaSet.spec.template as KubeObject), {
        fieldManager: 'kube-controller-manager',
      });
    }
    for (const pod of plan.remove)
      await tolerateRace(context.api.delete(context.kinds('pods'), namespace, nameOf(pod), { uid: pod.metadata.uid ?? '' }));
  }
  if (plan.create > 0 || plan.remove.length > 0) await context.cache.refresh();
  const after = planReplicaSet(
    replicaSet,
    context.cache.controlledBy('pods', replicaSet.metadata.uid ?? ''),
    context.clock.now(),
  );
  await writeStatus(context, 'replicasets', replicaSet, withoutZeros(after.status));
  if (after.create > 0 || after.remove.length > 0) context.wakeAt(`replicasets/${namespace}/${name}`, context.clock.now());
  if (after.wakeAt !== undefined) context.wakeAt(`replicasets/${namespace}/${name}`, after.wakeAt);
}
