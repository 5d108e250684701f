/** `x-kubernetes-validations`: what rules see, what they say, and when they are not asked. */
import { describe, expect, test } from 'vitest';
import { compileRules } from '../../../shared/apis/custom/rules.ts';
import type { JsonObject } from '../../../shared/machinery/object.ts';

const text = { type: 'string' };
const int = { type: 'integer' };

/** Errors of `spec`, whose schema has these members and rules; `old` is the spec before. */
function errors(spec: JsonObject, schema: JsonObject, old?: JsonObject): string[] {
  const check = compileRules({ type: 'object', properties: { spec: { type: 'object', ...schema } } });
  const whole = (value: JsonObject) => ({ apiVersion: 'a.b/v1', kind: 'K', metadata: { name: 'n' }, spec: value });
  return (check?.(whole(spec), old && whole(old)) ?? []).map(({ type, field, detail }) => `${type} ${field}: ${detail}`);
}

const rules = (...all: object[]) => ({ 'x-kubernetes-validations': all }) as unknown as JsonObject;

describe('a rule', () => {
  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['that holds says nothing', { a: 1 }, { properties: { a: int }, ...rules({ rule: 'self.a > 0' }) }, []],
    [
      'that fails is named',
      { a: 0 },
      { properties: { a: int }, ...rules({ rule: ' self.a > 0 ' }) },
      ['Invalid spec: Invalid value: failed rule: self.a > 0'],
    ],
    [
      'shows the value of a scalar',
      { a: 0 },
      { properties: { a: { ...int, ...rules({ rule: 'self > 0', message: 'too small' }) } } },
      ['Invalid spec.a: Invalid value: 0: too small'],
    ],
    [
      'words its own message',
      { a: 0 },
      { properties: { a: int }, ...rules({ rule: 'self.a > 0', message: 'no', messageExpression: '"got " + string(self.a)' }) },
      ['Invalid spec: Invalid value: got 0'],
    ],
    [
      'has a reason and a field',
      { a: 0 },
      { properties: { a: int }, ...rules({ rule: 'self.a > 0', message: 'no', reason: 'FieldValueForbidden', fieldPath: '.a' }) },
      ['Forbidden spec.a: Forbidden: no'],
    ],
    [
      'that cannot be run says why',
      { m: {} },
      { properties: { m: { type: 'object', additionalProperties: int } }, ...rules({ rule: 'self.m["x"] > 0' }) },
      ['Invalid spec: Invalid value: "object": no such key: x evaluating rule: self.m["x"] > 0'],
    ],
    [
      'is run on every item',
      { l: ['a', 'bb'] },
      { properties: { l: { type: 'array', items: { ...text, ...rules({ rule: 'self.size() < 2' }) } } } },
      ['Invalid spec.l[1]: Invalid value: "bb": failed rule: self.size() < 2'],
    ],
    [
      'is run on every value of a map',
      { m: { k: 5 } },
      { properties: { m: { type: 'object', additionalProperties: { ...int, ...rules({ rule: 'self < 5' }) } } } },
      ['Invalid spec.m[k]: Invalid value: 5: failed rule: self < 5'],
    ],
    ['is not run on null', { a: null }, { properties: { a: { ...int, nullable: true, ...rules({ rule: 'self > 0' }) } } }, []],
  ])('%s', (_sentence, spec, schema, want) => {
    expect(errors(spec, schema)).toEqual(want);
  });

  test('of the whole object sees its name', () => {
    const check = compileRules({ type: 'object', ...rules({ rule: 'self.metadata.name == "n"' }) });
    expect(check?.({ metadata: { name: 'n' } }, undefined)).toEqual([]);
    expect(check?.({ metadata: { name: 'm' } }, undefined)).toHaveLength(1);
  });

  test('no rule at all costs nothing', () => {
    expect(compileRules({ type: 'object', properties: { spec: { type: 'object' } } })).toBeUndefined();
  });
});

describe('a rule about changes', () => {
  const fixed = { properties: { a: { ...int, ...rules({ rule: 'self == oldSelf', message: 'is immutable' }) } } };

  test.each<[string, JsonObject, JsonObject | undefined, string[]]>([
    ['is not run on create', { a: 1 }, undefined, []],
    ['is run on update', { a: 2 }, { a: 1 }, ['Invalid spec.a: Invalid value: 2: is immutable']],
    ['is not run where nothing was before', { a: 2 }, {}, []],
  ])('%s', (_sentence, spec, old, want) => {
    expect(errors(spec, fixed, old)).toEqual(want);
  });

  test('with an optional old state is always run', () => {
    const rule = { rule: '!oldSelf.hasValue() || self >= oldSelf.value()', optionalOldSelf: true, message: 'shrinks' };
    const schema = { properties: { a: { ...int, ...rules(rule) } } };
    expect(errors({ a: 1 }, schema)).toEqual([]);
    expect(errors({ a: 1 }, schema, { a: 2 })).toEqual(['Invalid spec.a: Invalid value: 1: shrinks']);
  });

  test('finds the items of a map list by their keys', () => {
    const item = {
      type: 'object',
      properties: { k: text, v: { ...int, ...rules({ rule: 'self >= oldSelf' }) } },
      required: ['k'],
    };
    const list = { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    const schema = { properties: { l: list } };
    const old = {
      l: [
        { k: 'a', v: 5 },
        { k: 'b', v: 1 },
      ],
    };
    expect(
      errors(
        {
          l: [
            { k: 'b', v: 2 },
            { k: 'a', v: 4 },
          ],
        },
        schema,
        old,
      ),
    ).toEqual(['Invalid spec.l[1].v: Invalid value: 4: failed rule: self >= oldSelf']);
  });
});

describe('what did not change', () => {
  const schema = { properties: { a: { ...int, ...rules({ rule: 'self > 0' }) }, b: text } };

  test('is not complained about', () => {
    expect(errors({ a: 0, b: 'new' }, schema, { a: 0, b: 'old' })).toEqual([]);
    expect(errors({ a: -1 }, schema, { a: 0 })).toHaveLength(1);
  });
});

test('rules that cost too much end', () => {
  const list = { type: 'array', items: text };
  const schema = { properties: { l: list }, ...rules({ rule: 'self.l.all(a, self.l.all(b, self.l.all(c, a + b + c != "x")))' }) };
  const [error = ''] = errors({ l: Array.from({ length: 200 }, (_, index) => `item ${index}`) }, schema);
  expect(error).toMatch(/actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit/);
});
