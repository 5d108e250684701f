import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseYaml, parseYamlDocuments, parseYamlStrictly, stringifyYaml } from '../../../shared/machinery/codec/yaml.ts';
import { YAML_ANCHORS_MAX, YAML_NESTING_MAX } from '../../../shared/machinery/limits.ts';
import type { JsonValue } from '../../../shared/machinery/object.ts';

describe('plain words mean what go-yaml v2 makes of them', () => {
  test.each<[string, JsonValue]>([
    ['yes', true],
    ['y', true],
    ['On', true],
    ['n', false],
    ['OFF', false],
    ['yEs', 'yEs'],
    ['~', null],
    ['', null],
    ['0777', 511],
    ['0o777', 511],
    ['0x1F', 31],
    ['0b11', 3],
    ['08', 8],
    ['+3', 3],
    ['-0', 0],
    ['1_000', 1000],
    ['1_000_', 1000],
    ['1e3', 1000],
    ['.5', 0.5],
    ['1.', 1],
    ['1:30', '1:30'],
    ['2026-01-01', '2026-01-01'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['1.2.3', '1.2.3'],
    ['9007199254740993', 9007199254740993n],
    ['18446744073709551615', 18446744073709551615n],
    ['18446744073709551616', 18446744073709552000],
    ['!!str 5', '5'],
    ['!!binary aGk=', 'hi'],
    ['"yes"', 'yes'],
    ["'5'", '5'],
    ['!own 5', '5'],
  ])('%j', (word, want) => {
    expect(parseYaml(`a: ${word}\n`)).toEqual({ a: want });
  });

  test.each(['.inf', '-.Inf', '.nan', '1e999'])('%s has no JSON form', (word) => {
    expect(() => parseYaml(`a: ${word}`)).toThrow(SyntaxError);
  });

  test('keys become text', () => {
    expect(parseYaml('1: a\ntrue: b\n1.5: c\nyes: d\n')).toEqual({ '1': 'a', true: 'd', '1.5': 'c' });
    expect(() => parseYaml('? [a]\n: b')).toThrow('unsupported map key');
    expect(() => parseYaml('~: b')).toThrow('unsupported map key');
  });

  test('__proto__ is an ordinary key', () => {
    expect(Object.keys(parseYaml('__proto__: {polluted: 1}') as object)).toEqual(['__proto__']);
    expect(Object.keys(parseYaml('a: &a {__proto__: {polluted: 1}}\nb: {<<: *a}') as object)).toEqual(['a', 'b']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('documents', () => {
  test('the first document counts, and its errors only', () => {
    expect(parseYaml('---\na: 1\n---\n[\n')).toEqual({ a: 1 });
    expect(parseYaml('')).toBe(null);
    expect(parseYaml('# nothing')).toBe(null);
  });

  test('a stream is split, empty documents are left out', () => {
    expect(parseYamlDocuments('---\na: 1\n---\n# nothing\n---\nb: 2\n...\n')).toEqual([{ a: 1 }, { b: 2 }]);
    expect(parseYamlDocuments('')).toEqual([]);
  });

  test('JSON is YAML', () => {
    expect(parseYaml('{"a": "yes", "b": [1, 9007199254740993]}')).toEqual({ a: 'yes', b: [1, 9007199254740993n] });
    expect(parseYaml('{a: yes, b: [x, "y"]}')).toEqual({ a: true, b: ['x', 'y'] });
  });

  test('of a key given twice the last counts, and it is named', () => {
    expect(parseYamlStrictly('a: 1\nb: {c: 1, c: 2}\na: 3\n')).toEqual({
      value: { a: 3, b: { c: 2 } },
      duplicates: ['line 2: key "c" already set in map', 'line 3: key "a" already set in map'],
    });
    expect(parseYamlStrictly('{"a":1,"a":2}')).toEqual({ value: { a: 2 }, duplicates: ['key "a" already set in map'] });
  });

  test.each([
    ['[1,2', 'yaml: line 1:'],
    ['a: 1\nb: c: d', 'yaml: line 2:'],
    ['\tx: 1', 'yaml: line 1:'],
    ['a: *x', "yaml: unknown anchor 'x' referenced"],
    ['a: &x [*x]', "yaml: anchor 'x' value contains itself"],
    ['a: {<<: 1}', 'yaml: map merge requires map or sequence of maps as the value'],
  ])('%j is refused', (text, want) => {
    expect(() => parseYaml(text)).toThrow(want);
    expect(() => parseYaml(text)).toThrow(SyntaxError);
  });
});

describe('aliases and merge keys', () => {
  test('aliases are copies', () => {
    const value = parseYaml('a: &x {b: [1]}\nc: *x\nd: [*x]\n') as {
      a: { b: number[] };
      c: { b: number[] };
      d: { b: number[] }[];
    };
    value.a.b.push(2);
    expect(value).toEqual({ a: { b: [1, 2] }, c: { b: [1] }, d: [{ b: [1] }] });
  });

  test('keys of the map win over merged ones, earlier sources over later ones', () => {
    expect(parseYaml('a: &a {x: 1, v: 1}\nb: &b {v: 2, z: 2}\nc: {z: 3, <<: [*a, *b]}\n')).toMatchObject({
      c: { x: 1, v: 1, z: 3 },
    });
  });

  test('an alias bomb is refused', () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]'];
    for (let level = 1; level < 12; level += 1)
      lines.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(',')}]`,
      );
    expect(() => parseYaml(lines.join('\n'))).toThrow('excessive aliasing');
  });

  test('too many anchors are refused, an ampersand in text is none', () => {
    const anchors = (count: number): string => Array.from({ length: count }, (_, index) => `- &a${index} x`).join('\n');
    expect(parseYaml(anchors(YAML_ANCHORS_MAX))).toHaveLength(YAML_ANCHORS_MAX);
    expect(() => parseYaml(anchors(YAML_ANCHORS_MAX + 1))).toThrow('anchors');
    expect(
      parseYaml(
        Array(2 * YAML_ANCHORS_MAX)
          .fill('- "&a"\n- a &b\n- |\n  &c')
          .join('\n'),
      ),
    ).toHaveLength(6 * YAML_ANCHORS_MAX);
  });
});

describe('nesting', () => {
  test.each<[string, (depth: number) => string]>([
    ['flow', (depth) => '['.repeat(depth) + ']'.repeat(depth)],
    ['block', (depth) => Array.from({ length: depth }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
    ['dashes', (depth) => `${'- '.repeat(depth)}a`],
  ])('%s', (_style, nested) => {
    expect(parseYaml(nested(YAML_NESTING_MAX - 10))).toBeTruthy();
    expect(() => parseYaml(nested(10 * YAML_NESTING_MAX))).toThrow(`exceeded max depth of ${YAML_NESTING_MAX}`);
  });

  test('deep JSON under a YAML content type is refused as JSON is', () => {
    expect(() => parseYaml(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)).toThrow('exceeded max depth');
  });
});

describe('printing', () => {
  test('lists stand flush with their key, words that would change are quoted', () => {
    expect(stringifyYaml({ a: [{ b: 'yes', c: '0o17' }], d: 'line\nline\n', e: '', '<<': 'y', f: '2026-01-01' })).toBe(
      'a:\n- b: "yes"\n  c: "0o17"\nd: |\n  line\n  line\ne: ""\n"<<": "y"\nf: "2026-01-01"\n',
    );
  });

  test('law: what is printed reads back', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'yes',
        '0x1',
        '1_0',
        '.5',
        '~',
        '<<',
        '.inf',
        '1:30',
        '- a',
        'a: b',
        '#',
        '&a',
        '*a',
        '!x',
        ' a ',
        'a\n\nb',
        '\t',
      ),
    );
    const { tree } = fc.letrec<{ tree: JsonValue; leaf: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        tie('leaf'),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(text, tie('tree'), { maxKeys: 3 }),
      ),
      leaf: fc.oneof(
        text,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
        fc.boolean(),
        fc.constant(null),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(parseYaml(stringifyYaml({ value }))).toEqual({ value });
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});
