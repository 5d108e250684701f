import { describe, expect, test } from 'vitest';
import {
  followersAnnotationError,
  followersOf,
  mayFollow,
  refusesToFollow,
} from '../../../../shared/federation/followers/followers.ts';
import type { JsonObject, KubeObject } from '../../../../shared/machinery/object.ts';

const FOLLOWERS = 'kubeadmiral.io/followers';

function workload(
  podSpec: JsonObject,
  annotations: Record<string, string> = {},
  kind = 'Deployment',
  apiVersion = 'apps/v1',
): KubeObject {
  return { apiVersion, kind, metadata: { name: 'web', namespace: 'shop', annotations }, spec: { template: { spec: podSpec } } };
}

const named = (object: KubeObject) => followersOf(object).map(({ group, kind, name }) => `${group}/${kind}/${name}`);
const ENV: JsonObject = {
  containers: [{ envFrom: [{ configMapRef: { name: 'b' } }, { configMapRef: { name: 'a' } }, { configMapRef: { name: 'b' } }] }],
};

describe('followersOf', () => {
  const cases: [sentence: string, given: KubeObject, want: string[]][] = [
    ['each reference once, sorted', workload(ENV), ['/ConfigMap/a', '/ConfigMap/b']],
    ['what members make for themselves is left out', workload({ serviceAccountName: 'default' }), []],
    ['a named service account follows', workload({ serviceAccountName: 'robot' }), ['/ServiceAccount/robot']],
    ['kinds that lead nobody have none', workload(ENV, {}, 'Service', 'v1'), []],
    ['a Deployment of another group leads nobody', workload(ENV, {}, 'Deployment', 'example.com/v1'), []],
    ['a frozen placement leads nobody', workload(ENV, { 'kubeadmiral.io/no-scheduling': 'true' }), []],
    [
      'the annotation adds Services and what else it names',
      workload(
        {},
        { [FOLLOWERS]: '[{"group":"","kind":"Service","name":"s"},{"group":"networking.k8s.io","kind":"Ingress","name":"i"}]' },
      ),
      ['/Service/s', 'networking.k8s.io/Ingress/i'],
    ],
    [
      'an annotation that cannot be read adds nothing',
      workload(ENV, { [FOLLOWERS]: '{"kind":"Service"}' }),
      ['/ConfigMap/a', '/ConfigMap/b'],
    ],
    [
      'a pod spec of odd shapes is passed over',
      workload({ containers: 'x', volumes: [null, 3, { secret: null }] } as unknown as JsonObject),
      [],
    ],
  ];
  test.each(cases)('%s', (_sentence, given, want) => expect(named(given)).toEqual(want));

  test('a Pod and a CronJob are read where their pod spec lies', () => {
    const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: ENV };
    const cron: KubeObject = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: {},
      spec: { jobTemplate: { spec: { template: { spec: ENV } } } },
    };
    expect([named(pod), named(cron)]).toEqual([
      ['/ConfigMap/a', '/ConfigMap/b'],
      ['/ConfigMap/a', '/ConfigMap/b'],
    ]);
  });
});

describe('the annotation', () => {
  const cases: [text: string, isFine: boolean][] = [
    ['[]', true],
    ['[{"kind":"Service","name":"s"}]', true],
    ['[{"kind":"Service"}]', false],
    ['[{"kind":"Service","name":7}]', false],
    ['[null]', false],
    ['nonsense', false],
  ];
  test.each(cases)('%s', (text, isFine) =>
    expect(followersAnnotationError(workload({}, { [FOLLOWERS]: text })) === undefined).toBe(isFine),
  );
});

test('a follower may refuse, and not every kind may follow', () => {
  expect(refusesToFollow(workload({}, { 'kubeadmiral.io/disable-following': 'true' }))).toBe(true);
  expect(refusesToFollow(workload({}))).toBe(false);
  expect([mayFollow({ group: '', kind: 'ConfigMap' }), mayFollow({ group: 'apps', kind: 'Deployment' })]).toEqual([true, false]);
});
