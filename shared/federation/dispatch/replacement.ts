/** Whether a healthy copy may go: not before another cluster runs one. */
import type { JsonObject } from '../../machinery/object.ts';
import type { DispatchRecord } from '../records.ts';

type Health = (status: JsonObject) => boolean;

const HEALTH_BY_KIND: Readonly<Record<string, Health>> = {
  'apps/Deployment': (status) => atLeastOne(status.availableReplicas),
  'apps/ReplicaSet': (status) => atLeastOne(status.availableReplicas),
  'apps/StatefulSet': (status) => atLeastOne(status.availableReplicas ?? status.readyReplicas),
  'apps/DaemonSet': (status) => atLeastOne(status.numberAvailable),
  '/Pod': (status) => isReady(status.conditions),
};

/**
 * True when nothing is lost by removing the copy: its kind serves nobody by itself, it is not healthy, or one of the `others` (records
 * of the clusters where the object is placed now) is.
 */
export function isReplacementReady(
  kind: { group: string; kind: string },
  own: DispatchRecord | undefined,
  others: readonly (DispatchRecord | undefined)[],
): boolean {
  const key = `${kind.group}/${kind.kind}`;
  const health = Object.hasOwn(HEALTH_BY_KIND, key) ? HEALTH_BY_KIND[key] : undefined;
  if (!health) return true;
  const isHealthy = (record: DispatchRecord | undefined): boolean =>
    record?.observed?.status !== undefined && health(record.observed.status);
  return !isHealthy(own) || others.some((record) => record?.state === 'OK' && isHealthy(record));
}

function atLeastOne(count: unknown): boolean {
  return typeof count === 'number' && count > 0;
}

function isReady(conditions: unknown): boolean {
  return Array.isArray(conditions) && conditions.some((condition) => condition?.type === 'Ready' && condition.status === 'True');
}
