import { describe, expect, test } from 'vitest';
import { nextRun } from '../../../localstack/members/controllers/cron-job.ts';
import { planDaemonSet } from '../../../localstack/members/controllers/daemon-set.ts';
import { deploymentConditions } from '../../../localstack/members/controllers/deployment-status.ts';
import { indexText, planJob } from '../../../localstack/members/controllers/job-plan.ts';
import { nextPodStep } from '../../../localstack/members/controllers/kubelet.ts';
import { chooseNode, roomOf } from '../../../localstack/members/controllers/nodes.ts';
import { planReplicaSet } from '../../../localstack/members/controllers/replica-set.ts';
import { planStatefulSet, revisionName } from '../../../localstack/members/controllers/stateful-set.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { node, pod } from './builders.ts';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const names = (pods: readonly KubeObject[]) => pods.map((entry) => entry.metadata.name);
const owner = (kind: string, spec: Record<string, unknown>): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'web', namespace: 'default', uid: 'u', generation: 3 },
  spec,
  status: {},
});

describe('ReplicaSet', () => {
  const set = owner('ReplicaSet', { replicas: 2, template: { metadata: { labels: { app: 'web' } } } });
  test('missing pods are made', () => {
    expect(planReplicaSet(set, [pod('a', { ready: true })], NOW)).toMatchObject({ create: 1, remove: [] });
  });
  test('surplus pods go: unbound first, then those that are not ready, then the youngest', () => {
    const pods = [
      pod('old', { ready: true, node: 'n' }),
      pod('young', { ready: true, node: 'n', createdAt: '2026-01-01T00:00:50Z' }),
      pod('sick', { node: 'n' }),
      pod('unbound'),
    ];
    expect(names(planReplicaSet({ ...set, spec: { ...set.spec, replicas: 1 } }, pods, NOW).remove)).toEqual([
      'unbound',
      'sick',
      'young',
    ]);
  });
  test('pods that are finished or being deleted do not count', () => {
    expect(planReplicaSet(set, [pod('a', { phase: 'Failed' }), pod('b', { deleting: true })], NOW)).toMatchObject({
      create: 2,
      status: { replicas: 0 },
    });
  });
  test('a pod counts as available once it was ready long enough, and the plan says when', () => {
    const plan = planReplicaSet(
      { ...set, spec: { ...set.spec, minReadySeconds: 90 } },
      [pod('a', { ready: true, labels: { app: 'web' } })],
      NOW,
    );
    expect(plan.status).toMatchObject({ readyReplicas: 1, availableReplicas: 0, fullyLabeledReplicas: 1 });
    expect(plan.wakeAt).toBe(Date.parse('2026-01-01T00:01:30Z'));
  });
});

describe('StatefulSet', () => {
  const set = owner('StatefulSet', { replicas: 3, template: { metadata: {} } });
  const labels = { 'controller-revision-hash': revisionName(set) };
  test('pods come one after the other, each when the one before is ready', () => {
    expect(planStatefulSet(set, []).create.map(({ name }) => name)).toEqual(['web-0']);
    expect(planStatefulSet(set, [pod('web-0', { labels })]).create).toEqual([]);
    expect(planStatefulSet(set, [pod('web-0', { ready: true, labels })]).create.map(({ name }) => name)).toEqual(['web-1']);
  });
  test('Parallel makes all at once, from the first ordinal', () => {
    const parallel = { ...set, spec: { ...set.spec, podManagementPolicy: 'Parallel', ordinals: { start: 5 } } };
    expect(planStatefulSet(parallel, []).create.map(({ name }) => name)).toEqual(['web-5', 'web-6', 'web-7']);
  });
  test('the highest ordinal goes first', () => {
    const pods = ['web-0', 'web-1', 'web-2', 'web-3'].map((name) => pod(name, { ready: true, labels }));
    expect(names(planStatefulSet({ ...set, spec: { ...set.spec, replicas: 2 } }, pods).remove)).toEqual(['web-3']);
  });
  test('a new template rolls from the top, and waits for each', () => {
    const pods = ['web-0', 'web-1', 'web-2'].map((name) =>
      pod(name, { ready: true, labels: { 'controller-revision-hash': 'older' } }),
    );
    expect(names(planStatefulSet(set, pods).remove)).toEqual(['web-2']);
    const waiting = [...pods.slice(0, 2), pod('web-2', { labels })];
    expect(planStatefulSet({ ...set, spec: { ...set.spec, podManagementPolicy: 'Parallel' } }, waiting).remove).toEqual([]);
  });
});

describe('DaemonSet', () => {
  const set = owner('DaemonSet', { template: { metadata: {}, spec: { containers: [], nodeSelector: { disk: 'ssd' } } } });
  test('one pod for every node that fits, none on the others', () => {
    const plan = planDaemonSet(
      set,
      [node('a', { labels: { disk: 'ssd' } }), node('b'), node('c', { labels: { disk: 'ssd' } })],
      [pod('x', { node: 'c' }), pod('y', { node: 'b' })],
    );
    expect(plan).toMatchObject({ createOn: ['a'], desired: 2 });
    expect(names(plan.remove)).toEqual(['y']);
  });
});

