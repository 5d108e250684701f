import { describe, expect, test } from 'vitest';
import type { ClusterDecision } from '../../../../shared/federation/scheduling/decision.ts';
import { noFitMessage } from '../../../../shared/federation/scheduling/reasons.ts';

const rejected = (...reasons: string[]): ClusterDecision[] =>
  reasons.map((reason, index) => ({
    cluster: `c-${index}`,
    verdict: 'Rejected',
    why: reason,
    rejections: [
      { filter: 'First', reason },
      { filter: 'Second', reason: 'is not told' },
    ],
  }));

describe('where nothing fits', () => {
  test.each([
    ['no cluster at all', [], 'no cluster has joined'],
    ['one cluster', ['is not ready'], '0/1 clusters are available: 1 cluster is not ready'],
    ['several', ['is not ready', 'is not ready'], '0/2 clusters are available: 2 clusters are not ready'],
    [
      'what they lack',
      ['has too little cpu', 'has too little cpu'],
      '0/2 clusters are available: 2 clusters have too little cpu',
    ],
    [
      'what they do not do',
      ['does not serve apps/v1 Deployment', 'does not serve apps/v1 Deployment'],
      '0/2 clusters are available: 2 clusters do not serve apps/v1 Deployment',
    ],
    ['what they were', ['was evicted', 'was evicted'], '0/2 clusters are available: 2 clusters were evicted'],
    [
      'a reason that is a sentence by itself',
      ['taint a=b:NoSchedule is not tolerated', 'taint a=b:NoSchedule is not tolerated'],
      '0/2 clusters are available: 2 clusters: taint a=b:NoSchedule is not tolerated',
    ],
    [
      'the most frequent reason first, ties by their words',
      ['is not ready', 'has not joined', 'is not ready', 'does not serve v1 Pod'],
      '0/4 clusters are available: 2 clusters are not ready, 1 cluster does not serve v1 Pod, 1 cluster has not joined',
    ],
  ])('%s', (_sentence, reasons, want) => expect(noFitMessage(rejected(...reasons))).toBe(want));
});
