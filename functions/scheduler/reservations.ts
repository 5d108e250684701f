/**
 * What was placed on a cluster and is not yet in its reported capacity: without it, a burst of objects piles onto the cluster that looked emptiest
 * a minute ago. Kept per process and for a short time; on several processes each knows its own part, and expiry bounds the error.
 */
import type { ClusterFacts, Placement, ResourceAmounts } from '../../shared/federation/snapshot.ts';
import { REPORT_LAG_MS, RESERVATION_KEPT_MS, RESERVATIONS_PER_CLUSTER_MAX } from './limits.ts';

export type Reservations = {
  /** Notes what a committed plan adds to each cluster: replicas beyond those before, times what one replica asks for. */
  add(placed: {
    owner: string;
    request: ResourceAmounts;
    before: ReadonlyMap<string, number>;
    placements: readonly Placement[];
    clusters: readonly ClusterFacts[];
    now: number;
  }): void;
  /** Amounts to subtract, by cluster, without those of `owner` itself (its own pods are part of what it asks for again). */
  amounts(clusters: readonly ClusterFacts[], owner: string, now: number): ReadonlyMap<string, ResourceAmounts>;
};

type Reservation = { owner: string; amounts: ResourceAmounts; at: number; reported: string };

/** An empty ledger. */
export function createReservations(): Reservations {
  const ledger = new Map<string, Reservation[]>();
  return {
    add({ owner, request, before, placements, clusters, now }) {
      const versions = new Map(clusters.map((cluster) => [cluster.name, cluster.resourceVersion]));
      for (const { cluster, replicas } of placements) {
        const added = (replicas ?? 0) - (before.get(cluster) ?? 0);
        if (added <= 0) continue;
        const list = ledger.get(cluster) ?? [];
        list.push({ owner, amounts: times(request, added), at: now, reported: versions.get(cluster) ?? '' });
        if (list.length > RESERVATIONS_PER_CLUSTER_MAX) list.shift();
        ledger.set(cluster, list);
      }
    },
    amounts(clusters, owner, now) {
      const sums = new Map<string, ResourceAmounts>();
      for (const cluster of clusters) {
        const list = ledger.get(cluster.name);
        if (!list) continue;
        const live = list.filter((reservation) => isLive(reservation, cluster, now));
        if (live.length === 0) ledger.delete(cluster.name);
        else if (live.length < list.length) ledger.set(cluster.name, live);
        const others = live.filter((reservation) => reservation.owner !== owner);
        if (others.length > 0) sums.set(cluster.name, sum(others));
      }
      return sums;
    },
  };
}

/** Dropped once the cluster has reported anew late enough for the pods to be counted, or after a minute in any case. */
function isLive({ at, reported }: Reservation, cluster: ClusterFacts, now: number): boolean {
  if (now - at > RESERVATION_KEPT_MS) return false;
  return cluster.resourceVersion === reported || now - at < REPORT_LAG_MS;
}

function times(request: ResourceAmounts, count: number): ResourceAmounts {
  return Object.fromEntries(Object.entries(request).map(([name, amount]) => [name, amount * count]));
}

function sum(reservations: readonly Reservation[]): ResourceAmounts {
  const total: ResourceAmounts = {};
  for (const { amounts } of reservations)
    for (const [name, amount] of Object.entries(amounts)) total[name] = (total[name] ?? 0) + amount;
  return total;
}
