import { describe, expect, test } from 'vitest';
import type { DispatchRecord } from '../../../../shared/federation/records.ts';
import type { JsonObject } from '../../../../shared/machinery/object.ts';
import { aggregate, condition, record, reporting, source } from './builders.ts';

const AVAILABLE = condition('Available', 'True', {
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
});
const DONE = condition('Progressing', 'True', { reason: 'NewReplicaSetAvailable' });
const GOING = condition('Progressing', 'True', { reason: 'ReplicaSetUpdated' });
const STUCK = condition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded', message: 'timed out' });

function report(replicas: number, conditions: JsonObject[] = [AVAILABLE, DONE], generation = 2): JsonObject {
  return {
    observedGeneration: generation,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    conditions,
  };
}

const two = (a: DispatchRecord | undefined, b: DispatchRecord | undefined) => [reporting('c1', a), reporting('c2', b)];
const find = (status: JsonObject, type: string) =>
  (status.conditions as JsonObject[] | undefined)?.find((one) => one.type === type);

test('sums, and what is true of all members', () => {
  expect(aggregate({ clusters: two(record(report(1)), record(report(3))) })).toEqual({
    changed: true,
    stale: [],
    status: {
      observedGeneration: 3,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
      conditions: [
        {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability in clusters [c1,c2]',
          lastTransitionTime: '2026-03-01T10:00:00Z',
          lastUpdateTime: '2026-03-01T10:00:00Z',
        },
        {
          type: 'Progressing',
          status: 'True',
          reason: 'NewReplicaSetAvailable',
          message: 'rolled out in clusters [c1,c2]',
          lastTransitionTime: '2026-03-01T10:00:00Z',
          lastUpdateTime: '2026-03-01T10:00:00Z',
        },
      ],
    },
  });
});

describe("observedGeneration is the source's only when", () => {
  const fine = record(report(1));
  const cases: [sentence: string, other: DispatchRecord | undefined, want: number][] = [
    ['every copy has observed its own', record(report(1)), 3],
    ['not: a copy has not observed its own', record(report(1, [], 1)), 1],
    [
      'not: a newer copy was seen after the report',
      record(report(1), { member: { uid: 'm', resourceVersion: '13', generation: 3 } }),
      1,
    ],
    ['not: a cluster has an older decision', record(report(1), { decision: 4 }), 1],
    ['not: a cluster could not be written', record(report(1), { state: 'UpdateFailed' }), 1],
    ['not: a cluster has reported nothing', record(), 1],
    ['not: a cluster has no record', undefined, 1],
  ];
  test.each(cases)('%s', (_sentence, other, want) => {
    const given = source('Deployment', 'apps/v1', { observedGeneration: 1 });
    expect(aggregate({ source: given, clusters: two(fine, other) }).status.observedGeneration).toBe(want);
  });

  test('not: the template is of another generation', () => {
    const given = source('Deployment', 'apps/v1', { observedGeneration: 1 }, 4);
    expect(aggregate({ source: given, clusters: two(fine, fine) }).status.observedGeneration).toBe(1);
  });

  test('nowhere placed, because no replica is asked for', () => {
    const given = { ...source(), spec: { replicas: 0 } };
    const { status } = aggregate({ source: given, clusters: [] });
    expect([status.observedGeneration, find(status, 'Available')?.status]).toEqual([3, 'True']);
  });

  test('not: nowhere placed though replicas are asked for', () => {
    expect(aggregate({ clusters: [] }).status).toEqual({});
  });
});

