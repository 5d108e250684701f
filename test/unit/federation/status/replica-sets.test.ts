import { describe, expect, test } from 'vitest';
import { sourceReplicaSets, templateHash } from '../../../../shared/federation/status/replica-sets.ts';
import type { JsonObject, KubeObject } from '../../../../shared/machinery/object.ts';

const REVISION = 'deployment.kubernetes.io/revision';

function deployment(image: string, generation: number, more: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'dep', generation },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'a', image }] } },
      ...more,
    },
  };
}

const status = (generation: number, total: number, updated: number, ready: number): JsonObject => ({
  observedGeneration: generation,
  replicas: total,
  updatedReplicas: updated,
  readyReplicas: ready,
  availableReplicas: ready,
});

/** As the store keeps them: a uid, and a generation that counts changes of the spec. */
function stored(sets: readonly KubeObject[], before: readonly KubeObject[] = []): KubeObject[] {
  return sets.map((set) => {
    const old = before.find(({ metadata }) => metadata.name === set.metadata.name);
    const changed = JSON.stringify(old?.spec) !== JSON.stringify(set.spec);
    const generation = (old?.metadata.generation ?? 0) + (changed ? 1 : 0);
    return { ...set, metadata: { ...set.metadata, uid: set.metadata.name ?? '', generation } };
  });
}

const shown = (sets: readonly KubeObject[]) =>
  sets.map((set) => [
    set.metadata.annotations?.[REVISION],
    set.spec.replicas,
    set.status.replicas,
    set.status.readyReplicas ?? 0,
  ]);

describe('the newest ReplicaSet', () => {
  const [set] = sourceReplicaSets({ source: deployment('nginx:1', 1), previous: [], aggregated: status(1, 4, 4, 4) });

  test('is found by its template, owner and hash', () => {
    const hash = templateHash(deployment('nginx:1', 1));
    expect(set).toMatchObject({
      metadata: {
        name: `web-${hash}`,
        namespace: 'shop',
        labels: { app: 'web', 'pod-template-hash': hash },
        annotations: { [REVISION]: '1' },
        ownerReferences: [{ kind: 'Deployment', name: 'web', uid: 'dep', controller: true }],
      },
      spec: { replicas: 4, selector: { matchLabels: { app: 'web', 'pod-template-hash': hash } } },
      status: { replicas: 4, readyReplicas: 4, availableReplicas: 4, observedGeneration: 1 },
    });
    expect(set?.spec.template.spec).toEqual(deployment('nginx:1', 1).spec.template.spec);
  });

  test('carries the annotations that `kubectl rollout undo` will write back, and no others', () => {
    const source = deployment('nginx:1', 1);
    source.metadata.annotations = {
      'kubernetes.io/change-cause': 'first',
      'kubeadmiral.io/orphan': 'all',
      'kubeadmiral.io/scheduling': '{}',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      [REVISION]: '7',
    };
    const [carrying] = sourceReplicaSets({ source, previous: [], aggregated: status(1, 4, 4, 4) });
    expect(carrying?.metadata.annotations).toEqual({
      'kubernetes.io/change-cause': 'first',
      'kubeadmiral.io/orphan': 'all',
      [REVISION]: '1',
    });
  });

  test('needs no second write', () => {
    const previous = stored([set as KubeObject]);
    const again = sourceReplicaSets({ source: deployment('nginx:1', 1), previous, aggregated: status(1, 4, 4, 4) });
    expect(again[0]).toBe(previous[0]);
  });
});

describe('a rollout', () => {
  const first = stored(sourceReplicaSets({ source: deployment('nginx:1', 1), previous: [], aggregated: status(1, 4, 4, 4) }));
  const next = (aggregated: JsonObject, previous: KubeObject[] = first) =>
    sourceReplicaSets({ source: deployment('nginx:2', 2), previous, aggregated });

  const cases: [sentence: string, aggregated: JsonObject, want: unknown[][]][] = [
    [
      'nothing is new before members have observed it',
      status(1, 4, 4, 4),
      [
        ['2', 4, 0, 0],
        ['1', 4, 4, 4],
      ],
    ],
    [
      'old ones are taken to be ready first',
      status(2, 5, 2, 4),
      [
        ['2', 4, 2, 1],
        ['1', 3, 3, 3],
      ],
    ],
    [
      'all are new and ready at the end',
      status(2, 4, 4, 4),
      [
        ['2', 4, 4, 4],
        ['1', 0, 0, 0],
      ],
    ],
  ];
  test.each(cases)('%s', (_sentence, aggregated, want) => expect(shown(next(aggregated))).toEqual(want));

  test('a template that comes back gets the next number', () => {
    const second = stored(next(status(2, 4, 4, 4)), first);
    const back = sourceReplicaSets({ source: deployment('nginx:1', 3), previous: second, aggregated: status(3, 4, 4, 4) });
    expect(shown(back)).toEqual([
      ['3', 4, 4, 4],
      ['2', 0, 0, 0],
    ]);
    expect(back[0]?.metadata.uid).toBe(first[0]?.metadata.uid);
  });

  test('history is kept up to its limit', () => {
    let sets: KubeObject[] = [];
    for (let round = 1; round <= 6; round += 1) {
      const source = deployment(`nginx:${round}`, round, { revisionHistoryLimit: 2 });
      sets = stored(sourceReplicaSets({ source, previous: sets, aggregated: status(round, 4, 4, 4) }), sets);
    }
    expect(sets.map(({ metadata }) => metadata.annotations?.[REVISION])).toEqual(['6', '5', '4']);
  });
});

test('the numbers of a rollout always add up to those of the Deployment', () => {
  const first = stored(sourceReplicaSets({ source: deployment('nginx:1', 1), previous: [], aggregated: status(1, 4, 4, 4) }));
  for (const [total, updated, ready] of [
    [6, 2, 5],
    [4, 0, 0],
    [5, 5, 3],
    [3, 1, 3],
  ] as const) {
    const sets = sourceReplicaSets({
      source: deployment('nginx:2', 2),
      previous: first,
      aggregated: status(2, total, updated, ready),
    });
    const sum = (field: string) => sets.reduce((all, set) => all + (set.status[field] ?? 0), 0);
    expect([sum('replicas'), sum('readyReplicas')]).toEqual([total, ready]);
  }
});
