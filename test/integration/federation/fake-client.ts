/** The MemberClient port over a fake store: real server-side apply (the project's own, proved elsewhere), and namespaces that must exist. */
import { typeSchemas } from '../../../shared/apis/schemas.ts';
import { cloneJson } from '../../../shared/machinery/equality.ts';
import type { JsonObject, KubeObject } from '../../../shared/machinery/object.ts';
import { applyConfiguration, resetFieldsOf } from '../../../shared/machinery/patch/apply/apply.ts';
import { applyMergePatch } from '../../../shared/machinery/patch/merge.ts';
import {
  type MemberApiResource,
  type MemberClient,
  type MemberFailure,
  type MemberRef,
  type MemberResult,
  MemberWatchError,
} from '../../../shared/ports/member-client.ts';
import type { Clock } from '../../../shared/ports/system.ts';
import type { FakeStore } from './fake-store.ts';

export const FIELD_MANAGER = 'lamiral';

/** What makes calls fail, and what counts them. */
export type FakeCalls = {
  /** A failure that every call on the resource gives now; '' is the cluster itself. */
  failure(resource: string): MemberFailure | undefined;
  count(kind: string): void;
};

const RESOURCES: MemberApiResource[] = [
  ['', 'v1', 'Namespace', 'namespaces', 'Cluster'],
  ['', 'v1', 'ConfigMap', 'configmaps', 'Namespaced'],
  ['', 'v1', 'Service', 'services', 'Namespaced'],
  ['apps', 'v1', 'Deployment', 'deployments', 'Namespaced'],
  ['example.com', 'v1', 'Widget', 'widgets', 'Namespaced'],
].map(([group, version, kind, pluralName, scope]) => ({ group, version, kind, pluralName, scope }) as MemberApiResource);

/** A client of the store. */
export function createFakeClient(store: FakeStore, calls: FakeCalls, clock: Clock): MemberClient {
  const call = async <T>(kind: string, resource: string, work: () => MemberResult<T>): Promise<MemberResult<T>> => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    calls.count(kind);
    return calls.failure('') ?? calls.failure(resource) ?? work();
  };
  const ok = (object: KubeObject): MemberResult<KubeObject> => ({ type: 'ok', value: cloneJson(object) });
  return {
    apply: (ref, object, { force }) => call('apply', ref.resource, () => apply(store, clock, ref, object, force)),
    get: (ref) =>
      call('get', ref.resource, () => {
        const found = store.find(ref.resource, ref.namespace, ref.name);
        return found ? ok(found) : missing(store, ref);
      }),
    create: (ref, object) =>
      call('create', ref.resource, () => {
        const isTaken = store.find(ref.resource, ref.namespace, ref.name) !== undefined;
        if (isTaken) return { type: 'rejected', code: 409, reason: 'AlreadyExists', message: `${ref.name} already exists` };
        return ok(store.put(ref.resource, object));
      }),
    list: (resource, options) =>
      call('list', resource.resource, () => {
        const [key, value] = (options.labelSelector ?? '').split('=');
        const items = store.all(resource.resource).filter((object) => !key || object.metadata.labels?.[key] === value);
        return { type: 'ok', value: { items: items.map(cloneJson), resourceVersion: store.version() } };
      }),
    watch(resource, { signal }) {
      if (calls.failure(''))
        throw new MemberWatchError({ type: 'unreachable', reason: 'refused', message: 'connection refused' });
      return store.watch(resource.resource, signal);
    },
    patch: (ref, patch) => call('patch', ref.resource, () => mergePatch(store, ref, patch)),
    delete: (ref, preconditions) =>
      call('delete', ref.resource, () => {
        const live = store.find(ref.resource, ref.namespace, ref.name);
        if (!live) return missing(store, ref);
        if (isStale(live, preconditions)) return conflict('the object has been modified');
        store.remove(ref.resource, ref.namespace, ref.name);
        return { type: 'ok', value: undefined };
      }),
    discover: () => call('discover', '', () => ({ type: 'ok', value: { resources: RESOURCES, failures: [] } })),
    health: () => call('health', '', () => ({ type: 'ok', value: 'ok' })),
    version: () => call('version', '', () => ({ type: 'ok', value: 'v1.35.4' })),
    openApi: () => call('openApi', '', () => ({ type: 'ok', value: {} })),
  };
}

type Preconditions = { uid?: string; resourceVersion?: string };

function isStale(live: KubeObject | undefined, { uid, resourceVersion }: Preconditions): boolean {
  if (uid !== undefined && live?.metadata.uid !== uid) return true;
  return resourceVersion !== undefined && live?.metadata.resourceVersion !== resourceVersion;
}

function conflict(message: string, managers: string[] = []): MemberFailure {
  return { type: 'conflict', message, managers };
}

function missing(store: FakeStore, ref: MemberRef): Extract<MemberFailure, { type: 'notFound' }> {
  const container = ref.namespace !== '' && store.find('namespaces', '', ref.namespace) === undefined;
  return { type: 'notFound', message: `${ref.resource} "${ref.name}" not found`, container };
}

function apply(store: FakeStore, clock: Clock, ref: MemberRef, config: KubeObject, force: boolean): MemberResult<KubeObject> {
  const gone = missing(store, ref);
  if (gone.container) return gone;
  const live = store.find(ref.resource, ref.namespace, ref.name);
  if (isStale(live, config.metadata)) return conflict('the object has been modified');
  const { uid: _uid, resourceVersion: _version, ...metadata } = config.metadata;
  const kind = { group: ref.group, version: ref.version, kind: config.kind };
  const result = applyConfiguration({
    live,
    config: { ...config, metadata },
    schema: typeSchemas().kind(ref.group, ref.version, config.kind),
    manager: FIELD_MANAGER,
    force,
    subresource: '',
    now: clock.now(),
    resetFields: resetFieldsOf(kind, '', true),
  });
  if (result.type === 'conflict')
    return conflict('Apply failed with conflicts', [...new Set(result.conflicts.map(({ manager }) => manager))]);
  if (result.type === 'invalid') return { type: 'rejected', code: 422, reason: 'Invalid', message: result.message };
  return { type: 'ok', value: cloneJson(store.put(ref.resource, result.object)) };
}

function mergePatch(store: FakeStore, ref: MemberRef, patch: JsonObject): MemberResult<KubeObject> {
  const live = store.find(ref.resource, ref.namespace, ref.name);
  if (!live) return missing(store, ref);
  const { uid, resourceVersion, ...metadata } = (patch.metadata ?? {}) as JsonObject & Preconditions;
  if (isStale(live, { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) }))
    return conflict('the object has been modified');
  const patched = applyMergePatch(live as JsonObject, { ...patch, metadata }) as unknown as KubeObject;
  return { type: 'ok', value: cloneJson(store.put(ref.resource, patched)) };
}
