/** The shell around nodes.ts and kubelet.ts: binds pending pods to nodes, and brings bound pods through their lives. */
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { type ControllerContext, tolerateRace } from './context.ts';
import { boundStatus, nextPodStep, unschedulableStatus } from './kubelet.ts';
import { chooseNode, occupy, podRequests, type Room, roomOf } from './nodes.ts';
import { compareText, createdAt, nameOf } from './pods.ts';

const needsNode = (pod: KubeObject): boolean =>
  !pod.spec.nodeName &&
  !pod.metadata.deletionTimestamp &&
  pod.status?.phase !== 'Succeeded' &&
  pod.status?.phase !== 'Failed' &&
  !(pod.spec.schedulingGates?.length > 0);

/** Binds every pod that waits for a node, oldest first; those that fit nowhere say so in their status. */
export async function schedulePods(context: ControllerContext, waiting: ReadonlySet<string>): Promise<void> {
  const rooms = [...context.cache.all('nodes')]
    .sort((a, b) => compareText(nameOf(a), nameOf(b)))
    .map((node) => roomOf(node, context.cache.podsOnNode(nameOf(node))));
  const pods = [...waiting].flatMap((key) => {
    const [namespace = '', name = ''] = key.split('/');
    const pod = context.cache.get('pods', namespace, name);
    return pod && needsNode(pod) ? [pod] : [];
  });
  for (const pod of pods.sort((a, b) => createdAt(a) - createdAt(b))) await scheduleOne(context, pod, rooms);
}

async function scheduleOne(context: ControllerContext, pod: KubeObject, rooms: readonly Room[]): Promise<void> {
  const now = context.clock.now();
  const choice = chooseNode(pod, rooms);
  if ('reason' in choice) {
    const status = unschedulableStatus(pod, choice.reason, now);
    const told = (pod.status?.conditions ?? []) as { type: string; message?: string }[];
    if (told.some(({ type, message }) => type === 'PodScheduled' && message === choice.reason)) return;
    await tolerateRace(
      context.api.update(context.kinds('pods'), { ...pod, status }, { subresource: 'status', fieldManager: 'kube-scheduler' }),
    );
    return;
  }
  const room = rooms.find(({ name }) => name === choice.node);
  if (room) occupy(room, podRequests(pod));
  context.boundAt.set(pod.metadata.uid ?? '', now);
  const bound = { ...pod, spec: { ...pod.spec, nodeName: choice.node }, status: boundStatus(pod, now) };
  await tolerateRace(
    context.api.update(context.kinds('pods'), bound, { subresource: 'binding', fieldManager: 'kube-scheduler' }),
  );
}

/** Brings one bound pod (or one that is being deleted) a step further. */
export async function reconcilePod(context: ControllerContext, namespace: string, name: string): Promise<void> {
  const pod = context.cache.get('pods', namespace, name);
  if (!pod || (!pod.spec.nodeName && !pod.metadata.deletionTimestamp)) return;
  const now = context.clock.now();
  const { uid = '' } = pod.metadata;
  if (pod.metadata.deletionTimestamp && !context.goingAt.has(uid)) context.goingAt.set(uid, now);
  const step = nextPodStep(pod, now, context.boundAt.get(uid), context.goingAt.get(uid));
  const key = `pods/${namespace}/${name}`;
  if (step.type === 'rest') return;
  if (step.type === 'wait') {
    context.wakeAt(key, step.at);
    return;
  }
  if (step.type === 'remove') {
    await tolerateRace(
      context.api.delete(context.kinds('pods'), namespace, name, { uid: pod.metadata.uid ?? '', gracePeriodSeconds: 0 }),
    );
    context.boundAt.delete(uid);
    context.goingAt.delete(uid);
    return;
  }
  await tolerateRace(
    context.api.update(
      context.kinds('pods'),
      { ...pod, status: step.status },
      { subresource: 'status', fieldManager: 'kubelet' },
    ),
  );
  if (step.wakeAt !== undefined) context.wakeAt(key, step.wakeAt);
}

/** True when a change of this pod may let others fit: it left its node, or ended. */
export function freesRoom(old: KubeObject | undefined, pod: KubeObject, deleted: boolean): boolean {
  const ended = (object: KubeObject) => object.status?.phase === 'Succeeded' || object.status?.phase === 'Failed';
  if (!pod.spec.nodeName) return false;
  return deleted ? !ended(pod) : old !== undefined && !ended(old) && ended(pod);
}
