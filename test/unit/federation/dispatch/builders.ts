/** Builders of what dispatch works on. */
import type { DispatchCluster, DispatchInput, Wanted } from '../../../../shared/federation/dispatch/actions.ts';
import { type Desired, desiredObject } from '../../../../shared/federation/dispatch/desired.ts';
import type { DispatchRecord } from '../../../../shared/federation/records.ts';
import type { ClusterOverride, SourceType } from '../../../../shared/federation/snapshot.ts';
import type { KubeObject } from '../../../../shared/machinery/object.ts';

export const DEPLOYMENTS: SourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  pluralName: 'deployments',
  scope: 'Namespaced',
};
export const FED_UID = 'fed-1';
const SCHEDULER = 'kubeadmiral.io/global-scheduler';
const OVERRIDES = 'kubeadmiral.io/overridepolicy-controller';

export function typeConfig(): KubeObject {
  return {
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'FederatedTypeConfig',
    metadata: { name: 'deployments.apps' },
    spec: { controllers: [[SCHEDULER], [OVERRIDES]], pathDefinition: { replicasSpec: 'spec.replicas' } },
  };
}

export function template(image = 'nginx:1'): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' }, annotations: { note: 'x' }, generation: 4 },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image }] } },
    },
  };
}

type FederatedParts = {
  template?: KubeObject;
  annotations?: Record<string, string>;
  overrides?: Record<string, ClusterOverride[]>;
  uid?: string;
};

export function federated(parts: FederatedParts = {}): KubeObject {
  const overrides = Object.entries(parts.overrides ?? {}).map(([controller, clusters]) => ({ controller, clusters }));
  return {
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'FederatedObject',
    metadata: {
      name: 'web-deployments.apps',
      namespace: 'shop',
      uid: parts.uid ?? FED_UID,
      annotations: parts.annotations ?? {},
    },
    spec: { template: parts.template ?? template(), overrides },
  };
}

export const fromScheduler = (cluster: string, replicas: number): Record<string, ClusterOverride[]> => ({
  [SCHEDULER]: [{ cluster, patches: [{ op: 'replace', path: '/spec/replicas', value: replicas }] }],
});
export const fromPolicies = (
  cluster: string,
  ...patches: ClusterOverride['patches'][number][]
): Record<string, ClusterOverride[]> => ({
  [OVERRIDES]: [{ cluster, patches }],
});

/** The desired object of a FederatedObject on c1; throws when there is none. */
export function desired(object: KubeObject = federated(), decision = 5): Desired {
  const made = desiredObject({ federated: object, cluster: 'c1', decision, type: DEPLOYMENTS, typeConfig: typeConfig() });
  if (made.type === 'invalid') throw new Error(made.message);
  return made;
}

export function dispatchCluster(parts: Partial<DispatchCluster> = {}): DispatchCluster {
  return {
    name: 'c1',
    uid: 'cluster-1',
    joined: true,
    ready: true,
    terminating: false,
    cascading: false,
    accepting: true,
    ...parts,
  };
}

export function input(parts: Partial<DispatchInput> = {}): DispatchInput {
  return {
    target: { group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments', namespace: 'shop', name: 'web' },
    federated: { uid: FED_UID, annotations: {} },
    cluster: dispatchCluster(),
    decision: 5,
    wanted: { type: 'present', desired: desired() },
    record: undefined,
    copy: { type: 'unknown' },
    now: 1_000_000,
    ...parts,
  };
}

/** A record of a copy that is as `desired()` says. */
export function okRecord(parts: Partial<DispatchRecord> = {}): DispatchRecord {
  return {
    state: 'OK',
    decision: 5,
    hash: desired().hash,
    member: { uid: 'm-1', resourceVersion: '10', generation: 2 },
    clusterUid: 'cluster-1',
    federatedUid: FED_UID,
    attempts: 0,
    changedAt: 0,
    ...parts,
  };
}

export const absent = (why: 'deleted' | 'deselected', replacementReady = true): Wanted => ({
  type: 'absent',
  why,
  replacementReady,
});

/** What a member answers for the copy of `desired()`, without field owners. */
export function memberCopy(parts: Partial<KubeObject['metadata']> = {}): KubeObject {
  const { object } = desired();
  return { ...object, metadata: { ...object.metadata, uid: 'm-1', resourceVersion: '10', generation: 2, ...parts } };
}
