/** Loads what one dispatch depends on. */
import type { ObjectRef } from '../../shared/apis/stored.ts';
import type { ClusterView } from '../../shared/federation/clusters/view.ts';
import type { DispatchCluster, DispatchInput, Wanted } from '../../shared/federation/dispatch/actions.ts';
import { desiredObject } from '../../shared/federation/dispatch/desired.ts';
import { isReplacementReady } from '../../shared/federation/dispatch/replacement.ts';
import { DECISION_ANNOTATION } from '../../shared/federation/keys.ts';
import { type DispatchRecord, dispatchOwner } from '../../shared/federation/records.ts';
import { type FederatedType, templateType } from '../../shared/federation/type-config.ts';
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
  /** Records of the object's other clusters. */
  others: ReadonlyMap<string, DispatchRecord>;
};

/** Reads everything anew; a repeated or late message sees what is true now. */
export async function loadJob(deps: DispatcherDeps, ref: ObjectRef, clusterName: string): Promise<Job> {
  const owner = dispatchOwner(ref);
  const [federated, clusters, records, types] = await Promise.all([
    deps.reader.get(ref),
    deps.clusters.all(),
    deps.records.ofOwner(owner),
    deps.types.all(),
  ]);
  const others = new Map<string, DispatchRecord>();
  for (const { cluster, body } of records)
    if (cluster !== clusterName) others.set(cluster, parseJson(body) as unknown as DispatchRecord);
  const stored = records.find((record) => record.cluster === clusterName);
  return {
    ref,
    owner,
    federated,
    type: federated && templateType(types, federated.object),
    cluster: clusters.get(clusterName),
    stored,
    record: stored && (parseJson(stored.body) as unknown as DispatchRecord),
    others,
  };
}

/**
 * The input of the state machine. Undefined: there is neither a FederatedObject nor a record that says where a copy lies, so nothing can be
 * done or is to be done.
 */
export function inputOf(deps: DispatcherDeps, job: Job, cluster: ClusterView): DispatchInput | undefined {
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
    wanted: wantedOf(job, cluster.name),
    record,
    copy: { type: 'unknown' },
    now: deps.clock.now(),
  };
}

function dispatchCluster(deps: DispatcherDeps, view: ClusterView): DispatchCluster {
  const { name, memberUid, joined, ready, terminating, cascading } = view;
  return { name, uid: memberUid, joined, ready, terminating, cascading, accepting: deps.breakers.isAccepting(name) };
}

function wantedOf({ federated, type, record, others }: Job, cluster: string): Wanted {
  if (!federated || !type || federated.object.metadata.deletionTimestamp !== undefined)
    return { type: 'absent', why: 'deleted', replacementReady: true };
  const placed = placedClusters(federated.object);
  if (!placed.has(cluster)) {
    // Placed nowhere at all: the user took the object back, there is no replacement to wait for.
    if (placed.size === 0) return { type: 'absent', why: 'deleted', replacementReady: true };
    const replacements = [...placed].map((name) => others.get(name));
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

/** Number of the decision that a FederatedObject carries; one made by hand counts by its generation. */
function decisionOf(federated: KubeObject): number {
  const number = Number(federated.metadata.annotations?.[DECISION_ANNOTATION]);
  return Number.isSafeInteger(number) && number > 0 ? number : (federated.metadata.generation ?? 1);
}

function placedClusters(federated: KubeObject): Set<string> {
  type Entry = { placement?: { cluster?: string }[] };
  const clusters = new Set<string>();
  for (const { placement = [] } of (federated.spec?.placements ?? []) as Entry[])
    for (const { cluster } of placement) if (cluster !== undefined) clusters.add(cluster);
  return clusters;
}
