/** Between KubeObject and what the store keeps. The one place that knows how bodies are laid out. */
import { parseJson, stringifyJson } from '../machinery/codec/json.ts';
import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from '../machinery/object.ts';
import { scopeOf } from '../machinery/resource.ts';
import type { ResourceDefinition } from './definition.ts';

/** Names an object: `scope` is `scopeOf(resource)`; `namespace` is empty for cluster-scoped kinds. */
export type ObjectRef = { scope: string; namespace: string; name: string };

/** What a writer hands over. `body` and `managedFields` are opaque text, without the resourceVersion (apis/stored.ts splices it in). */
export type NewObject = ObjectRef & {
  uid: string;
  /** Compact JSON of the object without `metadata.resourceVersion` and `metadata.managedFields`; at most 1.5 MiB. */
  body: string;
  /** Compact JSON of `metadata.managedFields`, kept apart so that workers need not read it; empty when there are none. */
  managedFields: string;
  labels: Record<string, string>;
  /** Values of the kind's selectable fields beside metadata.name and metadata.namespace. */
  fields: Record<string, string>;
  /** uids of `metadata.ownerReferences`: kept as an index for garbage collection. */
  ownerUids: readonly string[];
};

/** An object as stored, with the resourceVersion of its last write. */
export type StoredObject = NewObject & { resourceVersion: string };

type Served = Pick<StoredObject, 'body' | 'managedFields' | 'resourceVersion'>;

const METADATA_OPEN = '"metadata":{';

/** The scope that holds a kind's objects. */
export function storedScope(definition: ResourceDefinition): string {
  return scopeOf(definition.storedAs ?? { group: definition.group, resource: definition.plural });
}

/** Encodes an object for the store. `metadata` comes third and is never empty (it has a name), so that `servedJson` can splice. */
export function toStored(definition: ResourceDefinition, object: KubeObject): NewObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  const { resourceVersion: _version, managedFields, ...meta } = metadata;
  const fields: Record<string, string> = {};
  for (const [name, read] of definition.selectableFields) fields[name] = read(object);
  return {
    scope: storedScope(definition),
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    body: stringifyJson({ apiVersion, kind, metadata: meta as ObjectMeta, ...rest } as never),
    managedFields: managedFields && managedFields.length > 0 ? stringifyJson(managedFields as never) : '',
    labels: metadata.labels ?? {},
    fields,
    ownerUids: (metadata.ownerReferences ?? []).map((owner) => owner.uid),
  };
}

/** The served JSON text, without parsing: resourceVersion and managedFields spliced into `metadata`. */
export function servedJson(stored: Served): string {
  const { at, inserted } = servedParts(stored);
  return `${stored.body.slice(0, at)}${inserted}${stored.body.slice(at)}`;
}

/** The same in parts, for who writes many of them: the body up to `at`, `inserted`, and the rest of the body. */
export function servedParts({ body, managedFields, resourceVersion }: Served): { at: number; inserted: string } {
  const at = body.indexOf(METADATA_OPEN) + METADATA_OPEN.length;
  const managed = managedFields === '' ? '' : `"managedFields":${managedFields},`;
  return { at, inserted: `"resourceVersion":"${resourceVersion}",${managed}` };
}

/** Decodes a stored object, with resourceVersion; managedFields only when asked for (workers leave them out). */
export function fromStored(stored: StoredObject, options: { managedFields: boolean } = { managedFields: false }): KubeObject {
  const object = parseJson(stored.body) as unknown as KubeObject;
  object.metadata.resourceVersion = stored.resourceVersion;
  if (options.managedFields && stored.managedFields !== '')
    object.metadata.managedFields = parseJson(stored.managedFields) as unknown as ManagedFieldsEntry[];
  return object;
}
