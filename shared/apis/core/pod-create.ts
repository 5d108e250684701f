/** What a new Pod is given beyond its defaults: its first status. What admission plugins add is in apiserver/admission. */
import type { KubeObject } from '../../machinery/object.ts';
import { compareQuantities, parseQuantity } from '../../machinery/quantity.ts';
import { type Struct, struct } from '../defaults/fill.ts';
import { list } from '../printing/columns.ts';

export function preparePod(pod: KubeObject): void {
  const spec = struct(pod, 'spec');
  // The old name of the same field, which upstream keeps filled.
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
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
