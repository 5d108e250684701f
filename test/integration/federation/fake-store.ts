/** The objects of a fake member: versions, generations, watches. */
import { cloneJson, deepEqual } from '../../../shared/machinery/equality.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { MemberWatchError, type MemberWatchEvent } from '../../../shared/ports/member-client.ts';
import type { Clock, Ids } from '../../../shared/ports/system.ts';

export type FakeStore = {
  find(resource: string, namespace: string, name: string): KubeObject | undefined;
  all(resource: string): KubeObject[];
  /** Stores; the same content again changes nothing. Answers what is stored. */
  put(resource: string, object: KubeObject): KubeObject;
  remove(resource: string, namespace: string, name: string): void;
  clear(): void;
  version(): string;
  watch(resource: string, signal: AbortSignal): AsyncGenerator<MemberWatchEvent>;
  /** Ends all watches as a lost connection does. */
  breakWatches(): void;
};

type Watcher = { resource: string; push(event: MemberWatchEvent): void; break(): void };

/** An empty store. */
export function createFakeStore({ clock, ids }: { clock: Clock; ids: Ids }): FakeStore {
  const objects = new Map<string, { resource: string; object: KubeObject }>();
  const watchers = new Set<Watcher>();
  let version = 100;
  const next = (): string => {
    version += 1;
    return String(version);
  };
  const emit = (resource: string, event: MemberWatchEvent): void => {
    for (const watcher of watchers) if (watcher.resource === resource) watcher.push(event);
  };
  return {
    find: (resource, namespace, name) => objects.get(keyOf(resource, namespace, name))?.object,
    all: (resource) => [...objects.values()].filter((stored) => stored.resource === resource).map(({ object }) => object),
    version: () => String(version),
    clear: () => objects.clear(),
    put(resource, object) {
      const key = keyOf(resource, object.metadata.namespace ?? '', object.metadata.name ?? '');
      const old = objects.get(key)?.object;
      if (old && isSameContent(old, object)) return old;
      const metadata = { ...object.metadata, resourceVersion: next() };
      if (!old)
        Object.assign(metadata, { uid: ids.uid(), generation: 1, creationTimestamp: new Date(clock.now()).toISOString() });
      else if (!deepEqual(old.spec, object.spec)) metadata.generation = (old.metadata.generation ?? 1) + 1;
      const stored = { ...cloneJson(object), metadata };
      objects.set(key, { resource, object: stored });
      emit(resource, { type: old ? 'modified' : 'added', object: cloneJson(stored) });
      return stored;
    },
    remove(resource, namespace, name) {
      const key = keyOf(resource, namespace, name);
      const old = objects.get(key)?.object;
      if (!old) return;
      objects.delete(key);
      emit(resource, { type: 'deleted', object: { ...cloneJson(old), metadata: { ...old.metadata, resourceVersion: next() } } });
    },
    watch: (resource, signal) => watch(watchers, resource, signal),
    breakWatches() {
      for (const watcher of watchers) watcher.break();
    },
  };
}

function keyOf(resource: string, namespace: string, name: string): string {
  return `${resource}\n${namespace}\n${name}`;
}

function isSameContent(a: KubeObject, b: KubeObject): boolean {
  const bare = ({ metadata, ...rest }: KubeObject) => {
    const { resourceVersion: _version, managedFields, ...meta } = metadata;
    return { ...rest, metadata: meta, owners: managedFields?.map(({ time: _time, ...entry }) => entry) };
  };
  return deepEqual(bare(a), bare(b));
}

async function* watch(watchers: Set<Watcher>, resource: string, signal: AbortSignal): AsyncGenerator<MemberWatchEvent> {
  const events: MemberWatchEvent[] = [];
  let isBroken = false;
  let wake = (): void => undefined;
  const watcher: Watcher = {
    resource,
    push(event) {
      events.push(event);
      wake();
    },
    break() {
      isBroken = true;
      wake();
    },
  };
  watchers.add(watcher);
  signal.addEventListener('abort', () => wake(), { once: true });
  try {
    while (!signal.aborted) {
      if (isBroken) throw new MemberWatchError({ type: 'unreachable', reason: 'other', message: 'connection lost' });
      const event = events.shift();
      if (event) yield event;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    watchers.delete(watcher);
  }
}
