/** CEL: every expression answers what a kube-apiserver 1.35.4 answered; and what no recording can show: limits, laws, safety. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CALL_COST_MAX, celBudget, compileCel } from '../../../../shared/machinery/cel/cel.ts';
import { authorizerValue } from '../../../../shared/machinery/cel/library/authorizer.ts';
import { opaqueType } from '../../../../shared/machinery/cel/types.ts';
import type { ObjectSchema, Schema } from '../../../../shared/machinery/schema/schema.ts';
import { compileAnswer, valueAnswer } from './answers.ts';
import { EXPRESSIONS } from './expressions.ts';

type Recorded = Record<string, { compile: string; value?: string }>;
const recorded = JSON.parse(readFileSync(new URL('recorded.json', import.meta.url), 'utf8')) as Recorded;

/** The field error's own text, without the field and the value that it names. */
const bare = (message: string) =>
  message.replace(/^.*?spec\.validations\[0\]\.expression: (?:Invalid value: "(?:[^"\\]|\\.)*": |Internal error: )?/s, '');

/** Where the real parser goes on after a mistake and finds more; ours stops at the first. The policy itself is refused for a blank one. */
const COMPILED_OTHERWISE = new Set(['', ' ', 'object{x: 1}', '??', 'in']);

describe.each(Object.entries(EXPRESSIONS))('%s, as kube-apiserver answered', (_topic, expressions) => {
  test.each(expressions)('%s', (expression) => {
    const real = recorded[expression];
    if (!real) throw new Error(`${expression} was not recorded`);
    if (!COMPILED_OTHERWISE.has(expression)) expect(compileAnswer(expression)).toBe(bare(real.compile));
    expect(valueAnswer(expression)).toBe(real.value);
  });
});

function evaluate(expression: string, bindings: Record<string, unknown> = {}, budget = celBudget(CALL_COST_MAX)) {
  const compiled = compileCel(expression, { variables: Object.keys(bindings) });
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.program.evaluate(bindings, budget);
}

describe('cost', () => {
  const big = Array.from({ length: 2000 }, (_none, index) => index);

  test('an evaluation that costs too much is cancelled', () => {
    const outcome = evaluate('l.all(a, l.all(b, l.all(c, a + b + c >= 0)))', { l: big });
    expect(outcome).toEqual({ ok: false, error: 'operation cancelled: actual cost limit exceeded', exceeded: true });
  });

  test('no operator absorbs the cancellation', () => {
    expect(evaluate('true || l.all(a, l.all(b, a + b >= 0))', { l: big })).toEqual({ ok: true, value: true });
    expect(evaluate('l.all(a, l.all(b, a + b >= 0)) || true', { l: big })).toMatchObject({ exceeded: true });
  });

  test('evaluations share a budget', () => {
    const budget = celBudget(100);
    expect(evaluate('[1, 2, 3].all(x, x > 0)', {}, budget)).toEqual({ ok: true, value: true });
    expect(budget.remaining).toBeLessThan(100);
    for (let turn = 0; turn < 20; turn += 1) evaluate('[1, 2, 3].all(x, x > 0)', {}, budget);
    expect(evaluate('[1, 2, 3].all(x, x > 0)', {}, budget)).toMatchObject({ ok: false, exceeded: true });
  });

  test.each([
    ['a pattern that makes a backtracking engine stop', "t.matches('^(a+)+$')", { t: `${'a'.repeat(5000)}!` }],
    ['a text that grows', 'l.map(x, t + t).map(x, x + x)', { l: big, t: 'x'.repeat(5000) }],
    ['a list that is made of nothing', 'lists.range(1000000000)', {}],
    ['nested lists', 'l.map(a, l.map(b, l.map(c, [a, b, c])))', { l: big }],
  ])('%s ends at once', (_name, expression, bindings) => {
    const began = performance.now();
    evaluate(expression, bindings);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  test('an expression may be deep and long, and is then refused, not run into the ground', () => {
    for (const expression of [
      '('.repeat(5000),
      `${'!'.repeat(50_000)}true`,
      '1+'.repeat(20_000),
      'a.'.repeat(50_000),
      '['.repeat(5000),
      'x'.repeat(200_000),
    ])
      expect(compileCel(expression, { variables: ['a'] }).ok && expression.startsWith('(')).toBe(false);
  });
});

describe('safety', () => {
  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])('%s is a key like any other', (key) => {
    expect(evaluate(`o.${key}`, { o: {} })).toEqual({ ok: false, error: `no such key: ${key}` });
    expect(evaluate(`has(o.${key})`, { o: {} })).toEqual({ ok: true, value: false });
    expect(evaluate(`o['${key}'] == 'x'`, { o: JSON.parse(`{"${key}": "x"}`) })).toEqual({ ok: true, value: true });
  });

  test('whatever is written, the answer is a value or an error', () => {
    const word = fc.constantFrom(
      ...'o.a.b [ ] ( ) { } , + - * / % ? : ! && || == < in 1 1u 1.5 "s" b"x" true null has all(x, x) size matches _'.split(' '),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const compiled = compileCel(words.join(' '), { variables: ['o', 'x'] });
        if (compiled.ok) compiled.program.evaluate({ o: { a: { b: [1] } }, x: 2 });
      }),
      { numRuns: 2000, seed: 7 },
    );
  });
});

