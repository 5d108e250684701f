/** Plays the ReplicaSet and the ReplicationController controller: as many pods as asked for, adopted or made, and their counts in the status. */
import type { Condition, KubeObject } from '../../../shared/machinery/object.ts';
import { type LabelSelector, labelSelectorRequirements, matchesLabels } from '../../../shared/machinery/selectors.ts';
import { StatusError } from '../../../shared/machinery/status.ts';
import { formatTime } from '../../../shared/machinery/time.ts';
import { controllerUid } from './cache.ts';
import { type ControllerContext, controllerReference, tolerateRace, writeStatus } from './context.ts';
import { availability, compareForDeletion, isActive, isReady, nameOf, podFromTemplate } from './pods.ts';

/** At most this many pods are made or removed in one turn, so that a huge ReplicaSet does not starve the others (upstream: 500). */
const BURST_MAX = 100;
/** A creation that was refused is tried again after this long: nothing says when a quota has room. */
const REFUSED_RETRY_MS = 2_000;

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

export const reconcileReplicaSet = (context: ControllerContext, namespace: string, name: string): Promise<void> =>
  reconcileReplicas(context, 'replicasets', namespace, name);

export const reconcileReplicationController = (context: ControllerContext, namespace: string, name: string): Promise<void> =>
  reconcileReplicas(context, 'replicationcontrollers', namespace, name);

async function reconcileReplicas(context: ControllerContext, resource: string, namespace: string, name: string): Promise<void> {
  const owner = context.cache.get(resource, namespace, name);
  if (!owner) return;
  // A namespace or owner on its way out takes its pods along by garbage collection: making new ones would only fight it.
  const isStanding = owner.metadata.deletionTimestamp === undefined;
  if (isStanding) await claimPods(context, owner);
  const plan = planReplicaSet(owner, ownPods(context, owner), context.clock.now());
  const refusal = isStanding ? await carryOut(context, owner, plan) : undefined;
  if (plan.create > 0 || plan.remove.length > 0) await context.cache.refresh();
  const after = planReplicaSet(owner, ownPods(context, owner), context.clock.now());
  const conditions = withFailure(owner, refusal, context.clock.now());
  const status = { ...withoutZeros(after.status), ...(conditions.length > 0 ? { conditions } : {}) };
  await writeStatus(context, resource, owner, status);
  const key = `${resource}/${namespace}/${name}`;
  if (refusal !== undefined) context.wakeAt(key, context.clock.now() + REFUSED_RETRY_MS);
  else if (isStanding && (after.create > 0 || after.remove.length > 0)) context.wakeAt(key, context.clock.now());
  if (after.wakeAt !== undefined) context.wakeAt(key, after.wakeAt);
}

const ownPods = (context: ControllerContext, { metadata }: KubeObject): KubeObject[] =>
  context.cache.controlledBy('pods', metadata.uid ?? '');

/** Makes and removes; the first creation that is refused ends the turn, and its words are told. */
async function carryOut(context: ControllerContext, owner: KubeObject, plan: ReplicaSetPlan): Promise<string | undefined> {
  const pods = context.kinds('pods');
  for (const pod of plan.remove)
    await tolerateRace(context.api.delete(pods, owner.metadata.namespace ?? '', nameOf(pod), { uid: pod.metadata.uid ?? '' }));
  for (let i = 0; i < plan.create; i += 1) {
    try {
      const pod = podFromTemplate(owner, owner.spec.template as KubeObject);
      await context.api.create(pods, pod, { fieldManager: 'kube-controller-manager' });
    } catch (error) {
      if (error instanceof StatusError) return error.message;
      throw error;
    }
  }
  return undefined;
}

/** Condition `ReplicaFailure` while pods are refused. */
function withFailure({ status }: KubeObject, refusal: string | undefined, now: number): Condition[] {
  const present: Condition[] = status?.conditions ?? [];
  const others = present.filter(({ type }) => type !== 'ReplicaFailure');
  if (refusal === undefined) return others;
  const old = present.find(({ type }) => type === 'ReplicaFailure');
  if (old) return present;
  return [
    ...others,
    { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: refusal, lastTransitionTime: formatTime(now) },
  ];
}

/** Does the owner's selector mean pods with these labels? ReplicationControllers select by a plain map. */
export function selectsPod(owner: KubeObject, labels: Record<string, string> | undefined): boolean {
  const selector = owner.spec?.selector;
  if (!selector) return false;
  const isPlain = owner.kind === 'ReplicationController';
  const requirements = labelSelectorRequirements((isPlain ? { matchLabels: selector } : selector) as LabelSelector);
  return requirements.length > 0 && matchesLabels(requirements, labels);
}

/** Queue keys of those that would adopt a pod of this namespace. */
export function adopters(context: ControllerContext, namespace: string): string[] {
  const strangers = context.cache.inNamespace('pods', namespace).filter((pod) => isActive(pod) && !controllerUid(pod));
  return ['replicasets', 'replicationcontrollers'].flatMap((resource) =>
    context.cache
      .inNamespace(resource, namespace)
      .filter((owner) => strangers.some((pod) => selectsPod(owner, pod.metadata.labels)))
      .map((owner) => `${resource}/${namespace}/${nameOf(owner)}`),
  );
}

/** Takes pods over that nobody controls and it selects, and lets those go that it no longer selects. */
async function claimPods(context: ControllerContext, owner: KubeObject): Promise<void> {
  const { namespace = '', uid = '' } = owner.metadata;
  const strangers = context.cache.inNamespace('pods', namespace).filter((pod) => isActive(pod) && !controllerUid(pod));
  const adopted = strangers.filter((pod) => selectsPod(owner, pod.metadata.labels));
  const released = ownPods(context, owner).filter((pod) => isActive(pod) && !selectsPod(owner, pod.metadata.labels));
  for (const pod of adopted) await setOwners(context, pod, [...(pod.metadata.ownerReferences ?? []), controllerReference(owner)]);
  for (const pod of released)
    await setOwners(
      context,
      pod,
      (pod.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid),
    );
  if (adopted.length + released.length > 0) await context.cache.refresh();
}

async function setOwners(
  context: ControllerContext,
  pod: KubeObject,
  ownerReferences: NonNullable<KubeObject['metadata']['ownerReferences']>,
): Promise<void> {
  const next = { ...pod, metadata: { ...pod.metadata, ownerReferences } };
  await tolerateRace(context.api.update(context.kinds('pods'), next, { fieldManager: 'kube-controller-manager' }));
}
