import { describe, expect, test } from 'vitest';
import { damp, type Probe, probeOf, refreshSeen, withCondition, withProbe } from '../../../functions/clusters/health.ts';
import { CLUSTER_UID_ANNOTATION, heldMessage, joinMember } from '../../../functions/clusters/join.ts';
import { fold } from '../../../functions/clusters/observe.ts';
import { serviceAccountToken } from '../../../functions/clusters/service-account.ts';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { seededIds } from '../../../shared/adapters/memory/ids.ts';
import { shippedTypeConfigs } from '../../../shared/apis/kubeadmiral/type-configs.ts';
import type { DispatchRecord } from '../../../shared/federation/records.ts';
import { type FederatedType, federatedType, federatedTypes } from '../../../shared/federation/type-config.ts';
import type { Condition, KubeObject } from '../../../shared/machinery/object.ts';
import { createFakeMember } from '../../integration/federation/fake-member.ts';

const TIMES = { offlineAfterMs: 100, onlineAfterMs: 50 };
const UP: Probe = { ready: 'True', offline: 'False', reason: 'ClusterReady', message: 'fine' };
const DOWN: Probe = { ready: 'Unknown', offline: 'True', reason: 'ClusterNotReachable', message: 'no answer' };
const published = (status: Condition['status']): Condition => ({ type: 'Ready', status });

describe('damping', () => {
  test.each([
    ['the first look is published at once', undefined, DOWN, undefined, 0, { publish: DOWN, pending: undefined }],
    ['what is published already is no news', published('True'), UP, undefined, 0, { publish: undefined, pending: undefined }],
    [
      'a difference starts the time',
      published('True'),
      DOWN,
      undefined,
      7,
      { publish: undefined, pending: { ready: 'Unknown', since: 7 } },
    ],
    [
      'a difference that lasts is published',
      published('True'),
      DOWN,
      { ready: 'Unknown', since: 7 },
      107,
      { publish: DOWN, pending: undefined },
    ],
    [
      'one millisecond earlier it is not',
      published('True'),
      DOWN,
      { ready: 'Unknown', since: 7 },
      106,
      { publish: undefined, pending: { ready: 'Unknown', since: 7 } },
    ],
    [
      'coming back has its own time',
      published('Unknown'),
      UP,
      { ready: 'True', since: 0 },
      50,
      { publish: UP, pending: undefined },
    ],
    [
      'a flip in between starts anew',
      published('True'),
      DOWN,
      { ready: 'False', since: 0 },
      99,
      { publish: undefined, pending: { ready: 'Unknown', since: 99 } },
    ],
    [
      'back before its time: forgotten',
      published('True'),
      UP,
      { ready: 'Unknown', since: 0 },
      99,
      { publish: undefined, pending: undefined },
    ],
  ] as const)('%s', (_sentence, condition, observed, pending, now, want) => {
    expect(damp(condition, observed, pending, now, TIMES)).toEqual(want);
  });

  test.each([
    ['ok', { type: 'ok', value: 'ok' }, 'True', 'False', 'ClusterReady'],
    ['OK in capitals', { type: 'ok', value: 'OK\n' }, 'True', 'False', 'ClusterReady'],
    ['something else', { type: 'ok', value: 'broken' }, 'False', 'False', 'HealthzNotOK'],
    ['an answer that says no', { type: 'rejected', message: 'etcd failed' }, 'False', 'False', 'HealthzNotOK'],
    ['no answer', { type: 'unreachable', message: 'refused' }, 'Unknown', 'True', 'ClusterNotReachable'],
  ] as const)('/healthz: %s', (_sentence, answer, ready, offline, reason) => {
    expect(probeOf(answer)).toMatchObject({ ready, offline, reason });
  });
});

