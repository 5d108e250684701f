/** Deployment, StatefulSet, CronJob and Pod. */
import type { JsonObject } from '../../../../shared/machinery/object.ts';
import { overlay, type Random, sometimes } from '../random.ts';
import type { OracleKind } from './kind.ts';
import { metaOperations, metaWish, textMap } from './meta.ts';
import { POD_BASE, podSpecWish } from './pod-spec.ts';

const SELECTOR = { matchLabels: { app: 'w' } };
const TEMPLATE: JsonObject = { metadata: { labels: { app: 'w' } }, spec: POD_BASE };

function templateWish(random: Random): JsonObject {
  const metadata = sometimes(random, [
    [0.25, 'labels', () => textMap(random, ['v', 'tier'], ['1', '2'])],
    [0.2, 'annotations', () => textMap(random, ['at', 'by'], ['1', '2'])],
  ]);
  return sometimes(random, [
    [0.35, 'metadata', () => metadata],
    [0.75, 'spec', () => podSpecWish(random)],
  ]);
}

function condition(random: Random, type: string): JsonObject {
  return {
    type,
    status: random.pick(['True', 'False']),
    reason: random.pick(['R1', 'R2']),
    message: 'm',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
}

function templateOperations(random: Random, at: string): JsonObject[] {
  return random.pick<JsonObject[]>([
    [{ op: 'replace', path: `${at}/containers/0/image`, value: 'registry.example/c:1' }],
    [
      {
        op: 'add',
        path: `${at}/containers/0/env`,
        value: [
          { name: 'A', value: '9' },
          { name: 'D', value: '4' },
        ],
      },
    ],
    [{ op: 'add', path: `${at}/containers/-`, value: { name: 'extra', image: 'registry.example/x:1' } }],
    [{ op: 'add', path: `${at}/containers/0/args`, value: ['-p'] }],
    [
      {
        op: 'add',
        path: `${at}/containers/0/env`,
        value: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      },
    ],
    [{ op: 'remove', path: `${at}/containers/0/env` }],
    [{ op: 'add', path: `${at}/containers/0/resources`, value: { limits: { cpu: '4' } } }],
  ]);
}

export const deployment: OracleKind = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  weight: 260,
  base: { spec: { selector: SELECTOR, template: TEMPLATE } },
  scale: true,
  wish: (random) =>
    overlay(metaWish(random), {
      spec: sometimes(random, [
        [0.45, 'replicas', () => (random.chance(0.05) ? null : random.below(5))],
        [0.15, 'paused', () => random.chance(0.5)],
        [0.15, 'minReadySeconds', () => random.below(3)],
        [0.12, 'revisionHistoryLimit', () => random.pick([0, 2, 10])],
        [0.2, 'strategy', () => strategy(random)],
        [0.8, 'template', () => templateWish(random)],
      ]),
    }),
  status: (random) => ({
    ...sometimes(random, [
      [0.6, 'replicas', () => random.below(4)],
      [0.4, 'observedGeneration', () => random.below(4)],
      [0.4, 'updatedReplicas', () => 0],
    ]),
    conditions: random.some(['Available', 'Progressing'], 0.7).map((type) => ({
      ...condition(random, type),
      ...sometimes(random, [[0.3, 'lastUpdateTime', () => '2026-01-01T00:00:00Z']]),
    })),
  }),
  operations: (random) =>
    random.chance(0.4)
      ? metaOperations(random)
      : random.chance(0.3)
        ? [{ op: random.pick(['add', 'replace']), path: '/spec/replicas', value: random.below(5) }]
        : templateOperations(random, '/spec/template/spec'),
};

function strategy(random: Random): JsonObject {
  if (random.chance(0.3)) return { type: 'Recreate', ...sometimes(random, [[0.5, 'rollingUpdate', () => null]]) };
  const rollingUpdate = sometimes(random, [
    [0.7, 'maxSurge', () => random.pick([1, '25%', '50%'])],
    [0.5, 'maxUnavailable', () => random.pick([1, '25%'])],
  ]);
  return { type: 'RollingUpdate', rollingUpdate };
}

