/** Rules of `metadata` that hold for every kind (k8s.io/apimachinery/pkg/api/validation/objectmeta.go). */
import {
  ANNOTATIONS_BYTES_MAX,
  annotationKeyErrors,
  generateNameErrors,
  isDns1123Label,
  labelKeyErrors,
  labelValueErrors,
  nameErrors,
} from '../../machinery/names.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../machinery/object.ts';
import { parseApiVersion } from '../../machinery/resource.ts';
import type { FieldError, ResourceDefinition } from '../definition.ts';
import { forbidden, invalid, invalidEach, required, tooLong } from './fields.ts';

/** Finalizers of the garbage collector: `Orphan` and `Foreground` deletion. */
export const ORPHAN_FINALIZER = 'orphan';
export const FOREGROUND_FINALIZER = 'foregroundDeletion';

/**
 * Errors of `metadata`. With `old` (an update) the rules of changes apply too: an object in deletion takes no new finalizers.
 * The name is only looked at on create; it cannot change afterwards.
 */
export function validateObjectMeta(definition: ResourceDefinition, object: KubeObject, old?: KubeObject): FieldError[] {
  const { metadata } = object;
  return [
    ...(old === undefined ? nameOf(definition, metadata) : newFinalizers(metadata, old.metadata)),
    ...namespaceOf(definition, metadata),
    ...validateLabels('metadata.labels', metadata.labels),
    ...validateAnnotations('metadata.annotations', metadata.annotations),
    ...validateOwners(metadata.ownerReferences ?? []),
    ...validateFinalizers(metadata.finalizers ?? []),
    ...(definition.builtIn ? unqualifiedFinalizers(metadata.finalizers ?? []) : []),
  ];
}

/** Errors of a label map at `field`. Keys are complained about as they are, values under the key's path. */
export function validateLabels(field: string, labels: Record<string, unknown> | undefined): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...invalidEach(field, key, labelKeyErrors(key)),
    ...invalidEach(field, value, labelValueErrors(String(value))),
  ]);
}

/** Errors of an annotation map at `field`; all keys and values together are limited to 256 KiB. */
export function validateAnnotations(field: string, annotations: Record<string, string> | undefined): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const errors = entries.flatMap(([key]) => invalidEach(field, key, annotationKeyErrors(key)));
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)), 0);
  return bytes > ANNOTATIONS_BYTES_MAX ? [...errors, tooLong(field, ANNOTATIONS_BYTES_MAX)] : errors;
}

function nameOf(definition: ResourceDefinition, { name, generateName }: ObjectMeta): FieldError[] {
  const rule = definition.nameRule;
  const errors = generateName ? invalidEach('metadata.generateName', generateName, generateNameErrors(rule, generateName)) : [];
  if (!name) return [...errors, required('metadata.name', 'name or generateName is required')];
  return [...errors, ...invalidEach('metadata.name', name, nameErrors(rule, name))];
}

function namespaceOf(definition: ResourceDefinition, { namespace }: ObjectMeta): FieldError[] {
  if (!definition.namespaced) return namespace ? [forbidden('metadata.namespace', 'not allowed on this type')] : [];
  if (!namespace) return [required('metadata.namespace')];
  return isDns1123Label(namespace) ? [] : invalidEach('metadata.namespace', namespace, nameErrors('label', namespace));
}

function validateOwners(owners: readonly OwnerReference[]): FieldError[] {
  const field = 'metadata.ownerReferences';
  const errors = owners.flatMap((owner) => ownerErrors(field, owner));
  const controllers = owners.filter((owner) => owner.controller === true);
  const [first, ...others] = controllers;
  for (const other of others) {
    const names = `${first?.kind}/${first?.name} and ${other.kind}/${other.name}`;
    errors.push(
      invalid(field, owners, `Only one reference can have Controller set to true. Found "true" in references for ${names}`),
    );
  }
  return errors;
}

function ownerErrors(field: string, owner: OwnerReference): FieldError[] {
  const { apiVersion, kind, name, uid } = owner;
  const errors: FieldError[] = [];
  const { group, version } = parseApiVersion(apiVersion ?? '');
  if (version === '') errors.push(invalid(`${field}.apiVersion`, apiVersion ?? '', 'version must not be empty'));
  if (!kind) errors.push(invalid(`${field}.kind`, kind ?? '', 'must not be empty'));
  if (!name) errors.push(invalid(`${field}.name`, name ?? '', 'must not be empty'));
  if (!uid) errors.push(invalid(`${field}.uid`, uid ?? '', 'must not be empty'));
  if (group === '' && version === 'v1' && kind === 'Event')
    errors.push(invalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
  return errors;
}

function validateFinalizers(finalizers: readonly string[]): FieldError[] {
  const field = 'metadata.finalizers';
  const errors = finalizers.flatMap((finalizer) => invalidEach(field, finalizer, labelKeyErrors(finalizer)));
  if (!finalizers.includes(ORPHAN_FINALIZER) || !finalizers.includes(FOREGROUND_FINALIZER)) return errors;
  return [...errors, invalid(field, finalizers, `finalizer ${ORPHAN_FINALIZER} and ${FOREGROUND_FINALIZER} cannot be both set`)];
}

/** Finalizers that need no domain in front. */
const STANDARD_FINALIZERS = new Set(['kubernetes', ORPHAN_FINALIZER, FOREGROUND_FINALIZER]);
export const UNQUALIFIED_FINALIZER = 'name is neither a standard finalizer name nor is it fully qualified';

/** Is it neither a standard finalizer nor one with a domain in front? */
export function isUnqualifiedFinalizer(finalizer: string): boolean {
  return !finalizer.includes('/') && !STANDARD_FINALIZERS.has(finalizer);
}

/** Built-in kinds are stricter than custom resources. */
function unqualifiedFinalizers(finalizers: readonly string[]): FieldError[] {
  return finalizers.flatMap((finalizer, index) =>
    isUnqualifiedFinalizer(finalizer) ? [invalid(`metadata.finalizers[${index}]`, finalizer, UNQUALIFIED_FINALIZER)] : [],
  );
}

function newFinalizers({ finalizers = [] }: ObjectMeta, old: ObjectMeta): FieldError[] {
  if (!old.deletionTimestamp) return [];
  const extra = [...new Set(finalizers)].filter((finalizer) => !(old.finalizers ?? []).includes(finalizer)).sort();
  if (extra.length === 0) return [];
  const listed = `[]string{${extra.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
  return [
    forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers ${listed}`,
    ),
  ];
}
