import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeOverrides } from '../../../../shared/federation/overrides/compute.ts';
import { formatImageReference, parseImageReference } from '../../../../shared/federation/overrides/image-reference.ts';
import type { OverrideRule } from '../../../../shared/federation/overrides/overriders.ts';
import { applyPatches } from '../../../../shared/federation/overrides/patches.ts';
import { compileTarget } from '../../../../shared/federation/overrides/targets.ts';
import { cloneJson } from '../../../../shared/machinery/equality.ts';
import type { KubeObject } from '../../../../shared/machinery/object.ts';

function deployment(): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' }, annotations: {} },
    spec: {
      replicas: 3,
      template: { spec: { containers: [{ name: 'app', image: 'nginx:1', env: [{ name: 'A', value: '1' }] }] } },
    },
  };
}

const policy = (name: string, ...overrideRules: OverrideRule[]): KubeObject => ({
  apiVersion: 'core.kubeadmiral.io/v1alpha1',
  kind: 'OverridePolicy',
  metadata: { name },
  spec: { overrideRules },
});
const cluster = (name: string, labels: Record<string, string> = {}) => ({ name, labels });
const annotate = (value: Record<string, string>): OverrideRule => ({
  overriders: { annotations: [{ operator: 'addIfAbsent', value }] },
});

describe('image references', () => {
  const cases: [sentence: string, text: string, want: ReturnType<typeof parseImageReference>][] = [
    ['a bare name is a repository', 'nginx', { registry: '', repository: 'nginx', tag: '', digest: '' }],
    [
      'a first part without . or : is no registry',
      'library/nginx:1',
      { registry: '', repository: 'library/nginx', tag: '1', digest: '' },
    ],
    ['localhost is a registry', 'localhost/nginx', { registry: 'localhost', repository: 'nginx', tag: '', digest: '' }],
    ['a port makes a registry, not a tag', 'host:5000/a/b', { registry: 'host:5000', repository: 'a/b', tag: '', digest: '' }],
    ['a digest too short is refused', 'nginx@sha256:aaaa', undefined],
    ['upper case is refused in a repository', 'Nginx', undefined],
    ['nothing is refused', '', undefined],
    ['a tag with a space is refused', 'nginx:a b', undefined],
  ];
  test.each(cases)('%s', (_sentence, text, want) => expect(parseImageReference(text)).toEqual(want));

  test('law: what is printed is read back', () => {
    const name = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,4})?$/);
    const reference = fc.record({
      registry: fc.constantFrom('', 'localhost', 'reg.example', 'reg.example:5000'),
      repository: fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
      tag: fc.constantFrom('', 'latest', '1.0-rc_1'),
      digest: fc.constantFrom('', `sha256:${'ab'.repeat(32)}`),
    });
    fc.assert(
      fc.property(reference, (one) => {
        expect(parseImageReference(formatImageReference(one))).toEqual(one);
      }),
      { seed: 7 },
    );
  });
});

describe('applyPatches', () => {
  const refused: [sentence: string, patch: { op: string; path: string; value?: never | string | object }][] = [
    ['the name', { op: 'replace', path: '/metadata/name', value: 'other' }],
    ['the namespace', { op: 'remove', path: '/metadata/namespace' }],
    ['the kind', { op: 'replace', path: '/kind', value: 'Pod' }],
    ['the name by way of all metadata', { op: 'replace', path: '/metadata', value: { name: 'other' } }],
    ['all metadata', { op: 'remove', path: '/metadata' }],
    ['the version', { op: 'replace', path: '/apiVersion', value: 'apps/v2' }],
    ['the whole object', { op: 'replace', path: '', value: { kind: 'Deployment' } }],
    ['a missing parent', { op: 'add', path: '/spec/nowhere/x', value: 'y' }],
    ['a missing member by remove', { op: 'remove', path: '/spec/paused' }],
    ['an unknown operator', { op: 'swap', path: '/spec/paused', value: 'x' }],
  ];
  test.each(refused)('refuses %s', (_sentence, patch) =>
    expect(applyPatches(deployment(), [patch as never]).type).toBe('invalid'),
  );

  test('an empty operator replaces, also what is missing; the template stays', () => {
    const template = deployment();
    const before = cloneJson(template);
    const patched = applyPatches(template, [{ op: '', path: '/spec/paused', value: true }]);
    expect(patched.type === 'ok' && patched.object.spec).toMatchObject({ paused: true, replicas: 3 });
    expect(template).toEqual(before);
  });
});

