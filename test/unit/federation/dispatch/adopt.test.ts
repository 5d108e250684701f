import { describe, expect, test } from 'vitest';
import { isLeftBehind, judgeCopy, mayAdoptInCluster, orphanMode } from '../../../../shared/federation/dispatch/adopt.ts';
import { leftoverPatch } from '../../../../shared/federation/dispatch/merge-maps.ts';
import { compilePattern } from '../../../../shared/federation/dispatch/pattern.ts';
import { desired, memberCopy } from './builders.ts';

const ADOPT = { 'kubeadmiral.io/conflict-resolution': 'adopt', 'kubeadmiral.io/clusters-to-adopt': '{"clusters":["c1"]}' };
const unmanaged = () => memberCopy({ labels: { app: 'web' } });

describe('judgeCopy', () => {
  type Case = [
    sentence: string,
    copy: ReturnType<typeof memberCopy>,
    annotations: Record<string, string>,
    lastUid: string | undefined,
    want: object,
  ];
  const cases: Case[] = [
    ['ours is updated', memberCopy(), {}, 'm-1', { type: 'update', replaced: false }],
    ['managed, but another object than last seen', memberCopy(), {}, 'm-0', { type: 'update', replaced: true }],
    ['managed, and never seen', memberCopy(), {}, undefined, { type: 'update', replaced: false }],
    ['ours that lost its label', unmanaged(), {}, 'm-1', { type: 'update', replaced: false }],
    [
      'kept from us by its admin',
      memberCopy({ labels: { 'kubeadmiral.io/managed': 'false' } }),
      ADOPT,
      'm-1',
      { type: 'refuse', state: 'ManagedLabelFalse' },
    ],
    ['foreign', unmanaged(), {}, undefined, { type: 'refuse', state: 'AlreadyExists' }],
    ['foreign, and adoption is allowed', unmanaged(), ADOPT, undefined, { type: 'adopt' }],
    [
      'foreign, and adoption is allowed elsewhere',
      unmanaged(),
      { ...ADOPT, 'kubeadmiral.io/clusters-to-adopt': '{"clusters":["c2"]}' },
      undefined,
      { type: 'refuse' },
    ],
    [
      'foreign, without saying where',
      unmanaged(),
      { 'kubeadmiral.io/conflict-resolution': 'adopt' },
      undefined,
      { type: 'refuse' },
    ],
    [
      'foreign, and the internal annotation forbids',
      unmanaged(),
      { ...ADOPT, 'internal.kubeadmiral.io/conflict-resolution': 'none' },
      undefined,
      { type: 'refuse' },
    ],
  ];
  test.each(cases)('%s', (_sentence, copy, annotations, lastUid, want) => {
    expect(judgeCopy(copy, { annotations, cluster: 'c1', lastUid })).toMatchObject(want);
  });
});

describe('a refusal says how to take the object over', () => {
  const how =
    'to take it over, set on the source the annotations kubeadmiral.io/conflict-resolution: adopt and ' +
    `kubeadmiral.io/clusters-to-adopt: '{"clusters":["c1"]}', or '{"regexp":".*"}' for every cluster`;
  const what = 'an object of this name that is not managed exists in cluster c1: ';
  test.each([
    ['no annotation', {}, `${what}${how}`],
    [
      'no clusters',
      { 'kubeadmiral.io/conflict-resolution': 'adopt' },
      `${what}annotation kubeadmiral.io/clusters-to-adopt does not name the cluster. ${how}`,
    ],
    [
      'clusters that cannot be read',
      { ...ADOPT, 'kubeadmiral.io/clusters-to-adopt': 'c1' },
      `${what}annotation kubeadmiral.io/clusters-to-adopt is not {"clusters":[...],"regexp":"..."}. ${how}`,
    ],
  ])('%s', (_sentence, annotations, message) => {
    const judged = judgeCopy(unmanaged(), { annotations, cluster: 'c1', lastUid: undefined });
    expect(judged).toEqual({ type: 'refuse', state: 'AlreadyExists', message });
  });
});

describe('clusters-to-adopt that cannot be read', () => {
  const texts = [
    'nonsense',
    '[]',
    '{"clusters":"c1"}',
    '{"clusters":[1]}',
    '{"regexp":7}',
    '{"regexp":"("}',
    '{"regexp":"(a+)+$"}',
  ];
  test.each(texts)('%s', (text) =>
    expect(mayAdoptInCluster({ 'kubeadmiral.io/clusters-to-adopt': text }, 'c1').type).toBe('invalid'),
  );
});

describe('patterns', () => {
  const cases: [pattern: string, text: string, want: boolean | undefined][] = [
    ['.*', 'c1', true],
    ['member', 'my-member-1', true],
    ['^member-[0-9]+$', 'member-12', true],
    ['^member-[0-9]+$', 'member-x', false],
    ['(eu|us)-1', 'us-1', true],
    ['.*eu.*prod.*', 'x-eu-y-prod-z', true],
    ['a\\.b', 'axb', false],
    ['(a+)+', 'a', undefined],
    ['(a|a)*b', 'a', undefined],
    ['a*b*c*', 'a', undefined],
    ['(?=x)', 'x', undefined],
    ['(a)\\1', 'aa', undefined],
    ['x'.repeat(300), 'x', undefined],
  ];
  test.each(cases)('%s on %s', (text, name, want) => {
    const pattern = compilePattern(text);
    expect(pattern.type === 'ok' ? pattern.matches(name) : undefined).toBe(want);
  });
});

describe('isLeftBehind', () => {
  const adopted = memberCopy({ annotations: { 'kubeadmiral.io/adopted': 'true' } });
  const cases: [sentence: string, copy: ReturnType<typeof memberCopy>, annotations: Record<string, string>, want: boolean][] = [
    ['not by default', memberCopy(), {}, false],
    ['all', memberCopy(), { 'kubeadmiral.io/orphan': 'all' }, true],
    ['adopted ones', adopted, { 'kubeadmiral.io/orphan': 'adopted' }, true],
    ['a Namespace that was there before us, whatever is said', { ...adopted, kind: 'Namespace' }, {}, true],
    ['not what we made', memberCopy(), { 'kubeadmiral.io/orphan': 'adopted' }, false],
    [
      'the internal annotation wins',
      memberCopy(),
      { 'kubeadmiral.io/orphan': 'all', 'internal.kubeadmiral.io/orphan': 'adopted' },
      false,
    ],
  ];
  test.each(cases)('%s', (_sentence, copy, annotations, want) => expect(isLeftBehind(copy, orphanMode(annotations))).toBe(want));
});

test('what an earlier control plane propagated and the template lost is taken off', () => {
  const copy = memberCopy({
    labels: { app: 'web', old: 'x', mine: 'y', 'kubeadmiral.io/managed': 'true' },
    annotations: {
      stale: '1',
      own: '2',
      'kubeadmiral.io/propagated-label-keys': 'app,old',
      'kubeadmiral.io/propagated-annotation-keys': 'stale',
    },
  });
  expect(leftoverPatch(desired().object, copy)).toEqual({ metadata: { labels: { old: null }, annotations: { stale: null } } });
  expect(leftoverPatch(desired().object, memberCopy())).toBeUndefined();
});
