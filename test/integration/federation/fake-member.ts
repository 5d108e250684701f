/** A member cluster in memory, with switches to make it fail. No controllers: a test says when pods are ready. */
import { cloneJson } from '../../../shared/machinery/equality.ts';
import type { JsonObject, KubeObject } from '../../../shared/machinery/object.ts';
import type { MemberClient, MemberFailure } from '../../../shared/ports/member-client.ts';
import type { Clock, Ids } from '../../../shared/ports/system.ts';
import { createFakeClient, FIELD_MANAGER } from './fake-client.ts';
import { createFakeStore, type FakeStore } from './fake-store.ts';

/** A change by somebody else; undefined removes the object. */
type Change = (object: KubeObject) => KubeObject | undefined;

export type FakeMember = {
  name: string;
  client: MemberClient;
  /** Calls by kind, for assertions on how much was sent. */
  calls: Record<string, number>;
  /** Down: every call fails as refused, and open watches break. */
  setDown(isDown: boolean): void;
  /** Calls on the resource give this failure. */
  reject(resource: string, failure: MemberFailure | undefined): void;
  get(resource: string, namespace: string, name: string): KubeObject | undefined;
  all(resource: string): KubeObject[];
  /** With a manager, that one takes over spec.replicas. */
  change(resource: string, namespace: string, name: string, change: Change, manager?: string): void;
  /** Puts an object there that nobody here manages. */
  put(resource: string, object: KubeObject): void;
  /** All Deployments report their replicas as ready. */
  makeReady(): void;
  /** Another cluster under the same name: empty, with a new kube-system. */
  replace(): void;
};

/** A member with the namespaces that every cluster has, and one node. */
export function createFakeMember(name: string, deps: { clock: Clock; ids: Ids }): FakeMember {
  const store = createFakeStore(deps);
  const failures = new Map<string, MemberFailure>();
  const calls: Record<string, number> = {};
  const count = (kind: string): void => {
    calls[kind] = (calls[kind] ?? 0) + 1;
  };
  const client = createFakeClient(store, { failure: (resource) => failures.get(resource), count }, deps.clock);
  const reject = (resource: string, failure: MemberFailure | undefined): void => {
    if (failure) failures.set(resource, failure);
    else failures.delete(resource);
  };
  furnish(store);
  return {
    name,
    client,
    calls,
    reject,
    setDown(isDown) {
      const message = `cluster ${name}: connection refused`;
      reject('', isDown ? { type: 'unreachable', reason: 'refused', message } : undefined);
      if (isDown) store.breakWatches();
    },
    get: (resource, namespace, objectName) => cloneJson(store.find(resource, namespace, objectName)),
    all: (resource) => store.all(resource).map(cloneJson),
    change(resource, namespace, objectName, change, manager) {
      const live = store.find(resource, namespace, objectName);
      if (!live) throw new Error(`${name} has no ${resource} ${namespace}/${objectName}`);
      const changed = change(cloneJson(live));
      if (!changed) store.remove(resource, namespace, objectName);
      else store.put(resource, manager ? takeOver(changed, manager) : changed);
    },
    put: (resource, object) => void store.put(resource, object),
    makeReady() {
      for (const object of store.all('deployments')) store.put('deployments', { ...object, status: readyStatus(object) });
    },
    replace() {
      store.clear();
      furnish(store);
    },
  };
}

function furnish(store: FakeStore): void {
  for (const name of ['default', 'kube-system', 'kube-public'])
    store.put('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  store.put('nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-1' },
    status: { allocatable: { cpu: '8', memory: '32Gi', pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] },
  });
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
