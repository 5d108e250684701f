/** Plays the DaemonSet controller: one pod on every node that takes it. */
import { canonicalJson } from '../../../shared/machinery/canonical.ts';
import { parseJson } from '../../../shared/machinery/codec/json.ts';
import { fnv1a_32 } from '../../../shared/machinery/fnv.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { type ControllerContext, controllerReference, tolerateRace, writeStatus } from './context.ts';
import { admitsPod } from './nodes.ts';
import { availability, isActive, isReady, nameOf, podFromTemplate } from './pods.ts';

const GENERATION_LABEL = 'pod-template-generation';
const MANAGER = 'kube-controller-manager';
const REVISION_LABEL = 'controller-revision-hash';
/** Taints that daemons live with (upstream adds these tolerations to every DaemonSet pod). */
const TOLERATIONS = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];

export type DaemonSetPlan = { createOn: string[]; remove: KubeObject[]; desired: number };

/** Where a pod is missing, and which pods are not wanted or outdated (one at a time). */
export function planDaemonSet(set: KubeObject, nodes: readonly KubeObject[], pods: readonly KubeObject[]): DaemonSetPlan {
  const probe = daemonPod(set, '');
  const eligible = nodes.filter((node) => admitsPod(node, probe)).map(nameOf);
  const wanted = new Set(eligible);
  const active = pods.filter(isActive);
  const taken = new Set(active.map((pod) => targetNode(pod)));
  const misplaced = active.filter((pod) => !wanted.has(targetNode(pod)));
  const createOn = eligible.filter((node) => !taken.has(node));
  const rolling = set.spec.updateStrategy?.type !== 'OnDelete' && createOn.length === 0 && active.every(isReady);
  const outdated = rolling ? active.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] !== revisionHash(set)).slice(0, 1) : [];
  // One that failed makes room for its successor.
  const failed = pods.filter((pod) => pod.status?.phase === 'Failed' && !pod.metadata.deletionTimestamp);
  return { createOn, remove: [...failed, ...(misplaced.length > 0 ? misplaced : outdated)], desired: eligible.length };
}

function revisionHash(set: KubeObject): string {
  return fnv1a_32(canonicalJson(set.spec.template)).toString(16).padStart(8, '0');
}

/** A daemon is tied to its node by name, as upstream does with node affinity on metadata.name. */
function targetNode(pod: KubeObject): string {
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (pod.spec.nodeName as string | undefined) ?? terms?.[0]?.matchFields?.[0]?.values?.[0] ?? '';
}

function daemonPod(set: KubeObject, node: string): KubeObject {
  const pod = podFromTemplate(set, set.spec.template as KubeObject, {
    labels: { [REVISION_LABEL]: revisionHash(set), [GENERATION_LABEL]: '1' },
  });
  const tolerations = [...(pod.spec.tolerations ?? []), ...TOLERATIONS];
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const affinity =
    node === ''
      ? pod.spec.affinity
      : { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } };
  return { ...pod, spec: { ...pod.spec, tolerations, ...(affinity ? { affinity } : {}) } };
}

/** One ControllerRevision per template, counted up: what `kubectl rollout history` reads. */
async function noteRevision(context: ControllerContext, set: KubeObject): Promise<void> {
  const definition = context.kinds('controllerrevisions');
  const { namespace = '', uid = '' } = set.metadata;
  const { items } = await context.api.list(definition, { namespace });
  const own = items.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
  const hash = revisionHash(set);
  const latest = Math.max(0, ...own.map(({ revision }) => Number(revision)));
  const present = own.find(({ metadata }) => metadata.labels?.[REVISION_LABEL] === hash);
  // A template that comes back is the newest again.
  if (present && present.revision === latest) return;
  if (present) {
    await tolerateRace(context.api.update(definition, { ...present, revision: latest + 1 }, { fieldManager: MANAGER }));
    return;
  }
  const revision: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${nameOf(set)}-${hash}`,
      namespace,
      labels: { ...set.spec.template?.metadata?.labels, [REVISION_LABEL]: hash },
      ownerReferences: [controllerReference(set)],
    },
    // Clients compare it byte by byte with what Go makes of the template: keys are sorted.
    data: parseJson(canonicalJson({ spec: { template: { ...set.spec.template, $patch: 'replace' } } })),
    revision: latest + 1,
  };
  await tolerateRace(context.api.create(definition, revision, { fieldManager: MANAGER }));
}

export async function reconcileDaemonSet(context: ControllerContext, namespace: string, name: string): Promise<void> {
  const set = context.cache.get('daemonsets', namespace, name);
  if (!set || set.metadata.deletionTimestamp) return;
  await noteRevision(context, set);
  const nodes = [...context.cache.all('nodes')];
  const plan = planDaemonSet(set, nodes, context.cache.controlledBy('pods', set.metadata.uid ?? ''));
  for (const node of plan.createOn)
    await context.api.create(context.kinds('pods'), daemonPod(set, node), { fieldManager: 'kube-controller-manager' });
  for (const pod of plan.remove)
    await tolerateRace(context.api.delete(context.kinds('pods'), namespace, nameOf(pod), { uid: pod.metadata.uid ?? '' }));
  await context.cache.refresh();
  const pods = context.cache.controlledBy('pods', set.metadata.uid ?? '').filter(isActive);
  const now = context.clock.now();
  const minReadySeconds = (set.spec.minReadySeconds as number | undefined) ?? 0;
  const available = pods.filter((pod) => availability(pod, minReadySeconds, now).available).length;
  const updated = pods.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] === revisionHash(set)).length;
  await writeStatus(context, 'daemonsets', set, {
    currentNumberScheduled: pods.length,
    numberMisscheduled: 0,
    desiredNumberScheduled: plan.desired,
    numberReady: pods.filter(isReady).length,
    observedGeneration: set.metadata.generation ?? 0,
    ...(updated > 0 ? { updatedNumberScheduled: updated } : {}),
    ...(available > 0 ? { numberAvailable: available } : {}),
    ...(plan.desired > available ? { numberUnavailable: plan.desired - available } : {}),
  });
}
