/** The documents that KubeAdmiral keeps beside a FederatedObject: CollectedStatus and PropagatedVersion. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../machinery/canonical.ts';
import { deepEqual } from '../../machinery/equality.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import { formatTime } from '../../machinery/time.ts';
import type { ReportingCluster } from './context.ts';
import type { ClusterRecord } from './federated.ts';

const MISSING_PREFIX = 'fields cannot be collected: ';

type CollectedInput = {
  federated: KubeObject;
  clusters: readonly ReportingCluster[];
  /** The stored document, absent before the first. */
  previous?: KubeObject;
  /** Epoch ms. */
  now: number;
};

/**
 * The (Cluster)CollectedStatus: what each reachable cluster reports, by cluster name. An unreachable cluster keeps its last fields and an `error` says so. `changed` false: `previous` says the
 * same, and keeps its time.
 */
export function collectedStatus({ federated, clusters, previous, now }: CollectedInput): {
  object: KubeObject;
  changed: boolean;
} {
  const entries = clusters
    .filter(({ record }) => record?.observed !== undefined)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(collectedEntry);
  const labels = federated.metadata.labels ?? {};
  const isSame =
    previous !== undefined && deepEqual(previous.clusters, entries) && deepEqual(previous.metadata.labels ?? {}, labels);
  const lastUpdateTime = isSame ? previous.lastUpdateTime : formatTime(now);
  return {
    object: { ...companion(federated, 'CollectedStatus', previous), clusters: entries, lastUpdateTime },
    changed: !isSame,
  };
}

function collectedEntry({ name, record, reachable }: ReportingCluster): JsonObject {
  const { collected, missing = [], at = 0 } = record?.observed ?? {};
  const errors = missing.length === 0 ? [] : [`${MISSING_PREFIX}${missing.map((path) => `${path}: not found`).join(', ')}`];
  if (!reachable) errors.push(`cluster cannot be reached: last seen ${formatTime(at)}`);
  return {
    cluster: name,
    ...(collected ? { collectedFields: collected } : {}),
    ...(errors.length > 0 ? { error: errors.join('; ') } : {}),
  };
}

type VersionInput = { federated: KubeObject; records: readonly ClusterRecord[]; previous?: KubeObject };

/** The (Cluster)PropagatedVersion: hashes of template and overrides, and the version of every copy. */
export function propagatedVersion({ federated, records, previous }: VersionInput): { object: KubeObject; changed: boolean } {
  const clusterVersions = records
    .filter(({ record }) => record.member !== undefined && record.hash !== '')
    .toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1))
    .map(({ cluster, record }) => ({ clusterName: cluster, version: versionText(record.member) }));
  const status: JsonObject = {
    templateVersion: md5(federated.spec?.template ?? {}),
    overridesVersion: md5({ overrides: federated.spec?.overrides ?? null }),
    clusterVersions,
  };
  const changed = previous === undefined || !deepEqual(previous.status, status);
  return { object: { ...companion(federated, 'PropagatedVersion', previous), status }, changed };
}

/** `gen:` where the kind counts generations, otherwise `rv:`. */
function versionText(member: { generation: number; resourceVersion: string } | undefined): string {
  return member && member.generation > 0 ? `gen:${member.generation}` : `rv:${member?.resourceVersion ?? ''}`;
}

/** Same name and namespace as the FederatedObject, owned by it; the labels let a user select by them. */
function companion(federated: KubeObject, kind: string, previous: KubeObject | undefined): KubeObject {
  const { metadata } = federated;
  const prefix = metadata.namespace ? '' : 'Cluster';
  const owner = {
    apiVersion: federated.apiVersion,
    kind: federated.kind,
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    controller: true,
  };
  return {
    apiVersion: federated.apiVersion,
    kind: `${prefix}${kind}`,
    metadata: {
      ...previous?.metadata,
      name: metadata.name ?? '',
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      labels: metadata.labels ?? {},
      ownerReferences: [owner],
    },
  };
}

function md5(value: JsonValue): string {
  return createHash('md5').update(canonicalJson(value)).digest('hex');
}
