/** Plays the StatefulSet controller: pods with stable names, made in order and rolled from the highest ordinal down. */
import { canonicalJson } from '../../../shared/machinery/canonical.ts';
import { fnv1a_32 } from '../../../shared/machinery/fnv.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { type ControllerContext, tolerateRace, writeStatus } from './context.ts';
import { availability, isReady, nameOf, podFromTemplate } from './pods.ts';

const REVISION_LABEL = 'controller-revision-hash';

export type StatefulSetPlan = { create: { name: string; ordinal: number }[]; remove: KubeObject[] };

/** Hash of the pod template, as the name of its revision. */
export function revisionName(set: KubeObject): string {
  return `${nameOf(set)}-${fnv1a_32(canonicalJson(set.spec.template)).toString(16).padStart(8, '0')}`;
}

/** What is to be made or removed now. `pods` are all that the set controls. */
export function planStatefulSet(set: KubeObject, pods: readonly KubeObject[]): StatefulSetPlan {
  const replicas = set.spec.replicas as number;
  const first = (set.spec.ordinals?.start as number | undefined) ?? 0;
  const ordered = set.spec.podManagementPolicy !== 'Parallel';
  const byName = new Map(pods.map((pod) => [nameOf(pod), pod]));
  const wanted = Array.from({ length: replicas }, (_, i) => ({ name: `${nameOf(set)}-${first + i}`, ordinal: first + i }));
  const create: StatefulSetPlan['create'] = [];
  for (const entry of wanted) {
    const pod = byName.get(entry.name);
    if (!pod) create.push(entry);
    if (ordered && (!pod || !isReady(pod) || pod.metadata.deletionTimestamp)) return { create, remove: [] };
  }
  const names = new Set(wanted.map(({ name }) => name));
  const condemned = pods
    .filter((pod) => !names.has(nameOf(pod)) && !pod.metadata.deletionTimestamp)
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  if (condemned.length > 0) return { create, remove: ordered ? condemned.slice(0, 1) : condemned };
  if (pods.some((pod) => pod.metadata.deletionTimestamp) || create.length > 0) return { create, remove: [] };
  return { create, remove: outdated(set, wanted, byName) };
}

/** The next pod of an older revision, highest ordinal first, one at a time and never below the partition. */
function outdated(
  set: KubeObject,
  wanted: readonly { name: string; ordinal: number }[],
  byName: ReadonlyMap<string, KubeObject>,
): KubeObject[] {
  if (set.spec.updateStrategy?.type === 'OnDelete') return [];
  const partition = (set.spec.updateStrategy?.rollingUpdate?.partition as number | undefined) ?? 0;
  const revision = revisionName(set);
  for (const { name, ordinal } of [...wanted].reverse()) {
    const pod = byName.get(name);
    if (!pod) return [];
    if (ordinal >= partition && pod.metadata.labels?.[REVISION_LABEL] !== revision) return [pod];
    if (!isReady(pod)) return [];
  }
  return [];
}

function ordinalOf(pod: KubeObject): number {
  return Number(nameOf(pod).slice(nameOf(pod).lastIndexOf('-') + 1));
}

export async function reconcileStatefulSet(context: ControllerContext, namespace: string, name: string): Promise<void> {
  const set = context.cache.get('statefulsets', namespace, name);
  if (!set || set.metadata.deletionTimestamp) return;
  const pods = context.cache.controlledBy('pods', set.metadata.uid ?? '');
  const plan = planStatefulSet(set, pods);
  for (const { name: podName, ordinal } of plan.create) {
    const labels = {
      [REVISION_LABEL]: revisionName(set),
      'statefulset.kubernetes.io/pod-name': podName,
      'apps.kubernetes.io/pod-index': String(ordinal),
    };
    const pod = podFromTemplate(set, set.spec.template as KubeObject, { name: podName, labels });
    await tolerateRace(
      context.api.create(
        context.kinds('pods'),
        { ...pod, spec: { ...pod.spec, hostname: podName, subdomain: set.spec.serviceName } },
        { fieldManager: 'kube-controller-manager' },
      ),
    );
  }
  for (const pod of plan.remove)
    await tolerateRace(context.api.delete(context.kinds('pods'), namespace, nameOf(pod), { uid: pod.metadata.uid ?? '' }));
  await context.cache.refresh();
  await updateStatus(context, set);
}

async function updateStatus(context: ControllerContext, set: KubeObject): Promise<void> {
  const pods = context.cache.controlledBy('pods', set.metadata.uid ?? '').filter((pod) => !pod.metadata.deletionTimestamp);
  const now = context.clock.now();
  const minReadySeconds = (set.spec.minReadySeconds as number | undefined) ?? 0;
  const states = pods.map((pod) => availability(pod, minReadySeconds, now));
  const later = states.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const revision = revisionName(set);
  const updated = pods.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] === revision).length;
  const ready = pods.filter(isReady).length;
  const complete = updated === set.spec.replicas && ready === set.spec.replicas;
  const current = complete ? revision : ((set.status?.currentRevision as string | undefined) ?? revision);
  const counts = {
    readyReplicas: ready,
    currentReplicas: pods.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] === current).length,
    updatedReplicas: updated,
  };
  await writeStatus(context, 'statefulsets', set, {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    ...Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0)),
    currentRevision: current,
    updateRevision: revision,
    collisionCount: 0,
    availableReplicas: states.filter(({ available }) => available).length,
  });
  if (later.length > 0) context.wakeAt(`statefulsets/${set.metadata.namespace}/${set.metadata.name}`, Math.min(...later));
}
