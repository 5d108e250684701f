/** Mapper of the names that are made from other names. */
import {
  derivedServiceFederatedObjectName,
  federatedObjectName,
  importedEndpointSliceName,
  possibleClusters,
  sourceClusterLabelValue,
} from '../../../shared/federation/naming.ts';
import { fnv1_32 } from '../../../shared/machinery/fnv.ts';
import { byFunction, type Mappers, value } from '../outcome.ts';

export const mappers: Mappers = {
  naming: byFunction({
    federatedObjectName: ({ input }) => value(federatedObjectName(input.objectName, input.ftcName)),
    importedEndpointSliceName: ({ input }) => value(importedEndpointSliceName(input.endpointSlice, input.cluster)),
    derivedServiceFedObjName: ({ input }) => value(derivedServiceFederatedObjectName(input.service)),
    sourceClusterLabelValue: ({ input }) => value(sourceClusterLabelValue(input.cluster)),
    fnv1_32: ({ input }) => value(fnv1_32(input)),
    possibleClusters: ({ input }) => value(possibleClusters(input.clusters, input.targetName)),
  }),
};
