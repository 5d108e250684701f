/**
 * What the controllers of one simulated cluster see: all objects of the kinds they care for, kept current from the store's log.
 * Objects are shared and must not be changed by readers.
 */
import type { Registry, ResourceDefinition } from '../../../shared/apis/definition.ts';
import { fromStored, storedScope } from '../../../shared/apis/stored.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import type { Change, Store } from '../../../shared/ports/object-store.ts';

const CHANGES_PER_READ = 500;

export type CacheEvent = { resource: string; object: KubeObject; old: KubeObject | undefined; deleted: boolean };

export type Cache = {
  get(resource: string, namespace: string, name: string): KubeObject | undefined;
  /** All objects of a resource; do not keep the iterator across an await. */
  all(resource: string): Iterable<KubeObject>;
  inNamespace(resource: string, namespace: string): KubeObject[];
  /** Objects of a resource whose controller owner has this uid. */
  controlledBy(resource: string, uid: string): KubeObject[];
  /** Pods bound to a node. */
  podsOnNode(node: string): ReadonlySet<KubeObject>;
  /** Reads what the log holds beyond what is known, and tells the listener. Rejects when the store fails. */
  refresh(): Promise<void>;
};

type Kind = {
  definition: ResourceDefinition;
  scope: string;
  position: string;
  objects: Map<string, KubeObject>;
  byOwner: Map<string, Set<KubeObject>>;
};

/** Loads all objects of `resources` (plural names) and reports each to `onEvent` once, as every later change. */
export async function createCache(
  store: Store,
  registry: Registry,
  resources: readonly string[],
  onEvent: (event: CacheEvent) => void,
): Promise<Cache> {
  const kinds = new Map<string, Kind>();
  const byNode = new Map<string, Set<KubeObject>>();
  const apply = (resource: string, kind: Kind, object: KubeObject, deleted: boolean) => {
    const key = keyOf(object.metadata.namespace ?? '', object.metadata.name ?? '');
    const old = kind.objects.get(key);
    if (old) forget(kind, byNode, old);
    if (deleted) kind.objects.delete(key);
    else {
      kind.objects.set(key, object);
      remember(kind, byNode, object);
    }
    onEvent({ resource, object, old, deleted });
  };
  for (const definition of registry.all()) {
    if (!resources.includes(definition.plural) || definition.storedAs) continue;
    const scope = storedScope(definition);
    const kind: Kind = { definition, scope, position: '', objects: new Map(), byOwner: new Map() };
    const listed = await store.objects.list({ scope });
    if (listed.type !== 'page') throw new Error(`the objects of ${scope} cannot be listed: ${listed.type}`);
    kind.position = listed.resourceVersion;
    kinds.set(definition.plural, kind);
    for (const stored of listed.items) apply(definition.plural, kind, fromStored(stored), false);
  }
  const kindOf = (resource: string): Kind => {
    const kind = kinds.get(resource);
    if (!kind) throw new Error(`the cache does not hold ${resource}`);
    return kind;
  };
  return {
    get: (resource, namespace, name) => kindOf(resource).objects.get(keyOf(namespace, name)),
    all: (resource) => kindOf(resource).objects.values(),
    inNamespace: (resource, namespace) =>
      [...kindOf(resource).objects.values()].filter((object) => object.metadata.namespace === namespace),
    controlledBy: (resource, uid) => [...(kindOf(resource).byOwner.get(uid) ?? [])],
    podsOnNode: (node) => byNode.get(node) ?? NO_PODS,
    refresh: async () => {
      for (const [resource, kind] of kinds)
        await readChanges(store, kind, (change) => apply(resource, kind, fromStored(change.object), change.type === 'deleted'));
    },
  };
}

const NO_PODS: ReadonlySet<KubeObject> = new Set();

async function readChanges(store: Store, kind: Kind, apply: (change: Change) => void): Promise<void> {
  for (;;) {
    const read = await store.objects.changes({ scope: kind.scope, after: kind.position, limit: CHANGES_PER_READ });
    // The log is compacted after hours; a controller that is that far behind was not running, and starts with a list.
    if (read.type === 'expired') throw new Error(`the log of ${kind.scope} no longer holds what follows ${kind.position}`);
    for (const change of read.changes) apply(change);
    kind.position = read.position;
    if (read.changes.length < CHANGES_PER_READ) return;
  }
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** uid of the owner that controls the object; undefined for none. */
export function controllerUid(object: KubeObject): string | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller)?.uid;
}

function remember(kind: Kind, byNode: Map<string, Set<KubeObject>>, object: KubeObject): void {
  addTo(kind.byOwner, controllerUid(object), object);
  if (kind.scope === '/pods') addTo(byNode, object.spec.nodeName as string | undefined, object);
}

function forget(kind: Kind, byNode: Map<string, Set<KubeObject>>, object: KubeObject): void {
  removeFrom(kind.byOwner, controllerUid(object), object);
  if (kind.scope === '/pods') removeFrom(byNode, object.spec.nodeName as string | undefined, object);
}

function addTo(sets: Map<string, Set<KubeObject>>, key: string | undefined, object: KubeObject): void {
  if (!key) return;
  const set = sets.get(key);
  if (set) set.add(object);
  else sets.set(key, new Set([object]));
}

function removeFrom(sets: Map<string, Set<KubeObject>>, key: string | undefined, object: KubeObject): void {
  if (!key) return;
  const set = sets.get(key);
  set?.delete(object);
  if (set?.size === 0) sets.delete(key);
}
