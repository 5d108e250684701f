/** What one replica of a workload asks for, read from its pod template. */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { resourceAmounts } from '../clusters/facts.ts';
import { podSpecOf } from '../overrides/pod-spec.ts';
import type { ResourceAmounts } from '../snapshot.ts';
import { KATALYST_PREFIX } from './filters/resources.ts';
import { GPU } from './replicas/weights.ts';

type Container = { resources?: { requests?: JsonObject; limits?: JsonObject } };

/**
 * The request of one pod: the larger of the containers' sum and each init container, plus overhead; a missing request is the limit.
 * Empty for kinds without a pod template, and where nothing is asked for.
 */
export function podRequest(template: KubeObject): ResourceAmounts {
  const spec = podSpecOf(template)?.spec;
  const request: ResourceAmounts = {};
  if (!spec) return request;
  for (const container of containersOf(spec.containers)) add(request, containerRequest(container));
  for (const container of containersOf(spec.initContainers)) {
    for (const [resource, amount] of Object.entries(containerRequest(container)))
      request[resource] = Math.max(request[resource] ?? 0, amount);
  }
  add(request, resourceAmounts(spec.overhead));
  return request;
}

/** The part of a request that filters and scores count, as KubeAdmiral does: GPUs, and Katalyst's resources where a profile asks for them. */
export function scheduledRequest(request: ResourceAmounts, options: { katalyst: boolean }): ResourceAmounts {
  const counted: ResourceAmounts = {};
  for (const resource of Object.keys(request)) {
    const amount = request[resource] ?? 0;
    if (amount > 0 && (resource === GPU || (options.katalyst && resource.startsWith(KATALYST_PREFIX))))
      counted[resource] = amount;
  }
  return counted;
}

/** How many more replicas fit into what is free; undefined when a replica asks for nothing. */
export function fittingReplicas(request: ResourceAmounts, available: ResourceAmounts): number | undefined {
  let fitting: number | undefined;
  for (const resource of Object.keys(request)) {
    const amount = request[resource] ?? 0;
    if (amount <= 0) continue;
    const count = Math.max(Math.floor((available[resource] ?? 0) / amount), 0);
    if (fitting === undefined || count < fitting) fitting = count;
  }
  return fitting;
}

function containerRequest({ resources }: Container): ResourceAmounts {
  return resourceAmounts({ ...resources?.limits, ...resources?.requests });
}

function containersOf(containers: unknown): Container[] {
  return Array.isArray(containers) ? containers : [];
}

function add(sum: ResourceAmounts, amounts: ResourceAmounts): void {
  for (const [resource, amount] of Object.entries(amounts)) sum[resource] = (sum[resource] ?? 0) + amount;
}
