/** Which names a definition gets beside others of its group, and what it serves. */
import { describe, expect, test } from 'vitest';
import { approvalOf, namedStatus } from '../../../shared/apis/custom/conditions.ts';
import { type CrdNames, compareVersions } from '../../../shared/apis/custom/crd.ts';
import { servedDefinitions } from '../../../shared/apis/custom/definitions.ts';
import type { Condition, KubeObject } from '../../../shared/machinery/object.ts';

const TIME = '2026-01-01T00:00:00Z';

type Given = { names?: Partial<CrdNames>; accepted?: CrdNames; conditions?: Condition[]; created?: string; group?: string };

function crd(
  plural: string,
  { names = {}, accepted, conditions, created = TIME, group = 'example.com' }: Given = {},
): KubeObject {
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1);
  const all = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, ...names };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, uid: plural, generation: 1, creationTimestamp: created },
    spec: { group, scope: 'Namespaced', names: all, versions: [{ name: 'v1', served: true, storage: true }] },
    status: { ...(accepted ? { acceptedNames: accepted } : {}), ...(conditions ? { conditions } : {}) },
  };
}

/** The same definition with what the controller makes of it. */
function named(definition: KubeObject, ...others: KubeObject[]): KubeObject {
  return { ...definition, status: namedStatus(definition, others, TIME) };
}

const shown = ({ status }: KubeObject) =>
  (status.conditions as Condition[]).map(({ type, status: is, reason, message }) => `${type}=${is} ${reason}: ${message}`);

describe('a definition', () => {
  test('alone gets its names and is established', () => {
    const definition = named(crd('widgets'));
    expect(shown(definition)).toEqual([
      'NamesAccepted=True NoConflicts: no conflicts found',
      'Established=True InitialNamesAccepted: the initial names have been accepted',
    ]);
    expect(definition.status.acceptedNames).toEqual(definition.spec.names);
    expect(servedDefinitions(definition).map(({ kind, version }) => `${version} ${kind}`)).toEqual(['v1 Widget']);
  });

  test.each<[string, Partial<CrdNames>, string]>([
    ['kind', { kind: 'Widget' }, 'KindConflict: "Widget" is already in use'],
    ['list kind', { listKind: 'WidgetList' }, 'ListKindConflict: "WidgetList" is already in use'],
    ['singular', { singular: 'widget' }, 'SingularConflict: "widget" is already in use'],
    ['short name', { shortNames: ['wd', 'x'] }, 'ShortNamesConflict: "wd" is already in use'],
    ['a short name that is a plural elsewhere', { shortNames: ['widgets'] }, 'ShortNamesConflict: "widgets" is already in use'],
  ])('does not get a %s that another holds', (_what, names, why) => {
    const first = named(crd('widgets', { names: { shortNames: ['wd'] } }));
    const second = named(crd('others', { names }), first);
    expect(shown(second)).toEqual([`NamesAccepted=False ${why}`, 'Established=False NotAccepted: not all names are accepted']);
    expect(servedDefinitions(second)).toEqual([]);
  });

  test('of another group is no rival', () => {
    const first = named(crd('widgets'));
    expect(shown(named(crd('widgets', { group: 'other.com' }), first))[0]).toContain('NoConflicts');
  });

  test('of two that come at once, the older one gets the name', () => {
    const older = crd('widgets', { created: '2026-01-01T00:00:00Z' });
    const younger = crd('others', { names: { kind: 'Widget' }, created: '2026-01-01T00:00:01Z' });
    expect(shown(named(older, younger))[0]).toContain('NamesAccepted=True');
    expect(shown(named(younger, older))[0]).toContain('NamesAccepted=False');
  });

  test('stays established when a later change of its names is refused', () => {
    const first = named(crd('widgets', { names: { shortNames: ['wd'] } }));
    const second = named(crd('others'), first);
    const changed = { ...second, spec: { ...second.spec, names: { ...second.spec.names, shortNames: ['wd'] } } };
    expect(shown(named(changed, first))).toEqual([
      'NamesAccepted=False ShortNamesConflict: "wd" is already in use',
      'Established=True InitialNamesAccepted: the initial names have been accepted',
    ]);
    expect(servedDefinitions(named(changed, first))[0]?.shortNames).toEqual([]);
  });

  test('of a group of Kubernetes says whether it was approved', () => {
    const definition = crd('widgets', { group: 'x.k8s.io' });
    expect(approvalOf(definition).state).toBe('missing');
    definition.metadata.annotations = { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements/pull/1' };
    expect(shown(named(definition))[2]).toBe(
      'KubernetesAPIApprovalPolicyConformant=True ApprovedAnnotation: approved in https://github.com/kubernetes/enhancements/pull/1',
    );
  });
});

test('versions are preferred as upstream prefers them', () => {
  const versions = ['v1alpha1', 'foo', 'v2beta1', 'v1', 'v10', 'v2', 'v1beta2', 'bar', 'v2beta10'];
  expect(versions.sort(compareVersions)).toEqual(['v10', 'v2', 'v1', 'v2beta10', 'v2beta1', 'v1beta2', 'v1alpha1', 'bar', 'foo']);
});

test('a deprecated version says what to use instead', () => {
  const definition = named(crd('widgets'));
  definition.spec.versions = [
    { name: 'v1', served: true, storage: true },
    { name: 'v1beta1', served: true, storage: false, deprecated: true },
    { name: 'v1alpha1', served: true, storage: false, deprecated: true, deprecationWarning: 'old' },
  ];
  expect(servedDefinitions(definition).map(({ deprecation }) => deprecation)).toEqual([
    undefined,
    'example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget',
    'old',
  ]);
});
