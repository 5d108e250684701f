/** What kube-apiserver 1.35 adds to objects of the oracle's kinds by itself, beside what a request says. Paths have `[]` for list items. */
import { deepEqual } from '../../../../shared/machinery/equality.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../../../shared/machinery/object.ts';

const POD: Readonly<Record<string, readonly JsonValue[]>> = {
  restartPolicy: ['Always'],
  dnsPolicy: ['ClusterFirst'],
  terminationGracePeriodSeconds: [30],
  schedulerName: ['default-scheduler'],
  securityContext: [{}],
  'containers[].imagePullPolicy': ['Always', 'IfNotPresent'],
  'containers[].terminationMessagePath': ['/dev/termination-log'],
  'containers[].terminationMessagePolicy': ['File'],
  'containers[].resources': [{}],
  'containers[].ports[].protocol': ['TCP'],
  'containers[].env[].valueFrom.fieldRef.apiVersion': ['v1'],
  'containers[].livenessProbe.timeoutSeconds': [1],
  'containers[].livenessProbe.periodSeconds': [10],
  'containers[].livenessProbe.successThreshold': [1],
  'containers[].livenessProbe.failureThreshold': [3],
  'containers[].livenessProbe.httpGet.path': ['/'],
  'containers[].livenessProbe.httpGet.scheme': ['HTTP'],
  'volumes[].configMap.defaultMode': [420],
  'volumes[].emptyDir': [{}],
};

const TEMPLATED: Readonly<Record<string, string>> = {
  Deployment: 'spec.template.spec',
  StatefulSet: 'spec.template.spec',
  CronJob: 'spec.jobTemplate.spec.template.spec',
  Pod: 'spec',
};

const KINDS: Readonly<Record<string, Readonly<Record<string, readonly JsonValue[]>>>> = {
  Deployment: {
    'spec.replicas': [1],
    'spec.revisionHistoryLimit': [10],
    'spec.progressDeadlineSeconds': [600],
    'spec.strategy.type': ['RollingUpdate'],
    'spec.strategy.rollingUpdate.maxSurge': ['25%'],
    'spec.strategy.rollingUpdate.maxUnavailable': ['25%'],
    status: [{}],
  },
  StatefulSet: {
    'spec.replicas': [1],
    'spec.revisionHistoryLimit': [10],
    'spec.podManagementPolicy': ['OrderedReady'],
    'spec.updateStrategy.type': ['RollingUpdate'],
    'spec.updateStrategy.rollingUpdate.partition': [0],
    'spec.persistentVolumeClaimRetentionPolicy.whenDeleted': ['Retain'],
    'spec.persistentVolumeClaimRetentionPolicy.whenScaled': ['Retain'],
    'status.replicas': [0],
    'status.availableReplicas': [0],
  },
  CronJob: {
    'spec.concurrencyPolicy': ['Allow'],
    'spec.suspend': [false],
    'spec.successfulJobsHistoryLimit': [3],
    'spec.failedJobsHistoryLimit': [1],
    status: [{}],
    'spec.jobTemplate.metadata': [{}],
    'spec.jobTemplate.spec.template.metadata': [{}],
  },
  Pod: {
    'spec.enableServiceLinks': [true],
    'spec.serviceAccount': ['default'],
    'spec.serviceAccountName': ['default'],
    'spec.preemptionPolicy': ['PreemptLowerPriority'],
    'spec.priority': [0],
    'spec.containers[].resources.requests.cpu': ['2', '3'],
    'spec.containers[].resources.requests.memory': ['2', '3'],
    'status.phase': ['Pending'],
    'status.qosClass': ['BestEffort', 'Burstable', 'Guaranteed'],
  },
  Service: {
    'spec.type': ['ClusterIP'],
    'spec.sessionAffinity': ['None'],
    'spec.sessionAffinityConfig.clientIP.timeoutSeconds': [10_800],
    'spec.internalTrafficPolicy': ['Cluster'],
    'spec.ports[].protocol': ['TCP'],
    'spec.ports[].targetPort': [9, 53, 70, 80, 443],
    'spec.externalTrafficPolicy': ['Cluster'],
    'spec.ipFamilies': [['IPv4']],
    'spec.ipFamilyPolicy': ['SingleStack'],
    'status.loadBalancer': [{}],
  },
  Ingress: { 'status.loadBalancer': [{}] },
  NetworkPolicy: {
    'spec.podSelector': [{}],
    'spec.policyTypes': [['Ingress'], ['Ingress', 'Egress']],
    'spec.ingress[].ports[].protocol': ['TCP'],
  },
  EndpointSlice: { 'ports[].protocol': ['TCP'], 'endpoints[].conditions': [{}], ports: [null], endpoints: [null] },
  PersistentVolumeClaim: { 'spec.volumeMode': ['Filesystem'], 'status.phase': ['Pending'] },
  HorizontalPodAutoscaler: {
    'spec.minReplicas': [1],
    'spec.metrics': [[{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }]],
    'spec.behavior.scaleDown.selectPolicy': ['Max'],
    'spec.behavior.scaleDown.policies': [[{ type: 'Percent', value: 100, periodSeconds: 15 }]],
    'spec.behavior.scaleDown.stabilizationWindowSeconds': [0],
    'spec.behavior.scaleUp.stabilizationWindowSeconds': [0],
    'spec.behavior.scaleUp.selectPolicy': ['Max'],
    'spec.behavior.scaleUp.policies': [
      [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ],
    ],
    'status.desiredReplicas': [0],
    'status.currentMetrics': [null],
  },
  PodDisruptionBudget: {
    spec: [{}],
    'status.disruptionsAllowed': [0],
    'status.currentHealthy': [0],
    'status.desiredHealthy': [0],
    'status.expectedPods': [0],
  },
  Secret: { type: ['Opaque'] },
  Role: { rules: [null] },
  ConfigMap: {},
  ServiceAccount: {},
};

