/**
 * A member cluster in memory behind the MemberClient port: real server-side apply (the project's own, proved elsewhere), namespaces that must exist,
 * watches, and switches to make it fail. No controllers: a test says when pods are ready.
 */
import { typeSchemas } from '../../../shared/apis/schemas.ts';
import { cloneJson, deepEqual } from '../../../shared/machinery/equality.ts';
import type { JsonObject, KubeObject } from '../../../shared/machinery/object.ts';
import { applyConfiguration, resetFieldsOf } from '../../../shared/machinery/patch/apply/apply.ts';
import { applyMergePatch } from '../../../shared/machinery/patch/merge.ts';
import type { GroupVersionResource } from '../../../shared/machinery/resource.ts';
import type {
  MemberApiResource,
  MemberClient,
  MemberFailure,
  MemberRef,
  MemberResult,
  MemberWatchEvent,
} from '../../../shared/ports/member-client.ts';
import type { Clock, Ids } from '../../../shared/ports/system.ts';

const FIELD_MANAGER = 'lamiral';

export type FakeMember = {
  name: string;
  client: MemberClient;
  /** Calls by kind of call, for assertions on how much was sent. */
  calls: Record<string, number>;
  /** Down: every call fails as refused, and open watches break. */
  setDown(isDown: boolean): void;
  /** Calls on these resources are rejected with this failure. */
  reject(resource: string, failure: MemberFailure | undefined): void;
  get(resource: string, namespace: string, name: string): KubeObject | undefined;
  all(resource: string): KubeObject[];
  /** A change by somebody else, as a controller or an admin makes it. Undefined removes the object. */
  change(
    resource: string,
    namespace: string,
    name: string,
    change: (object: KubeObject) => KubeObject | undefined,
    manager?: string,
  ): void;
  /** Puts an object there that nobody here manages. */
  put(resource: string, object: KubeObject): void;
  /** All Deployments report their replicas as ready. */
  makeReady(): void;
  /** Another cluster under the same name: empty, with a new kube-system. */
  replace(): void;
};

type Stored = { resource: string; object: KubeObject };
type Watcher = { resource: string; push(event: MemberWatchEvent): void; end(error?: Error): void };

const RESOURCES: MemberApiResource[] = [
  ['', 'v1', 'Namespace', 'namespaces', 'Cluster'],
  ['', 'v1', 'ConfigMap', 'configmaps', 'Namespaced'],
  ['', 'v1', 'Service', 'services', 'Namespaced'],
  ['apps', 'v1', 'Deployment', 'deployments', 'Namespaced'],
].map(([group, version, kind, pluralName, scope]) => ({ group, version, kind, pluralName, scope }) as MemberApiResource);

