/** What happens to objects around a write: identity, generation, subresources, deletion. */
import { describe, expect, test } from 'vitest';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import type { ResourceDefinition } from '../../../shared/apis/definition.ts';
import { kubeadmiralDefinitions } from '../../../shared/apis/kubeadmiral/kinds.ts';
import {
  type DeleteOptions,
  isUnchanged,
  mustRemove,
  planDelete,
  prepareCreate,
  prepareUpdate,
  validateObjectMeta,
} from '../../../shared/apis/lifecycle.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import type { KubeObject, ObjectMeta } from '../../../shared/machinery/object.ts';
import { definitionOf } from './support.ts';

const registry = createRegistry([...builtInDefinitions(), ...kubeadmiralDefinitions()]);
const NOW = Date.parse('2026-01-02T03:04:05Z');
const AT_NOW = '2026-01-02T03:04:05Z';

function kind(apiVersion: string, name: string): ResourceDefinition {
  return definitionOf(registry, { apiVersion, kind: name, metadata: {} });
}

/** A small valid Deployment; `change` edits it. */
function deployment(change: (object: KubeObject) => void = () => undefined): KubeObject {
  const labels = { app: 'web' };
  const object: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  change(object);
  return object;
}

const DEPLOYMENT = kind('apps/v1', 'Deployment');
const created = (): KubeObject => prepareCreate(DEPLOYMENT, deployment(), { now: NOW, uid: 'u1' });
const copy = (object: KubeObject): KubeObject => structuredClone(object);

describe('create', () => {
  test('the server decides identity, generation and status, whatever was sent', () => {
    const sent = deployment((object) => {
      object.metadata = {
        ...object.metadata,
        uid: 'mine',
        generation: 7,
        creationTimestamp: '2000-01-01T00:00:00Z',
        deletionTimestamp: AT_NOW,
        labels: {},
      };
      object.status = { replicas: 5 };
    });
    const object = prepareCreate(DEPLOYMENT, sent, { now: NOW, uid: 'u1' });
    expect(object.metadata).toEqual({ name: 'web', namespace: 'default', uid: 'u1', creationTimestamp: AT_NOW, generation: 1 });
    expect(object.status).toEqual({});
  });
});

describe('update', () => {
  const cases: { name: string; change: (object: KubeObject) => void; generation: number }[] = [
    { name: 'a changed spec counts', change: (object) => { object.spec.replicas = 4; }, generation: 2 }, // biome-ignore format: one line each
    { name: 'a changed label does not', change: (object) => { object.metadata.labels = { a: 'b' }; }, generation: 1 }, // biome-ignore format: one line each
    { name: 'a changed annotation of a Deployment counts', change: (object) => { object.metadata.annotations = { a: 'b' }; }, generation: 2 }, // biome-ignore format: one line each
    { name: 'a sent generation does not', change: (object) => { object.metadata.generation = 9; }, generation: 1 }, // biome-ignore format: one line each
    { name: 'a sent status neither counts nor stays', change: (object) => { object.status = { replicas: 9 }; }, generation: 1 }, // biome-ignore format: one line each
  ];
  test.each(cases)('$name', ({ change, generation }) => {
    const old = created();
    const object = copy(old);
    change(object);
    const next = prepareUpdate(DEPLOYMENT, object, old, { now: NOW + 1000, subresource: '' });
    expect(next.metadata.generation).toBe(generation);
    expect(next.status).toEqual({});
  });

  test('identity stays when it is left out or changed', () => {
    const old = created();
    const object = deployment((each) => { each.metadata.creationTimestamp = '2001-01-01T00:00:00Z'; }); // biome-ignore format: short
    const { metadata } = prepareUpdate(DEPLOYMENT, object, old, { now: NOW, subresource: '' });
    expect([metadata.uid, metadata.creationTimestamp]).toEqual(['u1', AT_NOW]);
  });

  test('status of a built-in kind takes metadata along, but not the spec; a Deployment keeps its labels', () => {
    const old = created();
    const object = copy(old);
    object.spec.replicas = 9;
    object.status = { replicas: 3 };
    object.metadata.annotations = { a: 'b' };
    object.metadata.labels = { c: 'd' };
    const next = prepareUpdate(DEPLOYMENT, object, old, { now: NOW, subresource: 'status' });
    expect(next.spec).toEqual(old.spec);
    expect(next.status).toEqual({ replicas: 3 });
    expect(next.metadata).toEqual({ ...old.metadata, annotations: { a: 'b' } });
  });

  test('status of a custom resource takes nothing else along', () => {
    const cluster = kind('core.kubeadmiral.io/v1alpha1', 'FederatedCluster');
    const sent: KubeObject = {
      apiVersion: 'core.kubeadmiral.io/v1alpha1',
      kind: 'FederatedCluster',
      metadata: { name: 'eu-1' },
      spec: { apiEndpoint: 'https://eu-1', secretRef: { name: 'eu-1' } },
    };
    const old = prepareCreate(cluster, sent, { now: NOW, uid: 'u2' });
    const object = copy(old);
    object.metadata.labels = { a: 'b' };
    object.spec.insecure = true;
    object.status = { joinPerformed: true };
    const next = prepareUpdate(cluster, object, old, { now: NOW, subresource: 'status' });
    expect(next).toEqual({ ...old, status: { joinPerformed: true } });
  });

  test('finalize changes the finalizers of the spec alone', () => {
    const namespace = kind('v1', 'Namespace');
    const old = prepareCreate(
      namespace,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } },
      { now: NOW, uid: 'u3' },
    );
    expect(old.spec).toEqual({ finalizers: ['kubernetes'] });
    const object = copy(old);
    object.spec = {};
    object.metadata.labels = { x: 'y' };
    const next = prepareUpdate(namespace, object, old, { now: NOW, subresource: 'finalize' });
    expect(next).toEqual({ ...old, spec: {} });
  });
});

