/** The registry of kinds: complete, consistent, found by every name. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInDefinitions, declaredPlurals } from '../../../shared/apis/built-in.ts';
import { kubeadmiralDefinitions } from '../../../shared/apis/kubeadmiral/kinds.ts';
import { lamiralDefinitions } from '../../../shared/apis/lamiral/kinds.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import { storedScope } from '../../../shared/apis/stored.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';

const all = [...builtInDefinitions(), ...kubeadmiralDefinitions(), ...lamiralDefinitions()];
const registry = createRegistry(all);
const DATA = new URL('../../../shared/apis/data/', import.meta.url);

test('every declaration names a resource that discovery knows', () => {
  const unknown = declaredPlurals().filter(({ group, version, plural }) => !registry.byResource(group, version, plural));
  expect(unknown).toEqual([]);
});

test('every stored kind has a schema with metadata, and reviews are virtual', () => {
  const reviews = all.filter(({ kind }) => kind.endsWith('Review') || kind === 'Binding');
  expect(reviews.map(({ virtual }) => virtual)).toEqual(reviews.map(() => true));
  const without = all.filter((definition) => !definition.virtual && !definition.schema()?.properties.has('metadata'));
  expect(without.map(({ kind }) => kind)).toEqual([]);
});

test('discovery of legacy clients lists the same resources', () => {
  const missing: string[] = [];
  for (const file of readdirSync(new URL('discovery/', DATA)).filter((name) => /_v\d/.test(name))) {
    const list = JSON.parse(readFileSync(new URL(`discovery/${file}`, DATA), 'utf8')) as {
      groupVersion: string;
      resources: { name: string }[];
    };
    const [version = '', group = ''] = list.groupVersion.split('/').reverse();
    for (const { name } of list.resources) {
      const [plural = '', subresource] = name.split('/');
      const definition = registry.byResource(group, version, plural);
      const known =
        subresource === undefined ||
        (subresource === 'status' && definition?.status) ||
        (subresource === 'scale' && definition?.scale !== undefined) ||
        definition?.subresources.some((each) => each.name === subresource);
      if (!definition || !known) missing.push(`${list.groupVersion} ${name}`);
    }
  }
  expect(missing).toEqual([]);
});

describe('a scope is written in one version', () => {
  test.each([
    ['autoscaling/horizontalpodautoscalers', 'v2'],
    ['/events', 'v1'],
    ['apps/deployments', 'v1'],
    ['core.kubeadmiral.io/federatedobjects', 'v1alpha1'],
  ])('%s in %s', (scope, version) => {
    const definition = registry.byScope(scope);
    expect(definition?.version).toBe(version);
    expect(definition && storedScope(definition)).toBe(scope);
  });
});

test('groups keep the order and preference of discovery', () => {
  expect(
    registry
      .groups()
      .slice(0, 3)
      .map(({ group }) => group),
  ).toEqual(['', 'apiregistration.k8s.io', 'apps']);
  expect(registry.groups().find(({ group }) => group === 'autoscaling')).toEqual({
    group: 'autoscaling',
    versions: ['v2', 'v1'],
    preferred: 'v2',
  });
});

test('two definitions of one resource are a mistake', () => {
  expect(() => createRegistry([...lamiralDefinitions(), ...lamiralDefinitions()])).toThrow(
    'two definitions of lamiral.dev/v1alpha1/schedulingdecisions',
  );
});

describe('field selectors read', () => {
  const cases: [resource: [string, string, string], field: string, object: Partial<KubeObject>, want: string][] = [
    [['', 'v1', 'pods'], 'spec.nodeName', { spec: { nodeName: 'n' } }, 'n'],
    [['', 'v1', 'pods'], 'spec.nodeName', {}, ''],
    [['', 'v1', 'pods'], 'spec.hostNetwork', {}, 'false'],
    [['', 'v1', 'pods'], 'status.podIP', { status: { podIPs: [{ ip: '1.2.3.4' }] } }, '1.2.3.4'],
    [['', 'v1', 'nodes'], 'spec.unschedulable', { spec: { unschedulable: true } }, 'true'],
    [['', 'v1', 'events'], 'involvedObject.kind', { involvedObject: { kind: 'Pod' } }, 'Pod'],
    [['', 'v1', 'events'], 'source', { source: {}, reportingComponent: 'c' }, 'c'],
    [['events.k8s.io', 'v1', 'events'], 'regarding.name', { regarding: { name: 'x' } }, 'x'],
    [['', 'v1', 'secrets'], 'type', { type: 'Opaque' }, 'Opaque'],
    [['batch', 'v1', 'jobs'], 'status.successful', {}, '0'],
    [['apps', 'v1', 'replicasets'], 'status.replicas', { status: { replicas: 3 } }, '3'],
  ];
  test.each(cases)('%j %s', ([group, version, plural], field, object, want) => {
    const read = registry.byResource(group, version, plural)?.selectableFields.get(field);
    expect(read?.({ apiVersion: '', kind: '', metadata: {}, ...object })).toBe(want);
  });
});
