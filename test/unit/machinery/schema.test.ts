import { describe, expect, test } from 'vitest';
import { typeDefinitions } from '../../../shared/apis/data/load.ts';
import { parseJson } from '../../../shared/machinery/codec/json.ts';
import type { JsonObject } from '../../../shared/machinery/object.ts';
import { compileSchemas } from '../../../shared/machinery/schema/compile.ts';
import { decode, duplicateKeys, strictErrors, strictErrorsInText } from '../../../shared/machinery/schema/decode.ts';
import type { ObjectSchema, Schema } from '../../../shared/machinery/schema/schema.ts';

const types = compileSchemas(typeDefinitions());
const CORE = 'io.k8s.api.core.v1.';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

function kind(group: string, version: string, name: string): ObjectSchema {
  const schema = types.kind(group, version, name);
  if (!schema) throw new Error(`no schema of ${name}`);
  return schema;
}

function field(definition: string, name: string): Schema {
  const schema = types.definition(definition);
  const member = schema?.kind === 'object' ? schema.properties.get(name) : undefined;
  if (!member) throw new Error(`no field ${name} of ${definition}`);
  return member;
}

describe('compiling OpenAPI', () => {
  test('every definition of the data compiles', () => {
    const names = Object.keys(typeDefinitions());
    expect(names.length).toBeGreaterThan(500);
    expect(names.filter((name) => types.definition(name) === undefined)).toEqual([]);
  });

  test('kinds are found by group, version and kind', () => {
    expect(kind('apps', 'v1', 'Deployment').definition).toBe('io.k8s.api.apps.v1.Deployment');
    expect(kind('', 'v1', 'Pod').definition).toBe('io.k8s.api.core.v1.Pod');
    expect(types.kind('apps', 'v2', 'Deployment')).toBeUndefined();
    expect(types.kind('', '', 'constructor')).toBeUndefined();
    expect(types.definition('constructor')).toBeUndefined();
  });

  test('a type that contains itself is one node', () => {
    const schema = types.definition('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
    const not = schema?.kind === 'object' ? schema.properties.get('not') : undefined;
    expect(not?.kind).toBe('object');
    expect(not?.kind === 'object' && schema?.kind === 'object' && not.properties === schema.properties).toBe(true);
  });

  const shapes: [sentence: string, schema: Schema, want: object][] = [
    [
      'list-map with two keys, merged by one',
      field(`${CORE}ServiceSpec`, 'ports'),
      { kind: 'list', listType: 'map', listKeys: ['port', 'protocol'], patch: { merge: true, mergeKey: 'port' } },
    ],
    ['a set of words', field(META, 'finalizers'), { kind: 'list', listType: 'set', patch: { merge: true } }],
    ['an atomic list', field(`${CORE}Container`, 'command'), { kind: 'list', listType: 'atomic' }],
    [
      'retainKeys on a struct',
      field('io.k8s.api.apps.v1.DeploymentSpec', 'strategy'),
      { kind: 'object', patch: { merge: false, retainKeys: true } },
    ],
    [
      'merge and retainKeys on a list',
      field(`${CORE}PodSpec`, 'volumes'),
      { kind: 'list', patch: { merge: true, retainKeys: true, mergeKey: 'name' } },
    ],
    ['an atomic map', field(`${CORE}ServiceSpec`, 'selector'), { kind: 'map', atomic: true }],
    ['an atomic struct', field('io.k8s.api.apps.v1.DeploymentSpec', 'selector'), { kind: 'object', atomic: true }],
    [
      'a quantity',
      (field(`${CORE}ResourceRequirements`, 'limits') as { values?: Schema }).values as Schema,
      { kind: 'scalar', scalar: 'quantity' },
    ],
    ['int or string', field(`${CORE}ServicePort`, 'targetPort'), { kind: 'scalar', scalar: 'intOrString' }],
    [
      'a time',
      field(META, 'creationTimestamp'),
      { kind: 'scalar', scalar: 'string', format: 'date-time', definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time' },
    ],
    ['raw JSON is opaque', field('io.k8s.api.apps.v1.ControllerRevision', 'data'), { kind: 'any' }],
    [
      'a key with a default',
      field(`${CORE}ContainerPort`, 'protocol'),
      { kind: 'scalar', default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] },
    ],
  ];
  test.each(shapes)('%s', (_sentence, schema, want) => {
    expect(schema).toMatchObject(want);
  });

  test('a patch strategy belongs to the field, not to the type it refers to', () => {
    expect(types.definition('io.k8s.api.apps.v1.DeploymentStrategy')).not.toHaveProperty('patch');
  });
});

describe('decoding a Deployment', () => {
  const schema = kind('apps', 'v1', 'Deployment');
  const read = (text: string) => decode(schema, parseJson(text) as JsonObject, { apiVersion: 'apps/v1', kind: 'Deployment' });
  const container = (text: string): string => `{"spec":{"template":{"spec":{"containers":[${text}]}}}}`;
  const at = 'spec.template.spec.containers';

  // Texts recorded from kube-apiserver 1.35.4.
  const mismatches: [body: string, want: string][] = [
    [
      '{"spec":{"replicas":"3"}}',
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      '{"spec":{"replicas":1.5}}',
      'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      '{"spec":{"replicas":3000000000}}',
      'json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      '{"spec":{"replicas":9223372036854775808}}',
      'json: cannot unmarshal number 9223372036854775808 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    ['{"spec":{"replicas":true}}', 'json: cannot unmarshal bool into Go struct field DeploymentSpec.spec.replicas of type int32'],
    ['{"spec":[]}', 'json: cannot unmarshal array into Go struct field Deployment.spec of type v1.DeploymentSpec'],
    ['{"spec":{"paused":1}}', 'json: cannot unmarshal number into Go struct field DeploymentSpec.spec.paused of type bool'],
    [
      '{"spec":{"template":{"spec":{"containers":{}}}}}',
      `json: cannot unmarshal object into Go struct field PodSpec.${at} of type []v1.Container`,
    ],
    [container('"a"'), `json: cannot unmarshal string into Go struct field PodSpec.${at} of type v1.Container`],
    [container('{"name":1}'), `json: cannot unmarshal number into Go struct field Container.${at}.name of type string`],
    [
      container('{"resources":{"limits":[]}}'),
      `json: cannot unmarshal array into Go struct field ResourceRequirements.${at}.resources.limits of type v1.ResourceList`,
    ],
    [
      container('{"resources":{"limits":{"cpu":"zz"}}}'),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      container('{"resources":{"limits":{"cpu":true}}}'),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      container('{"livenessProbe":{"httpGet":{"port":true}}}'),
      `json: cannot unmarshal bool into Go struct field HTTPGetAction.${at}.livenessProbe.ProbeHandler.httpGet.port of type int32`,
    ],
    [
      container('{"livenessProbe":{"httpGet":{"port":1.5}}}'),
      `json: cannot unmarshal number 1.5 into Go struct field HTTPGetAction.${at}.livenessProbe.ProbeHandler.httpGet.port of type int32`,
    ],
    ['{"metadata":[]}', 'json: cannot unmarshal array into Go struct field Deployment.metadata of type v1.ObjectMeta'],
    [
      '{"metadata":{"labels":{"a":1}}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      '{"metadata":{"labels":[]}}',
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    ['{"metadata":{"creationTimestamp":"x"}}', 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    [
      '{"metadata":{"creationTimestamp":1}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      '{"metadata":{"finalizers":[1]}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.finalizers of type string',
    ],
    [
      '{"metadata":{"ownerReferences":[{"controller":"x"}]}}',
      'json: cannot unmarshal string into Go struct field OwnerReference.metadata.ownerReferences.controller of type bool',
    ],
    [
      '{"spec":{"paused":1,"replicas":"x"}}',
      'json: cannot unmarshal number into Go struct field DeploymentSpec.spec.paused of type bool',
    ],
  ];
  test.each(mismatches)('%s', (body, want) => {
    expect(read(body).typeError).toBe(want);
  });

  test('unknown members are pruned and named, in the order of the text', () => {
    const decoded = read(
      '{"x":1,"metadata":{"foo":1,"labels":{"any":"thing"}},"spec":{"template":{"spec":{"containers":[{"name":"a"},{"Name":"x","env":[{"zz":1}]}]}}}}',
    );
    expect(decoded).toEqual({
      value: {
        metadata: { labels: { any: 'thing' } },
        spec: { template: { spec: { containers: [{ name: 'a' }, { env: [{}] }] } } },
      },
      unknownFields: ['x', 'metadata.foo', `${at}[1].Name`, `${at}[1].env[0].zz`],
    });
  });

  test('nulls are absent in structs and zero in lists and maps', () => {
    expect(
      read(
        '{"metadata":{"labels":{"a":null},"annotations":null,"finalizers":[null]},"spec":{"replicas":null,"template":{"spec":{"containers":[null]}}}}',
      ).value,
    ).toEqual({
      metadata: { labels: { a: '' }, finalizers: [''] },
      spec: { template: { spec: { containers: [{}] } } },
    });
  });

  test('times and quantities take the form in which Go prints them', () => {
    const body = `{"metadata":{"creationTimestamp":"2026-01-01T02:00:00.5+02:00"},"spec":${container('{"resources":{"limits":{"cpu":"1000m","memory":1024,"x":"1.5Gi"}}}').slice(8, -1)}}`;
    expect(read(body).value).toMatchObject({
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { template: { spec: { containers: [{ resources: { limits: { cpu: '1', memory: '1024', x: '1536Mi' } } }] } } },
    });
  });

  test('prototype words are data in maps and unknown in structs; nothing is polluted', () => {
    const decoded = read(
      '{"metadata":{"labels":{"__proto__":"x","constructor":"y"},"__proto__":{"polluted":1}},"spec":{"constructor":1}}',
    );
    expect(decoded.unknownFields).toEqual(['metadata.__proto__', 'spec.constructor']);
    expect(Object.keys((decoded.value.metadata as { labels: object }).labels)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('the argument is not changed', () => {
    const body = parseJson('{"x":1,"spec":{"replicas":null}}') as JsonObject;
    decode(schema, body, { apiVersion: 'apps/v1', kind: 'Deployment' });
    expect(body).toEqual({ x: 1, spec: { replicas: null } });
  });

  test('bytes must be base64, 64 bits are kept', () => {
    const secret = (text: string) =>
      decode(kind('', 'v1', 'Secret'), parseJson(text) as JsonObject, { apiVersion: 'v1', kind: 'Secret' });
    expect(secret('{"data":{"a":"%%"}}').typeError).toBe('illegal base64 data at input byte 0');
    expect(secret('{"data":{"a":"aGk"}}').typeError).toBe('illegal base64 data at input byte 0');
    expect(secret('{"data":{"a":1}}').typeError).toBe(
      'json: cannot unmarshal number into Go struct field Secret.data of type []uint8',
    );
    expect(secret('{"data":{"a":"","b":"aGVsbG8="}}').typeError).toBeUndefined();
    const revision = decode(
      kind('apps', 'v1', 'ControllerRevision'),
      parseJson('{"revision":9007199254740993,"data":{"a":null}}') as JsonObject,
      { apiVersion: 'apps/v1', kind: 'ControllerRevision' },
    );
    expect(revision.value).toEqual({ revision: 9007199254740993n, data: { a: null } });
  });
});

describe('duplicate members', () => {
  test.each<[string, string[]]>([
    ['{}', []],
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', []],
    ['{"a":1,"a":2,"a":3}', ['a']],
    ['{"metadata":{"labels":{"x":"1","x":"2"},"name":"a","name":"b"}}', ['metadata.labels.x', 'metadata.name']],
    ['{"c":[[{"a":1}],[{"a":1,"a":2}]]}', ['c[1][0].a']],
    ['{"a":"\\"a\\":1,","b":"{\\"a\\"","a":1}', ['a']],
    ['{"\\u0061":1,"a":2}', ['a']],
    ['{"a":"x\\\\","b":[",",1],"b":2}', ['b']],
    ['[{"a":1,"a":1}]', ['[0].a']],
  ])('%s', (text, want) => {
    expect(duplicateKeys(text)).toEqual(want);
  });

  test('complaints are worded as upstream, without what lies inside unknown fields', () => {
    expect(strictErrors(['x', 'metadata.foo'], ['metadata.foo.a', 'metadata.name', 'x'])).toEqual([
      'duplicate field "metadata.name"',
      'unknown field "x"',
      'unknown field "metadata.foo"',
    ]);
  });

  test('of a body of a built-in kind they come in the order of its text', () => {
    const text = '{"spec":{"b":1,"a":1,"a":2,"b":{"c":1,"c":2},"d":1,"d":2}}';
    expect(strictErrorsInText(text, ['spec.d', 'spec.b'])).toEqual([
      'unknown field "spec.b"',
      'duplicate field "spec.a"',
      'unknown field "spec.d"',
    ]);
  });

  test('a hundred are named at most', () => {
    const text = `{${Array.from({ length: 300 }, (_, index) => `"k${index}":1,"k${index}":2`).join(',')}}`;
    expect(duplicateKeys(text)).toHaveLength(100);
  });
});
