/** Deletion as kube-apiserver plans it: grace periods, finalizers, garbage-collection policies, namespaces (reference: Delete). */
import type { Condition, KubeObject, ObjectMeta } from '../machinery/object.ts';
import { formatTime, parseTime } from '../machinery/time.ts';
import { withCondition } from './custom/conditions.ts';
import { CLEANUP_FINALIZER } from './custom/crd.ts';
import type { ResourceDefinition } from './definition.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from './validation/metadata.ts';

/** `DeleteOptions` of a request; `preconditions` are the caller's to check, against what is stored. */
export type DeleteOptions = {
  gracePeriodSeconds?: number;
  propagationPolicy?: string;
  orphanDependents?: boolean;
  preconditions?: { uid?: string; resourceVersion?: string };
};

/** `remove`: take it away, `object` is its last state. `mark`: store `object`, somebody finishes later. `unchanged`: deletion runs already. */
export type DeletePlan = { type: 'remove' | 'mark' | 'unchanged'; object: KubeObject };

/** What a DELETE does to an object. `now` in epoch ms; `object` is taken over. */
export function planDelete(definition: ResourceDefinition, object: KubeObject, options: DeleteOptions, now: number): DeletePlan {
  if (isNamespace(definition) && namespaceFinalizers(object) > 0) return terminateNamespace(definition, object, options, now);
  if (isCrd(definition) && !object.metadata.deletionTimestamp) return terminateCrd(object, now);
  const { metadata } = object;
  const grace = definition.gracePeriodSeconds ? applyGrace(definition, object, options, now) : undefined;
  if (grace?.type === 'pending') return { type: 'unchanged', object };
  setCollectorFinalizers(definition, metadata, options);
  const waits = (metadata.finalizers ?? []).length > 0;
  if (grace) return { type: waits || grace.seconds > 0 ? 'mark' : 'remove', object };
  if (!waits) return { type: 'remove', object };
  markDeleting(metadata, now);
  return { type: 'mark', object };
}

/** Is this the last write of an object: in deletion, its grace over, no finalizer left? A namespace also needs its content gone. */
export function mustRemove(definition: ResourceDefinition, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (!deletionTimestamp || deletionGracePeriodSeconds > 0 || finalizers.length > 0) return false;
  return !isNamespace(definition) || namespaceFinalizers(object) === 0;
}

function isNamespace({ group, kind }: ResourceDefinition): boolean {
  return group === '' && kind === 'Namespace';
}

function isCrd({ group, kind }: ResourceDefinition): boolean {
  return group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition';
}

/** A CustomResourceDefinition stays until its instances are gone (functions/sweeper/crd.ts). Propagation policies do not count. */
function terminateCrd(object: KubeObject, now: number): DeletePlan {
  const { metadata } = object;
  const time = formatTime(now);
  metadata.deletionTimestamp = time;
  metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), CLEANUP_FINALIZER])];
  const conditions = withCondition((object.status?.conditions ?? []) as Condition[], MARKED_FOR_DELETION, time);
  object.status = { ...object.status, conditions };
  return { type: 'mark', object };
}

const MARKED_FOR_DELETION = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will be in progress soon',
} as const;

function namespaceFinalizers(namespace: KubeObject): number {
  const finalizers: unknown = namespace.spec?.finalizers;
  return Array.isArray(finalizers) ? finalizers.length : 0;
}

/** A namespace with content finalizers stays, in phase Terminating, until `/finalize` empties them. */
function terminateNamespace(definition: ResourceDefinition, object: KubeObject, options: DeleteOptions, now: number): DeletePlan {
  if (object.metadata.deletionTimestamp) return { type: 'unchanged', object };
  object.metadata.deletionTimestamp = formatTime(now);
  object.status = { ...object.status, phase: 'Terminating' };
  setCollectorFinalizers(definition, object.metadata, options);
  return { type: 'mark', object };
}

type Grace = { type: 'pending' } | { type: 'marked'; seconds: number };

/** Deletion of a graceful kind. Undefined: its grace was over before, so that only finalizers can hold it. */
function applyGrace(definition: ResourceDefinition, object: KubeObject, options: DeleteOptions, now: number): Grace | undefined {
  const { metadata } = object;
  const asked = options.gracePeriodSeconds === undefined ? undefined : atLeastOneSecond(options.gracePeriodSeconds);
  if (metadata.deletionTimestamp) return shortenGrace(metadata, asked, now);
  const own = definition.gracePeriodSeconds?.(object);
  // What nobody runs goes at once: then the asked period does not count either.
  const seconds = own === undefined ? 0 : (asked ?? atLeastOneSecond(own));
  metadata.deletionTimestamp = formatTime(now + seconds * 1000);
  metadata.deletionGracePeriodSeconds = seconds;
  if (metadata.generation) metadata.generation += 1;
  return { type: 'marked', seconds };
}

/** A second delete may only shorten the grace period. */
function shortenGrace(metadata: ObjectMeta, asked: number | undefined, now: number): Grace | undefined {
  const current = metadata.deletionGracePeriodSeconds ?? 0;
  if (current === 0) return undefined;
  if (asked === undefined || asked >= current) return { type: 'pending' };
  const startedAt = parseTime(metadata.deletionTimestamp ?? '') - current * 1000;
  const endsAt = startedAt + asked * 1000;
  const isPast = endsAt < now;
  metadata.deletionTimestamp = formatTime(isPast ? now : endsAt);
  metadata.deletionGracePeriodSeconds = isPast && asked !== 0 ? 1 : asked;
  return { type: 'marked', seconds: asked };
}

const atLeastOneSecond = (seconds: number): number => (seconds < 0 ? 1 : seconds);

function markDeleting(metadata: ObjectMeta, now: number): void {
  if (!metadata.deletionTimestamp && metadata.generation) metadata.generation += 1;
  if (!metadata.deletionTimestamp || parseTime(metadata.deletionTimestamp) > now) metadata.deletionTimestamp = formatTime(now);
  metadata.deletionGracePeriodSeconds = 0;
}

/** Puts `orphan` or `foregroundDeletion` among the finalizers, or takes them out, as policy and kind say. Events take neither. */
function setCollectorFinalizers(definition: ResourceDefinition, metadata: ObjectMeta, options: DeleteOptions): void {
  const before = metadata.finalizers ?? [];
  const others = before.filter((finalizer) => finalizer !== ORPHAN_FINALIZER && finalizer !== FOREGROUND_FINALIZER);
  const policy = policyOf(definition, before, options);
  const finalizers = [
    ...others,
    ...(policy === 'Orphan' ? [ORPHAN_FINALIZER] : []),
    ...(policy === 'Foreground' ? [FOREGROUND_FINALIZER] : []),
  ];
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
}

function policyOf(definition: ResourceDefinition, finalizers: readonly string[], options: DeleteOptions): string {
  if (definition.kind === 'Event' && (definition.group === '' || definition.group === 'events.k8s.io')) return 'Background';
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background';
  if (options.propagationPolicy !== undefined && options.propagationPolicy !== '') return options.propagationPolicy;
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  if (finalizers.includes(FOREGROUND_FINALIZER)) return 'Foreground';
  return definition.defaultDeletion;
}
