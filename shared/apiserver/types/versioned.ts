/**
 * The store as one version of a custom resource sees it: what lies there in another version, or was written under an older schema, is
 * converted, pruned and defaulted on the way out, and converted to the storage version on the way in. Everything above works in one version.
 */
import type { CustomOrigin, ResourceDefinition } from '../../apis/definition.ts';
import { storedScope, toStored } from '../../apis/stored.ts';
import { parseJson, stringifyJson } from '../../machinery/codec/json.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { formatApiVersion } from '../../machinery/resource.ts';
import { decode } from '../../machinery/schema/decode.ts';
import type { Change, NewObject, ObjectStore, StoredObject, WriteOperation } from '../../ports/object-store.ts';

/** Turns objects of any versions of one kind into `apiVersion`, in their order. Throws a StatusError when it cannot. */
export type ConvertObjects = (
  definition: ResourceDefinition,
  origin: CustomOrigin,
  objects: readonly KubeObject[],
  apiVersion: string,
) => Promise<readonly KubeObject[]>;

/** A stored object that would be written otherwise today: an update that changes nothing is then a write all the same. */
export type VersionedObject = StoredObject & { stale?: boolean };

/** The store for a kind. Ordinary kinds get the store itself; for custom ones a view is made once per definition. */
export function createVersionedStores(
  store: ObjectStore,
  convert: ConvertObjects,
): (definition: ResourceDefinition) => ObjectStore {
  const views = new WeakMap<ResourceDefinition, ObjectStore>();
  return (definition) => {
    const { custom } = definition;
    if (custom === undefined) return store;
    const known = views.get(definition);
    if (known) return known;
    const view = versionedStore({ store, convert, definition, origin: custom });
    views.set(definition, view);
    return view;
  };
}

type View = { store: ObjectStore; convert: ConvertObjects; definition: ResourceDefinition; origin: CustomOrigin };

function versionedStore(view: View): ObjectStore {
  const { store } = view;
  return {
    async get(ref) {
      const stored = await store.get(ref);
      return stored && (await presentAll(view, [stored]))[0];
    },
    async list(query) {
      const outcome = await store.list(query);
      return outcome.type === 'page' ? { ...outcome, items: await presentAll(view, outcome.items) } : outcome;
    },
    async changes(query) {
      const outcome = await store.changes(query);
      return outcome.type === 'changes' ? { ...outcome, changes: await presentChanges(view, outcome.changes) } : outcome;
    },
    async write(batch) {
      // What admission stores beside the object lies as it is.
      const isOwn = ({ object }: WriteOperation) => object.scope === storedScope(view.definition);
      const operations = await Promise.all(
        batch.operations.map((operation) => (isOwn(operation) ? toStorage(view, operation) : operation)),
      );
      const outcome = await store.write({ ...batch, operations });
      if (outcome.type !== 'conflict' || outcome.current === undefined || outcome.index > 0) return outcome;
      const [current] = await presentAll(view, [outcome.current]);
      return current === undefined ? outcome : { ...outcome, current };
    },
  };
}

type Content = Pick<StoredObject, 'body' | 'labels' | 'fields'>;

const opening = (apiVersion: string): string => `{"apiVersion":${JSON.stringify(apiVersion)},`;

async function presentAll<T extends Content>(view: View, contents: readonly T[]): Promise<(T & { stale?: boolean })[]> {
  const { definition, origin, convert } = view;
  const apiVersion = formatApiVersion(definition.group, definition.version);
  const own = opening(apiVersion);
  const isPlain = ({ body }: Content) => origin.pristine && body.startsWith(own);
  if (contents.every(isPlain)) return [...contents];
  const objects = contents.map(({ body }) => parseJson(body) as unknown as KubeObject);
  const foreign = objects.filter((object) => object.apiVersion !== apiVersion);
  const converted = foreign.length === 0 ? [] : await convert(definition, origin, foreign, apiVersion);
  const convertedOf = new Map(foreign.map((object, index) => [object, converted[index] ?? object]));
  const stored = opening(formatApiVersion(definition.group, origin.storageVersion));
  return contents.map((content, index) => {
    const object = objects[index] as KubeObject;
    const { body, fields, labels } = encodeIn(definition, convertedOf.get(object) ?? object);
    const isRewritten = !content.body.startsWith(stored) || (content.body.startsWith(own) && content.body !== body);
    return { ...content, body, fields, labels, stale: isRewritten };
  });
}

/** Pruned and defaulted by the version's schema, as text. */
function encodeIn(definition: ResourceDefinition, object: KubeObject): NewObject {
  const schema = definition.schema();
  const subject = { apiVersion: object.apiVersion, kind: object.kind };
  const pruned = schema ? (decode(schema, object as unknown as JsonObject, subject).value as unknown as KubeObject) : object;
  definition.strategy.applyDefaults?.(pruned);
  return toStored(definition, pruned);
}

async function presentChanges(view: View, changes: readonly Change[]): Promise<Change[]> {
  const objects = await presentAll(
    view,
    changes.map(({ object }) => object),
  );
  const befores = changes.flatMap(({ before }) => (before ? [before] : []));
  const presented = await presentAll(view, befores);
  let next = 0;
  return changes.map((change, index) => {
    const object = objects[index] ?? change.object;
    const before = change.before && presented[next++];
    return { ...change, object, ...(before ? { before } : {}) };
  });
}

/** The operation as the store is to see it: in the storage version, with that version's selectable fields. */
async function toStorage({ definition, origin, convert }: View, operation: WriteOperation): Promise<WriteOperation> {
  if (definition.version === origin.storageVersion) return operation;
  const { object } = operation;
  const from = formatApiVersion(definition.group, definition.version);
  const to = formatApiVersion(definition.group, origin.storageVersion);
  if (origin.conversion.strategy === 'None' && origin.storedFields.size === 0)
    return { ...operation, object: { ...object, body: opening(to) + object.body.slice(opening(from).length), fields: {} } };
  const [converted] = await convert(definition, origin, [parseJson(object.body) as unknown as KubeObject], to);
  const { apiVersion: _apiVersion, kind, metadata, ...rest } = converted as KubeObject;
  const fields = Object.fromEntries([...origin.storedFields].map(([name, read]) => [name, read(converted as KubeObject)]));
  const body = stringifyJson({ apiVersion: to, kind, metadata, ...rest } as never);
  return { ...operation, object: { ...object, body, fields, labels: metadata.labels ?? {} } };
}
