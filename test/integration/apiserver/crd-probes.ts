/** Definitions and instances that are asked of a real kube-apiserver and of ours: the answers must be the same (crd-probes.json holds the real ones). */
import { crdBody, schemaOf } from './crd-bodies.ts';

const text = { type: 'string' };
const int = { type: 'integer' };
const rules = (...all: object[]) => ({ 'x-kubernetes-validations': all });

/** Definitions that are refused, by what is wrong with them. */
export const BAD_DEFINITIONS: Readonly<Record<string, object>> = {
  'another name': { ...crdBody(), metadata: { name: 'others.example.com' } },
  'no dot in the group': { ...crdBody({ spec: { group: 'example' } }), metadata: { name: 'widgets.example' } },
  'a scope that is none': crdBody({ spec: { scope: 'Everywhere' } }),
  'kinds alike': crdBody({ names: { listKind: 'Widget' } }),
  'an upper-case short name': crdBody({ names: { shortNames: ['WD'] } }),
  'a protected group': {
    ...crdBody({ spec: { group: 'example.k8s.io' } }),
    metadata: { name: 'widgets.example.k8s.io' },
  },
  'unknown fields preserved': crdBody({ spec: { preserveUnknownFields: true } }),
  'a type that is none': crdBody({ schema: schemaOf({ a: { type: 'text' } }) }),
  'no type': crdBody({ schema: schemaOf({ a: { description: 'x' } }) }),
  'a list without items': crdBody({ schema: schemaOf({ a: { type: 'array' } }) }),
  'a root that is no object': crdBody({ schema: { type: 'string' } }),
  'properties and additionalProperties': crdBody({
    schema: schemaOf({ a: { type: 'object', properties: { b: text }, additionalProperties: text } }),
  }),
  'a type inside of logic': crdBody({ schema: schemaOf({ a: text }, { anyOf: [{ properties: { a: text } }] }) }),
  'logic about nothing': crdBody({
    schema: { ...schemaOf({ a: text }), oneOf: [{ properties: { spec: { properties: { b: { minLength: 1 } } } } }] },
    version: { subresources: {} },
  }),
  'a default that does not fit': crdBody({ schema: schemaOf({ a: { type: 'integer', default: 'x' } }) }),
  'a default with unknown fields': crdBody({
    schema: schemaOf({ a: { type: 'object', default: { b: 1 }, properties: { c: int } } }),
  }),
  'a pattern that is none': crdBody({ schema: schemaOf({ a: { type: 'string', pattern: '(' } }) }),
  'a list map without keys': crdBody({
    schema: schemaOf({
      a: { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'object', properties: { k: text } } },
    }),
  }),
  'a list map with an optional key': crdBody({
    schema: schemaOf({
      a: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: text } },
      },
    }),
  }),
  'a set of objects': crdBody({
    schema: schemaOf({
      a: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object', properties: { k: text } } },
    }),
  }),
  'restricted metadata': crdBody({
    schema: { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
  }),
  'a nullable root': crdBody({ schema: { type: 'object', nullable: true, properties: {} }, version: { subresources: {} } }),
  'a rule that is none': crdBody({ schema: schemaOf({ a: text }, rules({ rule: 'self.a == ' })) }),
  'a rule about a field that is none': crdBody({ schema: schemaOf({ a: text }, rules({ rule: 'self.b == "x"' })) }),
  'a rule that is no question': crdBody({ schema: schemaOf({ a: text }, rules({ rule: 'self.a' })) }),
  'an empty rule': crdBody({ schema: schemaOf({ a: text }, rules({ rule: ' ' })) }),
  'a message that is no text': crdBody({
    schema: schemaOf({ a: int }, rules({ rule: 'self.a > 1', messageExpression: 'self.a' })),
  }),
  'a reason that is none': crdBody({ schema: schemaOf({ a: int }, rules({ rule: 'self.a > 1', reason: 'Because' })) }),
  'a field path that is none': crdBody({ schema: schemaOf({ a: int }, rules({ rule: 'self.a > 1', fieldPath: '.b' })) }),
  'the old state of list items': crdBody({
    schema: schemaOf({ a: { type: 'array', maxItems: 9, items: { ...int, ...rules({ rule: 'self == oldSelf' }) } } }),
  }),
  'an optional old state that nobody asks': crdBody({
    schema: schemaOf({ a: int }, rules({ rule: 'self.a > 1', optionalOldSelf: true })),
  }),
  'a column of no type': crdBody({ version: { additionalPrinterColumns: [{ name: 'X', type: 'text', jsonPath: 'spec' }] } }),
  'a selectable structure': crdBody({
    version: { selectableFields: [{ jsonPath: '.spec' }, { jsonPath: '.spec.zzz' }, { jsonPath: 'spec' }] },
  }),
  'scale outside of spec': crdBody({
    version: { subresources: { scale: { specReplicasPath: '.status.a', statusReplicasPath: 'x' } } },
  }),
  'a webhook without versions': crdBody({
    spec: {
      conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'http://x/' }, conversionReviewVersions: ['v2'] } },
    },
  }),
  'a strategy that is none': crdBody({ spec: { conversion: { strategy: 'Some' } } }),
  'a deprecation without being deprecated': crdBody({ version: { deprecationWarning: 'old' } }),
};

