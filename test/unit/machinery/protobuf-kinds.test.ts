/** Every kind that is served, with every field of its type filled in: what a typed client sends and reads. */
import { describe, expect, test } from 'vitest';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { protobufData } from '../../../shared/apis/data/load.ts';
import type { ResourceDefinition } from '../../../shared/apis/definition.ts';
import { createProtobufCodec } from '../../../shared/machinery/codec/protobuf.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../../shared/machinery/object.ts';
import { formatApiVersion } from '../../../shared/machinery/resource.ts';
import type { ScalarSchema, Schema } from '../../../shared/machinery/schema/schema.ts';

const codec = createProtobufCodec(protobufData());
const roundTrip = (object: KubeObject): JsonObject => {
  const bytes = codec.encode(object);
  if (bytes === undefined) throw new Error(`${object.apiVersion} ${object.kind} has no protobuf form`);
  return codec.decode(bytes);
};

/** A value of the type, the same at every call. Undefined inside itself: JSON schemas would never end. */
function sample(schema: Schema, outside: readonly string[]): JsonValue | undefined {
  const { definition } = schema;
  if (definition !== '' && outside.includes(definition)) return undefined;
  const within = definition === '' ? outside : [...outside, definition];
  switch (schema.kind) {
    case 'object': {
      const object: JsonObject = {};
      for (const [name, property] of schema.properties) {
        const value = sample(property, within);
        if (value !== undefined) object[name] = value;
      }
      return object;
    }
    case 'map':
      return entry(sample(schema.values, within));
    case 'list': {
      const item = sample(schema.items, within);
      return item === undefined ? undefined : [item];
    }
    case 'scalar':
      return scalar(schema);
    case 'any':
      return { any: [1, 'two', { three: null }] };
  }
}

const entry = (value: JsonValue | undefined) => (value === undefined ? undefined : { 'key.example/ü': value });

function scalar({ scalar: type, format, enum: values }: ScalarSchema): JsonValue {
  if (values?.[0] !== undefined) return values[0];
  if (type === 'integer') return format === 'int64' ? -9_007_199_254_740_993n : 2_147_483_647;
  if (type === 'number') return 0.25;
  if (type === 'boolean') return true;
  if (type === 'quantity') return '1500m';
  if (type === 'intOrString') return '25%';
  if (format === 'date-time') return '2026-01-02T03:04:05Z';
  if (format === 'byte') return 'aGVsbG8=';
  return 'text';
}

/** Micro times show six digits, and a union of schemas is one of its forms: what the OpenAPI type does not say. */
function completed(definition: ResourceDefinition): KubeObject {
  const schema = definition.schema();
  if (schema === undefined) throw new Error(`no type of ${definition.kind}`);
  const { group, version, kind } = definition;
  const value = sample(schema, []) as JsonObject;
  return { ...value, apiVersion: formatApiVersion(group, version), kind } as unknown as KubeObject;
}

const kinds = builtInDefinitions().map((each): [string, ResourceDefinition] => [
  `${formatApiVersion(each.group, each.version)} ${each.kind}`,
  each,
]);

describe('every built-in kind', () => {
  test.each(kinds)('%s comes back whole', (_name, definition) => {
    const object = completed(definition);
    // Once through the wire gives the canonical form of amounts and micro times; after that nothing may change.
    const first = roundTrip(object);
    expect(roundTrip(first as unknown as KubeObject)).toEqual(first);
    expect(paths(first)).toEqual(
      expect.arrayContaining(paths(object as unknown as JsonValue).filter((path) => !LOST.test(path))),
    );
  });

  test.each(kinds.filter(([, { virtual }]) => !virtual))('%s comes in lists', (_name, definition) => {
    const { apiVersion, kind, ...item } = completed(definition);
    const list = { apiVersion, kind: definition.listKind, metadata: { resourceVersion: '7' }, items: [item, item] };
    const back = roundTrip(list as unknown as KubeObject);
    expect([back.kind, (back.items as JsonValue[]).length]).toEqual([definition.listKind, 2]);
    expect(kind).toBe(definition.kind);
  });
});

/** Has no place on the wire: the type of objects inside an object; what the sample put where a schema or nothing may stand. */
const LOST = /\.(apiVersion|kind)$|selfLink|openAPIV3Schema.*\.any|subresources\.status/;

/** Paths of every leaf. */
function paths(value: JsonValue, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => paths(item, `${at}[${index}]`));
  if (typeof value !== 'object' || value === null) return [at];
  return Object.entries(value).flatMap(([key, member]) => paths(member as JsonValue, `${at}.${key}`));
}
