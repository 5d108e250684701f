/**
 * What a new Pod is given beyond its defaults: its first status, and what kube-apiserver's standard admission plugins add (ServiceAccount,
 * Priority, DefaultTolerationSeconds). No token volume: nothing here would read it.
 */
import type { KubeObject } from '../../machinery/object.ts';
import { compareQuantities, parseQuantity } from '../../machinery/quantity.ts';
import { fill, fillEmpty, type Struct, struct } from '../defaults/fill.ts';
import { list } from '../printing/columns.ts';

const NODE_FAULT_SECONDS = 300;
/** Classes that every cluster has; others are looked up by whoever schedules. */
const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

export function preparePod(pod: KubeObject): void {
  const spec = struct(pod, 'spec');
  fillEmpty(spec, { serviceAccountName: 'default' });
  spec.serviceAccount = spec.serviceAccountName;
  fill(spec, { priority: SYSTEM_PRIORITIES.get(spec.priorityClassName ?? '') ?? 0, preemptionPolicy: 'PreemptLowerPriority' });
  tolerateNodeFaults(spec);
  const gates = list(spec.schedulingGates);
  pod.status = {
    phase: 'Pending',
    ...(gates.length > 0 ? { conditions: [GATED] } : {}),
    qosClass: qosClassOf(spec),
  };
}

const GATED = {
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
} as const;

/** Pods stay 5 minutes on a node that does not answer, unless they say otherwise. */
function tolerateNodeFaults(spec: Struct): void {
  const tolerations = list(spec.tolerations);
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    const isCovered = tolerations.some(
      (each) => (!each?.key || each.key === key) && (!each?.effect || each.effect === 'NoExecute'),
    );
    if (!isCovered) tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: NODE_FAULT_SECONDS });
  }
  spec.tolerations = tolerations;
}

const COMPUTE = ['cpu', 'memory'] as const;

/** Guaranteed: every container limits cpu and memory, and asks for all of it. BestEffort: none asks for any. Else Burstable. */
function qosClassOf(spec: Struct): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...list(spec.containers), ...list(spec.initContainers)];
  const asks = containers.some((container) =>
    COMPUTE.some(
      (resource) =>
        isPositive(container?.resources?.requests?.[resource]) || isPositive(container?.resources?.limits?.[resource]),
    ),
  );
  if (!asks) return 'BestEffort';
  const isFull = containers.every((container) =>
    COMPUTE.every((resource) => {
      const limit = container?.resources?.limits?.[resource];
      const request = container?.resources?.requests?.[resource] ?? limit;
      return isPositive(limit) && isSame(limit, request);
    }),
  );
  return isFull ? 'Guaranteed' : 'Burstable';
}

function isPositive(amount: unknown): boolean {
  return amount !== undefined && isReadable(amount) && compareQuantities(parseQuantity(String(amount)), parseQuantity('0')) > 0;
}

function isSame(a: unknown, b: unknown): boolean {
  return isReadable(a) && isReadable(b) && compareQuantities(parseQuantity(String(a)), parseQuantity(String(b))) === 0;
}

/** Amounts are checked after this step: what cannot be read counts as nothing. */
function isReadable(amount: unknown): boolean {
  try {
    parseQuantity(String(amount));
    return true;
  } catch {
    return false;
  }
}
