import { describe, expect, test } from 'vitest';
import { collectFields } from '../../../../shared/federation/status/collect.ts';
import { collectedStatus, propagatedVersion } from '../../../../shared/federation/status/documents.ts';
import { type ClusterRecord, federatedStatus } from '../../../../shared/federation/status/federated.ts';
import type { JsonObject, KubeObject } from '../../../../shared/machinery/object.ts';
import { federated, NOW, record, reporting } from './builders.ts';

const at = (cluster: string, given: ClusterRecord['record']): ClusterRecord => ({ cluster, record: given });
const condition = (status: JsonObject, type: string) => (status.conditions as JsonObject[]).find((one) => one.type === type);

describe('collectFields', () => {
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { type: 'ClusterIP', ports: [{ port: 80 }] },
  };
  test('nests what is there, and names what is not, sorted', () => {
    expect(collectFields(object, ['status', 'spec.type', 'spec.ports', 'metadata.generation'])).toEqual({
      collected: { spec: { type: 'ClusterIP', ports: [{ port: 80 }] } },
      missing: ['metadata.generation', 'status'],
    });
  });
});

describe('the status of a FederatedObject', () => {
  test('clusters by name, with state and generation', () => {
    const records = [at('c2', record(undefined, { state: 'UpdateFailed', message: 'no' })), at('c1', record())];
    const { status, changed } = federatedStatus({ federated: federated(['c1', 'c2']), records, now: NOW });
    expect(changed).toBe(true);
    expect(status).toEqual({
      syncedGeneration: 7,
      clusters: [
        { cluster: 'c1', status: 'OK', lastObservedGeneration: 2 },
        { cluster: 'c2', status: 'UpdateFailed', lastObservedGeneration: 2 },
      ],
      conditions: [
        {
          type: 'Propagated',
          status: 'False',
          reason: 'CheckClusters',
          message: 'c2: no',
          lastUpdateTime: '2026-03-01T10:00:00Z',
          lastTransitionTime: '2026-03-01T10:00:00Z',
        },
      ],
    });
  });

  test('names the first few of many clusters in trouble, and counts the rest', () => {
    const names = Array.from({ length: 500 }, (_, index) => `c${String(index).padStart(3, '0')}`);
    const records = names.map((name) => at(name, record(undefined, { state: 'UpdateFailed', message: 'no' })));
    const { status } = federatedStatus({ federated: federated(names), records, now: NOW });
    expect(condition(status, 'Propagated')?.message).toMatch(/^c000: no; c001: no; .*c007: no and 492 more clusters$/);
  });

  test('is not written again when nothing changed', () => {
    const records = [at('c1', record())];
    const { status } = federatedStatus({ federated: federated(['c1']), records, now: NOW });
    expect(federatedStatus({ federated: federated(['c1'], { status }), records, now: NOW + 60_000 })).toEqual({
      status,
      changed: false,
    });
  });

  const unfinished: [sentence: string, record: ClusterRecord['record']][] = [
    ['a cluster was not tried yet', record(undefined, { state: 'PendingCreate' })],
    ['a cluster has an older decision', record(undefined, { decision: 4 })],
  ];
  test.each(unfinished)('syncedGeneration waits while %s', (_sentence, given) => {
    const { status } = federatedStatus({
      federated: federated(['c1'], { status: { syncedGeneration: 6 } }),
      records: [at('c1', given)],
      now: NOW,
    });
    expect(status.syncedGeneration).toBe(6);
  });

  test('Scheduled is mirrored, and its time moves with its status only', () => {
    const given = (status: JsonObject, value: 'True' | 'False', message: string, now: number) =>
      federatedStatus({
        federated: federated(['c1'], { status }),
        records: [at('c1', record())],
        scheduled: { status: value, reason: 'R', message },
        now,
      });
    const first = given({}, 'True', 'one', NOW).status;
    const same = given(first, 'True', 'one', NOW + 60_000);
    const other = given(first, 'True', 'two', NOW + 60_000).status;
    const turned = given(first, 'False', 'two', NOW + 60_000).status;
    expect([same.changed, condition(other, 'Scheduled')?.lastTransitionTime]).toEqual([false, '2026-03-01T10:00:00Z']);
    expect(condition(turned, 'Scheduled')).toMatchObject({
      status: 'False',
      message: 'two',
      lastTransitionTime: '2026-03-01T10:01:00Z',
    });
  });
});

