/** Kinds of the small groups that a cluster's own machinery uses, by `apiVersion`. */

import { deepEqual } from '../../machinery/equality.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { keepSpec, validateSigningRequest, validateSigningRequestUpdate } from '../certificates/validation.ts';
import { CRD_KIND } from '../custom/kind.ts';
import { type KindDeclarations, textAt } from '../declare.ts';
import { withStatus } from '../defaults/fill.ts';
import {
  AGE_COLUMNS,
  API_SERVICE_COLUMNS,
  ENDPOINT_SLICE_COLUMNS,
  FLOW_SCHEMA_COLUMNS,
  LEASE_COLUMNS,
  PRIORITY_CLASS_COLUMNS,
  PRIORITY_LEVEL_COLUMNS,
  RESOURCE_CLAIM_COLUMNS,
  RESOURCE_SLICE_COLUMNS,
  RUNTIME_CLASS_COLUMNS,
  SIGNING_REQUEST_COLUMNS,
} from './columns.ts';
import {
  defaultApiService,
  defaultEndpointSlice,
  defaultFlowSchema,
  defaultLease,
  defaultPriorityClass,
  defaultPriorityLevel,
  defaultResourceClaim,
  defaultResourceClaimTemplate,
} from './defaults.ts';
import { validateEndpointSlice, validateEndpointSliceUpdate } from './endpoint-slice-validation.ts';
import { validateFlowSchema, validatePriorityLevel } from './flow-control-validation.ts';
import { validateApiService, validateRuntimeClass, validateRuntimeClassUpdate } from './registration-validation.ts';
import {
  validateClaimUpdate,
  validateDeviceClass,
  validateResourceClaim,
  validateResourceClaimTemplate,
  validateResourceSlice,
  validateResourceSliceUpdate,
} from './resource-validation.ts';
import { validateLease, validatePriorityClass, validatePriorityClassUpdate } from './validation.ts';

export const CLUSTER_KINDS: Readonly<Record<string, KindDeclarations>> = {
  'apiextensions.k8s.io/v1': {
    customresourcedefinitions: CRD_KIND,
  },
  'apiregistration.k8s.io/v1': {
    apiservices: {
      strategy: { validate: validateApiService, applyDefaults: defaultApiService, prepareForCreate: withStatus() },
      columns: API_SERVICE_COLUMNS,
      nameRule: 'pathSegment',
    },
  },
  'certificates.k8s.io/v1': {
    certificatesigningrequests: {
      strategy: {
        prepareForCreate: withStatus(),
        prepareForUpdate: keepSpec,
        validate: validateSigningRequest,
        validateUpdate: validateSigningRequestUpdate,
      },
      columns: SIGNING_REQUEST_COLUMNS,
      unconditionalUpdate: true,
      selectableFields: new Map([['spec.signerName', textAt('spec', 'signerName')]]),
    },
  },
  'coordination.k8s.io/v1': {
    leases: { strategy: { validate: validateLease, applyDefaults: defaultLease }, columns: LEASE_COLUMNS, createOnUpdate: true },
  },
  'discovery.k8s.io/v1': {
    endpointslices: {
      strategy: {
        validate: validateEndpointSlice,
        validateUpdate: validateEndpointSliceUpdate,
        applyDefaults: defaultEndpointSlice,
        prepareForUpdate: countLabels,
      },
      columns: ENDPOINT_SLICE_COLUMNS,
      generation: true,
      unconditionalUpdate: true,
    },
  },
  'flowcontrol.apiserver.k8s.io/v1': {
    flowschemas: {
      strategy: { validate: validateFlowSchema, applyDefaults: defaultFlowSchema, prepareForCreate: withStatus() },
      columns: FLOW_SCHEMA_COLUMNS,
      generation: true,
      unconditionalUpdate: true,
    },
    prioritylevelconfigurations: {
      strategy: { validate: validatePriorityLevel, applyDefaults: defaultPriorityLevel, prepareForCreate: withStatus() },
      columns: PRIORITY_LEVEL_COLUMNS,
      generation: true,
      unconditionalUpdate: true,
    },
  },
  'node.k8s.io/v1': {
    runtimeclasses: {
      strategy: { validate: validateRuntimeClass, validateUpdate: validateRuntimeClassUpdate },
      columns: RUNTIME_CLASS_COLUMNS,
      unconditionalUpdate: true,
      createOnUpdate: true,
    },
  },
  'resource.k8s.io/v1': {
    deviceclasses: {
      strategy: { validate: validateDeviceClass },
      columns: AGE_COLUMNS,
      generation: true,
      unconditionalUpdate: true,
      deleteReturnsObject: true,
    },
    resourceclaims: {
      strategy: {
        validate: validateResourceClaim,
        validateUpdate: validateClaimUpdate,
        applyDefaults: defaultResourceClaim,
        prepareForCreate: withStatus(),
      },
      columns: RESOURCE_CLAIM_COLUMNS,
      unconditionalUpdate: true,
      deleteReturnsObject: true,
    },
    resourceclaimtemplates: {
      strategy: {
        validate: validateResourceClaimTemplate,
        validateUpdate: validateClaimUpdate,
        applyDefaults: defaultResourceClaimTemplate,
      },
      columns: AGE_COLUMNS,
      unconditionalUpdate: true,
      deleteReturnsObject: true,
    },
    resourceslices: {
      strategy: { validate: validateResourceSlice, validateUpdate: validateResourceSliceUpdate },
      columns: RESOURCE_SLICE_COLUMNS,
      generation: true,
      unconditionalUpdate: true,
      deleteReturnsObject: true,
      selectableFields: new Map([
        ['spec.nodeName', textAt('spec', 'nodeName')],
        ['spec.driver', textAt('spec', 'driver')],
      ]),
    },
  },
  'scheduling.k8s.io/v1': {
    priorityclasses: {
      strategy: {
        validate: validatePriorityClass,
        validateUpdate: validatePriorityClassUpdate,
        applyDefaults: defaultPriorityClass,
      },
      columns: PRIORITY_CLASS_COLUMNS,
      generation: true,
      unconditionalUpdate: true,
    },
  },
};

/** Labels of a slice say which Service it belongs to: a change of them counts as one of the slice itself, as upstream has it. */
function countLabels(slice: KubeObject, old: KubeObject): void {
  if (deepEqual(slice.metadata.labels ?? {}, old.metadata.labels ?? {})) return;
  slice.metadata.generation = (old.metadata.generation ?? 0) + 1;
}
