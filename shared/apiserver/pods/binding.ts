/** `pods/binding`, and Binding by itself: a scheduler gives a pod its node (pkg/registry/core/pod/storage). */
import type { KubeObject } from '../../machinery/object.ts';
import { badRequest, conflict, invalid } from '../../machinery/status.ts';
import { formatTime } from '../../machinery/time.ts';
import type { View } from '../server.ts';
import { type PodViewDeps, podKinds, SUCCESS } from './views.ts';

const RESOURCE = { group: '', resource: 'pods/binding' };

/** Binds once: a pod that has a node keeps it. */
export function bindingView(deps: PodViewDeps): View {
  return async ({ attributes, body, dryRun }) => {
    const name = attributes.name || (body?.metadata.name ?? '');
    if (body === undefined || name === '') throw badRequest('a Binding needs a body that names its pod');
    if (body.metadata.name && body.metadata.name !== name) throw badRequest('name in URL does not match name in Binding object');
    refuseTarget(name, body);
    const { pods } = podKinds(deps);
    const pod = await deps.resources().get(pods, attributes.namespace, name);
    refuseBound(pod, body);
    if (!dryRun) {
      const bound = boundPod(pod, body, deps.clock.now());
      await deps
        .resources()
        .update(pods, bound, { subresource: 'binding', fieldManager: 'kube-scheduler', user: attributes.user });
    }
    return { code: 201, object: SUCCESS };
  };
}

function refuseTarget(name: string, { target = {} }: KubeObject): void {
  if (target.kind && target.kind !== 'Node') {
    const detail = `Unsupported value: ${JSON.stringify(target.kind)}: supported values: "Node", "<empty>"`;
    throw invalid({ group: '', kind: 'Binding' }, name, [{ type: 'NotSupported', field: 'target.kind', detail }]);
  }
  if (!target.name)
    throw invalid({ group: '', kind: 'Binding' }, name, [{ type: 'Required', field: 'target.name', detail: 'Required value' }]);
}

function refuseBound(pod: KubeObject, binding: KubeObject): void {
  const name = pod.metadata.name ?? '';
  const { uid } = binding.metadata;
  if (uid && uid !== pod.metadata.uid)
    throw conflict(RESOURCE, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`);
  if (pod.metadata.deletionTimestamp)
    throw conflict(RESOURCE, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec?.nodeName) throw conflict(RESOURCE, name, `pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  if (pod.spec?.schedulingGates?.length > 0) throw conflict(RESOURCE, name, `pod ${name} has non-empty .spec.schedulingGates`);
}

function boundPod(pod: KubeObject, { metadata, target }: KubeObject, now: number): KubeObject {
  const others = (pod.status?.conditions ?? []).filter(({ type }: { type?: string }) => type !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: formatTime(now) };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: { ...pod.metadata.labels, ...metadata.labels },
      annotations: { ...pod.metadata.annotations, ...metadata.annotations },
    },
    spec: { ...pod.spec, nodeName: target.name },
    status: { ...pod.status, conditions: [...others, scheduled] },
  };
}
