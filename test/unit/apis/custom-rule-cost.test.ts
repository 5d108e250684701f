/** What rules may cost at worst is known before any object is there. */
import { describe, expect, test } from 'vitest';
import { costProblem, RULE_COST_MAX, ruleCost } from '../../../shared/apis/custom/rule-cost.ts';
import type { JsonObject } from '../../../shared/machinery/object.ts';

const text = { type: 'string' };
const list = (items: JsonObject, maxItems?: number): JsonObject => ({
  type: 'array',
  items,
  ...(maxItems === undefined ? {} : { maxItems }),
});
const struct = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

describe('a rule', () => {
  test.each<[string, string, JsonObject, number | undefined, boolean]>([
    ['without a loop', 'self.a == self.b', struct({ a: text, b: text }), 1, true],
    ['over a list without a bound', 'self.all(s, s == "x")', list(text), 1, true],
    ['over such a list, on every item of another', 'self.all(s, s == "x")', list(text), undefined, false],
    ['that loops in a loop', 'self.l.all(a, self.l.all(b, a != b))', struct({ l: list(text) }), 1, false],
    ['that loops in a loop over bounded lists', 'self.l.all(a, self.l.all(b, a != b))', struct({ l: list(text, 100) }), 1, true],
    ['over lists in lists', 'self.all(l, l.all(s, s == "x"))', list(list(text)), 1, false],
    ['over a map', 'self.all(k, self.all(j, k != j))', { type: 'object', additionalProperties: text }, 1, false],
    ['over what nobody knows', 'self.x.all(a, self.x.all(b, a != b))', struct({}), 1, true],
    ['that cannot be read', 'self.', struct({}), 1, true],
  ])('%s', (_sentence, rule, schema, cardinality, isTaken) => {
    expect(ruleCost(rule, schema, cardinality) <= RULE_COST_MAX).toBe(isTaken);
  });

  test('is refused with the factor', () => {
    expect(costProblem(RULE_COST_MAX)).toBeUndefined();
    expect(costProblem(2 * RULE_COST_MAX)).toMatch(
      /^estimated rule cost exceeds budget by factor of 2.0x \(try simplifying the rule/,
    );
    expect(costProblem(1000 * RULE_COST_MAX)).toMatch(/by factor of more than 100x/);
  });
});
