/** Nodes of a simulated cluster, and whether a node takes a pod. */
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { parseQuantity, quantityToMilli, quantityToNumber } from '../../../shared/machinery/quantity.ts';
import { formatTime } from '../../../shared/machinery/time.ts';
import type { MemberSpec } from '../catalogue.ts';
import { compareText, nameOf } from './pods.ts';

const PODS_PER_NODE = 110;

/** The Node objects of a cluster; their status says that the kubelet is ready, once and for all. */
export function nodeObjects(spec: MemberSpec, gitVersion: string, now: number): KubeObject[] {
  return Array.from({ length: spec.nodes }, (_, i) => nodeObject(spec, `${spec.name}-node-${i + 1}`, i, gitVersion, now));
}

function nodeObject(spec: MemberSpec, name: string, index: number, gitVersion: string, now: number): KubeObject {
  const resources = { cpu: spec.nodeCpu, memory: spec.nodeMemory, pods: String(PODS_PER_NODE), 'ephemeral-storage': '100Gi' };
  const time = formatTime(now);
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  });
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/region': spec.region,
        'topology.kubernetes.io/zone': spec.zone,
        'node-role.kubernetes.io/worker': '',
        ...spec.labels,
      },
    },
    spec: { podCIDR: `10.244.${index}.0/24`, podCIDRs: [`10.244.${index}.0/24`] },
    status: {
      capacity: resources,
      allocatable: resources,
      addresses: [
        { type: 'InternalIP', address: `10.0.${index}.1` },
        { type: 'Hostname', address: name },
      ],
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
        condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
      ],
      nodeInfo: {
        architecture: 'amd64',
        bootID: '',
        containerRuntimeVersion: 'simulated://1',
        kernelVersion: 'simulated',
        kubeProxyVersion: '',
        kubeletVersion: gitVersion,
        machineID: '',
        operatingSystem: 'linux',
        osImage: 'simulated',
        systemUUID: '',
      },
    },
  };
}

/** Requests of a pod: cpu in millicores, memory in bytes (init containers count by their maximum). */
export function podRequests(pod: KubeObject): { cpuMilli: number; memoryBytes: number } {
  const sum = { cpuMilli: 0, memoryBytes: 0 };
  for (const container of containersOf(pod, 'containers')) {
    const requests = requestsOf(container);
    sum.cpuMilli += requests.cpuMilli;
    sum.memoryBytes += requests.memoryBytes;
  }
  for (const container of containersOf(pod, 'initContainers')) {
    const requests = requestsOf(container);
    sum.cpuMilli = Math.max(sum.cpuMilli, requests.cpuMilli);
    sum.memoryBytes = Math.max(sum.memoryBytes, requests.memoryBytes);
  }
  return sum;
}

type Container = { resources?: { requests?: Record<string, string>; limits?: Record<string, string> } };

function containersOf(pod: KubeObject, field: 'containers' | 'initContainers'): Container[] {
  return (pod.spec[field] as Container[] | undefined) ?? [];
}

function requestsOf(container: Container): { cpuMilli: number; memoryBytes: number } {
  const wanted = { ...container.resources?.limits, ...container.resources?.requests };
  return {
    cpuMilli: wanted.cpu === undefined ? 0 : quantityToMilli(parseQuantity(String(wanted.cpu))),
    memoryBytes: wanted.memory === undefined ? 0 : quantityToNumber(parseQuantity(String(wanted.memory))),
  };
}

type Taint = { key: string; value?: string; effect: string };
type Toleration = { key?: string; operator?: string; value?: string; effect?: string };
type Term = { matchExpressions?: Expression[]; matchFields?: Expression[] };
type Expression = { key: string; operator: string; values?: string[] };

