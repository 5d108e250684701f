/** Charging of quotas: what a write uses, which quotas count it, and in which words one refuses (apiserver/pkg/admission/plugin/resourcequota). */
import { describe, expect, test } from 'vitest';
import { resourceListText } from '../../../shared/apis/core/resource-list.ts';
import { quotaCharges } from '../../../shared/apis/quota/charge.ts';
import { usageOf } from '../../../shared/apis/quota/usage.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';

const PODS = { group: '', plural: 'pods' };
const NOW = Date.UTC(2026, 0, 1);
const quota = (hard: Record<string, string>, used: Record<string, string>, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q' },
  spec: { hard, ...spec },
  status: { hard, used },
});
const pod = (resources: object | undefined, more: { spec?: object; status?: object; metadata?: object } = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...more.metadata },
  spec: { containers: [{ name: 'c', ...(resources ? { resources } : {}) }], ...more.spec },
  status: { qosClass: resources ? 'Burstable' : 'BestEffort', ...more.status },
});

describe('what an object uses', () => {
  const claim = (storage: string, storageClassName?: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {},
    spec: { resources: { requests: { storage } }, ...(storageClassName ? { storageClassName } : {}) },
  });
  const service = (type: string, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {},
    spec: { type, ports: [{ port: 1 }, { port: 2, nodePort: 30_000 }], ...more },
  });
  test.each<[string, { group: string; plural: string }, KubeObject, string]>([
    ['a pod without requests: its place', PODS, pod(undefined), 'count/pods=1,pods=1'],
    [
      'a pod with both',
      PODS,
      pod({ requests: { cpu: '100m' }, limits: { memory: '1Gi' } }),
      'count/pods=1,cpu=100m,limits.memory=1Gi,pods=1,requests.cpu=100m',
    ],
    [
      'a pod that has ended: its count alone',
      PODS,
      pod({ requests: { cpu: '1' } }, { status: { phase: 'Failed' } }),
      'count/pods=1',
    ],
    [
      'a pod whose grace is over',
      PODS,
      pod({}, { metadata: { deletionTimestamp: '2025-12-31T23:59:00Z', deletionGracePeriodSeconds: 30 } }),
      'count/pods=1',
    ],
    [
      'an extended resource',
      PODS,
      pod({ requests: { 'example.com/gpu': '2' } }),
      'count/pods=1,pods=1,requests.example.com/gpu=2',
    ],
    [
      'a claim of a class',
      { group: '', plural: 'persistentvolumeclaims' },
      claim('1Gi', 'fast'),
      'count/persistentvolumeclaims=1,fast.storageclass.storage.k8s.io/persistentvolumeclaims=1,fast.storageclass.storage.k8s.io/requests.storage=1Gi,persistentvolumeclaims=1,requests.storage=1Gi',
    ],
    [
      'a balanced Service',
      { group: '', plural: 'services' },
      service('LoadBalancer'),
      'count/services=1,services=1,services.loadbalancers=1,services.nodeports=2',
    ],
    [
      'a balanced Service that asks for its node ports by name',
      { group: '', plural: 'services' },
      service('LoadBalancer', { allocateLoadBalancerNodePorts: false }),
      'count/services=1,services=1,services.loadbalancers=1,services.nodeports=1',
    ],
    ['a ConfigMap, by both names', { group: '', plural: 'configmaps' }, claim(''), 'configmaps=1,count/configmaps=1'],
    ['anything else: its count', { group: 'apps', plural: 'deployments' }, claim(''), 'count/deployments.apps=1'],
  ])('%s', (_sentence, kind, object, want) => {
    expect(resourceListText(usageOf(kind, object, NOW))).toBe(want);
  });
});

describe('a write', () => {
  const charge = (quotas: KubeObject[], object: KubeObject, old?: KubeObject) =>
    quotaCharges({ quotas, kind: PODS, object, ...(old ? { old } : {}), isStatus: false, now: NOW });

  test('is added to what is used', () => {
    const outcome = charge([quota({ pods: '2' }, { pods: '1' })], pod(undefined));
    expect(outcome).toMatchObject({ type: 'charged', charges: [{ used: { pods: '2' } }] });
  });
  test.each<[string, KubeObject, KubeObject, string]>([
    [
      'beyond the limit',
      quota({ pods: '2' }, { pods: '2' }),
      pod(undefined),
      'exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    ],
    [
      'without what is counted',
      quota({ 'limits.cpu': '1' }, { 'limits.cpu': '0' }),
      pod(undefined),
      'failed quota: q: must specify limits.cpu for: c',
    ],
    ['before anything was counted', quota({ pods: '2' }, {}), pod(undefined), 'status unknown for quota: q, resources: pods'],
  ])('%s is refused', (_sentence, limits, object, why) => {
    expect(charge([limits], object)).toEqual({ type: 'refused', why });
  });
  test.each<[string, object, KubeObject, number]>([
    ['best effort counts best effort', { scopes: ['BestEffort'] }, pod(undefined), 1],
    ['best effort passes others over', { scopes: ['BestEffort'] }, pod({ requests: { cpu: '1' } }), 0],
    [
      'terminating counts those with a deadline',
      { scopes: ['Terminating'] },
      pod(undefined, { spec: { activeDeadlineSeconds: 5 } }),
      1,
    ],
    [
      'not terminating passes them over',
      { scopes: ['NotTerminating'] },
      pod(undefined, { spec: { activeDeadlineSeconds: 5 } }),
      0,
    ],
    [
      'a priority class by name',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
      pod(undefined, { spec: { priorityClassName: 'high' } }),
      1,
    ],
  ])('scope: %s', (_sentence, spec, object, count) => {
    const outcome = charge([quota({ pods: '5' }, { pods: '0' }, spec)], object);
    expect(outcome.type === 'charged' && outcome.charges.length).toBe(count);
  });
  test('of a change is charged for what it adds', () => {
    const limits = quota({ 'requests.cpu': '2', pods: '1' }, { 'requests.cpu': '1', pods: '1' });
    const outcome = charge([limits], pod({ requests: { cpu: '1500m' } }), pod({ requests: { cpu: '1' } }));
    expect(outcome).toMatchObject({ type: 'charged', charges: [{ used: { pods: '1', 'requests.cpu': '1500m' } }] });
  });
});
