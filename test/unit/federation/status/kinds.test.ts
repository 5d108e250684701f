import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../shared/machinery/object.ts';
import { aggregate, condition, NOW, record, reporting, source } from './builders.ts';

/** Statuses of c1, c2, ...; undefined: placed there, no report yet. */
function of(kind: string, apiVersion: string, ...statuses: (JsonObject | undefined)[]): JsonObject {
  const clusters = statuses.map((status, index) => reporting(`c${index + 1}`, record(status)));
  return aggregate({ source: source(kind, apiVersion), clusters }).status;
}

const pick = (status: JsonObject, ...keys: string[]) => keys.map((key) => status[key]);

describe('StatefulSet', () => {
  const set = (replicas: number, current: string, update: string): JsonObject => ({
    observedGeneration: 2,
    replicas,
    readyReplicas: replicas,
    currentRevision: current,
    updateRevision: update,
  });
  const cases: [sentence: string, a: JsonObject, b: JsonObject, want: unknown[]][] = [
    ['rolled out everywhere', set(1, 'r2', 'r2'), set(2, 'r2', 'r2'), [3, 3, 'r2', 'r2']],
    ['one still rolling', set(1, 'r2', 'r2'), set(2, 'r1', 'r2'), [3, 3, 'r1', 'r2']],
    ['revisions named differently, all done', set(1, 'a', 'a'), set(2, 'b', 'b'), [3, 3, 'a', 'a']],
  ];
  test.each(cases)('%s', (_sentence, a, b, want) => {
    expect(
      pick(of('StatefulSet', 'apps/v1', a, b), 'replicas', 'observedGeneration', 'currentRevision', 'updateRevision'),
    ).toEqual(want);
  });

  test('a rolling revision never reads as done', () => {
    const status = of('StatefulSet', 'apps/v1', set(1, 'b', 'b'), set(1, 'b', 'c'));
    expect(status.currentRevision).not.toBe(status.updateRevision);
  });

  test('an only member is shown as it is, with the generation of the source', () => {
    expect(of('StatefulSet', 'apps/v1', set(2, 'r1', 'r1'))).toEqual({ ...set(2, 'r1', 'r1'), observedGeneration: 3 });
  });
});

test('DaemonSet: counts', () => {
  const report = {
    observedGeneration: 2,
    desiredNumberScheduled: 2,
    currentNumberScheduled: 2,
    numberReady: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
  };
  expect(of('DaemonSet', 'apps/v1', report, report)).toEqual({
    observedGeneration: 3,
    desiredNumberScheduled: 4,
    currentNumberScheduled: 4,
    numberMisscheduled: 0,
    numberReady: 2,
    numberAvailable: 2,
    numberUnavailable: 2,
  });
});

test("generations of a copy never show as the source's", () => {
  const report = { phase: 'Up', observedGeneration: 1, conditions: [condition('Ready', 'True', { observedGeneration: 1 })] };
  for (const [kind, version] of [
    ['StatefulSet', 'apps/v1'],
    ['Widget', 'example.com/v1'],
  ] as const)
    expect(JSON.stringify(of(kind, version, report))).not.toContain('observedGeneration');
});

describe('Job', () => {
  const complete = { startTime: '2026-03-01T09:00:00Z', completionTime: '2026-03-01T09:30:00Z', succeeded: 1 };
  const failed = { startTime: '2026-03-01T08:00:00Z', failed: 1, conditions: [condition('Failed', 'True')] };
  const types = (status: JsonObject) =>
    ((status.conditions ?? []) as JsonObject[]).map(({ type, reason }) => `${type}/${reason}`);
  const cases: [sentence: string, statuses: (JsonObject | undefined)[], want: string[]][] = [
    ['complete everywhere', [complete, complete], ['Complete/Completed']],
    ['failed everywhere', [failed, failed], ['Failed/Failed']],
    ['both', [complete, failed], ['Failed/Mixed']],
    ['one still runs', [complete, { active: 1 }], []],
    ['one is silent', [complete, undefined], []],
    [
      'suspended everywhere',
      [{ conditions: [condition('Suspended', 'True', { reason: 'JobSuspended' })] }],
      ['Suspended/JobSuspended'],
    ],
  ];
  test.each(cases)('%s', (_sentence, statuses, want) => expect(types(of('Job', 'batch/v1', ...statuses))).toEqual(want));

  test('a finished Job is not written again and again', () => {
    const clusters = [reporting('c1', record(complete))];
    const first = aggregate({ source: source('Job', 'batch/v1'), clusters });
    expect(aggregate({ source: source('Job', 'batch/v1', first.status), clusters, now: NOW + 3_600_000 }).changed).toBe(false);
  });
});

test('CronJob: running Jobs of all, latest times', () => {
  const status = of(
    'CronJob',
    'batch/v1',
    { active: [{ name: 'a' }], lastScheduleTime: '2026-03-01T09:00:00Z' },
    { active: [{ name: 'b' }], lastScheduleTime: '2026-03-01T08:00:00Z' },
  );
  expect(status).toEqual({ active: [{ name: 'a' }, { name: 'b' }], lastScheduleTime: '2026-03-01T09:00:00Z' });
});

test('Service and Ingress: the addresses of all clusters, each once', () => {
  const balancer = (...ips: string[]): JsonObject => ({ loadBalancer: { ingress: ips.map((ip) => ({ ip })) } });
  for (const [kind, version] of [
    ['Service', 'v1'],
    ['Ingress', 'networking.k8s.io/v1'],
  ] as const)
    expect(of(kind, version, balancer('1.1.1.1', '2.2.2.2'), balancer('2.2.2.2', '3.3.3.3'))).toEqual(
      balancer('1.1.1.1', '2.2.2.2', '3.3.3.3'),
    );
});

