/** Mappers of adoption, map merging, retention and the status of a FederatedObject. */
import { mayAdoptInCluster } from '../../../shared/federation/dispatch/adopt.ts';
import { desiredObject } from '../../../shared/federation/dispatch/desired.ts';
import { mergeStringMaps } from '../../../shared/federation/dispatch/merge-maps.ts';
import { retainedContainer, withRetained } from '../../../shared/federation/dispatch/retain.ts';
import { updatedStatus } from '../../../shared/federation/status/federated.ts';
import { byFunction, failed, type Mapper, type Mappers, value } from '../outcome.ts';

const adopt: Mapper = ({ input }) => {
  const may = mayAdoptInCluster(input.annotations ?? {}, input.cluster);
  return may.type === 'invalid' ? failed(may.message) : value({ result: may.result });
};

const maps: Mapper = ({ input }) => value(mergeStringMaps(input.template, input.observed, input.lastPropagatedKeys ?? []));

const container: Mapper = ({ input }) => value(retainedContainer(input.desired, input.cluster));

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } };

const replicas: Mapper = ({ input }) => {
  const { annotations, desiredReplicas, clusterReplicas } = input;
  const template = { ...DEPLOYMENT, spec: desiredReplicas === undefined ? {} : { replicas: desiredReplicas } };
  const desired = desiredObject({
    federated: { apiVersion: '', kind: '', metadata: { annotations: annotations ?? {} }, spec: { template } },
    cluster: 'c',
    decision: 1,
    type: { group: 'apps', version: 'v1', kind: 'Deployment', pluralName: 'deployments', scope: 'Namespaced' },
    typeConfig: { apiVersion: '', kind: '', metadata: {}, spec: { pathDefinition: { replicasSpec: 'spec.replicas' } } },
  });
  if (desired.type === 'invalid') return failed(desired.message);
  const copy = { ...DEPLOYMENT, spec: clusterReplicas === undefined ? {} : { replicas: clusterReplicas } };
  return value(withRetained(desired, copy).spec.replicas);
};

const status: Mapper = ({ input }) => {
  const { changed } = updatedStatus(input.current ?? {}, {
    generation: input.generation ?? 0,
    reason: input.reason ?? '',
    statusByCluster: new Map(Object.entries(input.statusMap ?? {})),
    generationByCluster: new Map(Object.entries(input.generationMap ?? {})),
    resourcesUpdated: input.resourcesUpdated ?? false,
    now: 0,
  });
  return value({ changed });
};

export const mappers: Mappers = {
  sync: byFunction({
    mayAdoptInCluster: adopt,
    mergeStringMaps: maps,
    retainPodContainer: container,
    retainReplicas: replicas,
    federatedStatusChanged: status,
  }),
};
