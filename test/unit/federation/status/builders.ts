/** Builders of records, sources and FederatedObjects as the status function sees them. */
import type { DispatchRecord } from '../../../../shared/federation/records.ts';
import type { SourceType } from '../../../../shared/federation/snapshot.ts';
import { aggregateStatus } from '../../../../shared/federation/status/aggregate.ts';
import type { ReportingCluster } from '../../../../shared/federation/status/context.ts';
import type { JsonObject, KubeObject } from '../../../../shared/machinery/object.ts';

export const NOW = Date.parse('2026-03-01T10:00:00Z');

export function source(kind = 'Deployment', apiVersion = 'apps/v1', status: JsonObject = {}, generation = 3): KubeObject {
  return {
    apiVersion,
    kind,
    metadata: { name: 'web', namespace: 'shop', uid: 'src', generation },
    spec: { replicas: 4 },
    status,
  };
}

/** Placed in `clusters`, of decision 5, made from generation 3. */
export function federated(clusters: readonly string[], parts: { generation?: number; status?: JsonObject } = {}): KubeObject {
  return {
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'FederatedObject',
    metadata: {
      name: 'web-deployments.apps',
      namespace: 'shop',
      uid: 'fed',
      generation: 7,
      labels: { 'apps/v1': 'Deployment' },
      annotations: { 'lamiral.dev/decision': '5' },
    },
    spec: {
      template: { metadata: { generation: parts.generation ?? 3 } },
      placements: [{ controller: 'kubeadmiral.io/global-scheduler', placement: clusters.map((cluster) => ({ cluster })) }],
    },
    status: parts.status ?? {},
  };
}

export function record(status?: JsonObject, parts: Partial<DispatchRecord> = {}): DispatchRecord {
  return {
    state: 'OK',
    decision: 5,
    hash: 'h',
    member: { uid: 'm', resourceVersion: '12', generation: 2 },
    clusterUid: 'c',
    attempts: 0,
    changedAt: 0,
    ...(status ? { observed: { at: NOW - 60_000, status, generation: 2 } } : {}),
    ...parts,
  };
}

export const reporting = (name: string, given: DispatchRecord | undefined, reachable = true): ReportingCluster => ({
  name,
  record: given,
  reachable,
});

type Case = { source?: KubeObject; clusters: readonly ReportingCluster[]; placed?: readonly string[]; now?: number };

/** Aggregates; placed in all given clusters unless said otherwise. */
export function aggregate({ source: given = source(), clusters, placed, now = NOW }: Case): ReturnType<typeof aggregateStatus> {
  const [first = '', second] = given.apiVersion.split('/');
  const type: SourceType = {
    group: second ? first : '',
    version: second ?? first,
    kind: given.kind,
    pluralName: '',
    scope: 'Namespaced',
  };
  const object = federated(placed ?? clusters.map(({ name }) => name));
  return aggregateStatus({ source: given, type, federated: object, clusters, now });
}

export const condition = (type: string, status: string, more: JsonObject = {}): JsonObject => ({ type, status, ...more });
