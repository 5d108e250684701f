/** What one LimitRange says of one pod or claim, with upstream's messages (plugin/pkg/admission/limitranger). Pure. */
import { podLimits, podRequests } from '../../apis/core/pod-resources.ts';
import { type ResourceList, resourceList } from '../../apis/core/resource-list.ts';
import { type Struct, struct } from '../../apis/defaults/fill.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { compareQuantities, formatQuantity, type Quantity, quantityToMilli, quantityToNumber } from '../../machinery/quantity.ts';

const limitsOf = (range: KubeObject): Struct[] => (Array.isArray(range.spec?.limits) ? range.spec.limits : []);
const containersOf = (value: unknown): Struct[] => (Array.isArray(value) ? value : []);

/** Fills in what containers leave open; answers what was set, as the annotation says it. */
export function applyLimitDefaults(spec: Struct, range: KubeObject): string[] {
  const ofContainers = limitsOf(range).filter(({ type }) => type === 'Container');
  const limits: Record<string, unknown> = Object.assign({}, ...ofContainers.map((item) => item.default));
  const requests: Record<string, unknown> = Object.assign({}, ...ofContainers.map((item) => item.defaultRequest));
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return [];
  const set: string[] = [];
  for (const [kind, containers] of [
    ['container', spec.containers],
    ['init container', spec.initContainers],
  ] as const)
    for (const container of containersOf(containers)) {
      const resources = struct(container, 'resources');
      for (const [what, member, defaults] of [
        ['request', 'requests', requests],
        ['limit', 'limits', limits],
      ] as const) {
        const names = fillAmounts(resources, member, defaults);
        if (names.length > 0) set.push(`${names.join(', ')} ${what} for ${kind} ${container.name}`);
      }
    }
  return set;
}

function fillAmounts(resources: Struct, member: string, defaults: Record<string, unknown>): string[] {
  const missing = Object.keys(defaults).filter((name) => resources[member]?.[name] === undefined);
  if (missing.length === 0) return [];
  resources[member] = { ...resources[member], ...Object.fromEntries(missing.map((name) => [name, defaults[name]])) };
  return missing.sort();
}

/** Every bound of the range that the object breaks. */
export function limitProblems(plural: string, object: KubeObject, range: KubeObject): string[] {
  if (plural === 'persistentvolumeclaims') return limitsOf(range).flatMap((item) => claimProblems(object, item));
  return limitsOf(range).flatMap((item) => podProblems(object, item));
}

function claimProblems(claim: KubeObject, item: Struct): string[] {
  if (item.type !== 'PersistentVolumeClaim') return [];
  const requests = resourceList(claim.spec?.resources?.requests);
  const bounds = { type: 'PersistentVolumeClaim', requests, limits: new Map() };
  return [
    ...[...resourceList(item.min)].flatMap(([name, amount]) => belowMinimum(bounds, name, amount)),
    ...[...resourceList(item.max)].flatMap(([name, amount]) => requestAboveMaximum(bounds, name, amount)),
  ];
}

function podProblems(pod: KubeObject, item: Struct): string[] {
  if (item.type === 'Pod') {
    const [requests, limits] = [podRequests(pod, { overhead: false }), podLimits(pod, { overhead: false })];
    return problemsOf({ type: 'Pod', requests, limits }, item);
  }
  if (item.type !== 'Container') return [];
  return [...containersOf(pod.spec?.containers), ...containersOf(pod.spec?.initContainers)].flatMap((container) => {
    const { requests, limits } = container?.resources ?? {};
    return problemsOf({ type: 'Container', requests: resourceList(requests), limits: resourceList(limits) }, item);
  });
}

type Amounts = { type: string; requests: ResourceList; limits: ResourceList };

function problemsOf(amounts: Amounts, item: Struct): string[] {
  return [
    ...[...resourceList(item.min)].flatMap(([name, amount]) => belowMinimum(amounts, name, amount)),
    ...[...resourceList(item.max)].flatMap(([name, amount]) => aboveMaximum(amounts, name, amount)),
    ...[...resourceList(item.maxLimitRequestRatio)].flatMap(([name, amount]) => aboveRatio(amounts, name, amount)),
  ];
}

function belowMinimum({ type, requests, limits }: Amounts, name: string, least: Quantity): string[] {
  const rule = `minimum ${name} usage per ${type} is ${formatQuantity(least)}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (!request) return [`${rule}.  No request is specified`];
  if (compareQuantities(request, least) < 0) return [`${rule}, but request is ${formatQuantity(request)}`];
  if (limit && compareQuantities(limit, least) < 0) return [`${rule}, but limit is ${formatQuantity(limit)}`];
  return [];
}

function aboveMaximum({ type, requests, limits }: Amounts, name: string, most: Quantity): string[] {
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (!limit) return [`${rule}.  No limit is specified`];
  if (compareQuantities(limit, most) > 0) return [`${rule}, but limit is ${formatQuantity(limit)}`];
  if (request && compareQuantities(request, most) > 0) return [`${rule}, but request is ${formatQuantity(request)}`];
  return [];
}

function requestAboveMaximum({ type, requests }: Amounts, name: string, most: Quantity): string[] {
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
  const request = requests.get(name);
  if (!request) return [`${rule}.  No request is specified`];
  return compareQuantities(request, most) > 0 ? [`${rule}, but request is ${formatQuantity(request)}`] : [];
}

function aboveRatio({ type, requests, limits }: Amounts, name: string, most: Quantity): string[] {
  const rule = `${name} max limit to request ratio per ${type} is ${formatQuantity(most)}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (!request || request.unscaled === 0n) return [`${rule}, but no request is specified or request is 0`];
  if (!limit || limit.unscaled === 0n) return [`${rule}, but no limit is specified or limit is 0`];
  const ratio = precise(limit, request) / precise(request, limit);
  return ratio * 1000 > quantityToMilli(most) ? [`${rule}, but provided ratio is ${ratio.toFixed(6)}`] : [];
}

/** In thousandths, unless one of both is too large for that. */
function precise(amount: Quantity, other: Quantity): number {
  const largest = Number.MAX_SAFE_INTEGER / 1000;
  const isSmall = quantityToNumber(amount) <= largest && quantityToNumber(other) <= largest;
  return isSmall ? quantityToMilli(amount) : quantityToNumber(amount);
}
