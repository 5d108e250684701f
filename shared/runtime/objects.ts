/** Reading stored objects in workers: parsed once per resourceVersion, never changed in place. */
import { fromStored, type ObjectRef, type StoredObject } from '../apis/stored.ts';
import type { KubeObject } from '../machinery/object.ts';
import type { ListQuery, ObjectStore } from '../ports/object-store.ts';
import { LIST_PAGE, PARSED_CHARACTERS_MAX, PARSED_OBJECTS_MAX } from './limits.ts';

/** A stored object and its parsed form (with resourceVersion, without managedFields). The parsed form is shared: copy before changing. */
export type Loaded = { stored: StoredObject; object: KubeObject };

/** Reads one object; undefined when there is none. Rejects when the store fails. */
export type ObjectReader = { get(ref: ObjectRef): Promise<Loaded | undefined> };

/** A reader that asks the store every time, and parses only what it has not parsed in this version. */
export function createObjectReader(objects: Pick<ObjectStore, 'get'>, max: number = PARSED_OBJECTS_MAX): ObjectReader {
  const parsed = new Map<string, Loaded>();
  let characters = 0;
  const drop = (key: string): void => {
    characters -= parsed.get(key)?.stored.body.length ?? 0;
    parsed.delete(key);
  };
  return {
    async get(ref) {
      const key = `${ref.scope}\n${ref.namespace}\n${ref.name}`;
      const stored = await objects.get(ref);
      const known = parsed.get(key);
      if (!stored) {
        drop(key);
        return undefined;
      }
      if (known && known.stored.resourceVersion === stored.resourceVersion && known.stored.uid === stored.uid) return known;
      const loaded = { stored, object: fromStored(stored) };
      drop(key);
      parsed.set(key, loaded);
      characters += stored.body.length;
      // A Map keeps insertion order: the first key is the one that was parsed longest ago.
      for (const oldest of parsed.keys()) {
        if (parsed.size <= max && characters <= PARSED_CHARACTERS_MAX) break;
        drop(oldest);
      }
      return loaded;
    },
  };
}

/** All stored objects of a scope (or of one namespace), page by page, as one consistent state. Rejects when the log no longer holds that state. */
export function listStored(objects: Pick<ObjectStore, 'list'>, scope: string, namespace?: string): AsyncGenerator<StoredObject> {
  return pages(objects, namespace === undefined ? { scope } : { scope, namespace });
}

/** Likewise those whose key follows the given one, without reading those before it. */
export async function* listStoredAfter(
  objects: Pick<ObjectStore, 'list'>,
  { scope, namespace, name }: ObjectRef,
): AsyncGenerator<StoredObject> {
  const first = await objects.list({ scope, limit: 1 });
  if (first.type !== 'page') throw new Error(`list of ${scope} cannot begin: ${first.type}`);
  yield* pages(objects, { scope }, { resourceVersion: first.resourceVersion, namespace, name });
}

async function* pages(
  objects: Pick<ObjectStore, 'list'>,
  where: { scope: string; namespace?: string },
  from?: ListQuery['from'],
): AsyncGenerator<StoredObject> {
  const { scope } = where;
  let page = await objects.list({ ...where, limit: LIST_PAGE, ...(from ? { from } : {}) });
  for (;;) {
    if (page.type !== 'page') throw new Error(`list of ${scope} cannot go on: ${page.type}`);
    yield* page.items;
    if (!page.next) return;
    page = await objects.list({ ...where, limit: LIST_PAGE, from: page.next });
  }
}

/** A reference without anything else, for messages. */
export function refOf({ scope, namespace, name }: ObjectRef): ObjectRef {
  return { scope, namespace, name };
}