describe('PersistentVolumeClaim', () => {
  const claim = (phase: string, storage: string): JsonObject => ({
    phase,
    accessModes: ['ReadWriteOnce'],
    capacity: { storage },
  });
  const cases: [sentence: string, statuses: (JsonObject | undefined)[], phase: string, storage: string][] = [
    ['bound everywhere, the smallest counts', [claim('Bound', '10Gi'), claim('Bound', '9Gi')], 'Bound', '9Gi'],
    ['one pending', [claim('Bound', '1Gi'), { phase: 'Pending' }], 'Pending', '1Gi'],
    ['one lost', [claim('Pending', '1Gi'), claim('Lost', '1Gi')], 'Lost', '1Gi'],
    ['one silent', [claim('Bound', '1Gi'), undefined], 'Pending', '1Gi'],
  ];
  test.each(cases)('%s', (_sentence, statuses, phase, storage) => {
    expect(pick(of('PersistentVolumeClaim', 'v1', ...statuses), 'phase', 'capacity')).toEqual([phase, { storage }]);
  });
});

test('PodDisruptionBudget and HorizontalPodAutoscaler: sums', () => {
  const budget = { observedGeneration: 2, disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };
  expect(pick(of('PodDisruptionBudget', 'policy/v1', budget, budget), 'disruptionsAllowed', 'expectedPods')).toEqual([2, 4]);
  const scaler = { currentReplicas: 2, desiredReplicas: 3, lastScaleTime: '2026-03-01T09:00:00Z', currentMetrics: [] };
  const status = of('HorizontalPodAutoscaler', 'autoscaling/v2', scaler, scaler);
  expect(pick(status, 'currentReplicas', 'desiredReplicas', 'currentMetrics')).toEqual([4, 6, undefined]);
});

describe('any other kind', () => {
  const ready = (status: string, message = ''): JsonObject => ({ conditions: [condition('Ready', status, { message })] });
  const bad = (status: string): JsonObject => ({ conditions: [condition('Degraded', status)] });
  const cases: [sentence: string, statuses: (JsonObject | undefined)[], status: string, message: string][] = [
    [
      'good news is as bad as the worst',
      [ready('True'), ready('False', 'broken')],
      'False',
      'False in clusters [c2]: broken; True in clusters [c1]',
    ],
    [
      'bad news is true when it is anywhere',
      [bad('False'), bad('True')],
      'True',
      'True in clusters [c2]; False in clusters [c1]',
    ],
    ['unknown beats true', [ready('True'), ready('Unknown')], 'Unknown', 'Unknown in clusters [c2]; True in clusters [c1]'],
    [
      'silence is not good news',
      [ready('True'), undefined],
      'Unknown',
      'True in clusters [c1]; not reported yet by clusters [c2]',
    ],
    ['all of one mind speak with their own words', [ready('True', 'fine'), ready('True', 'fine')], 'True', 'fine'],
  ];
  test.each(cases)('%s', (_sentence, statuses, status, message) => {
    expect((of('Widget', 'example.com/v1', ...statuses).conditions as JsonObject[])[0]).toMatchObject({ status, message });
  });

  test('an only member is shown as it is', () => {
    expect(of('Widget', 'example.com/v1', { phase: 'Up', observedGeneration: 2 })).toEqual({
      phase: 'Up',
      observedGeneration: 3,
    });
  });

  test('without reports the source keeps what it has', () => {
    const given = source('Widget', 'example.com/v1', { phase: 'Up' });
    expect(aggregate({ source: given, clusters: [] })).toMatchObject({ status: { phase: 'Up' }, changed: false });
  });
});

test('law: aggregating twice changes nothing, whatever members report', () => {
  const status = fc.constantFrom('True', 'False', 'Unknown');
  const report = fc.record(
    {
      replicas: fc.nat(5),
      phase: fc.constantFrom('Pending', 'Running', 'Bound', 'Lost', 'Failed'),
      startTime: fc.constantFrom('2026-03-01T09:00:00Z', '2026-03-01T08:00:00Z'),
      completionTime: fc.constant('2026-03-01T09:30:00Z'),
      conditions: fc.uniqueArray(
        fc.record({ type: fc.constantFrom('Available', 'Progressing', 'Ready', 'Failed', 'Suspended'), status }),
        { selector: ({ type }) => type },
      ),
      observedGeneration: fc.nat(3),
      updateRevision: fc.constantFrom('a', 'b'),
      currentRevision: fc.constantFrom('a', 'b'),
    },
    { requiredKeys: [] },
  );
  const kinds = fc.constantFrom(
    ...[
      'apps/v1 Deployment',
      'apps/v1 StatefulSet',
      'apps/v1 DaemonSet',
      'batch/v1 Job',
      'batch/v1 CronJob',
      'v1 Pod',
      'v1 Service',
      'v1 PersistentVolumeClaim',
      'example.com/v1 Widget',
    ],
  );
  fc.assert(
    fc.property(
      kinds,
      fc.array(fc.option(report, { nil: undefined }), { maxLength: 4 }),
      fc.boolean(),
      (named, reports, reachable) => {
        const [apiVersion = '', kind = ''] = named.split(' ');
        const clusters = reports.map((one, index) => reporting(`c${index}`, record(one as JsonObject | undefined), reachable));
        const first = aggregate({ source: source(kind, apiVersion), clusters });
        const again = aggregate({ source: source(kind, apiVersion, first.status), clusters, now: NOW + 60_000 });
        expect(again).toEqual({ ...first, changed: false });
      },
    ),
    { seed: 31, numRuns: 1000 },
  );
});
