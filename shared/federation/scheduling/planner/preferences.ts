/** Planner inputs by cluster name, as policies and presets write them. */
import type { WeightedCluster } from './weighted.ts';

/** What is wished for one cluster; the name `*` stands for every cluster that has no entry. */
export type ReplicaPreference = { weight?: number; minReplicas?: number; maxReplicas?: number };

type Counts = Readonly<Record<string, number>>;

/** What is known of the clusters, by name. */
export type ClusterCounts = { current: Counts; estimated: Counts; limited: Counts };

/** Resolves preferences for the clusters that are available: its own, else the wildcard's, else the cluster is left out. */
export function weightedClusters(
  preferences: Readonly<Record<string, ReplicaPreference>>,
  available: readonly string[],
  counts: ClusterCounts,
): WeightedCluster[] {
  const clusters: WeightedCluster[] = [];
  for (const name of available) {
    const own = read(preferences, name);
    const preference = own ?? read(preferences, '*');
    if (!preference) continue;
    clusters.push({
      name,
      weight: preference.weight ?? 0,
      min: preference.minReplicas ?? 0,
      max: preference.maxReplicas,
      growMax: own?.maxReplicas,
      current: read(counts.current, name) ?? 0,
      estimated: read(counts.estimated, name),
      limited: read(counts.limited, name),
    });
  }
  return clusters;
}

function read<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
