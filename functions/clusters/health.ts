/** From probes to conditions, with damping: a cluster that flaps changes nothing, one that is really gone is said to be gone. Pure. */
import type { Condition } from '../../shared/machinery/object.ts';
import { formatTime } from '../../shared/machinery/time.ts';
import type { ClusterTimes } from './limits.ts';

/** What one probe found. */
export type Probe = { ready: 'True' | 'False' | 'Unknown'; offline: 'True' | 'False'; reason: string; message: string };

/** An observation that differs from what is published, and since when. */
export type Pending = { ready: Probe['ready']; since: number };

/** `publish`: what the conditions are to say; undefined while the published state stands. */
export type Damped = { publish: Probe | undefined; pending: Pending | undefined };

/** Decides whether an observation is published now. The first one always is; a flip in between starts the time anew. */
export function damp(
  published: Condition | undefined,
  observed: Probe,
  pending: Pending | undefined,
  now: number,
  times: Pick<ClusterTimes, 'offlineAfterMs' | 'onlineAfterMs'>,
): Damped {
  if (!published) return { publish: observed, pending: undefined };
  // The same state for another reason (first a timeout, then a refusal) is no flip, and no news worth a write.
  if (published.status === observed.ready) return { publish: undefined, pending: undefined };
  const since = pending?.ready === observed.ready ? pending.since : now;
  const threshold = observed.ready === 'True' ? times.onlineAfterMs : times.offlineAfterMs;
  if (now - since >= threshold) return { publish: observed, pending: undefined };
  return { publish: undefined, pending: { ready: observed.ready, since } };
}

/** Conditions with one changed. `lastTransitionTime` moves with the status only; `probedAt` (epoch ms) is when the cluster was last seen. */
export function withCondition(
  conditions: readonly Condition[],
  wanted: Pick<Condition, 'type' | 'status'> & { reason: string; message: string },
  now: number,
  probedAt: number,
): Condition[] {
  const old = conditions.find((condition) => condition.type === wanted.type);
  const lastTransitionTime = old?.status === wanted.status ? (old.lastTransitionTime ?? formatTime(now)) : formatTime(now);
  const next: Condition = { ...wanted, lastProbeTime: formatTime(probedAt), lastTransitionTime };
  if (!old) return [...conditions, next];
  return conditions.map((condition) => (condition.type === wanted.type ? next : condition));
}

/** The conditions Ready and Offline that a published probe makes. */
export function withProbe(conditions: readonly Condition[], probe: Probe, now: number, seenAt: number): Condition[] {
  const { reason, message } = probe;
  const ready = withCondition(conditions, { type: 'Ready', status: probe.ready, reason, message }, now, seenAt);
  return withCondition(ready, { type: 'Offline', status: probe.offline, reason, message }, now, seenAt);
}

/** Moves the probe times of healthy conditions, at most every `everyMs`: a write per minute and cluster, not per probe. */
export function refreshSeen(conditions: readonly Condition[], now: number, everyMs: number): Condition[] {
  const ready = conditions.find((condition) => condition.type === 'Ready');
  if (ready?.lastProbeTime !== undefined && now - Date.parse(ready.lastProbeTime) < everyMs) return [...conditions];
  return conditions.map((condition) => ({ ...condition, lastProbeTime: formatTime(now) }));
}

const READY: Probe = { ready: 'True', offline: 'False', reason: 'ClusterReady', message: 'Cluster is ready' };

/** What an answer of `/healthz` means. */
export function probeOf(health: { type: string; value?: string; message?: string }): Probe {
  if (health.type === 'rejected')
    return {
      ready: 'False',
      offline: 'False',
      reason: 'HealthzNotOK',
      message: `/healthz failed: ${(health.message ?? '').slice(0, 200)}`,
    };
  if (health.type !== 'ok')
    return { ready: 'Unknown', offline: 'True', reason: 'ClusterNotReachable', message: health.message ?? 'no answer' };
  if (health.value?.trim().toLowerCase() === 'ok') return READY;
  return {
    ready: 'False',
    offline: 'False',
    reason: 'HealthzNotOK',
    message: `/healthz answered ${(health.value ?? '').slice(0, 100)}`,
  };
}
