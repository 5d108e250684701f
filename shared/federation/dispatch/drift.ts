/** How often somebody else changed fields of ours, and when we stop putting them back. */
import type { DispatchRecord } from '../records.ts';

/** Drift is counted over this time. */
export const DRIFT_WINDOW_MS = 10 * 60_000;

/** Times within the window at which fields were put back. */
export function recentDrifts(record: DispatchRecord, now: number): number[] {
  return (record.drifts ?? []).filter((at) => at > now - DRIFT_WINDOW_MS);
}

/** When the oldest counted drift leaves the window: until then a dispute rests. */
export function disputeEndsAt(record: DispatchRecord): number {
  return Math.min(...(record.drifts ?? [0])) + DRIFT_WINDOW_MS;
}
