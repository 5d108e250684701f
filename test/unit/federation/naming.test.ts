import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  aggregatedName,
  federatedObjectName,
  possibleClusters,
  sourceClusterLabelValue,
} from '../../../shared/federation/naming.ts';

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
const subdomain = fc
  .array(label, { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('.'))
  .filter((name) => name.length <= 253);

test('law: a federated name is a subdomain of at most 253 characters', () => {
  const anyName = fc.string({ minLength: 1, maxLength: 300, unit: fc.constantFrom(...'abcXYZ019.-:_$%/ü') });
  fc.assert(
    fc.property(anyName, (name) => {
      const made = federatedObjectName(name, 'roles.rbac.authorization.k8s.io');
      expect(made.length).toBeLessThanOrEqual(253);
      expect(made).toMatch(/^[a-z0-9.-]+$/);
    }),
    { seed: 3 },
  );
});

test('law: names that differ give federated names that differ', () => {
  const name = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(...'aAbB.:$-') });
  fc.assert(
    fc.property(name, name, (a, b) => {
      fc.pre(a !== b);
      expect(federatedObjectName(a, 'x')).not.toBe(federatedObjectName(b, 'x'));
    }),
    { seed: 5, numRuns: 2000 },
  );
});

test('law: the cluster of an aggregated name is always among the possible ones', () => {
  fc.assert(
    fc.property(subdomain, subdomain, (cluster, name) => {
      expect(possibleClusters([cluster], aggregatedName(cluster, name))).toEqual([cluster]);
    }),
    { seed: 9 },
  );
});

test('a cluster name becomes a label value', () => {
  expect(sourceClusterLabelValue('c'.repeat(63))).toBe('c'.repeat(63));
  expect(sourceClusterLabelValue('c'.repeat(64))).toHaveLength(63);
});