describe('no change', () => {
  const base = (): KubeObject => {
    const object = created();
    object.metadata.resourceVersion = '64';
    object.metadata.managedFields = [{ manager: 'm', operation: 'Update', time: AT_NOW, fieldsV1: { 'f:spec': {} } }];
    return object;
  };
  const cases: { name: string; change: (object: KubeObject) => void; same: boolean }[] = [
    { name: 'nothing', change: () => undefined, same: true },
    { name: 'another resourceVersion', change: (object) => { object.metadata.resourceVersion = '128'; }, same: true }, // biome-ignore format: one line each
    { name: 'another time of a manager', change: (object) => { object.metadata.managedFields = [{ manager: 'm', operation: 'Update', time: 'x', fieldsV1: { 'f:spec': {} } }]; }, same: true }, // biome-ignore format: one line each
    { name: 'another manager', change: (object) => { object.metadata.managedFields = []; }, same: false }, // biome-ignore format: one line each
    { name: 'a label', change: (object) => { object.metadata.labels = { a: 'b' }; }, same: false }, // biome-ignore format: one line each
    { name: 'a status', change: (object) => { object.status = { replicas: 1 }; }, same: false }, // biome-ignore format: one line each
  ];
  test.each(cases)('$name: $same', ({ change, same }) => {
    const other = base();
    change(other);
    expect(isUnchanged(base(), other)).toBe(same);
  });
});

