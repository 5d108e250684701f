/** What a FederatedObject says of the present placement. */
import type { KubeObject } from '../../machinery/object.ts';
import { SCHEDULER_CONTROLLER } from '../keys.ts';
import type { ClusterOverride } from '../snapshot.ts';

/** One entry of `spec.placements` and of `spec.overrides`. */
export type PlacementEntry = { controller: string; placement: { cluster: string }[] };
export type OverrideEntry = { controller: string; clusters: ClusterOverride[] };

/** `spec` of a (Cluster)FederatedObject. */
export type FederatedSpec = {
  template: KubeObject;
  placements?: PlacementEntry[];
  overrides?: OverrideEntry[];
  follows?: { group?: string; kind: string; namespace?: string; name: string }[];
};

/** Clusters of all controllers; one may come up more than once. */
export function placedClusters({ placements = [] }: FederatedSpec): string[] {
  return placements.flatMap(({ placement }) => placement.map(({ cluster }) => cluster));
}

/** Clusters that one controller placed the object on. */
export function placedBy(federated: KubeObject | undefined, controller: string): string[] {
  const entries = (federated?.spec?.placements ?? []) as PlacementEntry[];
  return entries
    .filter((entry) => entry.controller === controller)
    .flatMap(({ placement }) => placement.map(({ cluster }) => cluster));
}

/** Clusters that the scheduler placed the object on, with their replicas; null where the template's own count holds. */
export function scheduledReplicas(
  federated: KubeObject | undefined,
  replicasPath: string | undefined,
): Map<string, number | null> {
  const current = new Map<string, number | null>();
  for (const cluster of placedBy(federated, SCHEDULER_CONTROLLER)) current.set(cluster, null);
  if (current.size === 0 || !replicasPath) return current;
  const pointer = replicasPointer(replicasPath);
  for (const { controller, clusters } of (federated?.spec?.overrides ?? []) as OverrideEntry[]) {
    if (controller !== SCHEDULER_CONTROLLER) continue;
    for (const { cluster, patches } of clusters) {
      const patch = patches.find(({ op, path }) => path === pointer && (op === 'replace' || op === ''));
      if (typeof patch?.value === 'number' && current.has(cluster)) current.set(cluster, patch.value);
    }
  }
  return current;
}

/** `/spec/replicas` for `spec.replicas`. */
export function replicasPointer(path: string): string {
  return `/${path.split('.').join('/')}`;
}
