import { describe, expect, test } from 'vitest';
import type { DispatchInput } from '../../../../shared/federation/dispatch/actions.ts';
import { decideDispatch } from '../../../../shared/federation/dispatch/decide.ts';
import { absent, desired, dispatchCluster, federated, input, memberCopy, okRecord, template } from './builders.ts';

const present = (object: ReturnType<typeof memberCopy>): DispatchInput['copy'] => ({ type: 'present', object });
const changed = () => ({ type: 'present', desired: desired(federated({ template: template('nginx:2') }), 6) }) as const;
const deleting = () => memberCopy({ deletionTimestamp: '2026-01-01T00:00:00Z' });

type Case = [sentence: string, given: Partial<DispatchInput>, next: string, state?: string];

describe('a selected cluster', () => {
  const cases: Case[] = [
    ['nothing known: look first', {}, 'read'],
    ['nothing there: create', { copy: { type: 'absent' } }, 'create'],
    ['as decided: nothing', { record: okRecord() }, 'nothing'],
    ['as decided, a new number: only the record follows', { record: okRecord({ decision: 4 }) }, 'nothing', 'OK'],
    ['other content: apply on the version last seen', { record: okRecord(), wanted: changed(), decision: 6 }, 'apply'],
    ['other content, but nothing is certain: look first', { record: okRecord({ hash: '' }) }, 'read'],
    ['a failed attempt is tried again', { record: okRecord({ state: 'UpdateFailed', hash: 'other' }) }, 'apply'],
    ['the record is of a newer decision: nothing', { record: okRecord({ decision: 9 }), wanted: changed() }, 'nothing'],
    [
      'unless it is of an earlier life',
      { record: okRecord({ decision: 9, hash: 'x', federatedUid: 'fed-0' }), wanted: changed() },
      'apply',
    ],
    [
      'the copy carries a newer decision: nothing',
      {
        copy: present(memberCopy({ annotations: { 'lamiral.dev/decision': '9' }, labels: { 'kubeadmiral.io/managed': 'true' } })),
      },
      'nothing',
    ],
    ['a copy being deleted is waited for', { copy: present(deleting()) }, 'wait', 'WaitingForRemoval'],
    ['a foreign object is left alone', { copy: present(memberCopy({ labels: {} })) }, 'refuse', 'AlreadyExists'],
    ['not ready: parked', { cluster: dispatchCluster({ ready: false }) }, 'park', 'ClusterNotReady'],
    ['not joined: parked', { cluster: dispatchCluster({ joined: false }) }, 'park', 'ClusterNotReady'],
    ['leaving: refused', { cluster: dispatchCluster({ terminating: true }) }, 'refuse', 'ClusterTerminating'],
    ['its breaker is open: parked', { cluster: dispatchCluster({ accepting: false }) }, 'park', 'Parked'],
    [
      'its breaker is open, but there is nothing to send',
      { record: okRecord(), cluster: dispatchCluster({ accepting: false }) },
      'nothing',
    ],
    [
      'not ready for a while, content unchanged: right again',
      { record: okRecord({ state: 'ClusterNotReady' }) },
      'nothing',
      'OK',
    ],
    ['another cluster of this name: look first', { record: okRecord({ clusterUid: 'cluster-0' }) }, 'read'],
    [
      'no object to send',
      { wanted: { type: 'broken', state: 'ApplyOverridesFailed', message: 'm' } },
      'refuse',
      'ApplyOverridesFailed',
    ],
    [
      'a dry run sends nothing',
      { federated: { uid: 'fed-1', annotations: { 'kubeadmiral.io/dry-run': 'true' } }, copy: { type: 'absent' } },
      'nothing',
    ],
    [
      'a dry run after the first dispatch changes nothing',
      { federated: { uid: 'fed-1', annotations: { 'kubeadmiral.io/dry-run': 'true' } }, record: okRecord(), wanted: changed() },
      'apply',
    ],
    [
      'a member restored from a backup gets it again',
      { record: okRecord(), copy: present(memberCopy({ generation: 1 })) },
      'apply',
    ],
    [
      'what may have been adopted is looked at before a write',
      {
        federated: { uid: 'fed-1', annotations: { 'kubeadmiral.io/conflict-resolution': 'adopt' } },
        record: okRecord(),
        wanted: changed(),
      },
      'read',
    ],
  ];
  test.each(cases)('%s', (_sentence, given, next, state) => {
    const decided = decideDispatch(input(given));
    expect([decided.next.type, decided.record?.state]).toEqual([next, state]);
  });

  test('an apply carries uid and version of the copy it was decided on', () => {
    const { next } = decideDispatch(input({ record: okRecord(), wanted: changed(), decision: 6 }));
    expect(next.type === 'apply' && next.object.metadata).toMatchObject({
      uid: 'm-1',
      resourceVersion: '10',
      annotations: { 'lamiral.dev/decision': '6' },
    });
  });

  test('adopting says so on the object', () => {
    const annotations = { 'kubeadmiral.io/conflict-resolution': 'adopt', 'kubeadmiral.io/clusters-to-adopt': '{"regexp":".*"}' };
    const { next } = decideDispatch(
      input({ federated: { uid: 'fed-1', annotations }, copy: present(memberCopy({ labels: {} })) }),
    );
    expect(next.type === 'apply' && next.object.metadata.annotations).toMatchObject({ 'kubeadmiral.io/adopted': 'true' });
  });

  test('a namespace that every member has is never written', () => {
    const target = { group: '', version: 'v1', kind: 'Namespace', resource: 'namespaces', namespace: '', name: 'kube-system' };
    const types = [
      decideDispatch(input({ target })).next.type,
      decideDispatch(input({ target, wanted: absent('deleted'), record: okRecord() })).next.type,
    ];
    expect(types).toEqual(['nothing', 'forget']);
  });
});