describe('Job', () => {
  const job = owner('Job', { parallelism: 2, completions: 3, template: { metadata: {}, spec: {} } });
  test.each([
    ['starts as many as may run at once', [], { create: 2 }],
    ['starts no more than are left', [pod('a', { phase: 'Succeeded' }), pod('b', { phase: 'Succeeded' })], { create: 1 }],
    [
      'ends when enough succeeded',
      [pod('a', { phase: 'Succeeded' }), pod('b', { phase: 'Succeeded' }), pod('c', { phase: 'Succeeded' })],
      { create: 0, outcome: 'Complete' },
    ],
    [
      'gives up beyond the backoff limit',
      Array.from({ length: 7 }, (_, i) => pod(`f${i}`, { phase: 'Failed' })),
      { create: 0, outcome: 'Failed' },
    ],
  ])('%s', (_name, pods, want) => {
    const { create, outcome } = planJob(job, pods);
    expect({ create: create.length, ...(outcome ? { outcome } : {}) }).toEqual(want);
  });
  test('an Indexed job starts the indexes that are missing', () => {
    const indexed = { ...job, spec: { ...job.spec, completionMode: 'Indexed' } };
    const first = pod('a', { phase: 'Succeeded', annotations: { 'batch.kubernetes.io/job-completion-index': '1' } });
    expect(planJob(indexed, [first]).create).toEqual([0, 2]);
  });
  test('a success policy ends an Indexed job before all indexes have succeeded', () => {
    const spec = { ...job.spec, completionMode: 'Indexed', successPolicy: { rules: [{ succeededCount: 1 }] } };
    const first = pod('a', { phase: 'Succeeded', annotations: { 'batch.kubernetes.io/job-completion-index': '1' } });
    const { outcome, end, completedIndexes } = planJob({ ...job, spec }, [first]);
    expect([outcome, end?.reason, completedIndexes]).toEqual(['Complete', 'SuccessPolicy', '1']);
  });
  test('an index that failed too often is given up alone', () => {
    const spec = { ...job.spec, completionMode: 'Indexed', backoffLimitPerIndex: 0 };
    const failed = pod('a', { phase: 'Failed', annotations: { 'batch.kubernetes.io/job-completion-index': '0' } });
    const { create, outcome, failedIndexes } = planJob({ ...job, spec }, [failed]);
    expect([create, outcome, failedIndexes]).toEqual([[1, 2], undefined, '0']);
  });
  test.each([
    [[], ''],
    [[3], '3'],
    [[1, 2], '1,2'],
    [[0, 1, 2, 5, 7, 8, 9], '0-2,5,7-9'],
  ])('indexes %j are written %s', (indexes, want) => {
    expect(indexText(new Set(indexes))).toBe(want);
  });
});

describe('binding a pod to a node', () => {
  const rooms = (nodes: KubeObject[]) => nodes.map((entry) => roomOf(entry, []));
  test.each([
    ['the emptiest node', pod('p', { cpu: '1' }), [node('small', { cpu: '2' }), node('large', { cpu: '8' })], { node: 'large' }],
    [
      'none with enough room',
      pod('p', { cpu: '5' }),
      [node('a'), node('b')],
      { reason: '0/2 nodes are available: 2 Insufficient cpu.' },
    ],
    [
      'none that it tolerates',
      pod('p'),
      [node('a', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }), node('b', { unschedulable: true })],
      { reason: "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector or had untolerated taints." },
    ],
    ['no room for another pod', pod('p'), [node('a', { pods: '0' })], { reason: '0/1 nodes are available: 1 Too many pods.' }],
  ])('%s', (_name, wanted, nodes, want) => {
    expect(chooseNode(wanted, rooms(nodes))).toEqual(want);
  });
  test('pods that have ended take no room', () => {
    expect(roomOf(node('a', { cpu: '1' }), [pod('x', { cpu: '1', phase: 'Succeeded' })]).cpuFree).toBe(1000);
  });
});

