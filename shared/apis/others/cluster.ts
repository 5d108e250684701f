/** Kinds of the small groups that a cluster's own machinery uses, by `apiVersion`. */
import { type KindDeclarations, textAt } from '../declare.ts';

export const CLUSTER_KINDS: Readonly<Record<string, KindDeclarations>> = {
  'apiextensions.k8s.io/v1': { customresourcedefinitions: { generation: true } },
  'apiregistration.k8s.io/v1': { apiservices: { nameRule: 'pathSegment' } },
  'certificates.k8s.io/v1': {
    certificatesigningrequests: {
      unconditionalUpdate: true,
      selectableFields: new Map([['spec.signerName', textAt('spec', 'signerName')]]),
    },
  },
  'coordination.k8s.io/v1': { leases: { createOnUpdate: true } },
  'discovery.k8s.io/v1': { endpointslices: { generation: true, unconditionalUpdate: true } },
  'flowcontrol.apiserver.k8s.io/v1': {
    flowschemas: { generation: true, unconditionalUpdate: true },
    prioritylevelconfigurations: { generation: true, unconditionalUpdate: true },
  },
  'node.k8s.io/v1': { runtimeclasses: { unconditionalUpdate: true, createOnUpdate: true } },
  'resource.k8s.io/v1': {
    deviceclasses: { generation: true, unconditionalUpdate: true, deleteReturnsObject: true },
    resourceclaims: { unconditionalUpdate: true, deleteReturnsObject: true },
    resourceclaimtemplates: { unconditionalUpdate: true, deleteReturnsObject: true },
    resourceslices: {
      generation: true,
      unconditionalUpdate: true,
      deleteReturnsObject: true,
      selectableFields: new Map([
        ['spec.nodeName', textAt('spec', 'nodeName')],
        ['spec.driver', textAt('spec', 'driver')],
      ]),
    },
  },
  'scheduling.k8s.io/v1': { priorityclasses: { generation: true, unconditionalUpdate: true } },
};