describe('CollectedStatus', () => {
  const seen = (collected: JsonObject, missing?: string[]) =>
    record(undefined, { observed: { at: NOW - 60_000, collected, ...(missing ? { missing } : {}) } });

  test('one entry per report, by name; what lacks or is old is said', () => {
    const clusters = [
      reporting('c3', undefined),
      reporting('c2', seen({ spec: { a: 1 } }), false),
      reporting('c1', seen({}, ['status', 'spec.b'])),
    ];
    const { object } = collectedStatus({ federated: federated(['c1', 'c2', 'c3']), clusters, now: NOW });
    expect(object).toMatchObject({
      kind: 'CollectedStatus',
      metadata: { name: 'web-deployments.apps', namespace: 'shop', labels: { 'apps/v1': 'Deployment' } },
    });
    expect(object.clusters).toEqual([
      { cluster: 'c1', collectedFields: {}, error: 'fields cannot be collected: status: not found, spec.b: not found' },
      { cluster: 'c2', collectedFields: { spec: { a: 1 } }, error: 'cluster cannot be reached: last seen 2026-03-01T09:59:00Z' },
    ]);
  });

  test('its time moves when something changed, and then it does', () => {
    const make = (value: number, now: number, previous?: KubeObject) =>
      collectedStatus({
        federated: federated(['c1']),
        clusters: [reporting('c1', seen({ value }))],
        now,
        ...(previous ? { previous } : {}),
      });
    const first = make(1, NOW);
    const same = make(1, NOW + 60_000, first.object);
    const other = make(2, NOW + 60_000, first.object);
    expect([same.changed, same.object.lastUpdateTime]).toEqual([false, '2026-03-01T10:00:00Z']);
    expect([other.changed, other.object.lastUpdateTime]).toEqual([true, '2026-03-01T10:01:00Z']);
  });

  test('a cluster-scoped object has the cluster-scoped document', () => {
    const { namespace: _namespace, ...metadata } = federated([]).metadata;
    const { object } = collectedStatus({ federated: { ...federated([]), metadata }, clusters: [], now: NOW });
    expect([object.kind, object.metadata.namespace]).toEqual(['ClusterCollectedStatus', undefined]);
  });
});

describe('PropagatedVersion', () => {
  test('generation where the kind counts any, otherwise the version; nothing of what was not accepted', () => {
    const plain = record(undefined, { member: { uid: 'm', resourceVersion: '44', generation: 0 } });
    const records = [at('c3', record(undefined, { hash: '' })), at('c2', plain), at('c1', record())];
    const { object } = propagatedVersion({ federated: federated(['c1', 'c2', 'c3']), records });
    expect(object.status).toMatchObject({
      clusterVersions: [
        { clusterName: 'c1', version: 'gen:2' },
        { clusterName: 'c2', version: 'rv:44' },
      ],
      templateVersion: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  test('the two hashes follow template and overrides, each its own', () => {
    const of = (spec: JsonObject) => {
      const { status } = propagatedVersion({
        federated: { ...federated([]), spec: { ...federated([]).spec, ...spec } },
        records: [],
      }).object;
      return [status.templateVersion, status.overridesVersion];
    };
    const [template, overrides] = of({});
    const [otherTemplate, sameOverrides] = of({ template: { metadata: { generation: 9 } } });
    const [sameTemplate, otherOverrides] = of({ overrides: [{ controller: 'x', clusters: [] }] });
    expect([sameOverrides, sameTemplate]).toEqual([overrides, template]);
    expect([otherTemplate === template, otherOverrides === overrides]).toEqual([false, false]);
  });
});
