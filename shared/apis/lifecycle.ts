/**
 * What happens to an object around a write, as kube-apiserver's generic registry does it (reference: CRUD semantics): identity that
 * only the server sets, the generation, which part a subresource may change, and when an object in deletion goes.
 * Pure: times and ids are arguments. Arguments named `object` are taken over and returned changed.
 */
import { deepEqual } from '../machinery/equality.ts';
import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from '../machinery/object.ts';
import { deletePath, getPath, setPath } from '../machinery/paths.ts';
import { formatTime } from '../machinery/time.ts';
import type { ResourceDefinition } from './definition.ts';

export { type DeleteOptions, type DeletePlan, mustRemove, planDelete } from './deletion.ts';
export { validateObjectMeta } from './validation/metadata.ts';

/**
 * Completes an object that is about to be created: defaults, identity, generation 1 where the kind counts it, no status of the
 * creator's. Its name is set already. `now` in epoch ms.
 */
export function prepareCreate(
  definition: ResourceDefinition,
  object: KubeObject,
  { now, uid }: { now: number; uid: string },
): KubeObject {
  const { metadata } = object;
  for (const field of SERVER_FIELDS) delete metadata[field];
  delete (metadata as { selfLink?: string }).selfLink;
  metadata.uid = uid;
  metadata.creationTimestamp = formatTime(now);
  if (definition.generation) metadata.generation = 1;
  if (definition.status && definition.statusOnCreate !== true) delete object.status;
  definition.strategy.applyDefaults?.(object);
  definition.strategy.prepareForCreate?.(object, now);
  dropEmptyMetadata(metadata);
  return object;
}

/**
 * Completes an object that is about to replace `old`: keeps identity and what this subresource may not change ('' is the object itself),
 * and counts the generation. `now` in epoch ms. `old` is not changed.
 */
export function prepareUpdate(
  definition: ResourceDefinition,
  object: KubeObject,
  old: KubeObject,
  { now, subresource }: { now: number; subresource: string },
): KubeObject {
  const next = restrictTo(definition, object, old, subresource);
  keepIdentity(next.metadata, old.metadata);
  definition.strategy.applyDefaults?.(next);
  if (subresource !== 'status') {
    definition.strategy.prepareForUpdate?.(next, old, now);
    // The scheduler's choice is no wish of a user's.
    if (subresource !== 'binding') countGeneration(definition, next, old);
  }
  dropEmptyMetadata(next.metadata);
  return next;
}

/** Would storing `b` over `a` change nothing? resourceVersion and the times of managedFields do not count. */
export function isUnchanged(a: KubeObject, b: KubeObject): boolean {
  const { metadata: metaA, ...restA } = a;
  const { metadata: metaB, ...restB } = b;
  if (!deepEqual(restA, restB)) return false;
  const { resourceVersion: _versionA, managedFields: fieldsA, ...ownA } = metaA;
  const { resourceVersion: _versionB, managedFields: fieldsB, ...ownB } = metaB;
  return deepEqual(ownA, ownB) && deepEqual(withoutTimes(fieldsA), withoutTimes(fieldsB));
}

/** Metadata that clients may send but never decide. */
const SERVER_FIELDS = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'resourceVersion',
] as const;

/** Fields that a subresource may change, for those that change less than the whole object. */
const CHANGEABLE: ReadonlyMap<string, readonly string[]> = new Map([
  ['finalize', ['spec.finalizers']],
  [
    'approval',
    ['metadata.labels', 'metadata.annotations', 'metadata.finalizers', 'metadata.ownerReferences', 'status.conditions'],
  ],
  ['ephemeralcontainers', ['spec.ephemeralContainers']],
  // What the scheduler decides: `pods/binding` sets the node and says so in the status.
  ['binding', ['metadata.labels', 'metadata.annotations', 'spec.nodeName', 'status.phase', 'status.conditions']],
  ['resize', ['spec.containers', 'spec.initContainers']],
]);

/** Built-in kinds whose `/status` leaves these parts of metadata alone too. */
const STATUS_KEEPS: ReadonlyMap<string, readonly (keyof ObjectMeta)[]> = new Map([
  ['apps/deployments', ['labels']],
  ['/pods', ['ownerReferences']],
  ...['apiextensions.k8s.io/customresourcedefinitions', 'storage.k8s.io/volumeattachments', 'resource.k8s.io/resourceclaims'].map(
    (scope) => [scope, ['labels', 'annotations', 'finalizers', 'ownerReferences']] as const,
  ),
] as [string, readonly (keyof ObjectMeta)[]][]);

function restrictTo(definition: ResourceDefinition, object: KubeObject, old: KubeObject, subresource: string): KubeObject {
  if (subresource === 'status') return statusOnly(definition, object, old);
  const changeable = CHANGEABLE.get(subresource);
  if (changeable) return changedPaths(object, old, changeable);
  if (definition.status) copyMember(object, old, 'status');
  return object;
}

/** `/status` of custom resources changes status alone; built-in kinds take metadata changes with it. */
function statusOnly(definition: ResourceDefinition, object: KubeObject, old: KubeObject): KubeObject {
  const { managedFields } = object.metadata;
  const metadata = definition.builtIn ? { ...object.metadata } : { ...old.metadata };
  if (managedFields) metadata.managedFields = managedFields;
  for (const field of STATUS_KEEPS.get(`${definition.group}/${definition.plural}`) ?? [])
    copyMember(metadata, old.metadata, field);
  const next: KubeObject = { ...old, apiVersion: object.apiVersion, kind: object.kind, metadata };
  copyMember(next, object, 'status');
  return next;
}

function changedPaths(object: KubeObject, old: KubeObject, paths: readonly string[]): KubeObject {
  const next = structuredClone(old);
  if (object.metadata.managedFields) next.metadata.managedFields = object.metadata.managedFields;
  for (const path of paths) {
    const value = getPath(object, path);
    if (value === undefined) deletePath(next, path);
    else setPath(next, path, value);
  }
  return next;
}

function keepIdentity(metadata: ObjectMeta, old: ObjectMeta): void {
  for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'generation'] as const)
    copyMember(metadata, old, field);
  delete (metadata as { selfLink?: string }).selfLink;
}

/** One up when anything beside metadata and status changed, unless the kind's own step has counted already. */
function countGeneration(definition: ResourceDefinition, object: KubeObject, old: KubeObject): void {
  if (!definition.generation || object.metadata.generation !== old.metadata.generation) return;
  if (deepEqual(desiredState(definition, object), desiredState(definition, old))) return;
  object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function desiredState(definition: ResourceDefinition, object: KubeObject): object {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...content } = object;
  if (definition.status) delete content.status;
  return content;
}

/** Go leaves empty maps and lists of metadata out. */
function dropEmptyMetadata(metadata: ObjectMeta): void {
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences', 'managedFields'] as const) {
    const value = metadata[field];
    if (value === null || (value !== undefined && Object.keys(value).length === 0)) delete metadata[field];
  }
}

function copyMember<T extends object>(target: T, source: T, key: keyof T): void {
  if (source[key] === undefined) delete target[key];
  else target[key] = source[key];
}

function withoutTimes(entries: readonly ManagedFieldsEntry[] | undefined): object[] {
  return (entries ?? []).map(({ time: _time, ...entry }) => entry);
}