/** May the server add `value` at `path` to an object of the kind? */
export function isServerField(kind: string, path: string, value: JsonValue): boolean {
  const pod = TEMPLATED[kind];
  const allowed =
    KINDS[kind]?.[path] ?? (pod !== undefined && path.startsWith(`${pod}.`) ? POD[path.slice(pod.length + 1)] : undefined);
  return allowed?.some((one) => deepEqual(one, value)) ?? false;
}

/** May the server drop this? Some fields only go with others. */
export function isDropped(kind: string, path: string): boolean {
  return kind === 'Service' && (path === 'spec.sessionAffinityConfig' || path === 'spec.externalTrafficPolicy');
}

/** The stored object with what was dropped from the written one after ownership was decided (sessionAffinityConfig goes before). */
export function withDropped(kind: string, stored: KubeObject, written: KubeObject): KubeObject {
  const policy = written.spec?.externalTrafficPolicy;
  if (kind !== 'Service' || policy === undefined || stored.spec.externalTrafficPolicy !== undefined) return stored;
  return { ...stored, spec: { ...stored.spec, externalTrafficPolicy: policy } };
}

/** What is allocated or set by admission when an object is created: nobody comes to own it. */
export function withoutAllocated(kind: string, object: JsonObject, requested: JsonObject): JsonObject {
  if (kind === 'Service') return withoutMembers(object, requested, ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']);
  if (kind === 'Pod') return withoutMembers(object, requested, podAdmission(requested));
  return kind === 'PersistentVolumeClaim' ? withoutProtection(object, requested) : object;
}

/** A pod that names its account has the old field `serviceAccount` by decoding, not by admission. */
function podAdmission(requested: JsonObject): string[] {
  const admitted = ['tolerations', 'priority', 'preemptionPolicy'];
  return memberOf(requested, 'spec')?.serviceAccountName === undefined ? [...admitted, 'serviceAccount'] : admitted;
}

function withoutMembers(object: JsonObject, requested: JsonObject, names: readonly string[]): JsonObject {
  const [spec, wanted] = [memberOf(object, 'spec'), memberOf(requested, 'spec')];
  const kept = Object.entries(spec ?? {}).filter(([name]) => !names.includes(name) || wanted?.[name] !== undefined);
  return { ...object, spec: Object.fromEntries(kept) };
}

const PROTECTION = 'kubernetes.io/pvc-protection';

function withoutProtection(object: JsonObject, requested: JsonObject): JsonObject {
  const asked = memberOf(requested, 'metadata')?.finalizers;
  const { finalizers, ...metadata } = memberOf(object, 'metadata') ?? {};
  const list = Array.isArray(finalizers) ? finalizers : [];
  const kept = Array.isArray(asked) && asked.includes(PROTECTION) ? list : list.filter((name) => name !== PROTECTION);
  return { ...object, metadata: kept.length > 0 ? { ...metadata, finalizers: kept } : metadata };
}

function memberOf(object: JsonObject, name: string): JsonObject | undefined {
  return object[name] as JsonObject | undefined;
}
