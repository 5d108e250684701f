import { describe, expect, test } from 'vitest';
import { encodeGnostic } from '../../../shared/apiserver/openapi/gnostic.ts';

/** Bytes of a field whose content is text or other fields. */
function field(number: number, ...content: readonly (string | Uint8Array)[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part as string)));
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}
const number = (field: number, value: number) => Buffer.concat([varint(field * 8), varint(value)]);
function double(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(field * 8 + 1), bytes]);
}
function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
const any = (field_: number, yaml: string) => field(field_, field(2, `${yaml}\n`));
const named = (outer: number, name: string, value: Uint8Array) => field(outer, field(1, name), value);
const schemas = (schema: object) => ({ definitions: { a: schema } });
const inSchema = (...content: readonly Uint8Array[]) => field(9, named(1, 'a', field(2, ...content)));
const parameters = (parameter: object) => ({ paths: { '/x': { get: { parameters: [parameter] } } } });
const inParameter = (...content: readonly Uint8Array[]) => field(8, named(2, '/x', field(2, field(2, field(8, ...content)))));

const CASES: readonly [sentence: string, given: object, want: Buffer][] = [
  ['the version', { swagger: '2.0' }, field(1, '2.0')],
  ['a title', { info: { title: 'T', version: 'v1' } }, field(2, field(1, 'T'), field(2, 'v1'))],
  ['a schema with a type is a list of types', schemas({ type: 'object' }), inSchema(field(22, field(1, 'object')))],
  ['a reference', schemas({ $ref: '#/definitions/b' }), inSchema(field(1, '#/definitions/b'))],
  ['required fields', schemas({ required: ['x', 'y'] }), inSchema(field(19, 'x'), field(19, 'y'))],
  [
    'properties by name',
    schemas({ properties: { p: { format: 'int32' } } }),
    inSchema(field(25, named(1, 'p', field(2, field(2, 'int32'))))),
  ],
  ['items', schemas({ items: { $ref: 'r' } }), inSchema(field(23, field(1, field(1, 'r'))))],
  ['any members of a type', schemas({ additionalProperties: { $ref: 'r' } }), inSchema(field(21, field(1, field(1, 'r'))))],
  ['any members at all', schemas({ additionalProperties: true }), inSchema(field(21, number(2, 1)))],
  ['bounds', schemas({ maximum: 0.5, maxLength: 300 }), inSchema(double(7, 0.5), number(11, 300))],
  ['values as YAML', schemas({ default: {}, enum: ['a', 1] }), inSchema(any(5, '{}'), any(20, 'a'), any(20, '1'))],
  [
    'extensions by name, after all else',
    schemas({ 'x-kubernetes-list-type': 'map', format: 'f' }),
    inSchema(field(2, 'f'), named(31, 'x-kubernetes-list-type', any(2, 'map'))),
  ],
  [
    'a query parameter',
    parameters({ name: 'q', in: 'query', type: 'string', uniqueItems: true }),
    inParameter(field(1, field(2, field(3, field(2, 'query'), field(4, 'q'), field(6, 'string'), number(20, 1))))),
  ],
  [
    'a path parameter',
    parameters({ name: 'q', in: 'path', required: true, type: 'string', uniqueItems: true }),
    inParameter(field(1, field(2, field(4, number(1, 1), field(2, 'path'), field(4, 'q'), field(5, 'string'), number(19, 1))))),
  ],
  [
    'a body',
    parameters({ name: 'body', in: 'body', required: true, schema: { $ref: 'r' } }),
    inParameter(field(1, field(1, field(2, 'body'), field(3, 'body'), number(4, 1), field(5, field(1, 'r'))))),
  ],
  ['a parameter by reference', parameters({ $ref: '#/parameters/p' }), inParameter(field(2, field(1, '#/parameters/p')))],
  [
    'responses by code',
    { paths: { '/x': { get: { responses: { 200: { description: 'OK', schema: { $ref: 'r' } } } } } } },
    field(
      8,
      named(
        2,
        '/x',
        field(2, field(2, field(9, named(1, '200', field(2, field(1, field(1, 'OK'), field(2, field(1, field(1, 'r'))))))))),
      ),
    ),
  ],
  [
    'how to log in',
    {
      security: [{ BearerToken: [] }],
      securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
    Buffer.concat([
      field(12, named(1, 'BearerToken', field(2))),
      field(13, named(1, 'BearerToken', field(2, field(2, field(1, 'apiKey'), field(2, 'authorization'), field(3, 'header'))))),
    ]),
  ],
];

describe('gnostic', () => {
  test.each(CASES)('%s', (_sentence, given, want) => {
    expect(Buffer.from(encodeGnostic(given as never)).toString('hex')).toBe(want.toString('hex'));
  });
});
