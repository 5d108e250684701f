/** Builders for store tests, and short forms of the calls that every test makes. */
import type {
  ListOutcome,
  NewObject,
  Store,
  StoredObject,
  WriteOperation,
  WriteOutcome,
} from '../../shared/ports/object-store.ts';

/** Two scopes, so that orders can be told apart. */
export const PODS = '/pods';
export const NODES = '/nodes';

/** An object with everything set; its body names it. */
export function newObject(given: Partial<NewObject> & { name: string }): NewObject {
  const namespace = given.namespace ?? 'default';
  return {
    scope: PODS,
    namespace,
    uid: `uid-${namespace}-${given.name}`,
    body: `{"metadata":{"name":"${given.name}"}}`,
    managedFields: '',
    labels: {},
    fields: {},
    ownerUids: [],
    ...given,
  };
}

/** A create of such an object. */
export function create(given: Partial<NewObject> & { name: string }): WriteOperation {
  return { type: 'create', object: newObject(given) };
}

/** An update that expects a version. */
export function update(expected: string, given: Partial<NewObject> & { name: string }): WriteOperation {
  return { type: 'update', object: newObject(given), expected };
}

/** A delete that expects a version. */
export function remove(expected: string, given: Partial<NewObject> & { name: string }): WriteOperation {
  return { type: 'delete', object: newObject(given), expected };
}

/** One write of these operations. */
export function write(store: Store, ...operations: WriteOperation[]): Promise<WriteOutcome> {
  return store.objects.write({ operations, writer: 'test' });
}

/** Writes one object and answers its version; throws when it was not committed. */
export async function put(store: Store, operation: WriteOperation): Promise<string> {
  return committed(await write(store, operation));
}

/** The first version of a committed write. */
export function committed(outcome: WriteOutcome): string {
  const version = outcome.type === 'committed' ? outcome.resourceVersions[0] : undefined;
  if (version === undefined) throw new Error(`not committed: ${JSON.stringify(outcome)}`);
  return version;
}

/** A list that was answered. */
export type Page = Extract<ListOutcome, { type: 'page' }>;

/** A page; throws for any other outcome. */
export async function page(store: Store, query: Parameters<Store['objects']['list']>[0]): Promise<Page> {
  const outcome = await store.objects.list(query);
  if (outcome.type !== 'page') throw new Error(`no page: ${JSON.stringify(outcome)}`);
  return outcome;
}

/** `namespace/name=body` of every item. */
export function bodies(items: readonly StoredObject[]): string[] {
  return items.map(({ namespace, name, body }) => `${namespace}/${name}=${body}`);
}

/** Names, in order. */
export function names(items: readonly { name: string }[]): string[] {
  return items.map(({ name }) => name);
}