/** Whether the node's taints, labels and cordon let the pod in; room is not looked at. */
export function admitsPod(node: KubeObject, pod: KubeObject): boolean {
  const tolerations = (pod.spec.tolerations ?? []) as Toleration[];
  const taints = ((node.spec?.taints ?? []) as Taint[]).filter((taint) => taint.effect !== 'PreferNoSchedule');
  const cordon: Taint[] = node.spec?.unschedulable ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] : [];
  if ([...taints, ...cordon].some((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))) return false;
  const labels = node.metadata.labels ?? {};
  if (Object.entries((pod.spec.nodeSelector ?? {}) as Record<string, string>).some(([key, value]) => labels[key] !== value))
    return false;
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms as
    | Term[]
    | undefined;
  return !terms || terms.some((term) => matchesTerm(node, labels, term));
}

function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  return toleration.operator === 'Exists' || (Boolean(toleration.key) && (toleration.value ?? '') === (taint.value ?? ''));
}

function matchesTerm(node: KubeObject, labels: Record<string, string>, term: Term): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length + fields.length === 0) return false;
  return (
    expressions.every((expression) => matchesExpression(labels[expression.key], expression)) &&
    fields.every((field) => matchesExpression(nameOf(node), field))
  );
}

function matchesExpression(value: string | undefined, { operator, values = [] }: Expression): boolean {
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  if (operator === 'In') return value !== undefined && values.includes(value);
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  const [left, right] = [Number(value), Number(values[0])];
  return operator === 'Gt' ? left > right : left < right;
}

export type Room = {
  name: string;
  node: KubeObject;
  cpuMilli: number;
  memoryBytes: number;
  pods: number;
  cpuFree: number;
  memoryFree: number;
};

/** What is free on a node, given the pods bound to it that have not finished. */
export function roomOf(node: KubeObject, pods: Iterable<KubeObject>): Room {
  const allocatable = (node.status?.allocatable ?? {}) as Record<string, string>;
  const cpuMilli = quantityToMilli(parseQuantity(allocatable.cpu ?? '0'));
  const memoryBytes = quantityToNumber(parseQuantity(allocatable.memory ?? '0'));
  const room: Room = {
    name: nameOf(node),
    node,
    cpuMilli,
    memoryBytes,
    pods: Number(allocatable.pods ?? 0),
    cpuFree: cpuMilli,
    memoryFree: memoryBytes,
  };
  for (const pod of pods) {
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') continue;
    occupy(room, podRequests(pod));
  }
  return room;
}

/** Takes a pod's share out of a node's room. */
export function occupy(room: Room, requests: { cpuMilli: number; memoryBytes: number }): void {
  room.cpuFree -= requests.cpuMilli;
  room.memoryFree -= requests.memoryBytes;
  room.pods -= 1;
}

export type Choice = { node: string } | { reason: string };

/** The node with the most free share that takes the pod and has room; or why there is none, in kube-scheduler's form. */
export function chooseNode(pod: KubeObject, rooms: readonly Room[]): Choice {
  const requests = podRequests(pod);
  const reasons = new Map<string, number>();
  let best: Room | undefined;
  let bestScore = -1;
  for (const room of rooms) {
    const reason = refusal(pod, room, requests);
    if (reason) {
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      continue;
    }
    const score =
      (room.cpuFree - requests.cpuMilli) / Math.max(1, room.cpuMilli) +
      (room.memoryFree - requests.memoryBytes) / Math.max(1, room.memoryBytes);
    // Pods without requests weigh nothing: the count of pods spreads them.
    const spread = score + room.pods / 1000;
    if (spread > bestScore) [best, bestScore] = [room, spread];
  }
  if (best) return { node: best.name };
  const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort(compareText);
  return { reason: `0/${rooms.length} nodes are available: ${parts.join(', ')}.` };
}

function refusal(pod: KubeObject, room: Room, requests: { cpuMilli: number; memoryBytes: number }): string | undefined {
  if (!admitsPod(room.node, pod)) return "node(s) didn't match Pod's node affinity/selector or had untolerated taints";
  if (room.pods < 1) return 'Too many pods';
  if (requests.cpuMilli > room.cpuFree) return 'Insufficient cpu';
  if (requests.memoryBytes > room.memoryFree) return 'Insufficient memory';
  return undefined;
}