describe('delete', () => {
  type Case = {
    name: string;
    of: [apiVersion: string, kind: string];
    metadata?: ObjectMeta;
    rest?: Record<string, unknown>;
    options?: DeleteOptions;
    want: 'remove' | 'mark' | 'unchanged';
    after?: Partial<ObjectMeta>;
  };
  const CONFIG: Case['of'] = ['v1', 'ConfigMap'];
  const POD: Case['of'] = ['v1', 'Pod'];
  const running = { spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 }, status: { phase: 'Running' } };
  const marked = { deletionTimestamp: '2026-01-02T03:04:35Z', deletionGracePeriodSeconds: 30 };
  const cases: Case[] = [
    { name: 'nothing in the way', of: CONFIG, want: 'remove' },
    { name: 'a finalizer holds it', of: CONFIG, metadata: { finalizers: ['a/b'] }, want: 'mark', after: { deletionTimestamp: AT_NOW, deletionGracePeriodSeconds: 0 } },
    { name: 'the generation counts when deletion starts', of: ['apps/v1', 'Deployment'], metadata: { finalizers: ['a/b'], generation: 3 }, want: 'mark', after: { generation: 4 } },
    { name: 'and not again', of: ['apps/v1', 'Deployment'], metadata: { finalizers: ['a/b'], generation: 4, deletionTimestamp: '2026-01-01T00:00:00Z' }, want: 'mark', after: { generation: 4, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    { name: 'Foreground waits for dependents', of: ['apps/v1', 'Deployment'], options: { propagationPolicy: 'Foreground' }, want: 'mark', after: { finalizers: ['foregroundDeletion'] } },
    { name: 'Orphan waits for orphaning', of: CONFIG, options: { propagationPolicy: 'Orphan' }, want: 'mark', after: { finalizers: ['orphan'] } },
    { name: 'the old way to say Orphan', of: CONFIG, options: { orphanDependents: true }, want: 'mark', after: { finalizers: ['orphan'] } },
    { name: 'Background takes an earlier policy back', of: CONFIG, metadata: { finalizers: ['foregroundDeletion'] }, options: { propagationPolicy: 'Background' }, want: 'remove' },
    { name: 'an earlier policy stays without a new one', of: CONFIG, metadata: { finalizers: ['orphan'] }, want: 'mark', after: { finalizers: ['orphan'] } },
    { name: 'Jobs orphan by default', of: ['batch/v1', 'Job'], want: 'mark', after: { finalizers: ['orphan'] } },
    { name: 'Events never do', of: ['v1', 'Event'], options: { propagationPolicy: 'Foreground' }, want: 'remove' },
    { name: 'a running pod gets its grace period', of: POD, metadata: { generation: 1 }, rest: running, want: 'mark', after: { ...marked, generation: 2 } },
    { name: 'or the one that was asked for', of: POD, rest: running, options: { gracePeriodSeconds: 5 }, want: 'mark', after: { deletionGracePeriodSeconds: 5, deletionTimestamp: '2026-01-02T03:04:10Z' } },
    { name: 'a negative one is a second', of: POD, rest: running, options: { gracePeriodSeconds: -3 }, want: 'mark', after: { deletionGracePeriodSeconds: 1 } },
    { name: 'none at all removes it', of: POD, rest: running, options: { gracePeriodSeconds: 0 }, want: 'remove' },
    { name: 'a pod without a node goes at once', of: POD, rest: { spec: { terminationGracePeriodSeconds: 30 } }, options: { gracePeriodSeconds: 60 }, want: 'remove' },
    { name: 'so does one that has ended', of: POD, rest: { ...running, status: { phase: 'Succeeded' } }, want: 'remove' },
    { name: 'a second delete waits like the first', of: POD, metadata: marked, rest: running, want: 'unchanged' },
    { name: 'it cannot ask for longer', of: POD, metadata: marked, rest: running, options: { gracePeriodSeconds: 60 }, want: 'unchanged' },
    { name: 'it may ask for shorter', of: POD, metadata: marked, rest: running, options: { gracePeriodSeconds: 10 }, want: 'mark', after: { deletionGracePeriodSeconds: 10, deletionTimestamp: '2026-01-02T03:04:15Z' } },
    { name: 'and for none', of: POD, metadata: marked, rest: running, options: { gracePeriodSeconds: 0 }, want: 'remove' },
    { name: 'a finalizer holds a pod too', of: POD, metadata: { finalizers: ['a/b'] }, rest: running, options: { gracePeriodSeconds: 0 }, want: 'mark', after: { finalizers: ['a/b'], deletionGracePeriodSeconds: 0 } },
    { name: 'a namespace with content terminates', of: ['v1', 'Namespace'], rest: { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }, want: 'mark', after: { deletionTimestamp: AT_NOW } },
    { name: 'and goes on doing so', of: ['v1', 'Namespace'], metadata: { deletionTimestamp: AT_NOW }, rest: { spec: { finalizers: ['kubernetes'] } }, want: 'unchanged' },
    { name: 'without content it goes', of: ['v1', 'Namespace'], rest: { spec: {} }, want: 'remove' },
  ]; // biome-ignore format: a table
  test.each(cases)('$name', ({ of: [apiVersion, name], metadata = {}, rest = {}, options = {}, want, after = {} }) => {
    const plan = planDelete(
      kind(apiVersion, name),
      { apiVersion, kind: name, metadata: { name: 'x', ...structuredClone(metadata) }, ...structuredClone(rest) },
      options,
      NOW,
    );
    expect(plan.type).toBe(want);
    expect(plan.object.metadata).toMatchObject(after);
  });

  test('a terminating namespace says so', () => {
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'n' },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    };
    expect(planDelete(kind('v1', 'Namespace'), object, {}, NOW).object.status).toEqual({ phase: 'Terminating' });
  });
});

describe('the last write of an object in deletion removes it', () => {
  const gone = { deletionTimestamp: AT_NOW };
  const cases: { name: string; metadata: ObjectMeta; spec?: object; want: boolean }[] = [
    { name: 'nothing left to wait for', metadata: gone, want: true },
    { name: 'not in deletion', metadata: {}, want: false },
    { name: 'a finalizer', metadata: { ...gone, finalizers: ['a/b'] }, want: false },
    { name: 'grace that runs', metadata: { ...gone, deletionGracePeriodSeconds: 5 }, want: false },
    { name: 'grace that is over', metadata: { ...gone, deletionGracePeriodSeconds: 0 }, want: true },
  ];
  test.each(cases)('$name: $want', ({ metadata, want }) => {
    expect(mustRemove(kind('v1', 'ConfigMap'), { apiVersion: 'v1', kind: 'ConfigMap', metadata })).toBe(want);
  });
  test.each([
    [['kubernetes'], false],
    [[], true],
  ] as const)('a namespace with finalizers %j: %s', (finalizers, want) => {
    expect(
      mustRemove(kind('v1', 'Namespace'), { apiVersion: 'v1', kind: 'Namespace', metadata: gone, spec: { finalizers } }),
    ).toBe(want);
  });
});

test('an object in deletion takes no new finalizers', () => {
  const definition = kind('v1', 'ConfigMap');
  const old: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', namespace: 'd', deletionTimestamp: AT_NOW, finalizers: ['a/b'] },
  };
  const object = copy(old);
  object.metadata.finalizers = ['a/b', 'c/d'];
  expect(validateObjectMeta(definition, object, old)).toEqual([
    {
      type: 'Forbidden',
      field: 'metadata.finalizers',
      detail: 'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d"}',
    },
  ]);
  expect(validateObjectMeta(definition, { ...object, metadata: { ...object.metadata, finalizers: [] } }, old)).toEqual([]);
});
