/** What one object uses of the resources that a ResourceQuota may limit (kubernetes/pkg/quota/v1/evaluator/core). Pure. */
import type { KubeObject } from '../../machinery/object.ts';
import { parseQuantity, type Quantity, quantityOf, quantityToNumber } from '../../machinery/quantity.ts';
import { parseTime } from '../../machinery/time.ts';
import { podLimits, podRequests } from '../core/pod-resources.ts';
import { addLists, type ResourceList, resourceList } from '../core/resource-list.ts';

/** A kind as quota sees it: `group/plural` and what it may count as. */
export type QuotaKind = { group: string; plural: string };

const ONE: Quantity = quantityOf(1, 'DecimalSI');
const ZERO: Quantity = { unscaled: 0n, scale: 0, format: 'DecimalSI' };
const CLASS_SUFFIX = '.storageclass.storage.k8s.io/';
const NATIVE_COMPUTE = ['cpu', 'memory', 'ephemeral-storage'] as const;
const POD_RESOURCES = new Set([
  'count/pods',
  'pods',
  ...NATIVE_COMPUTE,
  ...NATIVE_COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);
const SERVICE_RESOURCES = new Set(['count/services', 'services', 'services.nodeports', 'services.loadbalancers']);
const CLAIM_RESOURCES = ['persistentvolumeclaims', 'requests.storage'];
/** Kinds that may also be counted by their plain names, as the first quotas did. */
const ALIASES = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);
/** Names that are the core's own under `requests.`: everything else there is an extended resource of pods. */
const NATIVE_REQUESTS = new Set(['requests.cpu', 'requests.memory', 'requests.ephemeral-storage', 'requests.storage']);

/** `count/deployments.apps`, `count/pods`. */
export function countName({ group, plural }: QuotaKind): string {
  return group === '' ? `count/${plural}` : `count/${plural}.${group}`;
}

/** Of the limited names those that objects of this kind use. */
export function matchingResources(kind: QuotaKind, names: Iterable<string>): string[] {
  return [...names].filter((name) => counts(kind, name));
}

function counts(kind: QuotaKind, name: string): boolean {
  if (name === countName(kind)) return true;
  if (kind.group !== '') return false;
  if (kind.plural === 'pods') return POD_RESOURCES.has(name) || isHugePages(name) || isExtended(name);
  if (kind.plural === 'services') return SERVICE_RESOURCES.has(name);
  if (kind.plural === 'persistentvolumeclaims')
    return CLAIM_RESOURCES.some((resource) => name === resource || name.endsWith(`${CLASS_SUFFIX}${resource}`));
  return ALIASES.has(kind.plural) && name === kind.plural;
}

const isHugePages = (name: string) => name.startsWith('hugepages-') || name.startsWith('requests.hugepages-');

/** `requests.nvidia.com/gpu`: anything under `requests.` that Kubernetes itself does not know. */
function isExtended(name: string): boolean {
  if (!name.startsWith('requests.') || NATIVE_REQUESTS.has(name)) return false;
  const resource = name.slice('requests.'.length);
  return resource.includes('/') && !isNative(resource);
}

const isNative = (name: string) => !name.includes('/') || name.includes('kubernetes.io/');

/** What the object uses now. `now` in epoch ms: a pod whose grace period has passed uses nothing but its place. */
export function usageOf(kind: QuotaKind, object: KubeObject, now: number): ResourceList {
  const own: ResourceList = new Map([[countName(kind), ONE]]);
  if (kind.group !== '') return own;
  if (kind.plural === 'pods') return addLists(own, podUsage(object, now));
  if (kind.plural === 'services') return addLists(own, serviceUsage(object));
  if (kind.plural === 'persistentvolumeclaims') return addLists(own, claimUsage(object));
  return ALIASES.has(kind.plural) ? addLists(own, new Map([[kind.plural, ONE]])) : own;
}

