/** Copies that were deleted on a member while nobody watched: known by their records, absent from the list. */
import type { StoredObject } from '../../shared/apis/stored.ts';
import { type DispatchRecord, dispatchOwner } from '../../shared/federation/records.ts';
import { type FederatedType, SCOPES } from '../../shared/federation/type-config.ts';
import { parseJson } from '../../shared/machinery/codec/json.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import { formatApiVersion } from '../../shared/machinery/resource.ts';
import type { ObjectStore, Records } from '../../shared/ports/object-store.ts';
import { listStored, refOf } from '../../shared/runtime/objects.ts';
import { federatedRefOf } from './observe.ts';

export type VanishedDeps = { objects: Pick<ObjectStore, 'list'>; records: Pick<Records, 'get'> };

/** What is missing in `copies`, the complete list of managed objects of a kind in a cluster: with name, namespace and the uid last seen. */
export async function findVanished(
  deps: VanishedDeps,
  cluster: string,
  type: FederatedType,
  copies: readonly KubeObject[],
): Promise<KubeObject[]> {
  const present = new Set(copies.map((copy) => dispatchOwner(federatedRefOf({ type, copy }))));
  const scope = type.type.scope === 'Cluster' ? SCOPES.clusterFederated : SCOPES.federated;
  const vanished: KubeObject[] = [];
  for await (const stored of listStored(deps.objects, scope)) {
    if (!isOfType(stored, type)) continue;
    const owner = dispatchOwner(refOf(stored));
    if (present.has(owner)) continue;
    const record = await deps.records.get(owner, cluster);
    const copy = record && lostCopy(parseJson(record.body) as unknown as DispatchRecord);
    if (copy) vanished.push(copy);
  }
  return vanished;
}

function isOfType({ labels }: StoredObject, { type }: FederatedType): boolean {
  return labels[formatApiVersion(type.group, type.version)] === type.kind;
}

/** The little that is known of a copy that was there; undefined when there was none, or that is known already. */
function lostCopy({ member, target, observed }: DispatchRecord): KubeObject | undefined {
  if (!member || !target || observed?.gone) return undefined;
  const { group, version, namespace, name } = target;
  const { uid, resourceVersion } = member;
  return { apiVersion: formatApiVersion(group, version), kind: '', metadata: { name, namespace, uid, resourceVersion } };
}
