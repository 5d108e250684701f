import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { proportional, resolveLimits, rollingStep, type Size } from '../../../localstack/members/controllers/rolling.ts';

const size = (spec: number, available = spec): Size => ({ spec, current: spec, available });

describe('limits of a rolling update', () => {
  test.each([
    ['percentages round towards keeping pods', 9, '25%', '25%', { surge: 3, unavailable: 2 }],
    ['numbers are taken as they are', 9, 2, 0, { surge: 2, unavailable: 0 }],
    ['both zero would never move: one may be unavailable', 3, 0, '10%', { surge: 0, unavailable: 1 }],
  ])('%s', (_name, replicas, surge, unavailable, want) => {
    expect(resolveLimits(replicas, surge, unavailable)).toEqual(want);
  });
});

describe('one rolling step', () => {
  test('the new one grows by the surge first', () => {
    expect(rollingStep(9, { surge: 3, unavailable: 2 }, size(0), [size(9)])).toEqual({ newReplicas: 3, oldReplicas: [9] });
  });
  test('then the old one gives up what may be unavailable', () => {
    expect(rollingStep(9, { surge: 3, unavailable: 2 }, size(3, 0), [size(9)])).toEqual({ newReplicas: 3, oldReplicas: [7] });
  });
  test('old pods that are not available go first', () => {
    expect(rollingStep(4, { surge: 1, unavailable: 1 }, size(1, 1), [size(2, 0), size(2)])).toEqual({
      newReplicas: 1,
      oldReplicas: [0, 2],
    });
  });
  test('a smaller total shrinks the new one at once', () => {
    expect(rollingStep(2, { surge: 1, unavailable: 0 }, size(5), [])).toEqual({ newReplicas: 2, oldReplicas: [] });
  });

  test('law: repeating the step while pods become ready ends with the new one alone, never breaking the limits', () => {
    const input = fc.record({
      replicas: fc.integer({ min: 0, max: 40 }),
      surge: fc.integer({ min: 0, max: 10 }),
      unavailable: fc.integer({ min: 0, max: 10 }),
      old: fc.integer({ min: 0, max: 40 }),
      older: fc.integer({ min: 0, max: 40 }),
    });
    fc.assert(
      fc.property(input, ({ replicas, surge, unavailable, old, older }) => {
        const limits = resolveLimits(replicas, surge, unavailable);
        let fresh = size(0);
        let olds = [size(older), size(old)];
        const top = Math.max(replicas + limits.surge, old + older);
        for (let i = 0; i < 400; i += 1) {
          const step = rollingStep(replicas, limits, fresh, olds);
          const availableBefore = fresh.available + olds.reduce((sum, { available }) => sum + available, 0);
          const newOlds = olds.map((before, j) =>
            size(step.oldReplicas[j] ?? 0, Math.min(before.available, step.oldReplicas[j] ?? 0)),
          );
          const availableAfter =
            Math.min(fresh.available, step.newReplicas) + newOlds.reduce((sum, { available }) => sum + available, 0);
          expect(step.newReplicas + newOlds.reduce((sum, { spec }) => sum + spec, 0)).toBeLessThanOrEqual(top);
          expect(availableAfter).toBeGreaterThanOrEqual(Math.min(availableBefore, replicas - limits.unavailable));
          fresh = size(step.newReplicas, step.newReplicas);
          olds = newOlds;
        }
        expect([fresh.spec, ...olds.map(({ spec }) => spec)]).toEqual([replicas, 0, 0]);
      }),
      { numRuns: 200 },
    );
  });
});

test('proportional scaling keeps the total and the shares', () => {
  expect(proportional(12, [3, 6])).toEqual([4, 8]);
  expect(proportional(0, [3, 6])).toEqual([0, 0]);
  expect(proportional(5, [0, 0])).toEqual([0, 5]);
});