function podUsage(pod: KubeObject, now: number): ResourceList {
  return isCharged(pod, now) ? computeUsage(podRequests(pod), podLimits(pod)) : new Map();
}

/** A pod that has ended, or should have, gives back all but its count. */
function isCharged({ metadata, status }: KubeObject, now: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= parseTime(deletionTimestamp);
}

/** Requests and limits under the names that quotas use. */
export function computeUsage(requests: ResourceList, limits: ResourceList): ResourceList {
  const usage = new Map<string, Quantity>([['pods', ONE]]);
  for (const name of NATIVE_COMPUTE) {
    const request = requests.get(name);
    const limit = limits.get(name);
    if (request) usage.set(name, request).set(`requests.${name}`, request);
    if (limit) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (name.startsWith('hugepages-')) usage.set(name, request);
    if (name.startsWith('hugepages-') || !isNative(name)) usage.set(`requests.${name}`, request);
  }
  return usage;
}

function serviceUsage({ spec = {} }: KubeObject): ResourceList {
  const ports: { nodePort?: number }[] = Array.isArray(spec.ports) ? spec.ports : [];
  const isBalanced = spec.type === 'LoadBalancer';
  const onlyAsked = isBalanced && spec.allocateLoadBalancerNodePorts === false;
  const counted = onlyAsked ? ports.filter(({ nodePort }) => nodePort).length : ports.length;
  const hasNodePorts = isBalanced || spec.type === 'NodePort';
  return new Map([
    ['services', ONE],
    ['services.loadbalancers', isBalanced ? ONE : ZERO],
    ['services.nodeports', hasNodePorts ? quantityOf(counted, 'DecimalSI') : ZERO],
  ]);
}

function claimUsage(claim: KubeObject): ResourceList {
  const usage = new Map<string, Quantity>([['persistentvolumeclaims', ONE]]);
  const className = claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? claim.spec?.storageClassName;
  const size = storageOf(claim);
  if (size) usage.set('requests.storage', size);
  if (!className) return usage;
  usage.set(`${className}${CLASS_SUFFIX}persistentvolumeclaims`, ONE);
  if (size) usage.set(`${className}${CLASS_SUFFIX}requests.storage`, size);
  return usage;
}

/** What was asked for, or what was granted while a claim grows, in whole bytes. */
function storageOf(claim: KubeObject): Quantity | undefined {
  const asked = resourceList(claim.spec?.resources?.requests).get('storage');
  const granted = resourceList(claim.status?.allocatedResources).get('storage');
  if (!asked) return undefined;
  const size = granted && quantityToNumber(granted) > quantityToNumber(asked) ? granted : asked;
  return size.scale >= 0 ? size : parseQuantity(String(quantityToNumber(size)));
}

const REQUIRED = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);

/**
 * Why a pod cannot be counted against these limited names: `must specify limits.cpu for: c; ...`. Who limits cpu or memory makes every container say
 * what it asks for, unless the pod says it as a whole. Undefined: it can.
 */
export function missingFor(kind: QuotaKind, object: KubeObject, names: readonly string[]): string | undefined {
  if (kind.group !== '' || kind.plural !== 'pods' || object.spec?.resources !== undefined) return undefined;
  const required = names.filter((name) => REQUIRED.has(name));
  const missing = new Map<string, Set<string>>();
  for (const container of [...(object.spec?.containers ?? []), ...(object.spec?.initContainers ?? [])]) {
    const { requests, limits } = container?.resources ?? {};
    const stated = computeUsage(resourceList(requests), resourceList(limits));
    for (const name of required)
      if (!stated.has(name)) missing.set(name, (missing.get(name) ?? new Set<string>()).add(String(container?.name)));
  }
  if (missing.size === 0) return undefined;
  const parts = [...missing].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, at]) => `${name} for: ${[...at].sort().join(',')}`);
  return `must specify ${parts.join('; ')}`;
}
