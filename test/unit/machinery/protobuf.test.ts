import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { protobufData } from '../../../shared/apis/data/load.ts';
import { parseJson } from '../../../shared/machinery/codec/json.ts';
import { createReader, createWriter, finish, prependInt64, readInt64 } from '../../../shared/machinery/codec/protobuf/wire.ts';
import { createProtobufCodec, isProtobuf } from '../../../shared/machinery/codec/protobuf.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../../shared/machinery/object.ts';

/** Objects as kube-apiserver 1.35.4 served them, in both forms at once. */
type Pair = { name: string; protobuf: string; json: KubeObject };
const pairs = parseJson(readFileSync(new URL('./data/protobuf-pairs.json', import.meta.url), 'utf8')) as unknown as Pair[];
const codec = createProtobufCodec(protobufData());
const bytesOf = ({ protobuf }: Pair): Buffer => Buffer.from(protobuf, 'base64');

/** The JSON form adds these two to claim templates; the protobuf form has no room for them. */
function expected({ json }: Pair): JsonValue {
  const object = structuredClone(json) as unknown as { spec?: { volumeClaimTemplates?: JsonObject[] } };
  for (const template of object.spec?.volumeClaimTemplates ?? []) {
    delete template.apiVersion;
    delete template.kind;
  }
  return object as JsonObject;
}

describe('objects of a real server', () => {
  test('there are pairs of many kinds', () => {
    expect(new Set(pairs.map(({ json }) => json.kind)).size).toBeGreaterThan(30);
  });

  test.each(pairs.map((pair): [string, Pair] => [pair.name, pair]))('%s decodes to its JSON', (_name, pair) => {
    expect(codec.decode(bytesOf(pair))).toEqual(expected(pair));
  });

  test.each(pairs.map((pair): [string, Pair] => [pair.name, pair]))('%s survives encoding', (_name, pair) => {
    const bytes = codec.encode(pair.json);
    expect(bytes && codec.decode(bytes)).toEqual(expected(pair));
  });

  test.each(pairs.map((pair): [string, Pair] => [pair.name, pair]))('%s is in normal form already', (_name, pair) => {
    const object = expected(pair) as KubeObject;
    expect(codec.normalize(object)).toEqual(object);
  });
});

describe('normal form', () => {
  test('zero values that Go hides go, those it shows stay, structs appear', () => {
    const object = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a', labels: {}, generation: 0 },
      spec: {
        replicas: 0,
        minReadySeconds: 0,
        paused: false,
        selector: { matchLabels: { a: '' } },
        template: {
          spec: {
            containers: [{ name: '', image: '', tty: false, env: [], args: [''], ports: [{ containerPort: 0, hostPort: 0 }] }],
            hostNetwork: false,
            automountServiceAccountToken: false,
            nodeSelector: {},
          },
        },
      },
    };
    expect(codec.normalize(object)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: {
        replicas: 0,
        strategy: {},
        selector: { matchLabels: { a: '' } },
        template: {
          metadata: {},
          spec: {
            containers: [{ name: '', resources: {}, args: [''], ports: [{ containerPort: 0 }] }],
            automountServiceAccountToken: false,
          },
        },
      },
      status: {},
    });
  });

  test('a list that is always shown is null without elements once it is stored, and an absent one at once', () => {
    const role = (rules?: []) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'a' },
      ...(rules ? { rules } : {}),
    });
    expect(codec.normalize(role([])).rules).toEqual([]);
    expect(codec.stored(role([])).rules).toBeNull();
    expect(codec.normalize(role()).rules).toBeNull();
  });

  test('what the data do not know is kept, custom resources are untouched', () => {
    const custom = { apiVersion: 'x.y/v1', kind: 'Foo', metadata: {}, spec: { a: 0, b: null } };
    expect(codec.normalize(custom)).toBe(custom);
    const odd = codec.normalize({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, own: { x: 0 } });
    expect(odd).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, own: { x: 0 } });
  });
});

describe('envelopes', () => {
  const options: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'DeleteOptions',
    metadata: {},
    gracePeriodSeconds: 0,
    propagationPolicy: 'Background',
  };

  test('option kinds come under the version of any group', () => {
    const bytes = codec.encode(options);
    expect(bytes && codec.decode(bytes)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      propagationPolicy: 'Background',
    });
  });

  test('an envelope without a type takes the expected one', () => {
    const bytes = Buffer.from('6b3873000a04' + '0a001200' + '1200', 'hex');
    expect(codec.decode(bytes, { apiVersion: 'v1', kind: 'ConfigMap' })).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {},
    });
    expect(() => codec.decode(bytes)).toThrow("Object 'Kind' is missing");
  });

  test('custom resources have no protobuf form', () => {
    expect(codec.encode({ apiVersion: 'x.y/v1', kind: 'Foo', metadata: {} })).toBeUndefined();
    expect(codec.encode({ apiVersion: 'meta.k8s.io/v1', kind: 'Table', metadata: {} })).toBeUndefined();
  });

  test('they are told by their first bytes', () => {
    expect([
      isProtobuf(Buffer.from('{}')),
      isProtobuf(Buffer.from('k8s')),
      isProtobuf(codec.encode(options) ?? Buffer.alloc(0)),
    ]).toEqual([false, false, true]);
  });

  test.each<[string, string]>([
    ['no magic number', '7b7d'],
    ['a length beyond the end', '6b387300120a01'],
    ['a varint that never ends', '6b387300ffffffffffffffffffffff01'],
    ['a group', '6b3873000b'],
    ['a truncated fixed number', '6b38730009 0102'.replace(' ', '')],
  ])('%s is refused', (_sentence, hex) => {
    expect(() => codec.decode(Buffer.from(hex, 'hex'))).toThrow(SyntaxError);
  });

  test('unknown fields are skipped, invalid UTF-8 is refused', () => {
    const known = codec.encode({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'abc' } });
    const hex = Buffer.from(known ?? []).toString('hex');
    expect(() => codec.decode(Buffer.from(hex.replace('616263', 'ff6263'), 'hex'))).toThrow('not valid UTF-8');
    expect(codec.decode(Buffer.from(hex.replace('616263', 'efbfbd'), 'hex'))).toMatchObject({ metadata: { name: '\ufffd' } });
    expect(codec.decode(Buffer.from(`${hex}a20603616263`, 'hex'))).toMatchObject({ metadata: { name: 'abc' } });
  });

  test('schemas nested beyond the limit are refused, not overflown', () => {
    let schema: JsonObject = {};
    for (let depth = 0; depth < 900; depth += 1) schema = { not: schema };
    const bytes = codec.encode({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {},
      spec: { versions: [{ schema: { openAPIV3Schema: schema } }] },
    });
    expect(() => codec.decode(bytes ?? Buffer.alloc(0))).toThrow('exceeded max depth');
  });

  test('law: any cut of a good body is refused or decodes, and nothing else is thrown', () => {
    const [first] = pairs;
    const whole = first ? bytesOf(first) : Buffer.alloc(0);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(whole);
        changed[at] = byte;
        for (const body of [whole.subarray(0, at), changed]) {
          try {
            codec.decode(body);
          } catch (error) {
            expect(error).toBeInstanceOf(SyntaxError);
          }
        }
      }),
      { seed: 3, numRuns: 500 },
    );
  });
});

test('law: integers of 64 bits survive the wire', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const exact = Number.isSafeInteger(Number(value)) ? Number(value) : value;
      const writer = createWriter();
      prependInt64(writer, exact);
      expect(readInt64(createReader(finish(writer)))).toBe(exact);
    }),
  );
});
