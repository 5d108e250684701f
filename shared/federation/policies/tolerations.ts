/** Taints and tolerations as core/v1 has them. `tolerationSeconds` is not looked at: nothing is evicted by a timer here. */

/** core/v1 Toleration. */
export type Toleration = { key?: string; operator?: string; value?: string; effect?: string; tolerationSeconds?: number };

/** core/v1 Taint. */
export type Taint = { key: string; value?: string; effect: string };

/** True when the toleration covers the taint: an empty effect covers all effects, an empty key with Exists all taints. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === 'Exists') return true;
  if (toleration.operator && toleration.operator !== 'Equal') return false;
  return (toleration.value ?? '') === (taint.value ?? '');
}

/** The first taint with one of these effects that nothing tolerates. */
export function untoleratedTaint(
  taints: readonly Taint[],
  effects: ReadonlySet<string>,
  tolerations: readonly Toleration[],
): Taint | undefined {
  for (const taint of taints) {
    if (!effects.has(taint.effect)) continue;
    if (!tolerations.some((toleration) => tolerates(toleration, taint))) return taint;
  }
  return undefined;
}

/** `dedicated=gpu:NoSchedule`, as kubectl prints a taint. */
export function formatTaint({ key, value, effect }: Taint): string {
  return value ? `${key}=${value}:${effect}` : `${key}:${effect}`;
}
