/** Loads what one dispatch depends on. */
import type { ObjectRef } from '../../shared/apis/stored.ts';
import type { ClusterView } from '../../shared/federation/clusters/view.ts';
import type { DispatchCluster, DispatchInput, Wanted } from '../../shared/federation/dispatch/actions.ts';
import { desiredObject } from '../../shared/federation/dispatch/desired.ts';
import { isReplacementReady } from '../../shared/federation/dispatch/replacement.ts';
import { type DispatchRecord, dispatchOwner } from '../../shared/federation/records.ts';
import { placedClusters } from '../../shared/federation/status/context.ts';
import { decisionOf, type FederatedType, templateType } from '../../shared/federation/type-config.ts';
import { parseJson } from '../../shared/machinery/codec/json.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import type { StoreRecord } from '../../shared/ports/object-store.ts';
import type { Loaded } from '../../shared/runtime/objects.ts';
import type { DispatcherDeps } from './deps.ts';

/** One cluster's share of one FederatedObject, as stored. */
export type Job = {
  ref: ObjectRef;
  owner: string;
  federated: Loaded | undefined;
  type: FederatedType | undefined;
  cluster: ClusterView | undefined;
  stored: StoreRecord | undefined;
  record: DispatchRecord | undefined;
};

/** Reads everything anew; a repeated or late message sees what is true now. */
export async function loadJob(deps: DispatcherDeps, ref: ObjectRef, clusterName: string): Promise<Job> {
  const owner = dispatchOwner(ref);
  const [federated, clusters, stored, types] = await Promise.all([
    deps.reader.get(ref),
    deps.clusters.all(),
    deps.records.get(owner, clusterName),
    deps.types.all(),
  ]);
  return {
    ref,
    owner,
    federated,
    type: federated && templateType(types, federated.object),
    cluster: clusters.get(clusterName),
    stored,
    record: stored && readRecord(stored),
  };
}

/**
 * The input of the state machine. Undefined: there is neither a FederatedObject nor a record that says where a copy lies, so nothing can be
 * done or is to be done.
 */
export async function inputOf(deps: DispatcherDeps, job: Job, cluster: ClusterView): Promise<DispatchInput | undefined> {
  const { federated, record, type } = job;
  const target = federated && type ? targetOf(federated.object, type) : targetOfRecord(record);
  if (!target) return undefined;
  return {
    target,
    federated: {
      uid: federated?.stored.uid ?? record?.federatedUid ?? '',
      annotations: federated?.object.metadata.annotations ?? {},
    },
    cluster: dispatchCluster(deps, cluster),
    decision: federated ? decisionOf(federated.object) : (record?.decision ?? 0),
    wanted: await wantedOf(deps, job, cluster.name),
    record,
    copy: { type: 'unknown' },
    now: deps.clock.now(),
  };
}

function dispatchCluster(deps: DispatcherDeps, view: ClusterView): DispatchCluster {
  const { name, memberUid, joined, ready, terminating, cascading } = view;
  return { name, uid: memberUid, joined, ready, terminating, cascading, accepting: deps.breakers.isAccepting(name) };
}

async function wantedOf(deps: DispatcherDeps, { owner, federated, type, record }: Job, cluster: string): Promise<Wanted> {
  if (!federated || !type || federated.object.metadata.deletionTimestamp !== undefined)
    return { type: 'absent', why: 'deleted', replacementReady: true };
  const placed = placedClusters(federated.object);
  if (!placed.has(cluster)) {
    // Placed nowhere at all: the user took the object back, there is no replacement to wait for.
    if (placed.size === 0) return { type: 'absent', why: 'deleted', replacementReady: true };
    const replacements = (await deps.records.ofOwner(owner)).filter((one) => placed.has(one.cluster)).map(readRecord);
    return { type: 'absent', why: 'deselected', replacementReady: isReplacementReady(type.type, record, replacements) };
  }
  const desired = desiredObject({
    federated: federated.object,
    cluster,
    decision: decisionOf(federated.object),
    type: type.type,
    typeConfig: type.object,
  });
  return desired.type === 'ok'
    ? { type: 'present', desired }
    : { type: 'broken', state: desired.state, message: desired.message };
}

function targetOf(federated: KubeObject, { type }: FederatedType): DispatchInput['target'] {
  const { name = '', namespace = '' } = federated.spec.template.metadata ?? {};
  const { group, version, kind, pluralName } = type;
  const isNamespaced = type.scope === 'Namespaced';
  const place = isNamespaced ? namespace || (federated.metadata.namespace ?? '') : '';
  return { group, version, kind, resource: pluralName, namespace: place, name };
}

/** The kind matters for sending only, and nothing is sent for an object that is gone. */
function targetOfRecord(record: DispatchRecord | undefined): DispatchInput['target'] | undefined {
  return record?.target && { ...record.target, kind: '' };
}

function readRecord({ body }: StoreRecord): DispatchRecord {
  return parseJson(body) as unknown as DispatchRecord;
}