/** A member with the namespaces that every cluster has, and one node. */
export function createFakeMember(name: string, deps: { clock: Clock; ids: Ids; cpu?: string }): FakeMember {
  const { clock, ids } = deps;
  const objects = new Map<string, Stored>();
  const watchers = new Set<Watcher>();
  const rejections = new Map<string, MemberFailure>();
  const calls: Record<string, number> = {};
  let version = 100;
  let isDown = false;

  const keyOf = (resource: string, namespace: string, objectName: string) => `${resource}\n${namespace}\n${objectName}`;
  const emit = (resource: string, event: MemberWatchEvent): void => {
    for (const watcher of watchers) if (watcher.resource === resource) watcher.push(event);
  };
  const store = (resource: string, object: KubeObject): KubeObject => {
    const key = keyOf(resource, object.metadata.namespace ?? '', object.metadata.name ?? '');
    const old = objects.get(key)?.object;
    if (old && isSameContent(old, object)) return old;
    version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    if (!old) Object.assign(metadata, { uid: ids.uid(), generation: 1, creationTimestamp: new Date(clock.now()).toISOString() });
    else if (!deepEqual(old.spec, object.spec)) metadata.generation = (old.metadata.generation ?? 1) + 1;
    const stored = { ...cloneJson(object), metadata };
    objects.set(key, { resource, object: stored });
    emit(resource, { type: old ? 'modified' : 'added', object: cloneJson(stored) });
    return stored;
  };
  const remove = (resource: string, namespace: string, objectName: string): void => {
    const key = keyOf(resource, namespace, objectName);
    const old = objects.get(key);
    objects.delete(key);
    version += 1;
    if (old) {
      const metadata = { ...old.object.metadata, resourceVersion: String(version) };
      emit(resource, { type: 'deleted', object: { ...cloneJson(old.object), metadata } });
    }
  };
  const reset = (): void => {
    objects.clear();
    for (const namespace of ['default', 'kube-system', 'kube-public'])
      store('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    store('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-1' },
      status: {
        allocatable: { cpu: deps.cpu ?? '8', memory: '32Gi', pods: '110' },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
  };
  reset();

  const call = async <T>(kind: string, resource: string, work: () => MemberResult<T>): Promise<MemberResult<T>> => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    calls[kind] = (calls[kind] ?? 0) + 1;
    if (isDown) return { type: 'unreachable', reason: 'refused', message: `cluster ${name}: connection refused` };
    return rejections.get(resource) ?? work();
  };
  const find = ({ resource, namespace, name: objectName }: MemberRef) =>
    objects.get(keyOf(resource, namespace, objectName))?.object;
  const missing = (ref: MemberRef): MemberFailure => {
    const isContainer = ref.namespace !== '' && !objects.has(keyOf('namespaces', '', ref.namespace));
    return { type: 'notFound', message: `${ref.resource} "${ref.name}" not found`, container: isContainer };
  };
  const conflict = (message: string, managers: string[] = []): MemberFailure => ({ type: 'conflict', message, managers });
  const isRefused = (live: KubeObject | undefined, { uid, resourceVersion }: { uid?: string; resourceVersion?: string }) =>
    (uid !== undefined && live?.metadata.uid !== uid) ||
    (resourceVersion !== undefined && live?.metadata.resourceVersion !== resourceVersion);
  const apply = (ref: MemberRef, config: KubeObject, force: boolean): MemberResult<KubeObject> => {
    const gone = missing(ref);
    if (gone.type === 'notFound' && gone.container) return gone;
    const live = find(ref);
    if (isRefused(live, config.metadata)) return conflict('the object has been modified');
    const { uid: _uid, resourceVersion: _version, ...metadata } = config.metadata;
    const result = applyConfiguration({
      live,
      config: { ...config, metadata },
      schema: typeSchemas().kind(ref.group, ref.version, config.kind),
      manager: FIELD_MANAGER,
      force,
      subresource: '',
      now: clock.now(),
      resetFields: resetFieldsOf({ group: ref.group, version: ref.version, kind: config.kind }, '', true),
    });
    if (result.type === 'conflict')
      return conflict('Apply failed with conflicts', [...new Set(result.conflicts.map(({ manager }) => manager))]);
    if (result.type === 'invalid') return { type: 'rejected', code: 422, reason: 'Invalid', message: result.message };
    return { type: 'ok', value: cloneJson(store(ref.resource, result.object)) };
  };

  const client: MemberClient = {
    apply: (ref, object, { force }) => call('apply', ref.resource, () => apply(ref, object, force)),
    get: (ref) =>
      call('get', ref.resource, () => {
        const found = find(ref);
        return found ? { type: 'ok', value: cloneJson(found) } : missing(ref);
      }),
    create: (ref, object) =>
      call('create', ref.resource, () => {
        if (find(ref)) return { type: 'rejected', code: 409, reason: 'AlreadyExists', message: `${ref.name} already exists` };
        return { type: 'ok', value: cloneJson(store(ref.resource, object)) };
      }),
    list: (resource: GroupVersionResource, options) =>
      call('list', resource.resource, () => {
        const items = [...objects.values()].filter((stored) => stored.resource === resource.resource).map(({ object }) => object);
        const [key, value] = (options.labelSelector ?? '').split('=');
        const wanted = key ? items.filter((object) => object.metadata.labels?.[key] === value) : items;
        return { type: 'ok', value: { items: wanted.map(cloneJson), resourceVersion: String(version) } };
      }),
    watch: (resource, { signal }) => watch(watchers, resource.resource, signal, () => isDown),
    patch: (ref, patch) =>
      call('patch', ref.resource, () => {
        const live = find(ref);
        if (!live) return missing(ref);
        const { uid, resourceVersion, ...metadata } = (patch.metadata ?? {}) as JsonObject & {
          uid?: string;
          resourceVersion?: string;
        };
        if (isRefused(live, { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) }))
          return conflict('the object has been modified');
        const patched = applyMergePatch(live as JsonObject, { ...patch, metadata }) as unknown as KubeObject;
        return { type: 'ok', value: cloneJson(store(ref.resource, patched)) };
      }),
    delete: (ref, preconditions) =>
      call('delete', ref.resource, () => {
        const live = find(ref);
        if (!live) return missing(ref);
        if (isRefused(live, preconditions)) return conflict('the object has been modified');
        remove(ref.resource, ref.namespace, ref.name);
        return { type: 'ok', value: undefined };
      }),
    discover: () => call('discover', '', () => ({ type: 'ok', value: { resources: RESOURCES, failures: [] } })),
    health: () => call('health', '', () => ({ type: 'ok', value: 'ok' })),
    version: () => call('version', '', () => ({ type: 'ok', value: 'v1.35.4' })),
  };
  return {
    name,
    client,
    calls,
    setDown(down) {
      isDown = down;
      if (down) for (const watcher of watchers) watcher.end(new Error('connection lost'));
    },
    reject: (resource, failure) => void (failure ? rejections.set(resource, failure) : rejections.delete(resource)),
    get: (resource, namespace, objectName) => cloneMaybe(objects.get(keyOf(resource, namespace, objectName))?.object),
    all: (resource) =>
      [...objects.values()].filter((stored) => stored.resource === resource).map(({ object }) => cloneJson(object)),
    change(resource, namespace, objectName, change, manager) {
      const live = objects.get(keyOf(resource, namespace, objectName))?.object;
      if (!live) throw new Error(`${name} has no ${resource} ${namespace}/${objectName}`);
      const changed = change(cloneJson(live));
      if (!changed) return remove(resource, namespace, objectName);
      store(resource, manager ? takeOver(changed, manager) : changed);
    },
    put: (resource, object) => void store(resource, object),
    makeReady() {
      for (const { resource, object } of [...objects.values()])
        if (resource === 'deployments') store(resource, { ...object, status: readyStatus(object) });
    },
    replace: reset,
  };
}

