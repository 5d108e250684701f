/** KubeAdmiral's kinds: defaults, refusals, columns, and the shipped types beside the recorded ones. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import type { FieldError, ResourceDefinition } from '../../../shared/apis/definition.ts';
import { kubeadmiralDefinitions } from '../../../shared/apis/kubeadmiral/kinds.ts';
import { podTypeConfig, shippedTypeConfigs } from '../../../shared/apis/kubeadmiral/type-configs.ts';
import { lamiralDefinitions } from '../../../shared/apis/lamiral/kinds.ts';
import { prepareCreate, validateObjectMeta } from '../../../shared/apis/lifecycle.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import { controlPlaneSeeds, kubernetesEndpoints, seedObjects } from '../../../shared/apis/seeds.ts';
import { parseYamlDocuments } from '../../../shared/machinery/codec/yaml.ts';
import type { JsonObject, KubeObject } from '../../../shared/machinery/object.ts';
import { decode } from '../../../shared/machinery/schema/decode.ts';
import { definitionOf, readAs } from './support.ts';

const registry = createRegistry([...builtInDefinitions(), ...kubeadmiralDefinitions(), ...lamiralDefinitions()]);
const NOW = Date.parse('2026-01-02T03:04:05Z');
const API = 'core.kubeadmiral.io/v1alpha1';

function make(kind: string, spec: unknown, name = 'x'): KubeObject {
  const definition = registry.byKind('core.kubeadmiral.io', 'v1alpha1', kind);
  const namespace = definition?.namespaced ? { namespace: 'default' } : {};
  return { apiVersion: API, kind, metadata: { name, ...namespace }, ...(spec === undefined ? {} : { spec }) } as KubeObject;
}

function create(object: KubeObject): { object: KubeObject; errors: FieldError[]; definition: ResourceDefinition } {
  const definition = definitionOf(registry, object);
  const prepared = prepareCreate(definition, readAs(definition, object), { now: NOW, uid: 'u' });
  return {
    object: prepared,
    errors: [...validateObjectMeta(definition, prepared), ...(definition.strategy.validate?.(prepared) ?? [])],
    definition,
  };
}

describe('defaults of a policy', () => {
  const rescheduled = { replicaRescheduling: { avoidDisruption: true } };
  const cases: { name: string; spec: object; want: object }[] = [
    {
      name: 'nothing said: a change of the policy places anew, disruption is avoided',
      spec: { schedulingMode: 'Divide' },
      want: {
        schedulingMode: 'Divide',
        replicasStrategy: 'Spread',
        disableFollowerScheduling: false,
        reschedulePolicy: {
          ...rescheduled,
          rescheduleWhen: {
            policyContentChanged: true,
            clusterJoined: false,
            clusterLabelsChanged: false,
            clusterAPIResourcesChanged: false,
          },
        },
      },
    },
    {
      name: 'an empty reschedulePolicy gets no triggers',
      spec: { schedulingMode: 'Divide', reschedulePolicy: {} },
      want: {
        schedulingMode: 'Divide',
        replicasStrategy: 'Spread',
        disableFollowerScheduling: false,
        reschedulePolicy: rescheduled,
      },
    },
    {
      name: 'migration waits a minute',
      spec: { schedulingMode: 'Duplicate', reschedulePolicy: {}, autoMigration: {} },
      want: {
        schedulingMode: 'Duplicate',
        replicasStrategy: 'Spread',
        disableFollowerScheduling: false,
        reschedulePolicy: rescheduled,
        autoMigration: { keepUnschedulableReplicas: false, when: { podUnschedulableFor: '1m' } },
      },
    },
    {
      name: 'preferences have no minimum',
      spec: {
        schedulingMode: 'Divide',
        reschedulePolicy: {},
        placement: [{ cluster: 'a', preferences: { weight: 2 } }, { cluster: 'a' }],
      },
      want: {
        schedulingMode: 'Divide',
        replicasStrategy: 'Spread',
        disableFollowerScheduling: false,
        reschedulePolicy: rescheduled,
        placement: [{ cluster: 'a', preferences: { weight: 2, minReplicas: 0 } }, { cluster: 'a' }],
      },
    },
  ];
  test.each(cases)('$name', ({ spec, want }) => {
    for (const kind of ['PropagationPolicy', 'ClusterPropagationPolicy']) {
      const { object, errors } = create(make(kind, spec));
      expect(object.spec).toEqual(want);
      expect(errors).toEqual([]);
      expect(object.metadata.generation).toBe(1);
    }
  });
});

describe('refusals', () => {
  const cases: [name: string, object: KubeObject, fields: string[]][] = [
    ['a policy without a spec', make('PropagationPolicy', undefined), ['spec']],
    ['a policy without a mode', make('PropagationPolicy', {}), ['spec.schedulingMode']],
    ['an unknown mode', make('PropagationPolicy', { schedulingMode: 'Spread' }), ['spec.schedulingMode']],
    [
      'an unknown strategy',
      make('PropagationPolicy', { schedulingMode: 'Divide', replicasStrategy: 'Pile' }),
      ['spec.replicasStrategy'],
    ],
    [
      'a negative weight',
      make('PropagationPolicy', { schedulingMode: 'Divide', placement: [{ cluster: 'a', preferences: { weight: -1 } }] }),
      ['spec.placement[0].preferences.weight'],
    ],
    [
      'a cluster without a name',
      make('PropagationPolicy', { schedulingMode: 'Divide', placement: [{}] }),
      ['spec.placement[0].cluster'],
    ],
    [
      'an unknown operator',
      make('PropagationPolicy', {
        schedulingMode: 'Divide',
        clusterAffinity: [{ matchExpressions: [{ key: 'a', operator: 'Is', values: [] }] }],
      }),
      ['spec.clusterAffinity[0].matchExpressions[0].operator'],
    ],
    [
      'a requirement without values',
      make('PropagationPolicy', {
        schedulingMode: 'Divide',
        clusterAffinity: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
      }),
      ['spec.clusterAffinity[0].matchExpressions[0].values'],
    ],
    [
      'a policy name that is no label',
      make('PropagationPolicy', { schedulingMode: 'Divide' }, 'a'.repeat(64)),
      ['metadata.name'],
    ],
    [
      'a migration without a trigger',
      make('PropagationPolicy', { schedulingMode: 'Divide', autoMigration: { when: {} } }),
      ['spec.autoMigration.when'],
    ],
    ['text for a count', make('PropagationPolicy', { schedulingMode: 'Divide', maxClusters: 'two' }), ['spec.maxClusters']],
    [
      'an image rule without a component',
      make('OverridePolicy', { overrideRules: [{ overriders: { image: [{ operations: [{ value: 'x' }] }] } }] }),
      ['spec.overrideRules[0].overriders.image[0].operations[0].imageComponent'],
    ],
    [
      'a patch without a path',
      make('OverridePolicy', { overrideRules: [{ overriders: { jsonpatch: [{ value: 1 }] } }] }),
      ['spec.overrideRules[0].overriders.jsonpatch[0].path'],
    ],
    ['a cluster without an endpoint', make('FederatedCluster', { secretRef: { name: 's' } }), ['spec.apiEndpoint']],
    [
      'a type without a kind',
      make('FederatedTypeConfig', { sourceType: { version: 'v1', pluralName: 'x', scope: 'Namespaced' } }),
      ['spec.sourceType.kind'],
    ],
    ['an object without a template', make('FederatedObject', {}), ['spec.template']],
    [
      'a plugin without versions',
      make('SchedulerPluginWebhookConfiguration', { urlPrefix: 'https://x', payloadVersions: [] }),
      ['spec.payloadVersions'],
    ],
  ];
  test.each(cases)('%s', (_name, object, fields) => {
    expect(create(object).errors.map(({ field }) => field)).toEqual(fields);
  });

  test('a mode in the words of a custom resource', () => {
    expect(create(make('PropagationPolicy', { schedulingMode: 'Spread' })).errors).toEqual([
      {
        type: 'NotSupported',
        field: 'spec.schedulingMode',
        detail: 'Unsupported value: "Spread": supported values: "Duplicate", "Divide"',
      },
    ]);
  });
});

test('members that no schema knows are dropped and named', () => {
  const schema = registry.byKind('core.kubeadmiral.io', 'v1alpha1', 'PropagationPolicy')?.schema();
  const object = make('PropagationPolicy', { schedulingMode: 'Divide', colour: 'red' });
  const { value, unknownFields } = decode(schema as NonNullable<typeof schema>, object as unknown as JsonObject, object);
  expect(unknownFields).toEqual(['spec.colour']);
  expect(value.spec).toEqual({ schedulingMode: 'Divide' });
});

test('the example manifests are taken as they are', () => {
  const documents = ['web.yaml', 'policies.yaml'].flatMap((file) =>
    parseYamlDocuments(readFileSync(new URL(`../../../examples/${file}`, import.meta.url), 'utf8')),
  ) as unknown as KubeObject[];
  expect(documents.length).toBeGreaterThan(3);
  for (const document of documents) {
    const definition = definitionOf(registry, document);
    const namespace = definition.namespaced ? { namespace: document.metadata.namespace ?? 'default' } : {};
    const { errors } = create({ ...document, metadata: { ...document.metadata, ...namespace } });
    expect(errors, `${document.kind} ${document.metadata.name}`).toEqual([]);
  }
});

describe('shipped types', () => {
  type Recorded = {
    name: string;
    input: { ftcName: string; annotations: Record<string, string> };
    expected: Record<string, unknown>;
  };
  const recorded = JSON.parse(readFileSync(new URL('../../vectors/default_ftcs.json', import.meta.url), 'utf8')) as Recorded[];
  const ours = new Map([...shippedTypeConfigs(), podTypeConfig()].map((config) => [config.metadata.name, config]));

  test('as many as recorded', () => {
    expect(shippedTypeConfigs()).toHaveLength(25);
    expect([...ours.keys()].sort()).toEqual(recorded.map(({ input }) => input.ftcName).sort());
  });

  test.each(recorded.map((each) => [each.input.ftcName, each] as const))('%s', (name, { input, expected }) => {
    const config = ours.get(name) as KubeObject;
    const { object, errors } = create(config);
    expect(errors).toEqual([]);
    const {
      sourceType,
      controllers,
      statusCollection = null,
      statusAggregation,
      autoMigration = null,
      pathDefinition = {},
    } = object.spec;
    const { statusAggregationDefaulted: isDefaulted, ...want } = expected;
    expect({ sourceType, controllers, statusCollection, statusAggregation, autoMigration, pathDefinition }).toEqual(want);
    expect(config.metadata.annotations ?? {}).toEqual(input.annotations);
    if (isDefaulted) expect(config.spec.statusAggregation).toBeUndefined();
  });
});

test('every bootstrap object is one that the server takes', () => {
  const seeds = [...controlPlaneSeeds(), ...kubernetesEndpoints('192.0.2.7', 6443)];
  for (const seed of seeds) expect(create(seed).errors, `${seed.kind} ${seed.metadata.name}`).toEqual([]);
  expect(
    seedObjects()
      .filter(({ kind }) => kind === 'Namespace')
      .map(({ metadata }) => metadata.name),
  ).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  expect(kubernetesEndpoints('127.0.0.1', 6443)).toEqual([]);
});

describe('columns of a cluster', () => {
  const cells = (object: KubeObject): Record<string, unknown> =>
    Object.fromEntries(
      (registry.byKind('core.kubeadmiral.io', 'v1alpha1', 'FederatedCluster')?.columns ?? []).map(({ name, cell }) => [
        name,
        cell(object, NOW),
      ]),
    );
  const condition = (type: string, status: string) => ({ type, status, lastProbeTime: '2026-01-02T03:03:10Z' });
  const cluster: KubeObject = {
    ...make('FederatedCluster', { apiEndpoint: 'https://ap-1', secretRef: { name: 'ap-1' } }, 'ap-1'),
    metadata: {
      name: 'ap-1',
      creationTimestamp: '2026-01-02T02:52:05Z',
      labels: { 'topology.kubernetes.io/region': 'ap-south' },
      annotations: { 'lamiral.dev/price': '0.041' },
    },
    status: {
      conditions: [condition('Ready', 'False'), condition('Joined', 'True'), condition('Offline', 'True')],
      resources: {
        schedulableNodes: 2,
        allocatable: { cpu: '8', memory: '32Gi' },
        available: { cpu: '6500m', memory: '29345Mi' },
      },
    },
  };
  test('in full', () => {
    expect(cells(cluster)).toEqual({
      Name: 'ap-1', Ready: 'False', Joined: 'True', Age: '12m', Phase: 'Offline', Region: 'ap-south', Nodes: '2',
      'CPU Free': '6/8', 'Mem Free': '28/32Gi', Price: '0.041', Seen: '55s',
    }); // biome-ignore format: a row
  });
  test('before the first contact', () => {
    expect(cells({ ...cluster, status: {} })).toMatchObject({
      Ready: '',
      Joined: '',
      Phase: 'Pending',
      Nodes: '',
      'CPU Free': '',
      Seen: '',
    });
  });
  test('in deletion', () => {
    expect(cells({ ...cluster, metadata: { ...cluster.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' } })).toMatchObject({
      Phase: 'Terminating',
    });
  });
});

test('columns of a decision', () => {
  const columns = registry.byKind('lamiral.dev', 'v1alpha1', 'SchedulingDecision')?.columns ?? [];
  const decision: KubeObject = {
    apiVersion: 'lamiral.dev/v1alpha1',
    kind: 'SchedulingDecision',
    metadata: { name: 'web', creationTimestamp: '2026-01-02T03:04:00Z' },
    spec: {
      decision: 2,
      replicas: 30,
      placements: [
        { cluster: 'us-1', replicas: 21 },
        { cluster: 'eu-1', replicas: 9 },
      ],
    },
  };
  expect(columns.map(({ name, cell }) => [name, cell(decision, NOW)])).toEqual([
    ['Name', 'web'],
    ['Decision', '2'],
    ['Replicas', '30'],
    ['Clusters', 'us-1 21, eu-1 9'],
    ['Age', '5s'],
  ]);
});
