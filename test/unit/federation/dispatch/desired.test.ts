import { describe, expect, test } from 'vitest';
import { desiredObject } from '../../../../shared/federation/dispatch/desired.ts';
import { withRetained } from '../../../../shared/federation/dispatch/retain.ts';
import type { JsonObject, KubeObject } from '../../../../shared/machinery/object.ts';
import {
  DEPLOYMENTS,
  desired,
  FED_UID,
  federated,
  fromPolicies,
  fromScheduler,
  memberCopy,
  template,
  typeConfig,
} from './builders.ts';

const patch = (path: string, value: JsonObject | string | number | null, op = 'replace') => ({ op, path, value });

describe('the desired object', () => {
  test('is the template with our marks, and nothing that a server sets', () => {
    const source = template();
    Object.assign(source.metadata, {
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: null,
      finalizers: ['x'],
      managedFields: [],
    });
    const { object } = desired(federated({ template: { ...source, status: { replicas: 1 } } }));
    expect(object).toEqual({
      ...template(),
      metadata: {
        name: 'web',
        namespace: 'shop',
        labels: { app: 'web', 'kubeadmiral.io/managed': 'true' },
        annotations: {
          note: 'x',
          'kubeadmiral.io/source-generation': '4',
          'kubeadmiral.io/propagated-label-keys': 'app,kubeadmiral.io/managed',
          'kubeadmiral.io/propagated-annotation-keys': 'kubeadmiral.io/source-generation,note',
          'lamiral.dev/federated-uid': FED_UID,
          'lamiral.dev/decision': '5',
        },
      },
    });
  });

  test('policies win over the scheduler, whatever the order of the lists', () => {
    const overrides = { ...fromPolicies('c1', patch('/spec/replicas', 9)), ...fromScheduler('c1', 2) };
    expect(desired(federated({ overrides })).object.spec.replicas).toBe(9);
  });

  test('the hash follows the content, not the number of the decision', () => {
    const base = desired(federated(), 5);
    expect(desired(federated(), 6).hash).toBe(base.hash);
    const others = [
      federated({ template: template('nginx:2') }),
      federated({ overrides: fromScheduler('c1', 2) }),
      federated({ uid: 'fed-2' }),
    ].map((object) => desired(object).hash);
    expect(new Set([base.hash, ...others]).size).toBe(4);
    expect(desired(federated({ overrides: fromScheduler('c2', 2) })).hash).toBe(base.hash);
  });

  test('null members of overrides are left out', () => {
    const overrides = fromPolicies('c1', patch('/spec/template/spec/containers/0/env', null));
    expect(desired(federated({ overrides })).object.spec.template.spec.containers).toEqual([{ name: 'app', image: 'nginx:1' }]);
  });

  const failures: [sentence: string, object: KubeObject, state: string][] = [
    [
      'a patch that does not apply',
      federated({ overrides: fromPolicies('c1', patch('/spec/x/y', 1, 'add')) }),
      'ApplyOverridesFailed',
    ],
    ['a refused path', federated({ overrides: fromPolicies('c1', patch('/metadata/name', 'y')) }), 'ApplyOverridesFailed'],
    ['no template', { ...federated(), spec: {} }, 'ComputeResourceFailed'],
    ['a template of another kind', federated({ template: { ...template(), kind: 'Pod' } }), 'ComputeResourceFailed'],
  ];
  test.each(failures)('%s gives a state and a message', (_sentence, object, state) => {
    const made = desiredObject({ federated: object, cluster: 'c1', decision: 1, type: DEPLOYMENTS, typeConfig: typeConfig() });
    expect(made).toMatchObject({ type: 'invalid', state });
  });
});

describe('what members choose for themselves is not sent', () => {
  const made = (group: string, object: JsonObject): KubeObject => {
    const whole = { metadata: { name: 'x', namespace: 'shop' }, ...object } as unknown as KubeObject;
    const type = { ...DEPLOYMENTS, group, kind: whole.kind };
    const result = desiredObject({
      federated: federated({ template: whole }),
      cluster: 'c1',
      decision: 1,
      type,
      typeConfig: typeConfig(),
    });
    if (result.type === 'invalid') throw new Error(result.message);
    return result.object;
  };
  const uidLabels = { 'controller-uid': 'u', 'batch.kubernetes.io/controller-uid': 'u' };
  const cases: [sentence: string, group: string, object: JsonObject, read: (object: KubeObject) => unknown, want: unknown][] = [
    [
      'addresses of a Service',
      '',
      { apiVersion: 'v1', kind: 'Service', spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] } },
      ({ spec }) => spec,
      {},
    ],
    [
      'but a headless one stays so',
      '',
      { apiVersion: 'v1', kind: 'Service', spec: { clusterIP: 'None' } },
      ({ spec }) => spec,
      { clusterIP: 'None' },
    ],
    [
      'an empty list of token secrets',
      '',
      { apiVersion: 'v1', kind: 'ServiceAccount', secrets: [] },
      ({ secrets }) => secrets,
      undefined,
    ],
    ['ephemeral containers', '', { apiVersion: 'v1', kind: 'Pod', spec: { ephemeralContainers: [] } }, ({ spec }) => spec, {}],
    [
      'finalizers of a Namespace',
      '',
      { apiVersion: 'v1', kind: 'Namespace', spec: { finalizers: ['kubernetes'] } },
      ({ spec }) => spec,
      {},
    ],
    [
      'the made selector of a Job',
      'batch',
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        spec: { selector: { matchLabels: uidLabels }, template: { metadata: { labels: { ...uidLabels, a: 'b' } } } },
      },
      ({ spec }) => spec,
      { template: { metadata: { labels: { a: 'b' } } } },
    ],
    [
      'but not that of a Job whose user chose it',
      'batch',
      { apiVersion: 'batch/v1', kind: 'Job', spec: { manualSelector: true, selector: { matchLabels: uidLabels } } },
      ({ spec }) => spec.selector,
      { matchLabels: uidLabels },
    ],
  ];
  test.each(cases)('%s', (_sentence, group, object, read, want) => expect(read(made(group, object))).toEqual(want));
});

describe('retain-replicas', () => {
  const retaining = () =>
    desired(federated({ annotations: { 'kubeadmiral.io/retain-replicas': 'true' }, overrides: fromScheduler('c1', 2) }));

  test('replicas are no part of the content', () => {
    const made = retaining();
    expect([made.object.spec.replicas, made.retained]).toEqual([undefined, [{ path: 'spec.replicas', initial: 2 }]]);
  });

  test('a new copy starts with the scheduled count, an old one keeps its own', () => {
    const copy = memberCopy();
    copy.spec = { ...copy.spec, replicas: 17 };
    expect([withRetained(retaining(), undefined).spec.replicas, withRetained(retaining(), copy).spec.replicas]).toEqual([2, 17]);
  });
});

test('volumes and resources of a Pod are those of the copy', () => {
  const pod = (volumes: JsonObject[], resources: JsonObject): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'a', resources }], volumes },
  });
  const sent = withRetained(
    { object: pod([{ name: 'v', emptyDir: {} }, { name: 'gone' }], { requests: { cpu: '1' } }), hash: '', retained: [] },
    pod([{ name: 'v', emptyDir: { medium: 'Memory' } }, { name: 'token' }], { requests: { cpu: '2' } }),
  );
  expect(sent.spec).toEqual({
    containers: [{ name: 'a', resources: { requests: { cpu: '2' } } }],
    volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }],
  });
});
