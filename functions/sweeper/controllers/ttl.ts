/** Deletes Jobs that ended `ttlSecondsAfterFinished` ago (pkg/controller/ttlafterfinished). */
import type { ObjectRef } from '../../../shared/apis/stored.ts';
import type { Condition, KubeObject } from '../../../shared/machinery/object.ts';
import { done, type ReconcileResult, requeueAfter } from '../../../shared/runtime/reconcile.ts';
import { WRITE_RETRY_MS } from '../limits.ts';
import type { ControlDeps } from './controller.ts';
import { isCopy } from './placed.ts';
import { remove } from './write.ts';

/** `object` is the Job. Its pods go with it. */
export async function reconcileTtl(deps: ControlDeps, ref: ObjectRef): Promise<ReconcileResult> {
  const job = await deps.reader.get(ref);
  if (!job || job.object.metadata.deletionTimestamp !== undefined) return done('gone or going');
  // Who deletes a copy here gets it back, and the work with it: the control plane deletes it with its source.
  if (isCopy(job.object)) return done('the control plane decides');
  const due = expiryOf(job.object);
  if (due === undefined) return done('does not expire');
  const left = due - deps.clock.now();
  if (left > 0) return requeueAfter(left, 'not due yet');
  return (await remove(deps, job)) ? done('expired') : requeueAfter(WRITE_RETRY_MS, 'changed meanwhile');
}

/** When a Job is to go (epoch ms); undefined: it has not ended, or stays. Pure. */
export function expiryOf({ spec, status }: KubeObject): number | undefined {
  const seconds: unknown = spec?.ttlSecondsAfterFinished;
  if (typeof seconds !== 'number') return undefined;
  const ended = ((status?.conditions ?? []) as Condition[]).find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
  const at = Date.parse(ended?.lastTransitionTime ?? '');
  return Number.isNaN(at) ? undefined : at + seconds * 1000;
}
