/** Kinds that are stored in another form: there and back without loss. And small grammars: schedules, addresses, allocation. */

import { isIP as nodeIsIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { autoscalerFromV1, autoscalerToV1 } from '../../../shared/apis/autoscaling/conversion.ts';
import { cronComplaint } from '../../../shared/apis/batch/cron.ts';
import { allocateService, reallocateService } from '../../../shared/apis/core/service.ts';
import { pullPolicyOf } from '../../../shared/apis/defaults/pod-spec.ts';
import { eventFromCore, eventToCore } from '../../../shared/apis/events/conversion.ts';
import { isIPv4, isIPv6, isStrictSubnet } from '../../../shared/apis/validation/ip.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';

const object = (rest: object): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x', uid: 'u1' }, ...rest });

test('an autoscaler of v2 survives a visit to v1', () => {
  const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } };
  const pods = { type: 'Pods', pods: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '10' } } };
  const given = object({
    spec: { maxReplicas: 3, metrics: [pods, cpu], behavior: { scaleDown: { selectPolicy: 'Max' } } },
    status: {
      desiredReplicas: 1,
      currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 7 } } }],
      conditions: [{ type: 'AbleToScale', status: 'True' }],
    },
  });
  const v1 = autoscalerToV1(structuredClone(given));
  expect(v1.spec).toEqual({ maxReplicas: 3, targetCPUUtilizationPercentage: 50 });
  expect(v1.status).toEqual({ desiredReplicas: 1, currentCPUUtilizationPercentage: 7 });
  expect(autoscalerFromV1(v1)).toEqual(given);
});

test('an annotation that cannot be read is passed over', () => {
  const given = object({ spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 50 } });
  given.metadata.annotations = { 'autoscaling.alpha.kubernetes.io/metrics': '{', keep: 'me' };
  const v2 = autoscalerFromV1(given);
  expect(v2.spec.metrics).toHaveLength(1);
  expect(v2.metadata.annotations).toEqual({ keep: 'me' });
});

test('an Event has the same content in both forms', () => {
  const given = object({
    involvedObject: { kind: 'Pod' },
    message: 'm',
    source: { component: 'c' },
    count: 2,
    reportingComponent: 'r',
    type: 'Normal',
  });
  const modern = eventFromCore(structuredClone(given));
  expect(modern).toMatchObject({
    regarding: { kind: 'Pod' },
    note: 'm',
    deprecatedSource: { component: 'c' },
    deprecatedCount: 2,
    reportingController: 'r',
  });
  expect(eventToCore(modern)).toEqual(given);
});

describe('schedules that can be read', () => {
  test.each([
    '* * * * *',
    '*/5 0-6,20 1 jan-mar MON',
    '0 0 1 1 0',
    '@daily',
    '@every 1h30m',
    '5/10 * * * *',
    '? * * * ?',
    'TZ=UTC 0 0 * * *',
  ])('%s', (schedule) => {
    expect(cronComplaint(schedule)).toBeUndefined();
  });
});

describe('schedules that cannot', () => {
  test.each([
    ['', 'empty spec string'],
    ['* * *', 'expected exactly 5 fields, found 3: [* * *]'],
    ['* 24 * * *', 'end of range (24) above maximum (23): 24'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['@sometimes', 'unrecognized descriptor: @sometimes'],
  ])('%s: %s', (schedule, complaint) => {
    expect(cronComplaint(schedule)).toBe(complaint);
  });
});

test('addresses are what the standard library calls addresses', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.stringMatching(/^[0-9a-f:.]{1,20}$/)), (text) => {
      const version = nodeIsIP(text);
      // Leading zeros and zones are the two places where kube-apiserver's old parser differs; neither is generated here.
      fc.pre(!/(^|\.)0\d/.test(text));
      expect([isIPv4(text), isIPv6(text)]).toEqual([version === 4, version === 6]);
    }),
    { seed: 7, numRuns: 500 },
  );
});

describe('subnets', () => {
  test.each([
    ['10.1.0.0/16', '10.0.0.0/8', true],
    ['10.0.0.0/8', '10.0.0.0/8', false],
    ['11.0.0.0/16', '10.0.0.0/8', false],
    ['fd00::/64', 'fd00::/8', true],
    ['10.0.0.0/16', 'fd00::/8', false],
  ])('%s in %s: %s', (inner, outer, want) => {
    expect(isStrictSubnet(inner, outer)).toBe(want);
  });
});

describe('image pull policy', () => {
  test.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['nginx:1.2', 'IfNotPresent'],
    ['host:5000/nginx', 'Always'],
    ['host:5000/nginx:1', 'IfNotPresent'],
    ['nginx@sha256:abc', 'IfNotPresent'],
    ['nginx:latest@sha256:abc', 'IfNotPresent'],
  ])('%s: %s', (image, want) => {
    expect(pullPolicyOf(image)).toBe(want);
  });
});

describe('what is allocated for a Service', () => {
  const service = (spec: object, uid = 'u1'): KubeObject => {
    const made = object({ spec });
    made.metadata.uid = uid;
    return made;
  };
  const allocated = (spec: object, uid?: string): KubeObject => {
    const made = service(spec, uid);
    allocateService(made);
    return made;
  };

  test('lies in the range, follows from the uid, and differs between uids', () => {
    const addresses = Array.from({ length: 200 }, (_, index) =>
      String(allocated({ type: 'ClusterIP' }, `uid-${index}`).spec.clusterIP),
    );
    for (const address of addresses) expect(isStrictSubnet(`${address}/32`, '10.96.0.0/12')).toBe(true);
    expect(new Set(addresses).size).toBeGreaterThan(195);
    expect(allocated({ type: 'ClusterIP' }, 'uid-3').spec.clusterIP).toBe(addresses[3]);
  });

  test('node ports are distinct and in the range', () => {
    const ports = Array.from({ length: 50 }, (_, index) => ({ port: index + 1, protocol: 'TCP' }));
    const numbers = allocated({ type: 'NodePort', ports }).spec.ports.map(
      (port: { nodePort: number }) => port.nodePort,
    ) as number[];
    expect(new Set(numbers).size).toBe(50);
    expect(numbers.every((number) => number >= 30_000 && number <= 32_767)).toBe(true);
  });

  test('a change keeps it, ExternalName gives it back', () => {
    const old = allocated({ type: 'NodePort', ports: [{ port: 80, protocol: 'TCP' }] });
    const same = service({ type: 'NodePort', ports: [{ port: 80, protocol: 'TCP' }] });
    reallocateService(same, old);
    expect(same.spec).toEqual(old.spec);
    const inner = service({ ...structuredClone(old.spec), type: 'ClusterIP' });
    reallocateService(inner, old);
    expect(inner.spec.ports).toEqual([{ port: 80, protocol: 'TCP' }]);
    const outer = service({ ...structuredClone(old.spec), type: 'ExternalName', externalName: 'x' });
    reallocateService(outer, old);
    expect(outer.spec).toEqual({ type: 'ExternalName', externalName: 'x', ports: [{ port: 80, protocol: 'TCP' }] });
  });
});
