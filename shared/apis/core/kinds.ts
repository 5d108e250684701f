/** Kinds of the core group (`v1`). */
import type { KubeObject } from '../../machinery/object.ts';
import { type KindDeclarations, REPLICA_PATHS, textAt } from '../declare.ts';

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

/** Seconds that a pod's deletion waits for its kubelet; 0 when no node runs it, or it has ended. */
function podGracePeriodSeconds(pod: KubeObject): number {
  if (!pod.spec?.nodeName) return 0;
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') return 0;
  const seconds = pod.spec.terminationGracePeriodSeconds;
  return typeof seconds === 'number' ? seconds : 0;
}

export const CORE_KINDS: KindDeclarations = {
  configmaps: { unconditionalUpdate: true },
  endpoints: { unconditionalUpdate: true, createOnUpdate: true },
  events: { unconditionalUpdate: true, createOnUpdate: true, selectableFields: EVENT_FIELDS },
  limitranges: { unconditionalUpdate: true, createOnUpdate: true },
  namespaces: {
    unconditionalUpdate: true,
    deleteReturnsObject: true,
    nameRule: 'label',
    selectableFields: new Map([['status.phase', textAt('status', 'phase')]]),
  },
  nodes: {
    unconditionalUpdate: true,
    selectableFields: new Map([['spec.unschedulable', (node) => textAt('spec', 'unschedulable')(node) || 'false']]),
  },
  persistentvolumeclaims: { unconditionalUpdate: true, deleteReturnsObject: true },
  persistentvolumes: { unconditionalUpdate: true, deleteReturnsObject: true },
  pods: {
    generation: true,
    unconditionalUpdate: true,
    deleteReturnsObject: true,
    gracePeriodSeconds: podGracePeriodSeconds,
    selectableFields: POD_FIELDS,
  },
  podtemplates: { generation: true, unconditionalUpdate: true, deleteReturnsObject: true },
  replicationcontrollers: {
    generation: true,
    unconditionalUpdate: true,
    defaultDeletion: 'Orphan',
    scale: REPLICA_PATHS,
    selectableFields: new Map([['status.replicas', (object) => textAt('status', 'replicas')(object) || '0']]),
  },
  resourcequotas: { unconditionalUpdate: true, deleteReturnsObject: true },
  secrets: { unconditionalUpdate: true, selectableFields: new Map([['type', textAt('type')]]) },
  serviceaccounts: { unconditionalUpdate: true, deleteReturnsObject: true },
  services: {
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
