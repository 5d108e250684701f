/** Joining: one control plane per member, known by a guard namespace; and who the member is, known by its kube-system namespace. */
import { SYSTEM_NAMESPACE } from '../../shared/federation/keys.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import type { MemberClient, MemberFailure, MemberRef, MemberResult } from '../../shared/ports/member-client.ts';

/** Annotation of the guard namespace: uid of the FederatedCluster that holds the member. */
export const CLUSTER_UID_ANNOTATION = 'kubeadmiral.io/federated-cluster-uid';

export type Joined =
  | { type: 'joined'; memberUid: string }
  /** Somebody else has it. `holder`: the uid that the guard namespace names. */
  | { type: 'held'; holder: string | undefined }
  /** `performed`: something of ours may stand in the member. */
  | { type: 'failed'; reason: string; message: string; performed: boolean };

export const namespaceRef = (name: string): MemberRef => ({
  group: '',
  version: 'v1',
  resource: 'namespaces',
  namespace: '',
  name,
});

/** Takes the member, or finds that it is ours already. Safe to repeat. */
export async function joinMember(client: MemberClient, clusterUid: string): Promise<Joined> {
  const system = await client.get(namespaceRef('kube-system'));
  if (system.type !== 'ok') return failed('ClusterNotReachable', system, false);
  const guard = await guardNamespace(client, clusterUid);
  if (guard.type !== 'ok') return failed('NamespaceNotCreated', guard, false);
  const holder = guard.value.metadata.annotations?.[CLUSTER_UID_ANNOTATION];
  if (holder === clusterUid) return { type: 'joined', memberUid: system.value.metadata.uid ?? '' };
  return { type: 'held', holder };
}

/** Why a held member is not taken, and what to do. `name`: the FederatedCluster of ours that has the holder's uid; undefined: none has. */
export function heldMessage(
  cluster: { name: string; uid: string },
  holder: string | undefined,
  name: string | undefined,
): string {
  if (name !== undefined)
    return (
      `cluster ${cluster.name} has joined already as FederatedCluster ${name}, and a member is joined once. ` +
      `Delete FederatedCluster ${cluster.name}; or delete ${name}, if ${cluster.name} is to take its place.`
    );
  return (
    `cluster ${cluster.name} is held by another control plane: its namespace ${SYSTEM_NAMESPACE} names ${holder ?? 'no FederatedCluster'}, not ${cluster.uid}. ` +
    `Remove the cluster there first, or delete that namespace in the member if its control plane is gone.`
  );
}

async function guardNamespace(client: MemberClient, clusterUid: string): Promise<MemberResult<KubeObject>> {
  const ref = namespaceRef(SYSTEM_NAMESPACE);
  const present = await client.get(ref);
  if (present.type !== 'notFound') return present;
  const annotations = { [CLUSTER_UID_ANNOTATION]: clusterUid };
  const created = await client.create(ref, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: SYSTEM_NAMESPACE, annotations },
  });
  // Another attempt, or another control plane, was faster: what stands there decides.
  return created.type === 'rejected' && created.code === 409 ? client.get(ref) : created;
}

function failed(reason: string, failure: MemberFailure, performed: boolean): Joined {
  return { type: 'failed', reason, message: failure.message, performed };
}