function cloneMaybe(object: KubeObject | undefined): KubeObject | undefined {
  return object && cloneJson(object);
}

function isSameContent(a: KubeObject, b: KubeObject): boolean {
  const bare = ({ metadata, ...rest }: KubeObject) => {
    const { resourceVersion: _version, managedFields, ...meta } = metadata;
    return { ...rest, metadata: meta, owners: managedFields?.map(({ time: _time, ...entry }) => entry) };
  };
  return deepEqual(bare(a), bare(b));
}

/** spec.replicas changes hands, as an Update of another manager does it. */
function takeOver(object: KubeObject, manager: string): KubeObject {
  const managedFields = (object.metadata.managedFields ?? []).map((entry) => {
    if (entry.manager !== FIELD_MANAGER) return entry;
    const fieldsV1 = cloneJson(entry.fieldsV1 ?? {});
    const spec = fieldsV1['f:spec'] as JsonObject | undefined;
    if (spec) delete spec['f:replicas'];
    return { ...entry, fieldsV1 };
  });
  managedFields.push({
    manager,
    operation: 'Update',
    apiVersion: object.apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  });
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

function readyStatus({ metadata, spec }: KubeObject): JsonObject {
  const replicas = (spec?.replicas as number | undefined) ?? 1;
  return {
    observedGeneration: metadata.generation ?? 1,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    conditions: [
      { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' },
      {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: 'ReplicaSet has successfully progressed.',
      },
    ],
  };
}

async function* watch(
  watchers: Set<Watcher>,
  resource: string,
  signal: AbortSignal,
  isDown: () => boolean,
): AsyncGenerator<MemberWatchEvent> {
  const { MemberWatchError } = await import('../../../shared/ports/member-client.ts');
  const lost = () => new MemberWatchError({ type: 'unreachable', reason: 'other', message: 'connection lost' });
  if (isDown()) throw lost();
  const events: MemberWatchEvent[] = [];
  let failure: Error | undefined;
  let wake = (): void => undefined;
  const watcher: Watcher = {
    resource,
    push(event) {
      events.push(event);
      wake();
    },
    end(error) {
      failure = error ?? new Error('ended');
      wake();
    },
  };
  watchers.add(watcher);
  signal.addEventListener('abort', () => wake(), { once: true });
  try {
    while (!signal.aborted) {
      if (failure) throw lost();
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
