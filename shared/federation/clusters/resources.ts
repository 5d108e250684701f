/** What a member cluster has and what is left of it, summed over its nodes and pods. Rules of KubeAdmiral; sidecars as kube-scheduler counts them. */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  subtractQuantities,
} from '../../machinery/quantity.ts';
import { matchesLabels, parseLabelSelector } from '../../machinery/selectors.ts';
import { isJsonObject } from '../overrides/pod-spec.ts';

/** `status.resources` of a FederatedCluster. `available` may be negative. */
export type ClusterResources = {
  schedulableNodes: number;
  allocatable: Record<string, string>;
  available: Record<string, string>;
};

type Amounts = Map<string, Quantity>;
/** Parses each spelling once: a cluster has few of them, and very many pods. */
type Reader = (text: unknown) => Quantity | undefined;

const BLOCKING_EFFECTS: ReadonlySet<unknown> = new Set(['NoSchedule', 'NoExecute']);
const ENDED_PHASES: ReadonlySet<unknown> = new Set(['Succeeded', 'Failed']);

/**
 * Allocatable amounts of the schedulable nodes, and what the pods of the whole cluster leave of them. `nodeFilters` are label selectors: a node that any of
 * them matches is left out. The count of pods that nodes allow is not a resource. Throws SyntaxError for a malformed selector; amounts
 * that cannot be read count as absent.
 */
export function aggregateResources(
  nodes: Iterable<KubeObject>,
  pods: Iterable<KubeObject>,
  nodeFilters: readonly string[],
): ClusterResources {
  const read = quantityReader();
  const excluded = nodeFilters.map(parseLabelSelector);
  const allocatable: Amounts = new Map();
  let schedulableNodes = 0;
  for (const node of nodes) {
    const labels = node.metadata?.labels ?? {};
    if (!isSchedulable(node) || excluded.some((requirements) => matchesLabels(requirements, labels))) continue;
    schedulableNodes += 1;
    addAll(allocatable, amountsOf(node.status?.allocatable, read));
  }
  allocatable.delete('pods');
  const available: Amounts = new Map(allocatable);
  for (const pod of pods) {
    if (ENDED_PHASES.has(pod.status?.phase)) continue;
    for (const [name, amount] of podRequests(pod, read)) {
      const left = available.get(name);
      if (left) available.set(name, subtractQuantities(left, amount));
    }
  }
  return { schedulableNodes, allocatable: texts(allocatable), available: texts(available) };
}

/** Not cordoned, no taint that keeps pods away, and Ready where it says anything about that. */
function isSchedulable(node: KubeObject): boolean {
  if (node.spec?.unschedulable === true) return false;
  const taints: unknown[] = Array.isArray(node.spec?.taints) ? node.spec.taints : [];
  if (taints.some((taint) => isJsonObject(taint) && BLOCKING_EFFECTS.has(taint.effect))) return false;
  const conditions: unknown[] = Array.isArray(node.status?.conditions) ? node.status.conditions : [];
  const ready = conditions.find((condition) => isJsonObject(condition) && condition.type === 'Ready');
  return !isJsonObject(ready) || ready.status === 'True';
}

/** What a pod needs at its worst moment: all containers with the sidecars, or one init container with the sidecars started before it. */
function podRequests(pod: KubeObject, read: Reader): Amounts {
  const running: Amounts = new Map();
  for (const container of objects(pod.spec?.containers)) addAll(running, requestsOf(container, read));
  const sidecars: Amounts = new Map();
  const starting: Amounts = new Map();
  for (const container of objects(pod.spec?.initContainers)) {
    const requests = requestsOf(container, read);
    const moment: Amounts = new Map(sidecars);
    addAll(moment, requests);
    raiseAll(starting, moment);
    if (container.restartPolicy === 'Always') addAll(sidecars, requests);
  }
  addAll(running, sidecars);
  raiseAll(running, starting);
  addAll(running, amountsOf(pod.spec?.overhead, read));
  return running;
}

/** Requests, a missing one filled by the limit. */
function requestsOf(container: JsonObject, read: Reader): Amounts {
  const resources = isJsonObject(container.resources) ? container.resources : {};
  return new Map([...amountsOf(resources.limits, read), ...amountsOf(resources.requests, read)]);
}

function amountsOf(list: unknown, read: Reader): Amounts {
  const amounts: Amounts = new Map();
  if (!isJsonObject(list)) return amounts;
  for (const [name, text] of Object.entries(list)) {
    const amount = read(text);
    if (amount) amounts.set(name, amount);
  }
  return amounts;
}

function addAll(total: Amounts, more: Amounts): void {
  for (const [name, amount] of more) {
    const present = total.get(name);
    total.set(name, present ? addQuantities(present, amount) : amount);
  }
}

function raiseAll(total: Amounts, floor: Amounts): void {
  for (const [name, amount] of floor) {
    const present = total.get(name);
    if (!present || compareQuantities(present, amount) < 0) total.set(name, amount);
  }
}

function quantityReader(): Reader {
  const known = new Map<string, Quantity | undefined>();
  return (text) => {
    if (typeof text !== 'string' && typeof text !== 'number') return undefined;
    const key = String(text);
    if (!known.has(key)) known.set(key, parsedOrNothing(key));
    return known.get(key);
  };
}

function parsedOrNothing(text: string): Quantity | undefined {
  try {
    return parseQuantity(text);
  } catch {
    return undefined;
  }
}

function texts(amounts: Amounts): Record<string, string> {
  const sorted = [...amounts].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, amount]) => [name, formatQuantity(amount)]));
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