describe('conditions', () => {
  test('the transition time moves with the status only', () => {
    const first = withProbe([], UP, 0, 0);
    const second = withProbe(first, { ...UP, message: 'still fine' }, 60_000, 60_000);
    const third = withProbe(second, DOWN, 120_000, 60_000);
    expect(second.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(Array(2).fill('1970-01-01T00:00:00Z'));
    expect(third.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(Array(2).fill('1970-01-01T00:02:00Z'));
    expect(third[0]?.lastProbeTime).toBe('1970-01-01T00:01:00Z');
  });

  test('seen times are renewed once in a while', () => {
    const conditions = withCondition([], { type: 'Ready', status: 'True', reason: 'r', message: '' }, 0, 0);
    expect(refreshSeen(conditions, 59_000, 60_000)).toEqual(conditions);
    expect(refreshSeen(conditions, 60_000, 60_000)[0]?.lastProbeTime).toBe('1970-01-01T00:01:00Z');
  });
});

describe('joining', () => {
  const member = () => createFakeMember('eu-1', { clock: fakeClock(0), ids: seededIds(1) });

  test('takes a free member, and finds it taken by itself', async () => {
    const { client, get } = member();
    const first = await joinMember(client, 'uid-1');
    expect(first.type).toBe('joined');
    expect(get('namespaces', '', 'kube-admiral-system')?.metadata.annotations?.[CLUSTER_UID_ANNOTATION]).toBe('uid-1');
    expect(await joinMember(client, 'uid-1')).toEqual(first);
  });

  test('leaves a member alone that another holds', async () => {
    const { client } = member();
    await joinMember(client, 'uid-1');
    expect(await joinMember(client, 'uid-2')).toEqual({ type: 'held', holder: 'uid-1' });
  });

  test.each([
    [
      'another control plane',
      'uid-1',
      undefined,
      'cluster eu-2 is held by another control plane: its namespace kube-admiral-system names uid-1, not uid-2. ' +
        'Remove the cluster there first, or delete that namespace in the member if its control plane is gone.',
    ],
    [
      'nobody who says so',
      undefined,
      undefined,
      'cluster eu-2 is held by another control plane: its namespace kube-admiral-system names no FederatedCluster, not uid-2. ' +
        'Remove the cluster there first, or delete that namespace in the member if its control plane is gone.',
    ],
    [
      'another name of this control plane',
      'uid-1',
      'eu-1',
      'cluster eu-2 has joined already as FederatedCluster eu-1, and a member is joined once. ' +
        'Delete FederatedCluster eu-2; or delete eu-1, if eu-2 is to take its place.',
    ],
  ])('says what to do about a member held by %s', (_who, holder, name, want) => {
    expect(heldMessage({ name: 'eu-2', uid: 'uid-2' }, holder, name)).toBe(want);
  });

  test('a service account gets what is propagated, and no more', async () => {
    const { client, get, put } = member();
    await joinMember(client, 'uid-1');
    const types = federatedTypes(shippedTypeConfigs().map(federatedType));
    expect(await serviceAccountToken(client, types)).toEqual({ type: 'pending' });
    const role = get('clusterroles', '', 'kubeadmiral-controller-manager:kubeadmiral-member');
    expect(JSON.stringify(role?.rules)).not.toContain('"*"');
    expect(role?.rules).toContainEqual(
      expect.objectContaining({ apiGroups: ['apps'], resources: ['daemonsets', 'deployments', 'statefulsets'] }),
    );
    const secret = get('secrets', 'kube-admiral-system', 'kubeadmiral-member');
    put('secrets', { ...(secret as KubeObject), data: { token: Buffer.from('t').toString('base64') } });
    expect(await serviceAccountToken(client, types)).toEqual({ type: 'token', token: 't' });
  });
});

describe('observations', () => {
  const type = federatedType(
    shippedTypeConfigs().find(({ metadata }) => metadata.name === 'deployments.apps') as KubeObject,
  ) as FederatedType;
  const record: DispatchRecord = {
    state: 'OK',
    decision: 1,
    hash: 'h',
    clusterUid: 'c',
    owned: 'digest',
    member: { uid: 'u', resourceVersion: '5', generation: 1 },
    attempts: 0,
    changedAt: 0,
  };
  const copy = (resourceVersion: string, status: unknown = { readyReplicas: 1 }, uid = 'u'): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', uid, resourceVersion, generation: 1 },
    status,
  });
  const seen = (one: KubeObject, gone = false) => ({ cluster: 'eu-1', type, copy: one, gone });

  test('a new status is folded in, the same again is nothing', () => {
    const first = fold(record, seen(copy('6')), 1);
    if (first.type !== 'changed') throw new Error('nothing changed');
    expect(first.record).toMatchObject({
      member: { resourceVersion: '6' },
      observed: { status: { readyReplicas: 1 }, generation: 1 },
    });
    expect(fold(first.record, seen(copy('6')), 2).type).toBe('unchanged');
  });

  test.each([
    ['a newer version in which a field of ours has another owner asks for a look', seen(copy('6')), true],
    ['an older version asks for none', seen(copy('4')), false],
    [
      'a copy that is being deleted asks for none',
      seen({ ...copy('6'), metadata: { ...copy('6').metadata, deletionTimestamp: 'now' } }),
      false,
    ],
    ['another object in its place asks for a look', seen(copy('6', {}, 'other')), true],
    ['a copy that is gone asks for a look', seen(copy('6'), true), true],
  ])('%s', (_sentence, observation, suspect) => {
    const folded = fold(record, observation, 1);
    expect(folded.type === 'changed' && folded.suspect).toBe(suspect);
  });

  test('that another object is gone says nothing', () => {
    expect(fold(record, seen(copy('6', {}, 'other'), true), 1)).toEqual({ type: 'unchanged' });
  });
});