describe('laws', () => {
  const int = fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n });

  test('integers are exact', () => {
    fc.assert(
      fc.property(int, int, (a, b) => {
        expect(evaluate('a + b', { a, b })).toEqual({ ok: true, value: a + b });
      }),
    );
  });

  test('order is total, and equality follows it', () => {
    fc.assert(
      fc.property(int, int, (a, b) => {
        const { value } = evaluate('[a < b, a == b, a > b]', { a, b }) as { value: boolean[] };
        expect(value.filter(Boolean)).toHaveLength(1);
      }),
    );
  });

  test('text is split and joined without loss', () => {
    fc.assert(
      fc.property(fc.string(), (t) => {
        expect(evaluate("t.split('-').join('-') == t", { t })).toEqual({ ok: true, value: true });
      }),
    );
  });

  test('JSON equals itself, however it is nested', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (v) => {
        expect(evaluate('v == v', { v })).toEqual({ ok: true, value: true });
      }),
    );
  });
});

describe('schemas', () => {
  const common = { definition: '', nullable: false };
  const scalar = (kind: 'string' | 'integer' | 'number', format = ''): Schema => ({
    ...common,
    kind: 'scalar',
    scalar: kind,
    format,
  });
  const struct = { required: [], preserveUnknown: false, atomic: false, embedded: false };
  const port: ObjectSchema = {
    ...common,
    ...struct,
    kind: 'object',
    properties: new Map<string, Schema>([
      ['name', scalar('string')],
      ['port', scalar('integer')],
    ]),
  };
  const self: ObjectSchema = {
    ...common,
    kind: 'object',
    properties: new Map<string, Schema>([
      ['replicas', scalar('integer')],
      ['ratio', scalar('number')],
      ['since', scalar('string', 'date-time')],
      ['a-b', scalar('string')],
      ['namespace', scalar('string')],
      ['free', { ...common, kind: 'any' }],
      ['list', { ...common, kind: 'list', items: scalar('string'), listType: 'atomic', listKeys: [] }],
      ['set', { ...common, kind: 'list', items: scalar('string'), listType: 'set', listKeys: [] }],
      ['ports', { ...common, kind: 'list', items: port, listType: 'map', listKeys: ['name'] }],
    ]),
    required: [],
    preserveUnknown: false,
    atomic: false,
    embedded: true,
  };
  const value = {
    replicas: 3,
    ratio: 2,
    since: '2024-01-01T00:00:00Z',
    'a-b': 'x',
    namespace: 'n',
    list: ['a', 'b'],
    set: ['a', 'b'],
    ports: [
      { name: 'x', port: 1 },
      { name: 'y', port: 2 },
    ],
    metadata: { name: 'm' },
  };
  const answer = (rule: string) => {
    const compiled = compileCel(rule, { variables: ['self'], schemaTypes: { self }, returns: 'bool' });
    return compiled.ok ? compiled.program.evaluate({ self: value }) : compiled.error.split('\n')[0];
  };

  test.each([
    ['self.replicas == 3', { ok: true, value: true }],
    ['self.ratio > 1.5 && type(self.ratio) == double', { ok: true, value: true }],
    ['self.since.getFullYear() == 2024', { ok: true, value: true }],
    ["self.a__dash__b == 'x' && self.__namespace__ == 'n'", { ok: true, value: true }],
    ["self.list.all(x, x != '')", { ok: true, value: true }],
    ["self.metadata.name == 'm'", { ok: true, value: true }],
    ['has(self.replicas) && !has(self.metadata.generateName)', { ok: true, value: true }],
    ["self.list == ['b', 'a'] || self.set != ['b', 'a']", { ok: true, value: false }],
    ["self.set == ['b', 'a'] && (self.set + ['a', 'c']).size() == 3", { ok: true, value: true }],
    ['self.ports == [self.ports[1], self.ports[0]] && (self.ports + [self.ports[0]]).size() == 2', { ok: true, value: true }],
    ['self.nope', "compilation failed: ERROR: <input>:1:5: undefined field 'nope'"],
    ['self.free', "compilation failed: ERROR: <input>:1:5: undefined field 'free'"],
    [
      "self.replicas == 'x'",
      "compilation failed: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(int, string)'",
    ],
    ['self.replicas', 'must evaluate to bool but got int'],
  ])('%s', (rule, wanted) => {
    expect(answer(rule)).toEqual(wanted);
  });
});

test('a decision that is not known is asked for, and no operator hides that', () => {
  const type = opaqueType('kubernetes.authorization.Authorizer');
  const compiled = compileCel("true && authorizer.group('apps').resource('deployments').namespace('x').check('get').allowed()", {
    variables: [],
    types: { authorizer: type },
  });
  if (!compiled.ok) throw new Error(compiled.error);
  const unknown = compiled.program.evaluate({ authorizer: authorizerValue(() => undefined) });
  expect(unknown).toMatchObject({ ok: false, needs: { verb: 'get', group: 'apps', resource: 'deployments', namespace: 'x' } });
  const known = compiled.program.evaluate({ authorizer: authorizerValue(() => ({ allowed: true, reason: '' })) });
  expect(known).toEqual({ ok: true, value: true });
});
