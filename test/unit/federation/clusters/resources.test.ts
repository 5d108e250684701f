import { describe, expect, test } from 'vitest';
import { aggregateResources } from '../../../../shared/federation/clusters/resources.ts';
import type { KubeObject } from '../../../../shared/machinery/object.ts';

const node = (
  parts: Record<string, unknown> = {},
  amounts: Record<string, string> = { cpu: '4', memory: '8Gi', pods: '110' },
): KubeObject => ({ apiVersion: 'v1', kind: 'Node', metadata: {}, status: { allocatable: amounts }, ...parts }) as KubeObject;
const pod = (spec: Record<string, unknown>, phase = 'Running'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {},
  spec,
  status: { phase },
});
const container = (cpu: string, more: Record<string, unknown> = {}) => ({ resources: { requests: { cpu } }, ...more });

describe('nodes that count', () => {
  const cases: [sentence: string, node: KubeObject, counted: number][] = [
    ['a plain one', node(), 1],
    ['not a cordoned one', node({ spec: { unschedulable: true } }), 0],
    ['not one with a NoSchedule taint', node({ spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }), 0],
    ['one with a PreferNoSchedule taint', node({ spec: { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] } }), 1],
    ['not one that is not Ready', node({ status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }), 0],
    ['not one that a filter names', node({ metadata: { labels: { type: 'virtual' } } }), 0],
  ];
  test.each(cases)('%s', (_sentence, given, counted) =>
    expect(aggregateResources([given], [], ['type=virtual']).schedulableNodes).toBe(counted),
  );
});

describe('what pods leave', () => {
  const cases: [sentence: string, pods: KubeObject[], cpu: string][] = [
    ['requests are taken', [pod({ containers: [container('500m')] })], '3500m'],
    ['a limit stands in for a request', [pod({ containers: [{ resources: { limits: { cpu: '1' } } }] })], '3'],
    [
      'ended pods take nothing',
      [pod({ containers: [container('1')] }, 'Succeeded'), pod({ containers: [container('1')] }, 'Failed')],
      '4',
    ],
    ['init containers count when they need more', [pod({ initContainers: [container('2')], containers: [container('1')] })], '2'],
    [
      'sidecars run beside the containers',
      [pod({ initContainers: [container('1', { restartPolicy: 'Always' })], containers: [container('1')] })],
      '2',
    ],
    ['overhead is added', [pod({ containers: [container('1')], overhead: { cpu: '250m' } })], '2750m'],
    ['more than there is leaves less than nothing', [pod({ containers: [container('5')] })], '-1'],
    ['what cannot be read is passed over', [pod({ containers: [container('lots'), container('1')] })], '3'],
  ];
  test.each(cases)('%s', (_sentence, pods, cpu) => expect(aggregateResources([node()], pods, []).available.cpu).toBe(cpu));

  test('only what nodes offer is shown, and the count of pods is no resource', () => {
    const made = aggregateResources(
      [node()],
      [pod({ containers: [{ resources: { requests: { 'example.com/gpu': '1' } } }] })],
      [],
    );
    expect(made).toEqual({
      schedulableNodes: 1,
      allocatable: { cpu: '4', memory: '8Gi' },
      available: { cpu: '4', memory: '8Gi' },
    });
  });
});
