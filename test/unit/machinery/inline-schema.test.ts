import { describe, expect, test } from 'vitest';
import { typeDefinitions } from '../../../shared/apis/data/load.ts';
import type { JsonObject } from '../../../shared/machinery/object.ts';
import { compileInline, compileSchemas } from '../../../shared/machinery/schema/compile.ts';
import { decode } from '../../../shared/machinery/schema/decode.ts';
import { applySchemaDefaults } from '../../../shared/machinery/schema/defaults.ts';
import { validateLists } from '../../../shared/machinery/schema/list-rules.ts';
import type { ObjectSchema } from '../../../shared/machinery/schema/schema.ts';
import { compileValidator } from '../../../shared/machinery/schema/validator.ts';

const types = compileSchemas(typeDefinitions());
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

describe('custom resources', () => {
  const document: JsonObject = {
    type: 'object',
    required: ['spec'],
    properties: {
      metadata: { type: 'object' },
      spec: {
        type: 'object',
        required: ['mode'],
        properties: {
          mode: { type: 'string', enum: ['Divide', 'Duplicate'] },
          replicas: { type: 'integer', format: 'int32', minimum: 0, maximum: 10, default: 1 },
          name: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 4 },
          port: { 'x-kubernetes-int-or-string': true },
          nested: { type: 'object', default: {}, properties: { on: { type: 'boolean', default: true } } },
          nothing: { type: 'string', nullable: true },
          raw: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
            properties: { known: { type: 'string', default: 'x' } },
          },
          template: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
          weights: { type: 'object', maxProperties: 1, additionalProperties: { type: 'integer', format: 'int64' } },
          items: {
            type: 'array',
            minItems: 1,
            maxItems: 2,
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['key'],
            items: { type: 'object', properties: { key: { type: 'string', default: 'd' } } },
          },
          when: { type: 'string', format: 'date-time' },
        },
      },
    },
  };
  const schema = compileInline(document, types.definition(META)) as ObjectSchema;
  const read = (value: JsonObject) => decode(schema, value, { apiVersion: 'x.y/v1', kind: 'Foo' });
  const validate = compileValidator(document);
  const check = (value: JsonObject) => [...validate(value, ''), ...validateLists(schema, value, '')];
  const errors = (spec: JsonObject): string[] =>
    check({ spec: { mode: 'Divide', ...spec } }).map(({ type, field: path, detail }) => `${type} ${path}: ${detail}`);

  test('members that the schema lacks are pruned, apiVersion, kind and typed metadata are known', () => {
    const decoded = read({
      apiVersion: 'x.y/v1',
      kind: 'Foo',
      metadata: { name: 'a', zz: 1 },
      spec: { mode: 'Divide', x: 1, raw: { any: [1] }, template: { kind: 'K', metadata: { name: 'b' }, other: 1 } },
    });
    expect(decoded.unknownFields).toEqual(['metadata.zz', 'spec.x']);
    expect(decoded.value).toEqual({
      apiVersion: 'x.y/v1',
      kind: 'Foo',
      metadata: { name: 'a' },
      spec: { mode: 'Divide', raw: { any: [1] }, template: { kind: 'K', metadata: { name: 'b' }, other: 1 } },
    });
  });

  test('metadata is typed by Go, the rest left to validation', () => {
    expect(read({ metadata: { labels: { a: 1 } } }).typeError).toBe(
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
    expect(read({ spec: { replicas: 'x', mode: null } })).toEqual({
      value: { spec: { replicas: 'x', mode: null } },
      unknownFields: [],
    });
  });

  test('defaults fill what is missing, new objects included, and replace nulls', () => {
    const value: JsonObject = { spec: { replicas: null, raw: {}, items: [{}] } };
    applySchemaDefaults(schema, value);
    expect(value).toEqual({ spec: { replicas: 1, nested: { on: true }, raw: { known: 'x' }, items: [{ key: 'd' }] } });
    const once = structuredClone(value);
    applySchemaDefaults(schema, value);
    expect(value).toEqual(once);
  });

  test('two objects never share a default', () => {
    const [a, b]: [JsonObject, JsonObject] = [{ spec: {} }, { spec: {} }];
    for (const value of [a, b]) applySchemaDefaults(schema, value);
    ((a.spec as JsonObject).nested as JsonObject).on = false;
    expect(b).toEqual({ spec: { replicas: 1, nested: { on: true } } });
  });

  test.each<[string, JsonObject, string[]]>([
    ['good', { replicas: 3, name: 'abc', port: 'http', nothing: null, when: '2026-01-01T00:00:00Z' }, []],
    [
      'type',
      { replicas: 'x' },
      ['TypeInvalid spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"'],
    ],
    [
      'null',
      { replicas: null },
      ['TypeInvalid spec.replicas: Invalid value: "null": spec.replicas in body must be of type integer: "null"'],
    ],
    ['enum', { mode: 'Both' }, ['NotSupported spec.mode: Unsupported value: "Both": supported values: "Divide", "Duplicate"']],
    [
      'maximum',
      { replicas: 11 },
      ['Invalid spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10'],
    ],
    [
      'minimum',
      { replicas: -1 },
      ['Invalid spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0'],
    ],
    ['pattern', { name: 'A1' }, ['Invalid spec.name: Invalid value: "A1": spec.name in body should match \'^[a-z]+$\'']],
    ['length', { name: 'abcde' }, ['TooLong spec.name: Too long: may not be more than 4 bytes']],
    [
      'int or string',
      { port: true },
      ['TypeInvalid spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"'],
    ],
    [
      'too many',
      { items: [{ key: 'a' }, { key: 'b' }, { key: 'c' }] },
      ['TooMany spec.items: Too many: 3: must have at most 2 items'],
    ],
    ['too few', { items: [] }, ['Invalid spec.items: Invalid value: 0: spec.items in body should have at least 1 items']],
    ['list-map keys once', { items: [{ key: 'd' }, { key: 'd' }] }, ['Duplicate spec.items[1]: Duplicate value: {"key":"d"}']],
    [
      'map values',
      { weights: { a: 'x' } },
      ['TypeInvalid spec.weights.a: Invalid value: "string": spec.weights.a in body must be of type integer: "string"'],
    ],
    ['map size', { weights: { a: 1, b: 2 } }, ['TooMany spec.weights: Too many: 2: must have at most 1 item']],
    [
      'format',
      { when: 'soon' },
      ['TypeInvalid spec.when: Invalid value: "soon": spec.when in body must be of type date-time: "soon"'],
    ],
  ])('validation: %s', (_sentence, spec, want) => {
    expect(errors(spec)).toEqual(want);
  });

  test('required members are named by path', () => {
    expect(check({})).toEqual([{ type: 'Required', field: 'spec', detail: 'Required value' }]);
    expect(check({ spec: {} })).toEqual([{ type: 'Required', field: 'spec.mode', detail: 'Required value' }]);
  });

  test('a pattern is one of RE2, also where JavaScript cannot read it', () => {
    const odd = compileValidator({ type: 'string', pattern: '(?i)^a$' });
    expect(odd('A', 'x')).toEqual([]);
    expect(odd('b', 'x')).toMatchObject([{ field: 'x', detail: `Invalid value: "b": x in body should match '(?i)^a$'` }]);
  });
});
