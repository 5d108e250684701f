/** ConfigMap, Secret, ServiceAccount, PersistentVolumeClaim, HorizontalPodAutoscaler, PodDisruptionBudget, Role. */
import type { JsonObject, JsonValue } from '../../../../shared/machinery/object.ts';
import { overlay, type Random, shuffled, sometimes } from '../random.ts';
import type { OracleKind } from './kind.ts';
import { metaOperations, metaWish, textList, textMap } from './meta.ts';

export const configMap: OracleKind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  weight: 130,
  base: {},
  wish: (random) =>
    overlay(metaWish(random), {
      ...sometimes(random, [
        [0.8, 'data', () => textMap(random, ['a', 'b.c', '__proto__', 'constructor', 'd'], ['1', '2', ''])],
        [0.25, 'binaryData', () => textMap(random, ['x', 'y'], ['AA==', 'AQ=='])],
        [0.05, 'immutable', () => false],
      ]),
    }),
  operations: (random) =>
    random.chance(0.4)
      ? metaOperations(random)
      : random.pick<JsonObject[]>([
          [{ op: 'add', path: '/data', value: { a: '7', q: '8' } }],
          [{ op: 'add', path: '/data/a', value: '5' }],
          [{ op: 'remove', path: '/data/a' }],
          [{ op: 'move', from: '/data/a', path: '/data/moved' }],
          [{ op: 'copy', from: '/data/d', path: '/data/copied' }],
        ]),
};

export const secret: OracleKind = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  weight: 40,
  base: {},
  wish: (random) =>
    overlay(metaWish(random), {
      ...sometimes(random, [[0.8, 'data', () => textMap(random, ['a', 'b', 'c'], ['MQ==', 'Mg=='])]]),
    }),
  operations: (random) => (random.chance(0.5) ? metaOperations(random) : [{ op: 'add', path: '/data', value: { a: 'Mw==' } }]),
};

function names(random: Random, choices: readonly string[]): JsonValue {
  return shuffled(random, random.some(choices, 0.55)).map((name) => ({ name }));
}

export const serviceAccount: OracleKind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  weight: 60,
  base: {},
  wish: (random) =>
    overlay(metaWish(random), {
      ...sometimes(random, [
        [0.6, 'secrets', () => names(random, ['s', 't', 'u'])],
        [0.6, 'imagePullSecrets', () => names(random, ['p', 'q', 'r'])],
        [0.3, 'automountServiceAccountToken', () => random.chance(0.5)],
      ]),
    }),
  operations: (random) =>
    random.chance(0.5)
      ? metaOperations(random)
      : random.pick<JsonObject[]>([
          [{ op: 'add', path: '/imagePullSecrets', value: [{ name: 'p' }, { name: 'p' }] }],
          [{ op: 'add', path: '/secrets', value: [{ name: 's' }, { name: 's' }, { name: 'w' }] }],
          [{ op: 'remove', path: '/secrets' }],
        ]),
};

export const claim: OracleKind = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  weight: 50,
  base: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  wish: (random) =>
    overlay(metaWish(random), {
      ...(random.chance(0.5)
        ? { metadata: { finalizers: textList(random, ['example.com/a', 'kubernetes.io/pvc-protection', 'example.com/d']) } }
        : {}),
      ...(random.chance(0.3) ? { spec: { resources: { requests: { storage: '1Gi' } } } } : {}),
    }),
  status: (random) => ({
    ...sometimes(random, [
      [0.5, 'phase', () => random.pick(['Pending', 'Bound'])],
      [0.4, 'accessModes', () => ['ReadWriteOnce']],
      [0.4, 'capacity', () => textMap(random, ['storage'], ['1Gi', '2Gi'])],
      [
        0.4,
        'conditions',
        () =>
          random
            .some(['Resizing', 'X'], 0.6)
            .map((type) => ({ type, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' })),
      ],
    ]),
  }),
  operations: metaOperations,
};

export const autoscaler: OracleKind = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  weight: 40,
  base: { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'w' } } },
  wish: (random) =>
    overlay(metaWish(random), {
      spec: sometimes(random, [
        [0.4, 'minReplicas', () => random.pick([1, 2])],
        [0.3, 'maxReplicas', () => random.pick([3, 4])],
        [0.4, 'metrics', () => random.some(['cpu', 'memory'], 0.6).map((name) => resourceMetric(random, name))],
        [
          0.3,
          'behavior',
          () => ({ scaleDown: sometimes(random, [[0.6, 'stabilizationWindowSeconds', () => random.pick([0, 60])]]) }),
        ],
      ]),
    }),
  status: (random) => ({
    ...sometimes(random, [
      [0.5, 'currentReplicas', () => random.below(3)],
      [0.5, 'desiredReplicas', () => random.below(3)],
      [0.5, 'conditions', () => random.some(['AbleToScale', 'ScalingActive'], 0.6).map((type) => ({ type, status: 'True' }))],
    ]),
  }),
  operations: (random) =>
    random.chance(0.5) ? metaOperations(random) : [{ op: 'replace', path: '/spec/maxReplicas', value: random.pick([3, 5]) }],
};

function resourceMetric(random: Random, name: string): JsonObject {
  return { type: 'Resource', resource: { name, target: { type: 'Utilization', averageUtilization: random.pick([50, 80]) } } };
}

export const disruptionBudget: OracleKind = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  weight: 35,
  base: {},
  wish: (random) =>
    overlay(metaWish(random), {
      spec: sometimes(random, [
        [0.6, 'minAvailable', () => random.pick<JsonValue>([1, '50%'])],
        [0.5, 'selector', () => ({ matchLabels: textMap(random, ['app', 'tier'], ['1', '2']) })],
        [0.3, 'unhealthyPodEvictionPolicy', () => random.pick(['IfHealthyBudget', 'AlwaysAllow'])],
      ]),
    }),
  operations: (random) =>
    random.chance(0.5) ? metaOperations(random) : [{ op: 'add', path: '/spec/selector', value: { matchLabels: { app: '3' } } }],
};

export const role: OracleKind = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  weight: 35,
  base: {},
  wish: (random) =>
    overlay(metaWish(random), {
      ...sometimes(random, [
        [0.8, 'rules', () => random.some(['pods', 'secrets'], 0.6).map((resource) => policyRule(random, resource))],
      ]),
    }),
  operations: (random) =>
    random.chance(0.5) ? metaOperations(random) : [{ op: 'add', path: '/rules', value: [policyRule(random, 'nodes')] }],
};

function policyRule(random: Random, resource: string): JsonObject {
  return { apiGroups: [''], resources: [resource], verbs: random.some(['get', 'list'], 0.9) };
}