describe('computeOverrides', () => {
  test('a later policy sees what an earlier one made, per cluster', () => {
    const first = policy('cop', { ...annotate({ a: '1' }), targetClusters: { clusters: ['c1'] } });
    const second = policy('op', { overriders: { annotations: [{ operator: 'overwrite', value: { a: '2' } }] } });
    const computed = computeOverrides({
      template: deployment(),
      policies: [first, second],
      clusters: [cluster('c1'), cluster('c2')],
    });
    const values = computed.type === 'ok' ? computed.overrides.map(({ patches }) => patches.map(({ value }) => value)) : computed;
    expect(values).toEqual([[{ a: '1' }, { a: '2' }], [{}]]);
  });

  const failures: [sentence: string, rules: OverrideRule[], want: object][] = [
    ['names policy, rule and cluster', [annotate({ a: '1' }), annotate({ a: '1' })], { cluster: 'c1', policy: 'p', rule: 1 }],
    [
      'of a patch that does not apply',
      [{ overriders: { jsonpatch: [{ operator: 'remove', path: '/spec/paused' }] } }],
      { rule: 0 },
    ],
    ['of a broken selector', [{ ...annotate({ a: '1' }), targetClusters: { clusterSelector: { 'a b': 'c' } } }], { rule: 0 }],
    [
      'of containers where there are none',
      [{ overriders: { envs: [{ containerName: 'x', value: [{ name: 'A' }] }] } }],
      { rule: 0 },
    ],
  ];
  test.each(failures)('an error %s', (sentence, rules, want) => {
    const template = sentence.includes('containers') ? { ...deployment(), kind: 'ConfigMap' } : deployment();
    const computed = computeOverrides({ template, policies: [policy('p', ...rules)], clusters: [cluster('c1')] });
    expect(computed).toMatchObject({ type: 'invalid', ...want });
  });

  test('a broken rule for other clusters hurts nobody here', () => {
    const broken: OverrideRule = { targetClusters: { clusters: ['c2'], clusterSelector: { 'a b': 'c' } }, overriders: {} };
    const computed = computeOverrides({ template: deployment(), policies: [policy('p', broken)], clusters: [cluster('c1')] });
    expect(computed).toEqual({ type: 'ok', overrides: [] });
  });

  test('finalizers are written blind: the template has none to try them on', () => {
    const rule: OverrideRule = { overriders: { jsonpatch: [{ operator: 'remove', path: '/metadata/finalizers/0' }] } };
    const computed = computeOverrides({ template: deployment(), policies: [policy('p', rule)], clusters: [cluster('c1')] });
    expect(computed).toEqual({
      type: 'ok',
      overrides: [{ cluster: 'c1', patches: [{ op: 'remove', path: '/metadata/finalizers/0' }] }],
    });
  });

  test('a key named __proto__ is a key like any other', () => {
    const value = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    const computed = computeOverrides({
      template: deployment(),
      policies: [policy('p', annotate(value))],
      clusters: [cluster('c1')],
    });
    const made = computed.type === 'ok' ? JSON.stringify(computed.overrides[0]?.patches[0]?.value) : '';
    expect(made).toBe('{"__proto__":"x"}');
    expect(({} as Record<string, string>).x).toBeUndefined();
  });

  test('law: what is computed for one cluster does not depend on the others', () => {
    const rules = fc.array(fc.record({ labels: fc.subarray(['eu', 'us', 'ap']), key: fc.constantFrom('a', 'b', 'c', 'd') }), {
      maxLength: 4,
    });
    const clusters = fc.uniqueArray(fc.constantFrom('c1', 'c2', 'c3', 'c4'), { minLength: 1 });
    fc.assert(
      fc.property(rules, clusters, (made, names) => {
        const policies = made.map(({ labels, key }, index) =>
          policy(`p${index}`, {
            targetClusters: {
              clusterAffinity: [{ matchExpressions: [{ key: 'region', operator: 'In', values: ['none', ...labels] }] }],
            },
            overriders: {
              labels: [{ operator: 'overwrite', value: { app: `${index}` } }],
              jsonpatch: [{ operator: 'add', path: `/spec/${key}`, value: index }],
            },
          }),
        );
        const all = names.map((name, index) => cluster(name, { region: ['eu', 'us', 'ap'][index % 3] ?? '' }));
        const together = computeOverrides({ template: deployment(), policies, clusters: all });
        const alone = all.flatMap((one) => {
          const computed = computeOverrides({ template: deployment(), policies, clusters: [one] });
          return computed.type === 'ok' ? computed.overrides : [];
        });
        expect(together).toEqual({ type: 'ok', overrides: alone });
      }),
      { seed: 11, numRuns: 200 },
    );
  });
});

describe('compileTarget', () => {
  test('names, selector and affinity must all agree', () => {
    const matches = compileTarget({ clusters: ['c1', 'c2'], clusterSelector: { region: 'eu' } });
    const verdicts = [cluster('c1', { region: 'eu' }), cluster('c1', { region: 'us' }), cluster('c3', { region: 'eu' })].map(
      (one) => matches(one).type,
    );
    expect(verdicts).toEqual(['match', 'noMatch', 'noMatch']);
  });
});