describe('a cluster that is to have no copy', () => {
  const gone = { wanted: absent('deselected'), record: okRecord() };
  const cases: Case[] = [
    ['nothing was sent: forgotten', { wanted: absent('deleted') }, 'forget'],
    ['looked at before it is deleted', gone, 'read'],
    ['gone: forgotten', { ...gone, copy: { type: 'absent' } }, 'forget'],
    ['there: deleted', { ...gone, copy: present(memberCopy()) }, 'delete'],
    ['being deleted: waited for', { ...gone, copy: present(deleting()) }, 'wait', 'WaitingForRemoval'],
    [
      'the last healthy copy waits for its replacement',
      { ...gone, wanted: absent('deselected', false) },
      'wait',
      'WaitingForRemoval',
    ],
    ['unless the user asked', { ...gone, wanted: absent('deleted', false) }, 'read'],
    ['not ready: the record stays', { ...gone, cluster: dispatchCluster({ ready: false }) }, 'park', 'WaitingForRemoval'],
    [
      'its breaker is open: the record stays',
      { ...gone, cluster: dispatchCluster({ accepting: false }) },
      'park',
      'WaitingForRemoval',
    ],
    ['leaving: what is there stays there', { ...gone, cluster: dispatchCluster({ terminating: true }) }, 'forget'],
    [
      'leaving with cascading delete: deleted',
      { ...gone, cluster: dispatchCluster({ terminating: true, cascading: true }), copy: present(memberCopy()) },
      'delete',
    ],
    ['not managed: not ours to delete', { ...gone, copy: present(memberCopy({ labels: {} })) }, 'forget'],
    [
      'of another FederatedObject: not ours to delete',
      { ...gone, copy: present(memberCopy({ annotations: { 'lamiral.dev/federated-uid': 'fed-2' } })) },
      'forget',
    ],
    [
      'orphaned where the annotation says so',
      { ...gone, federated: { uid: 'fed-1', annotations: { 'kubeadmiral.io/orphan': 'all' } }, copy: present(memberCopy()) },
      'orphan',
    ],
    ['a late message of an older decision does nothing', { ...gone, record: okRecord({ decision: 9 }) }, 'nothing'],
  ];
  test.each(cases)('%s', (_sentence, given, next, state) => {
    const decided = decideDispatch(input(given));
    expect([decided.next.type, decided.record?.state]).toEqual([next, state]);
  });

  test('a delete carries both preconditions', () => {
    expect(decideDispatch(input({ ...gone, copy: present(memberCopy()) })).next).toMatchObject({
      preconditions: { uid: 'm-1', resourceVersion: '10' },
    });
  });
});