/** The schema of the instances below. */
export const INSTANCE_SCHEMA: object = schemaOf(
  {
    replicas: { type: 'integer', format: 'int32', minimum: 0, maximum: 10 },
    ratio: { type: 'number', exclusiveMinimum: true, minimum: 0, multipleOf: 0.5 },
    name: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 4 },
    color: { type: 'string', enum: ['red', 'green'] },
    level: { type: 'integer', enum: [1, 2] },
    port: { 'x-kubernetes-int-or-string': true },
    when: { type: 'string', format: 'date-time' },
    hidden: { type: 'string', nullable: true },
    names: { type: 'array', minItems: 1, maxItems: 2, 'x-kubernetes-list-type': 'set', items: text },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: text, v: int } },
    },
    weights: { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: int },
    one: {
      type: 'object',
      properties: { a: int, b: int },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    any: {
      type: 'object',
      properties: { a: int, b: int },
      anyOf: [{ required: ['a'] }, { properties: { b: { minimum: 5 } }, required: ['b'] }],
    },
    all: { type: 'integer', allOf: [{ minimum: 3 }, { maximum: 5 }] },
    not: { type: 'integer', not: { enum: [7] } },
    template: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    limit: { type: 'integer', ...rules({ rule: 'self <= 100', message: 'at most 100' }) },
    fixed: { type: 'string', ...rules({ rule: 'self == oldSelf', message: 'is immutable', reason: 'FieldValueForbidden' }) },
    nested: { type: 'object', required: ['deep'], properties: { deep: text } },
  },
  rules({ rule: '!has(self.replicas) || self.replicas != 3', messageExpression: '"not three"', fieldPath: '.replicas' }),
);

/** Specs that are refused, one or more things wrong with each. */
export const BAD_INSTANCES: Readonly<Record<string, object>> = {
  'a text for a number': { replicas: 'x' },
  'a fraction for a number': { replicas: 1.5 },
  'too much': { replicas: 11 },
  'too little': { replicas: -1 },
  'not above': { ratio: 0 },
  'no multiple': { ratio: 1.25 },
  'another pattern': { name: 'A1' },
  'too short': { name: 'a' },
  'too long': { name: 'abcde' },
  'another choice': { color: 'blue' },
  'another number': { level: 3 },
  'neither number nor text': { port: true },
  'no time': { when: 'soon' },
  'no value': { name: null },
  'too few items': { names: [] },
  'too many items': { names: ['a', 'b', 'c'] },
  'items twice': { names: ['a', 'a'] },
  'keys twice': { parts: [{ k: 'a' }, { k: 'a' }] },
  'no key': { parts: [{ v: 1 }] },
  'an empty map': { weights: {} },
  'a large map': { weights: { a: 1, b: 2, c: 3 } },
  'a wrong value in a map': { weights: { a: 'x' } },
  'none of one': { one: {} },
  'two of one': { one: { a: 1, b: 2 } },
  'none of any': { any: {} },
  'not all': { all: 9 },
  'the one that is not allowed': { not: 7 },
  'an embedded object without a kind': { template: { metadata: { name: 'a', labels: { 'b@d': 'x' } } } },
  'a rule of a number': { limit: 101 },
  'a rule of the whole': { replicas: 3 },
  'a part that lacks a part': { nested: {}, limit: 101 },
  'a list for a text': { name: ['a'] },
  'a text for a list': { names: 'a' },
  'a text for a structure': { nested: 'a' },
};
