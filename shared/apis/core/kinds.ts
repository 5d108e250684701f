/** Kinds of the core group (`v1`). */

import type { KubeObject } from '../../machinery/object.ts';
import { type KindDeclarations, REPLICA_PATHS, textAt } from '../declare.ts';
import { withStatus } from '../defaults/fill.ts';
import { defaultPod } from '../defaults/pod-spec.ts';
import {
  CONFIG_MAP_COLUMNS,
  ENDPOINTS_COLUMNS,
  EVENT_COLUMNS,
  NAMESPACE_COLUMNS,
  NODE_COLUMNS,
  PERSISTENT_VOLUME_CLAIM_COLUMNS,
  PERSISTENT_VOLUME_COLUMNS,
  POD_TEMPLATE_COLUMNS,
  REPLICATION_CONTROLLER_COLUMNS,
  RESOURCE_QUOTA_COLUMNS,
  SECRET_COLUMNS,
  SERVICE_ACCOUNT_COLUMNS,
  SERVICE_COLUMNS,
} from './columns.ts';
import {
  defaultEndpoints,
  defaultEvent,
  defaultLimitRange,
  defaultNamespace,
  defaultNode,
  defaultPersistentVolume,
  defaultPersistentVolumeClaim,
  defaultPodTemplateObject,
  defaultReplicationController,
  defaultSecret,
  defaultService,
  prepareNamespace,
  startPhase,
} from './defaults.ts';
import { validateLimitRange, validateResourceQuota, validateResourceQuotaUpdate } from './limits-validation.ts';
import { validateNode, validateNodeUpdate } from './node-validation.ts';
import { POD_COLUMNS } from './pod-columns.ts';
import { preparePod } from './pod-create.ts';
import { validatePod, validatePodChange, validatePodTemplateObject, validateReplicationController } from './pod-validation.ts';
import { allocateService, reallocateService } from './service.ts';
import { validateService, validateServiceUpdate } from './service-validation.ts';
import {
  validateConfigMap,
  validateConfigMapUpdate,
  validateEndpoints,
  validateEvent,
  validateNamespace,
  validatePersistentVolume,
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimUpdate,
  validatePersistentVolumeUpdate,
  validateSecret,
  validateSecretUpdate,
} from './validation.ts';

/** Field selectors of Events in the core form; events.k8s.io maps its own names onto the same fields. */
const EVENT_FIELDS = new Map<string, (object: KubeObject) => string>([
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (field) => [`involvedObject.${field}`, textAt('involvedObject', field)] as const,
  ),
  ['reason', textAt('reason')],
  ['reportingComponent', textAt('reportingComponent')],
  ['source', (event) => textAt('source', 'component')(event) || textAt('reportingComponent')(event)],
  ['type', textAt('type')],
]);

const POD_FIELDS = new Map<string, (object: KubeObject) => string>([
  ['spec.nodeName', textAt('spec', 'nodeName')],
  ['spec.restartPolicy', textAt('spec', 'restartPolicy')],
  ['spec.schedulerName', textAt('spec', 'schedulerName')],
  ['spec.serviceAccountName', textAt('spec', 'serviceAccountName')],
  ['spec.hostNetwork', (pod) => textAt('spec', 'hostNetwork')(pod) || 'false'],
  ['status.phase', textAt('status', 'phase')],
  ['status.podIP', (pod) => String(pod.status?.podIPs?.[0]?.ip ?? '')],
  ['status.podIPs', (pod) => String(pod.status?.podIPs?.[0]?.ip ?? '')],
  ['status.nominatedNodeName', textAt('status', 'nominatedNodeName')],
]);

/** Seconds that a pod's deletion waits for its kubelet; undefined when no node runs it, or it has ended. */
function podGracePeriodSeconds(pod: KubeObject): number | undefined {
  if (!pod.spec?.nodeName) return undefined;
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') return undefined;
  const seconds = pod.spec.terminationGracePeriodSeconds;
  return typeof seconds === 'number' ? seconds : 0;
}