describe('Available', () => {
  const down = condition('Available', 'False', { reason: 'MinimumReplicasUnavailable', message: 'no pods' });
  const cases: [sentence: string, a: DispatchRecord | undefined, b: DispatchRecord | undefined, want: object][] = [
    [
      'False when one member is not',
      record(report(1)),
      record(report(1, [down])),
      { status: 'False', message: 'False in clusters [c2]: no pods; True in clusters [c1]' },
    ],
    [
      'False while one member is silent',
      record(report(1)),
      record(),
      { status: 'False', message: 'True in clusters [c1]; not reported yet by clusters [c2]' },
    ],
    ['False while a member says nothing about it', record(report(1)), record(report(1, [])), { status: 'False' }],
    [
      'does not turn True before the generation is observed',
      record(report(1)),
      record(report(1, [AVAILABLE], 1)),
      { status: 'False', message: expect.stringContaining('not observed') },
    ],
  ];
  test.each(cases)('%s', (_sentence, a, b, want) =>
    expect(find(aggregate({ clusters: two(a, b) }).status, 'Available')).toMatchObject(want),
  );

  test('stays True through a rollout', () => {
    const given = source('Deployment', 'apps/v1', {
      conditions: [condition('Available', 'True', { lastTransitionTime: 'then' })],
    });
    const { status } = aggregate({ source: given, clusters: two(record(report(1)), record(report(1, [AVAILABLE], 1))) });
    expect(find(status, 'Available')).toMatchObject({ status: 'True', lastTransitionTime: 'then' });
  });
});

describe('Progressing', () => {
  const cases: [sentence: string, a: JsonObject, b: JsonObject, want: object][] = [
    ['finished when all are', DONE, DONE, { status: 'True', reason: 'NewReplicaSetAvailable' }],
    ['names who is not', DONE, GOING, { status: 'True', reason: 'ReplicaSetUpdated', message: 'in progress in clusters [c2]' }],
    [
      'a deadline exceeded anywhere is False',
      DONE,
      STUCK,
      { status: 'False', reason: 'ProgressDeadlineExceeded', message: expect.stringContaining('[c2]: timed out') },
    ],
  ];
  test.each(cases)('%s', (_sentence, a, b, want) => {
    expect(
      find(aggregate({ clusters: two(record(report(1, [a])), record(report(1, [b]))) }).status, 'Progressing'),
    ).toMatchObject(want);
  });
});

describe('members that cannot be reached', () => {
  const clusters = [reporting('c1', record(report(1))), reporting('c2', record(report(3)), false)];

  test('stay counted, and a condition names them with the time of their last report', () => {
    const made = aggregate({ clusters });
    expect([made.stale, made.status.replicas]).toEqual([['c2'], 4]);
    expect(find(made.status, 'Stale')).toMatchObject({
      status: 'True',
      reason: 'ClusterUnreachable',
      message: expect.stringContaining('c2 (last report 2026-03-01T09:59:00Z)'),
    });
  });

  test('the condition stays as it is until they are back, and then goes', () => {
    const first = aggregate({ clusters });
    const given = source('Deployment', 'apps/v1', first.status);
    expect(aggregate({ source: given, clusters, now: Date.parse('2026-03-01T11:00:00Z') })).toEqual({ ...first, changed: false });
    const back = aggregate({ source: given, clusters: clusters.map((one) => ({ ...one, reachable: true })) });
    expect([back.changed, find(back.status, 'Stale')]).toEqual([true, undefined]);
  });
});

test('replicas that still run where the object is no longer placed are counted, but decide nothing', () => {
  const clusters = [
    reporting('c1', record(report(1))),
    reporting('c2', record(report(3, [STUCK]), { state: 'WaitingForRemoval' })),
  ];
  const { status } = aggregate({ clusters, placed: ['c1'] });
  expect([status.replicas, status.observedGeneration, find(status, 'Progressing')?.status]).toEqual([4, 3, 'True']);
});

test('the same reports again change nothing', () => {
  const clusters = two(record(report(1)), record(report(3, [GOING])));
  const first = aggregate({ clusters });
  const again = aggregate({
    source: source('Deployment', 'apps/v1', first.status),
    clusters,
    now: Date.parse('2026-03-01T12:00:00Z'),
  });
  expect(again).toEqual({ ...first, changed: false });
});
