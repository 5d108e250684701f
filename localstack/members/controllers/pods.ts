/** What controllers ask of pods, and how they make them. */
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { controllerReference } from './context.ts';

/** `status.conditions` entry of a type being True. */
export function hasCondition(object: KubeObject, type: string): boolean {
  const conditions = (object.status?.conditions ?? []) as { type: string; status: string }[];
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

export function isReady(pod: KubeObject): boolean {
  return hasCondition(pod, 'Ready');
}

/** Ready for at least `minReadySeconds`. `readyAt` tells when it will be, for those that are ready but not long enough. */
export function availability(pod: KubeObject, minReadySeconds: number, now: number): { available: boolean; at?: number } {
  if (!isReady(pod)) return { available: false };
  if (minReadySeconds <= 0) return { available: true };
  const conditions = pod.status.conditions as { type: string; lastTransitionTime?: string }[];
  const since = Date.parse(conditions.find((condition) => condition.type === 'Ready')?.lastTransitionTime ?? '');
  const at = since + minReadySeconds * 1000;
  return at <= now ? { available: true } : { available: false, at };
}

/** Neither finished nor being deleted. */
export function isActive(pod: KubeObject): boolean {
  return pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed' && !pod.metadata.deletionTimestamp;
}

/** A pod of `template`, controlled by `owner`. With `name` absent the API server makes one from the owner's. */
export function podFromTemplate(
  owner: KubeObject,
  template: KubeObject,
  options: { name?: string; labels?: Record<string, string>; annotations?: Record<string, string> } = {},
): KubeObject {
  const labels = { ...template.metadata?.labels, ...options.labels };
  const annotations = { ...template.metadata?.annotations, ...options.annotations };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(options.name === undefined ? { generateName: `${owner.metadata.name}-` } : { name: options.name }),
      namespace: owner.metadata.namespace ?? '',
      labels,
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ...(template.metadata?.finalizers ? { finalizers: template.metadata.finalizers } : {}),
      ownerReferences: [controllerReference(owner)],
    },
    spec: structuredClone(template.spec),
  };
}

/** Order in which pods are given up: unassigned, not ready, then the youngest (kube-controller-manager's ActivePodsWithRanks, without ranks). */
export function compareForDeletion(a: KubeObject, b: KubeObject): number {
  return (
    Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    createdAt(b) - createdAt(a) ||
    compareText(nameOf(a), nameOf(b))
  );
}

export function createdAt(object: KubeObject): number {
  return Date.parse(object.metadata.creationTimestamp ?? '') || 0;
}

export function nameOf(object: KubeObject): string {
  return object.metadata.name ?? '';
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