export const CORE_KINDS: KindDeclarations = {
  configmaps: {
    strategy: { validate: validateConfigMap, validateUpdate: validateConfigMapUpdate },
    columns: CONFIG_MAP_COLUMNS,
    unconditionalUpdate: true,
  },
  endpoints: {
    strategy: { validate: validateEndpoints, applyDefaults: defaultEndpoints },
    columns: ENDPOINTS_COLUMNS,
    unconditionalUpdate: true,
    createOnUpdate: true,
  },
  events: {
    strategy: { validate: validateEvent, applyDefaults: defaultEvent },
    columns: EVENT_COLUMNS,
    unconditionalUpdate: true,
    createOnUpdate: true,
    selectableFields: EVENT_FIELDS,
  },
  limitranges: {
    strategy: { validate: validateLimitRange, applyDefaults: defaultLimitRange },
    unconditionalUpdate: true,
    createOnUpdate: true,
  },
  namespaces: {
    strategy: { validate: validateNamespace, applyDefaults: defaultNamespace, prepareForCreate: prepareNamespace },
    columns: NAMESPACE_COLUMNS,
    unconditionalUpdate: true,
    deleteReturnsObject: true,
    nameRule: 'label',
    selectableFields: new Map([['status.phase', textAt('status', 'phase')]]),
  },
  nodes: {
    strategy: {
      validate: validateNode,
      validateUpdate: validateNodeUpdate,
      applyDefaults: defaultNode,
    },
    statusOnCreate: true,
    columns: NODE_COLUMNS,
    unconditionalUpdate: true,
    selectableFields: new Map([['spec.unschedulable', (node) => textAt('spec', 'unschedulable')(node) || 'false']]),
  },
  persistentvolumeclaims: {
    strategy: {
      validate: validatePersistentVolumeClaim,
      validateUpdate: validatePersistentVolumeClaimUpdate,
      applyDefaults: defaultPersistentVolumeClaim,
    },
    columns: PERSISTENT_VOLUME_CLAIM_COLUMNS,
    unconditionalUpdate: true,
    deleteReturnsObject: true,
  },
  persistentvolumes: {
    strategy: {
      validate: validatePersistentVolume,
      validateUpdate: validatePersistentVolumeUpdate,
      applyDefaults: defaultPersistentVolume,
      prepareForCreate: startPhase,
    },
    columns: PERSISTENT_VOLUME_COLUMNS,
    unconditionalUpdate: true,
    deleteReturnsObject: true,
  },
  pods: {
    strategy: {
      validate: validatePod,
      validateChange: validatePodChange,
      applyDefaults: defaultPod,
      prepareForCreate: preparePod,
    },
    columns: POD_COLUMNS,
    generation: true,
    unconditionalUpdate: true,
    deleteReturnsObject: true,
    gracePeriodSeconds: podGracePeriodSeconds,
    selectableFields: POD_FIELDS,
  },
  podtemplates: {
    strategy: { validate: validatePodTemplateObject, applyDefaults: defaultPodTemplateObject },
    columns: POD_TEMPLATE_COLUMNS,
    generation: true,
    unconditionalUpdate: true,
    deleteReturnsObject: true,
  },
  replicationcontrollers: {
    strategy: {
      validate: validateReplicationController,
      applyDefaults: defaultReplicationController,
      prepareForCreate: withStatus({ replicas: 0 }),
    },
    columns: REPLICATION_CONTROLLER_COLUMNS,
    generation: true,
    unconditionalUpdate: true,
    defaultDeletion: 'Orphan',
    scale: REPLICA_PATHS,
    selectableFields: new Map([['status.replicas', (object) => textAt('status', 'replicas')(object) || '0']]),
  },
  resourcequotas: {
    strategy: { validate: validateResourceQuota, validateUpdate: validateResourceQuotaUpdate, prepareForCreate: withStatus() },
    columns: RESOURCE_QUOTA_COLUMNS,
    unconditionalUpdate: true,
    deleteReturnsObject: true,
  },
  secrets: {
    strategy: { validate: validateSecret, validateUpdate: validateSecretUpdate, applyDefaults: defaultSecret },
    columns: SECRET_COLUMNS,
    unconditionalUpdate: true,
    selectableFields: new Map([['type', textAt('type')]]),
  },
  serviceaccounts: { columns: SERVICE_ACCOUNT_COLUMNS, unconditionalUpdate: true, deleteReturnsObject: true },
  services: {
    strategy: {
      validate: validateService,
      validateUpdate: validateServiceUpdate,
      applyDefaults: defaultService,
      prepareForCreate: allocateService,
      prepareForUpdate: reallocateService,
    },
    columns: SERVICE_COLUMNS,
    unconditionalUpdate: true,
    createOnUpdate: true,
    deleteReturnsObject: true,
    nameRule: 'label1035',
    selectableFields: new Map([
      ['spec.clusterIP', textAt('spec', 'clusterIP')],
      ['spec.type', textAt('spec', 'type')],
    ]),
  },
};
