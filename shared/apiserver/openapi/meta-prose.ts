/** What the fields of `metadata` mean, for `kubectl explain`: the type data comes without prose, and every custom kind has these fields. */
import type { JsonObject, JsonValue } from '../../machinery/object.ts';

const OBJECT_META: Readonly<Record<string, string>> = {
  annotations: 'Annotations is a map of texts that tools keep with the object. They cannot be selected by.',
  creationTimestamp: 'CreationTimestamp is a timestamp of the server when the object was created. Read-only; lists have none.',
  deletionGracePeriodSeconds:
    'Seconds that the object may take to end before it is removed. Read-only; it may only be shortened.',
  deletionTimestamp:
    'DeletionTimestamp is the time at which the object is to be gone, set when its deletion was asked for. Finalizers may hold it longer. Read-only.',
  finalizers: 'Finalizers name who has something to do before the object may be removed. Each takes its own entry out.',
  generateName: 'GenerateName is what a name begins with that the server completes, where none is given.',
  generation: 'Generation counts the changes of the wanted state. Read-only.',
  labels: 'Labels is a map of keys and values by which objects are organised and selected.',
  managedFields: 'ManagedFields says which field manager set which fields, in which version of the API. Kept by the server.',
  name: 'Name is unique among the objects of one kind in one namespace. Cannot be updated.',
  namespace: 'Namespace is the space within which the name is unique. Empty for kinds of the whole cluster. Cannot be updated.',
  ownerReferences: 'OwnerReferences lists the objects that this one depends on: it is removed when all of them are gone.',
  resourceVersion: 'ResourceVersion changes whenever the object does. Opaque: it may be compared for equality and handed back.',
  selfLink: 'SelfLink is no longer filled.',
  uid: 'UID tells this object from every other, before and after it, that has or had the same name. Read-only.',
};

/** The schema of ObjectMeta with a sentence for each field that has none. */
export function withMetaProse(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const described = Object.entries(properties).map(([name, field]): [string, JsonValue] => {
    const description = OBJECT_META[name];
    return [name, description !== undefined && isObject(field) ? { description, ...field } : (field ?? null)];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
