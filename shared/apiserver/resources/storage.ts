/** Between the version that a client speaks and the version that objects are stored in. */
import type { Registry, ResourceDefinition } from '../../apis/definition.ts';
import { fromStored, type NewObject, type StoredObject, storedScope, toStored } from '../../apis/stored.ts';
import { parseJson } from '../../machinery/codec/json.ts';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../../machinery/object.ts';
import type { ConvertVersion } from '../../machinery/patch/apply/apply.ts';
import { formatApiVersion, parseApiVersion } from '../../machinery/resource.ts';

/** The definition in whose shape a kind's objects lie in the store; most often the kind itself. */
export function storageOf(registry: Registry, definition: ResourceDefinition): ResourceDefinition {
  // Views of the store (types/versioned.ts) show custom resources in the version that was asked for.
  if (definition.custom !== undefined) return definition;
  return registry.byScope(storedScope(definition)) ?? definition;
}

/** Encodes an object of `definition` for the store. */
export function encode(definition: ResourceDefinition, storage: ResourceDefinition, object: KubeObject): NewObject {
  if (definition === storage) return toStored(definition, object);
  const copy = structuredClone(object);
  return toStored(storage, stamped(storage, definition.conversion?.toStored(copy) ?? copy));
}

/** Decodes a stored object into `definition`'s version, with resourceVersion and managedFields. */
export function decode(definition: ResourceDefinition, storage: ResourceDefinition, stored: StoredObject): KubeObject {
  const object = fromStored(stored, { managedFields: true });
  return convertStored(definition, storage, object);
}

/** The same for text alone: what a list, a watch event or a get shows of a kind that is stored otherwise. */
export function decodeText(
  definition: ResourceDefinition,
  storage: ResourceDefinition,
  stored: Pick<StoredObject, 'body' | 'managedFields' | 'resourceVersion'>,
): KubeObject {
  const object = parseJson(stored.body) as unknown as KubeObject;
  if (stored.resourceVersion !== '') object.metadata.resourceVersion = stored.resourceVersion;
  if (stored.managedFields !== '')
    object.metadata.managedFields = parseJson(stored.managedFields) as unknown as ManagedFieldsEntry[];
  return convertStored(definition, storage, object);
}

function convertStored(definition: ResourceDefinition, storage: ResourceDefinition, object: KubeObject): KubeObject {
  if (definition === storage) return object;
  return stamped(definition, definition.conversion?.fromStored(object) ?? object);
}

function stamped(definition: ResourceDefinition, object: KubeObject): KubeObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  return { apiVersion: formatApiVersion(definition.group, definition.version), kind: definition.kind, metadata, ...rest };
}

/**
 * One object in another served version of its kind: field owners are kept per version. Undefined when that version is not served (any more).
 * The argument is not changed.
 */
export function convertVersion(registry: Registry, object: JsonObject, apiVersion: string): ReturnType<ConvertVersion> {
  const from = definitionOf(registry, String(object.apiVersion), String(object.kind));
  const to = definitionOf(registry, apiVersion, String(object.kind));
  if (from === undefined || to === undefined || storedScope(from) !== storedScope(to)) return undefined;
  const storage = storageOf(registry, from);
  const copy = structuredClone(object) as unknown as KubeObject;
  const stored = from === storage ? copy : stamped(storage, from.conversion?.toStored(copy) ?? copy);
  return { object: convertStored(to, storage, stored) as unknown as JsonObject, schema: to.schema() };
}

function definitionOf(registry: Registry, apiVersion: string, kind: string): ResourceDefinition | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  return registry.byKind(group, version, kind);
}

/** Selectable fields of a kind that is stored in another shape: read from the converted object. */
export function readFields(definition: ResourceDefinition, storage: ResourceDefinition, body: string): Record<string, string> {
  const object = decodeText(definition, storage, { body, managedFields: '', resourceVersion: '' });
  const fields: Record<string, string> = {};
  for (const [name, read] of definition.selectableFields) fields[name] = read(object);
  return fields;
}
