/** The observed part of a dispatch record: what a member's copy says of itself. */
import { deepEqual } from '../../machinery/equality.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { ownedDigest } from '../dispatch/ownership.ts';
import { DECISION_ANNOTATION } from '../keys.ts';
import type { DispatchRecord } from '../records.ts';
import { collectedPaths, collectFields } from './collect.ts';

export type Observed = NonNullable<DispatchRecord['observed']>;

/** Reads a copy. `typeConfig` names the fields to collect; `now` in epoch ms; `retained`: paths that members decide, as in the record. */
export function observedOf(typeConfig: KubeObject, copy: KubeObject, now: number, retained: readonly string[]): Observed {
  const paths = collectedPaths(typeConfig);
  const { collected, missing } = paths ? collectFields(copy, paths) : { collected: undefined, missing: [] };
  const decision = Number(copy.metadata.annotations?.[DECISION_ANNOTATION]);
  const owned = ownedDigest(copy, retained);
  return {
    at: now,
    ...(copy.status === undefined ? {} : { status: copy.status as JsonObject }),
    ...(collected ? { collected } : {}),
    ...(missing.length > 0 ? { missing } : {}),
    ...(copy.metadata.generation === undefined ? {} : { generation: copy.metadata.generation }),
    ...(Number.isSafeInteger(decision) ? { decision } : {}),
    ...(owned === undefined ? {} : { owned }),
  };
}

/** True when two reports differ in nothing but their time. */
export function isSameReport(before: Observed | undefined, after: Observed): boolean {
  if (!before) return false;
  const { at: _before, ...a } = before;
  const { at: _after, ...b } = after;
  return deepEqual(a, b);
}
