/** Objects for the tests of the simulated controllers. */
import type { KubeObject } from '../../../shared/machinery/object.ts';

let serial = 0;

/** A pod with what the controllers look at; `ready` gives it the conditions of a running pod. */
export function pod(
  name: string,
  options: {
    ready?: boolean;
    phase?: string;
    node?: string;
    cpu?: string;
    memory?: string;
    labels?: Record<string, string>;
    deleting?: boolean;
    createdAt?: string;
    annotations?: Record<string, string>;
  } = {},
): KubeObject {
  serial += 1;
  const status = options.ready ? 'True' : 'False';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${serial}`,
      creationTimestamp: options.createdAt ?? '2026-01-01T00:00:00Z',
      labels: options.labels ?? {},
      annotations: options.annotations ?? {},
      ...(options.deleting ? { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 } : {}),
    },
    spec: {
      ...(options.node ? { nodeName: options.node } : {}),
      containers: [
        {
          name: 'c',
          image: 'nginx:1',
          resources: { requests: { cpu: options.cpu ?? '100m', memory: options.memory ?? '64Mi' } },
        },
      ],
    },
    status: {
      phase: options.phase ?? (options.ready ? 'Running' : 'Pending'),
      conditions: [{ type: 'Ready', status, lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  };
}

export function node(
  name: string,
  options: {
    cpu?: string;
    memory?: string;
    pods?: string;
    labels?: Record<string, string>;
    taints?: { key: string; value?: string; effect: string }[];
    unschedulable?: boolean;
  } = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: options.labels ?? {} },
    spec: { ...(options.taints ? { taints: options.taints } : {}), ...(options.unschedulable ? { unschedulable: true } : {}) },
    status: { allocatable: { cpu: options.cpu ?? '4', memory: options.memory ?? '16Gi', pods: options.pods ?? '110' } },
  };
}