describe('the life of a pod', () => {
  const bound = pod('p', { node: 'n' });
  test('waits, then runs ready', () => {
    expect(nextPodStep(bound, NOW, NOW)).toMatchObject({ type: 'wait' });
    expect(nextPodStep(bound, NOW + 1000, NOW)).toMatchObject({
      type: 'status',
      status: { phase: 'Running', containerStatuses: [{ ready: true }] },
    });
  });
  test('an image that does not exist is said, and stays so', () => {
    const broken = { ...bound, spec: { ...bound.spec, containers: [{ name: 'c', image: 'nginx:does-not-exist' }] } };
    const step = nextPodStep(broken, NOW, NOW);
    expect(step).toMatchObject({
      type: 'status',
      status: { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] },
    });
    expect(nextPodStep({ ...broken, status: step.type === 'status' ? step.status : {} }, NOW + 60_000, NOW)).toEqual({
      type: 'rest',
    });
  });
  test('a pod of a Job whose command is sleep runs as long as that', () => {
    const owned = {
      ...bound.metadata,
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j', controller: true }],
    };
    const containers = [{ name: 'c', image: 'busybox', command: ['sleep', '300'] }];
    const job = { ...bound, metadata: owned, spec: { ...bound.spec, restartPolicy: 'Never', containers } };
    const running = { ...job, status: { phase: 'Running' } };
    expect(nextPodStep(running, NOW + 290_000, NOW)).toMatchObject({ type: 'wait' });
    expect(nextPodStep(running, NOW + 301_000, NOW)).toMatchObject({ type: 'status', status: { phase: 'Succeeded' } });
  });
  test.each([
    ['a program that always fails', { exec: { command: ['/bin/false'] } }],
    ['a port where nobody listens', { httpGet: { path: '/', port: 81 } }],
  ])('a pod whose readiness probe asks %s runs and is never ready', (_sentence, readinessProbe) => {
    const containers = [{ name: 'c', image: 'busybox', ports: [{ containerPort: 80 }], readinessProbe }];
    const step = nextPodStep({ ...bound, spec: { ...bound.spec, containers } }, NOW + 1000, NOW);
    expect(step).toMatchObject({
      type: 'status',
      status: { phase: 'Running', containerStatuses: [{ ready: false, restartCount: 0 }] },
    });
    const conditions = step.type === 'status' ? (step.status.conditions as { type: string; status: string }[]) : [];
    expect(conditions.find(({ type }) => type === 'Ready')?.status).toBe('False');
  });
  test('a deleted pod leaves soon, whatever its grace period', () => {
    const deleting = pod('p', { node: 'n', deleting: true });
    expect(nextPodStep(deleting, Date.parse('2026-01-01T00:00:00Z'))).toMatchObject({ type: 'wait' });
    expect(nextPodStep(deleting, Date.parse('2026-01-01T00:00:01Z'))).toEqual({ type: 'remove' });
  });
  test('a deleted pod whose process has ended waits for its finalizers, and is not deleted again', () => {
    const { metadata, ...rest } = pod('p', { node: 'n', deleting: true });
    const held = { ...rest, metadata: { ...metadata, deletionGracePeriodSeconds: 0, finalizers: ['x.dev/y'] } };
    expect(nextPodStep(held, Date.parse('2026-01-01T00:00:01Z'))).toEqual({ type: 'rest' });
  });
});

describe('conditions of a Deployment', () => {
  const deployment = owner('Deployment', {
    replicas: 4,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    progressDeadlineSeconds: 60,
  });
  const counts = { replicas: 4, updatedReplicas: 4, readyReplicas: 4, availableReplicas: 4, unavailableReplicas: 0 };
  const reasons = (given: KubeObject, of: typeof counts, now = NOW) =>
    deploymentConditions(given, undefined, of, now).conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
  test('all available', () => {
    expect(reasons(deployment, counts)).toEqual([
      'Available=True MinimumReplicasAvailable',
      'Progressing=True NewReplicaSetAvailable',
    ]);
  });
  test('one may be missing', () => {
    expect(reasons(deployment, { ...counts, availableReplicas: 3 })).toEqual([
      'Available=True MinimumReplicasAvailable',
      'Progressing=True ReplicaSetUpdated',
    ]);
  });
  test('without progress for too long', () => {
    const stuck = {
      ...deployment,
      status: {
        updatedReplicas: 4,
        availableReplicas: 2,
        replicas: 4,
        conditions: [
          { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', lastUpdateTime: '2025-12-31T23:59:00Z' },
        ],
      },
    };
    expect(reasons(stuck, { ...counts, availableReplicas: 2 })).toEqual([
      'Available=False MinimumReplicasUnavailable',
      'Progressing=False ProgressDeadlineExceeded',
    ]);
  });
});

describe('times of a CronJob', () => {
  const after = Date.parse('2026-01-01T10:07:30Z');
  test.each([
    ['*/1 * * * ?', '2026-01-01T10:08:00Z'],
    ['*/15 * * * *', '2026-01-01T10:15:00Z'],
    ['0 9-17/2 * * 1-5', '2026-01-01T11:00:00Z'],
    ['@daily', '2026-01-02T00:00:00Z'],
    ['0 0 13 * 5', '2026-01-02T00:00:00Z'],
    ['30 4 1,15 * *', '2026-01-15T04:30:00Z'],
  ])('%s', (schedule, want) => {
    expect(nextRun(schedule, after)).toBe(Date.parse(want));
  });
  test.each(['', 'x * * * *', '60 * * * *', '0 0 30 2 *'])('never: %s', (schedule) => {
    expect(nextRun(schedule, after)).toBeUndefined();
  });
});
