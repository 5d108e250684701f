/** The arithmetic of a Deployment's rolling update, as kube-controller-manager does it: how many replicas the new and the old ReplicaSets get. */

/** `maxSurge` and `maxUnavailable`, resolved: surge rounds up, unavailable down, and never both zero (upstream ResolveFenceposts). */
export function resolveLimits(
  replicas: number,
  maxSurge: number | string,
  maxUnavailable: number | string,
): { surge: number; unavailable: number } {
  const surge = resolve(maxSurge, replicas, Math.ceil);
  const unavailable = resolve(maxUnavailable, replicas, Math.floor);
  return surge === 0 && unavailable === 0 ? { surge: 0, unavailable: 1 } : { surge, unavailable };
}

function resolve(value: number | string, total: number, round: (x: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value);
  return percent ? round((Number(percent[1]) * total) / 100) : 0;
}

/** One ReplicaSet's size: `spec` wanted, `current` made, `available` of them. */
export type Size = { spec: number; current: number; available: number };

export type RollingStep = { newReplicas: number; oldReplicas: number[] };

/**
 * One step from (new, olds) towards `replicas` of the new one. Old ReplicaSets come oldest first.
 * Repeating the step as pods become available ends with all olds at zero.
 */
export function rollingStep(
  replicas: number,
  limits: { surge: number; unavailable: number },
  fresh: Size,
  olds: readonly Size[],
): RollingStep {
  const oldReplicas = olds.map((old) => old.spec);
  const total = fresh.spec + sum(oldReplicas);
  if (fresh.spec > replicas) return { newReplicas: replicas, oldReplicas };
  const room = replicas + limits.surge - total;
  if (fresh.spec < replicas && room > 0) return { newReplicas: Math.min(replicas, fresh.spec + room), oldReplicas };
  return { newReplicas: fresh.spec, oldReplicas: scaleDownOld(replicas, limits.unavailable, fresh, olds) };
}

function scaleDownOld(replicas: number, unavailableMax: number, fresh: Size, olds: readonly Size[]): number[] {
  const minAvailable = replicas - unavailableMax;
  const freshUnavailable = fresh.spec - fresh.available;
  // All pods beyond the minimum that the new ones do not need as reserve may go; those that are not available go first, at no cost.
  let budget = sum(olds.map((old) => old.spec)) + fresh.spec - minAvailable - freshUnavailable;
  const left = olds.map((old) => old.spec);
  olds.forEach((old, i) => {
    const sick = Math.max(0, Math.min(old.spec, old.spec - old.available, budget));
    left[i] = old.spec - sick;
    budget -= sick;
  });
  const available = fresh.available + sum(olds.map((old) => old.available));
  let healthy = Math.max(0, Math.min(budget, available - minAvailable));
  olds.forEach((_old, i) => {
    const cut = Math.min(left[i] ?? 0, healthy);
    left[i] = (left[i] ?? 0) - cut;
    healthy -= cut;
  });
  return left;
}

/** Spreads a changed total over several live ReplicaSets by their share (upstream's proportional scaling); the largest takes the rest. */
export function proportional(total: number, sizes: readonly number[]): number[] {
  const before = sum(sizes);
  if (before === 0) return sizes.map((_size, i) => (i === sizes.length - 1 ? total : 0));
  const scaled = sizes.map((size) => Math.round((size * total) / before));
  const largest = sizes.indexOf(Math.max(...sizes));
  scaled[largest] = Math.max(0, (scaled[largest] ?? 0) + total - sum(scaled));
  return scaled;
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
