/** Defaults of core kinds, Pods apart (k8s.io/kubernetes/pkg/apis/core/v1/defaults.go). Change their argument in place; idempotent. */
import type { KubeObject } from '../../machinery/object.ts';
import { formatTime } from '../../machinery/time.ts';
import { fill, fillEmpty, forEachStruct, isStruct, type Struct, struct } from '../defaults/fill.ts';
import { defaultPodTemplate } from '../defaults/pod-spec.ts';

const AFFINITY_SECONDS = 10_800;

/** The label by which every namespace can be selected; nobody may change it. */
export function defaultNamespace(namespace: KubeObject): void {
  const { name } = namespace.metadata;
  if (name) namespace.metadata.labels = { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': name };
  fillEmpty(struct(namespace, 'status'), { phase: 'Active' });
}

export function defaultService(service: KubeObject): void {
  const spec = struct(service, 'spec');
  fillEmpty(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP')
    fill(struct(struct(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: AFFINITY_SECONDS });
  forEachStruct(spec.ports, (port) => fillEmpty(port, { protocol: 'TCP', targetPort: port.port }));
  const isBalanced = spec.type === 'LoadBalancer';
  const isExternal = isBalanced || spec.type === 'NodePort' || (spec.type === 'ClusterIP' && spec.externalIPs?.length > 0);
  if (isExternal) fillEmpty(spec, { externalTrafficPolicy: 'Cluster' });
  if (spec.type !== 'ExternalName') fill(spec, { internalTrafficPolicy: 'Cluster' });
  if (isBalanced) fill(spec, { allocateLoadBalancerNodePorts: true });
  const balancer = struct(struct(service, 'status'), 'loadBalancer');
  if (isBalanced) forEachStruct(balancer.ingress, (point) => point.ip && fill(point, { ipMode: 'VIP' }));
}

export function defaultReplicationController(controller: KubeObject): void {
  const spec = struct(controller, 'spec');
  fill(spec, { replicas: 1 });
  defaultPodTemplate(spec.template);
  const labels = spec.template?.metadata?.labels;
  if (!isStruct(labels) || Object.keys(labels).length === 0) return;
  if (!isStruct(spec.selector) || Object.keys(spec.selector).length === 0) spec.selector = { ...labels };
  if (Object.keys(controller.metadata.labels ?? {}).length === 0) controller.metadata.labels = { ...labels };
}

export function defaultPersistentVolume(volume: KubeObject): void {
  const spec = struct(volume, 'spec');
  fillEmpty(spec, { persistentVolumeReclaimPolicy: 'Retain' });
  fill(spec, { volumeMode: 'Filesystem' });
  if (isStruct(spec.hostPath)) fill(spec.hostPath, { type: '' });
  fillEmpty(struct(volume, 'status'), { phase: 'Pending' });
}

export function defaultPersistentVolumeClaim(claim: KubeObject): void {
  const spec = struct(claim, 'spec');
  fill(spec, { volumeMode: 'Filesystem' });
  struct(spec, 'resources');
  fillEmpty(struct(claim, 'status'), { phase: 'Pending' });
}

/** `stringData` is a way of writing only: it becomes `data`. */
export function defaultSecret(secret: KubeObject): void {
  fillEmpty(secret, { type: 'Opaque' });
  if (!isStruct(secret.stringData)) return;
  const data = struct(secret, 'data');
  for (const [key, value] of Object.entries(secret.stringData)) {
    const encoded = Buffer.from(String(value), 'utf8').toString('base64');
    Object.defineProperty(data, key, { value: encoded, enumerable: true, configurable: true, writable: true });
  }
  delete secret.stringData;
}

export function defaultEndpoints(endpoints: KubeObject): void {
  forEachStruct(endpoints.subsets, (subset) => forEachStruct(subset.ports, (port) => fillEmpty(port, { protocol: 'TCP' })));
}

export function defaultNode(node: KubeObject): void {
  const status = node.status;
  if (isStruct(status?.capacity)) fill(status, { allocatable: () => ({ ...status.capacity }) });
}

/** For containers: the default limit is the maximum, the default request that limit, else the minimum. */
export function defaultLimitRange(range: KubeObject): void {
  forEachStruct(range.spec?.limits, (item: Struct) => {
    if (item.type !== 'Container') return;
    const limit = { ...item.max, ...item.default };
    const request = { ...item.min, ...limit, ...item.defaultRequest };
    if (Object.keys(limit).length > 0) item.default = limit;
    if (Object.keys(request).length > 0) item.defaultRequest = request;
  });
}

export function defaultPodTemplateObject(object: KubeObject): void {
  defaultPodTemplate(struct(object, 'template'));
}

/** Go prints these members of an Event even when nothing is in them. */
export function defaultEvent(event: KubeObject): void {
  for (const field of ['eventTime', 'firstTimestamp', 'lastTimestamp']) event[field] ??= null;
  fill(event, { reportingComponent: '', reportingInstance: '', source: () => ({}), involvedObject: () => ({}) });
}

/** A namespace is kept by this finalizer of its spec until its content is deleted. */
const CONTENT_FINALIZER = 'kubernetes';

export function prepareNamespace(namespace: KubeObject): void {
  namespace.status = { phase: 'Active' };
  const spec = struct(namespace, 'spec');
  const finalizers: unknown[] = Array.isArray(spec.finalizers) ? spec.finalizers : [];
  spec.finalizers = finalizers.includes(CONTENT_FINALIZER) ? finalizers : [...finalizers, CONTENT_FINALIZER];
}

/** The first status of a PersistentVolume. */
export function startPhase(volume: KubeObject, now: number): void {
  volume.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(now) };
}
