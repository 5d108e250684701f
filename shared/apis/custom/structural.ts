/** Is a schema structural: does every part that is spoken of have a type outside of allOf, anyOf, oneOf and not? (apiextensions' schema/validation.go) */
import { deepEqual } from '../../machinery/equality.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import { patternError } from '../../machinery/schema/pattern.ts';
import type { FieldError } from '../definition.ts';
import { forbidden, invalid, required } from '../validation/fields.ts';

type Level = 'root' | 'item' | 'field';

const INT_OR_STRING: JsonValue = [{ type: 'integer' }, { type: 'string' }];

/** Errors of a schema at `path`, sorted as upstream sorts them. */
export function validateStructural(schema: JsonObject, path: string): FieldError[] {
  const errors = [...invariants(schema, 'root', path), ...completeness(schema, schema, path, path)];
  const textOf = ({ field, detail }: FieldError) => `${field}: ${detail}`;
  return errors.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

function invariants(schema: JsonObject, level: Level, path: string): FieldError[] {
  const { items, additionalProperties } = schema;
  const errors: FieldError[] = [];
  if (schema.type === 'array' && !isObject(items)) errors.push(required(`${path}.items`, 'must be specified'));
  if (isObject(items)) errors.push(...invariants(items, 'item', `${path}.items`));
  for (const [name, each] of entriesOf(schema.properties))
    errors.push(...invariants(each, 'field', `${path}.properties[${name}]`));
  if (additionalProperties !== undefined) {
    const inner = `${path}.additionalProperties`;
    if (level === 'root') errors.push(forbidden(inner, 'must not be used at the root'));
    if (isObject(additionalProperties)) errors.push(...invariants(additionalProperties, 'field', inner));
  }
  errors.push(...extensionErrors(schema, path), ...junctorErrors(schema, path, skipsOf(schema)));
  errors.push(...typeErrors(schema, level, path), ...resourceErrors(schema, level, path));
  return errors;
}

function extensionErrors(schema: JsonObject, path: string): FieldError[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  return ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource']
    .filter((name) => schema[name] === true)
    .map((name) => invalid(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'));
}

const NO_TYPE: Record<Level, string> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function typeErrors(schema: JsonObject, level: Level, path: string): FieldError[] {
  const type = typeof schema.type === 'string' ? schema.type : '';
  const field = `${path}.type`;
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(field, why) : invalid(field, type, why));
  } else if (type === '' && !schema['x-kubernetes-int-or-string'] && !schema['x-kubernetes-preserve-unknown-fields'])
    errors.push(required(field, NO_TYPE[level]));
  if (level === 'root' && type !== '' && type !== 'object') errors.push(invalid(field, type, 'must be object at the root'));
  return errors;
}

/** Of whole objects, only the name may be restricted. */
function resourceErrors(schema: JsonObject, level: Level, path: string): FieldError[] {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const members = new Map(entriesOf(schema.properties));
  const errors: FieldError[] = [];
  if (isEmbedded && schema.additionalProperties !== undefined)
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'));
  if (isEmbedded && !schema['x-kubernetes-preserve-unknown-fields'] && members.size === 0)
    errors.push(required(`${path}.properties`, WITHOUT_MEMBERS));
  if (level !== 'root' && !isEmbedded) return errors;
  for (const name of ['kind', 'apiVersion']) {
    const type = members.get(name)?.type;
    if (members.has(name) && type !== 'string')
      errors.push(invalid(`${path}.properties[${name}].type`, type ?? '', 'must be string'));
  }
  const metadata = members.get('metadata');
  if (metadata) errors.push(...metadataErrors(metadata, level, `${path}.properties[metadata]`));
  return errors;
}

const WITHOUT_MEMBERS =
  'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
const WITHOUT_STRUCTURE = new Set(['type', 'description', 'title', 'default', 'properties']);

function metadataErrors(metadata: JsonObject, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (metadata.type !== 'object') errors.push(invalid(`${path}.type`, metadata.type ?? '', 'must be object'));
  if (level !== 'root') return errors;
  const others = entriesOf(metadata.properties).filter(([name]) => name !== 'name' && name !== 'generateName');
  const isPlain = Object.keys(metadata).every((key) => WITHOUT_STRUCTURE.has(key));
  if (others.length === 0 && isPlain && !metadata.description && !metadata.title) return errors;
  const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [...errors, forbidden(path, why)];
}

/** int-or-string may repeat its two types where no other type may stand. */
type Skips = { any: boolean; firstAll: boolean };

function skipsOf(schema: JsonObject): Skips {
  const [first] = Array.isArray(schema.allOf) ? schema.allOf : [];
  return {
    any: deepEqual(schema.anyOf, INT_OR_STRING),
    firstAll: isObject(first) && deepEqual(first.anyOf, INT_OR_STRING),
  };
}

const NO_SKIPS: Skips = { any: false, firstAll: false };

function junctorErrors(schema: JsonObject, path: string, skips: Skips): FieldError[] {
  const errors = junctors(schema).flatMap(([name, inner]) => {
    if (name.startsWith('anyOf') && skips.any) return [];
    const isFirst = name === 'allOf[0]' && skips.firstAll;
    return nestedErrors(inner, `${path}.${name}`, isFirst ? { any: true, firstAll: false } : NO_SKIPS);
  });
  const { pattern } = schema;
  const wrong = typeof pattern === 'string' && pattern !== '' ? patternError(pattern) : undefined;
  if (wrong !== undefined)
    errors.push(invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${wrong}`));
  return errors;
}

/** What is inside the logic says nothing of structure. */
const NESTED: readonly [string, string][] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function nestedErrors(schema: JsonObject, path: string, skips: Skips): FieldError[] {
  const errors = junctorErrors(schema, path, skips);
  if (isObject(schema.items)) errors.push(...nestedErrors(schema.items, `${path}.items`, NO_SKIPS));
  for (const [name, each] of entriesOf(schema.properties))
    errors.push(...nestedErrors(each, `${path}.properties[${name}]`, NO_SKIPS));
  for (const [name, why] of NESTED) {
    const value = schema[name];
    const isSet = value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0);
    if (isSet) errors.push(forbidden(`${path}.${name}`, why));
  }
  if (entriesOf(schema.properties).some(([name]) => name === 'metadata'))
    errors.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  return errors;
}

/** Every part that the logic speaks of must be there outside of it. */
function completeness(nested: JsonObject, schema: JsonObject, path: string, from: string): FieldError[] {
  return junctors(nested).flatMap(([name, inner]) => nestedCompleteness(inner, schema, path, `${from}.${name}`));
}

function nestedCompleteness(nested: JsonObject, schema: JsonObject | undefined, path: string, from: string): FieldError[] {
  if (schema === undefined) return [required(path, `because it is defined in ${from}`)];
  const errors = completeness(nested, schema, path, from);
  if (isObject(nested.items)) {
    const items = isObject(schema.items) ? schema.items : undefined;
    errors.push(...nestedCompleteness(nested.items, items, `${path}.items`, `${from}.items`));
  }
  const members = new Map(entriesOf(schema.properties));
  for (const [name, each] of entriesOf(nested.properties)) {
    const member = `properties[${name}]`;
    errors.push(...nestedCompleteness(each, members.get(name), `${path}.${member}`, `${from}.${member}`));
  }
  return errors;
}

/** The parts of a schema's logic, with the names they have in paths. */
function junctors(schema: JsonObject): [string, JsonObject][] {
  const lists = (['anyOf', 'allOf', 'oneOf'] as const).flatMap((name) => {
    const list = schema[name];
    return Array.isArray(list)
      ? list.flatMap((each, index) => (isObject(each) ? [[`${name}[${index}]`, each] as const] : []))
      : [];
  });
  return [
    ...lists.map(([name, each]): [string, JsonObject] => [name, each]),
    ...(isObject(schema.not) ? [['not', schema.not] as [string, JsonObject]] : []),
  ];
}

/** The schemas of a map of schemas. */
export function entriesOf(value: JsonValue | undefined): [string, JsonObject][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => (isObject(each) ? [[name, each] as [string, JsonObject]] : []));
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