export const statefulSet: OracleKind = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  weight: 50,
  base: { spec: { serviceName: 'w', selector: SELECTOR, template: TEMPLATE } },
  scale: true,
  wish: (random) =>
    overlay(metaWish(random), {
      spec: sometimes(random, [
        [0.45, 'replicas', () => random.below(5)],
        [
          0.2,
          'updateStrategy',
          () => random.pick([{ type: 'OnDelete' }, { type: 'RollingUpdate', rollingUpdate: { partition: 1 } }]),
        ],
        [0.1, 'persistentVolumeClaimRetentionPolicy', () => ({ whenDeleted: random.pick(['Retain', 'Delete']) })],
        [0.7, 'template', () => templateWish(random)],
      ]),
    }),
  status: (random) => ({
    replicas: random.below(3),
    conditions: random.some(['A', 'B'], 0.6).map((type) => condition(random, type)),
  }),
  operations: (random) => (random.chance(0.4) ? metaOperations(random) : templateOperations(random, '/spec/template/spec')),
};

export const cronJob: OracleKind = {
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  weight: 40,
  base: {
    spec: { schedule: '1 * * * *', jobTemplate: { spec: { template: { spec: { ...POD_BASE, restartPolicy: 'Never' } } } } },
  },
  wish: (random) =>
    overlay(metaWish(random), {
      spec: sometimes(random, [
        [0.3, 'suspend', () => random.chance(0.5)],
        [0.3, 'successfulJobsHistoryLimit', () => random.below(4)],
        [0.2, 'schedule', () => random.pick(['1 * * * *', '2 * * * *'])],
        [
          0.7,
          'jobTemplate',
          () => ({
            spec: { template: templateWish(random), ...sometimes(random, [[0.3, 'backoffLimit', () => random.below(7)]]) },
          }),
        ],
      ]),
    }),
  status: (random) => ({
    active: random.some(['a', 'b'], 0.6).map((name) => ({ kind: 'Job', apiVersion: 'batch/v1', namespace: 'n', name })),
  }),
  operations: (random) =>
    random.chance(0.5) ? metaOperations(random) : templateOperations(random, '/spec/jobTemplate/spec/template/spec'),
};

const POD_ONLY: JsonObject = { automountServiceAccountToken: false, serviceAccountName: 'default' };

/** After creation few fields of a pod may change; wishes are mostly about those. */
export const pod: OracleKind = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  weight: 130,
  base: { spec: { ...POD_BASE, ...POD_ONLY } },
  wish: (random) => overlay(metaWish(random), random.chance(0.25) ? { spec: wholePod(random) } : changeablePod(random)),
  status: (random) => ({
    ...sometimes(random, [
      [0.5, 'phase', () => random.pick(['Pending', 'Running'])],
      [0.3, 'message', () => random.pick(['m1', 'm2'])],
      [0.3, 'hostIP', () => '10.0.0.9'],
    ]),
    conditions: random.some(['Ready', 'Initialized'], 0.7).map((type) => ({ type, status: random.pick(['True', 'False']) })),
  }),
  operations: (random) =>
    random.chance(0.6)
      ? metaOperations(random)
      : [
          {
            op: 'replace',
            path: '/spec/containers/0/image',
            value: random.pick(['registry.example/c:1', 'registry.example/c:2']),
          },
        ],
};

/** Without tolerations: admission adds its own to those of pods. */
function wholePod(random: Random): JsonObject {
  const { tolerations: _tolerations, ...spec } = podSpecWish(random);
  return { ...spec, ...POD_ONLY };
}

function changeablePod(random: Random): JsonObject {
  const spec = sometimes(random, [
    [0.6, 'containers', () => [{ name: 'main', image: random.pick(['registry.example/main:1', 'registry.example/main:2']) }]],
    [0.2, 'activeDeadlineSeconds', () => 50 - random.below(3)],
    [0.15, 'terminationGracePeriodSeconds', () => 30],
  ]);
  return { spec: { ...spec, ...POD_ONLY } };
}
