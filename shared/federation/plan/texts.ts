/** Placements in words: conditions, events, and the one line for the terminal. */
import type { FollowRef, Placement } from '../snapshot.ts';

/** So many clusters are named in a sentence; the rest is counted. */
const CLUSTERS_NAMED_MAX = 8;

/** `30 replicas: us-1 21, eu-1 6, ap-1 3`; fewer than asked for: `27 of 30 replicas: ...`; without a division: `3 clusters: ap-1, eu-1, us-1`. */
export function placementText(placements: readonly Placement[], replicas: number | undefined): string {
  const divided = placements.some((placement) => placement.replicas !== null);
  const named = largest(placements).map((placement) =>
    divided ? `${placement.cluster} ${placement.replicas ?? 'all'}` : placement.cluster,
  );
  const rest = placements.length - named.length;
  const list = rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
  if (!divided) return `${count(placements.length, 'cluster')}: ${list}`;
  const placed = placedReplicas(placements);
  const total =
    replicas === undefined || placed === replicas ? count(placed, 'replica') : `${placed} of ${count(replicas, 'replica')}`;
  return `${total}: ${list}`;
}

/** `9 -> eu-1 2  us-1 6  ap-1 1`; every cluster the same: `9 each -> ap-1  eu-1`. */
export function summaryText(placements: readonly Placement[], replicas: number | undefined, outcome: string): string {
  if (placements.length === 0) return `nowhere: ${outcome}`;
  const divided = placements.some((placement) => placement.replicas !== null);
  const named = largest(placements).map((placement) =>
    divided ? `${placement.cluster} ${placement.replicas ?? 'all'}` : placement.cluster,
  );
  const rest = placements.length - named.length;
  const list = rest > 0 ? `${named.join('  ')}  and ${rest} more` : named.join('  ');
  if (divided) return `${replicas ?? placedReplicas(placements)} -> ${list}`;
  return replicas === undefined ? `-> ${list}` : `${replicas} each -> ${list}`;
}

/** Sum of the replicas that are counted. */
export function placedReplicas(placements: readonly Placement[]): number {
  let sum = 0;
  for (const { replicas } of placements) sum += replicas ?? 0;
  return sum;
}

/** `Deployment web`. */
export function leaderText({ kind, name }: FollowRef): string {
  return `${kind} ${name}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** The largest placements first, ties by name; found without sorting all. */
function largest(placements: readonly Placement[]): Placement[] {
  const top: Placement[] = [];
  for (const placement of placements) {
    const last = top[CLUSTERS_NAMED_MAX - 1];
    if (last && byReplicasThenName(last, placement) <= 0) continue;
    top.push(placement);
    top.sort(byReplicasThenName);
    if (top.length > CLUSTERS_NAMED_MAX) top.pop();
  }
  return top;
}

function byReplicasThenName(a: Placement, b: Placement): number {
  return (b.replicas ?? 0) - (a.replicas ?? 0) || (a.cluster < b.cluster ? -1 : 1);
}
