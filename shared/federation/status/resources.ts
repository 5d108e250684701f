/** Status of Services, Ingresses, PersistentVolumeClaims, and of any kind that has no rule of its own. */
import { canonicalJson } from '../../machinery/canonical.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import { compareQuantities, parseQuantity } from '../../machinery/quantity.ts';
import { isJsonObject } from '../overrides/pod-spec.ts';
import { mergedConditions } from './conditions.ts';
import { type AggregateContext, type Member, objectsIn, observedGeneration } from './context.ts';
import { onlyStatus } from './workloads.ts';

/** Worst first. */
const CLAIM_PHASES = ['Lost', 'Pending', 'Bound'];

/** The load balancers of all clusters, each address once, in the order of the clusters' names; conditions of a Service merged. */
export function aggregateLoadBalancer(context: AggregateContext): JsonObject {
  const ingress = context.members.flatMap(({ status }) => objectsIn((status.loadBalancer as JsonObject | undefined)?.ingress));
  const distinct = [...new Map(ingress.map((address) => [canonicalJson(address), address])).values()];
  return { loadBalancer: distinct.length === 0 ? {} : { ingress: distinct }, ...mergedConditions(context) };
}

/** The worst phase; the smallest capacity, which is what a pod can rely on wherever it runs. */
export function aggregateClaim(context: AggregateContext): JsonObject {
  const { members } = context;
  const phases = members.map(({ status }) => status.phase);
  const phase = CLAIM_PHASES.find((candidate) => phases.includes(candidate));
  const accessModes = members.find(({ status }) => Array.isArray(status.accessModes))?.status.accessModes;
  const capacity = smallestCapacity(members);
  return {
    ...(phase === undefined ? {} : { phase: context.silent.length > 0 && phase === 'Bound' ? 'Pending' : phase }),
    ...(accessModes === undefined ? {} : { accessModes }),
    ...(Object.keys(capacity).length === 0 ? {} : { capacity }),
    ...mergedConditions(context),
  };
}

/** An only member's status as it is; of several the conditions and the generation, on top of what the source has. */
export function aggregateAny(context: AggregateContext): JsonObject {
  const { members, source } = context;
  const before = (source.status ?? {}) as JsonObject;
  if (members.length === 0) return before;
  const [only] = members;
  if (only && members.length === 1 && context.silent.length === 0) return onlyStatus(only.status, context);
  const hasGeneration = members.some(({ status }) => status.observedGeneration !== undefined);
  const generation = hasGeneration ? { observedGeneration: observedGeneration(context) } : {};
  const { conditions: _conditions, ...rest } = before;
  return { ...rest, ...generation, ...mergedConditions(context) };
}

function smallestCapacity(members: readonly Member[]): JsonObject {
  const smallest: Record<string, string> = {};
  for (const { status } of members) {
    if (!isJsonObject(status.capacity)) continue;
    for (const [name, amount] of Object.entries(status.capacity)) {
      const present = Object.hasOwn(smallest, name) ? smallest[name] : undefined;
      if (isAmount(amount) && (present === undefined || compareQuantities(parseQuantity(amount), parseQuantity(present)) < 0))
        smallest[name] = amount;
    }
  }
  return smallest;
}

function isAmount(value: JsonValue | undefined): value is string {
  if (typeof value !== 'string') return false;
  try {
    parseQuantity(value);
    return true;
  } catch {
    // A member of another version may write what this one cannot read: it does not count.
    return false;
  }
}
