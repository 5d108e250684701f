/** What an `openAPIV3Schema` may say, node by node (ValidateCustomResourceDefinitionOpenAPISchema of apiextensions). */
import { canonicalJson } from '../../machinery/canonical.ts';
import { quoteGo } from '../../machinery/go-quote.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import { forbidden, invalid, notSupported, required } from '../validation/fields.ts';
import { findField } from './field-path.ts';
import { type CompiledRule, compileNodeRules, rulesOf } from './rule-compile.ts';
import { type Cardinality, costProblem, elementsMax, ruleCost } from './rule-cost.ts';
import { entriesOf, isObject } from './structural.ts';

/** Where a node stands. `unrelated`: the first part above it whose old and new states cannot be told to be the same part. */
type Place = {
  path: string;
  isRoot: boolean;
  inMetadata: boolean;
  noDefaults: string | undefined;
  unrelated: string | undefined;
  /** Inside of logic there are no rules to compile. */
  isNested: boolean;
  /** How often the node may occur in one object. */
  cardinality: Cardinality;
};

type Found = { schema: FieldError[]; rules: FieldError[] };

/** Errors of a whole schema. `withRules`: the schema is structural, so that its expressions can be compiled. */
export function validateSchemaNodes(schema: JsonObject, path: string, { withRules }: { withRules: boolean }): FieldError[] {
  const place: Place = {
    path,
    isRoot: true,
    inMetadata: false,
    noDefaults: undefined,
    unrelated: undefined,
    isNested: !withRules,
    cardinality: 1,
  };
  const found = visit(schema, place);
  return [...found.schema, ...found.rules];
}

function visit(schema: JsonObject, place: Place): Found {
  const found: Found = { schema: nodeErrors(schema, place), rules: [] };
  for (const [inner, where] of children(schema, place)) {
    const below = visit(inner, where);
    found.schema.push(...below.schema);
    found.rules.push(...below.rules);
  }
  found.schema.push(...typeErrors(schema, place.path), ...listErrors(schema, place.path), ...ruleForm(schema, place.path));
  // Errors of rules only help where the schema they look at is good.
  if (found.schema.length === 0 && !place.isNested && rulesOf(schema).length > 0) found.rules.push(...ruleErrors(schema, place));
  return found;
}

const META_FIELDS = new Set(['metadata', 'kind', 'apiVersion']);

function children(schema: JsonObject, place: Place): [JsonObject, Place][] {
  const { path, inMetadata, isRoot } = place;
  const below: Place = { ...place, isRoot: false };
  const found: [JsonObject, Place][] = [];
  const add = (inner: JsonValue | undefined, name: string, change: Partial<Place> = {}) => {
    if (isObject(inner)) found.push([inner, { ...below, path: `${path}.${name}`, ...change }]);
  };
  const inside = 'inside additionalProperties applying to object metadata';
  const times = timesOf(schema, place);
  add(schema.additionalProperties, 'additionalProperties', { ...times, ...(inMetadata ? { noDefaults: inside } : {}) });
  for (const [name, inner] of entriesOf(schema.properties)) {
    const isMeta = (isRoot || schema['x-kubernetes-embedded-resource'] === true) && META_FIELDS.has(name);
    const change = isMeta ? { inMetadata: true, ...(isRoot ? { noDefaults: `in top-level ${name}` } : {}) } : {};
    add(inner, `properties[${name}]`, change);
  }
  add(schema.not, 'not', { isNested: true });
  for (const name of ['allOf', 'oneOf', 'anyOf']) {
    const list = schema[name];
    for (const [index, inner] of (Array.isArray(list) ? list : []).entries()) add(inner, `${name}[${index}]`, { isNested: true });
  }
  const isMap = schema['x-kubernetes-list-type'] === 'map';
  add(schema.items, 'items', { ...times, ...(isMap ? {} : { unrelated: place.unrelated ?? path }) });
  return found;
}

/** A list or map without a bound may repeat its elements as often as fits into a request, whatever is above it. */
function timesOf(schema: JsonObject, { cardinality }: Place): Pick<Place, 'cardinality'> {
  const isBounded = schema.maxItems !== undefined || schema.maxProperties !== undefined;
  return { cardinality: isBounded && cardinality !== undefined ? cardinality * elementsMax(schema) : undefined };
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

function nodeErrors(schema: JsonObject, { path, inMetadata, noDefaults }: Place): FieldError[] {
  const errors: FieldError[] = [];
  const { type } = schema;
  if (typeof type === 'string' && type !== '' && !TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, TYPES));
  if (schema.default !== undefined && noDefaults !== undefined)
    errors.push(forbidden(`${path}.default`, `must not be set ${noDefaults}`));
  for (const name of UNSUPPORTED)
    if (schema[name] !== undefined && schema[name] !== '') errors.push(forbidden(`${path}.${name}`, `${name} is not supported`));
  if (type === 'null') errors.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  if (Array.isArray(schema.items)) errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  if (inMetadata && schema['x-kubernetes-embedded-resource'] === true)
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  if (schema.uniqueItems === true)
    errors.push(
      forbidden(`${path}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'),
    );
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined && additionalProperties !== true && entriesOf(schema.properties).length > 0)
    errors.push(forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  return errors;
}

function typeErrors(schema: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  errors.push(...needsType(schema, path, 'x-kubernetes-map-type', 'object', ['atomic', 'granular']));
  errors.push(...needsType(schema, path, 'x-kubernetes-list-type', 'array', ['atomic', 'set', 'map']));
  return errors;
}

function needsType(schema: JsonObject, path: string, name: string, type: string, values: readonly string[]): FieldError[] {
  const value = schema[name];
  if (typeof value !== 'string') return [];
  const errors: FieldError[] = [];
  const why = `must be ${type} if ${name} is specified`;
  if (!schema.type) errors.push(required(`${path}.type`, why));
  else if (schema.type !== type) errors.push(invalid(`${path}.type`, schema.type, why));
  if (!values.includes(value)) errors.push(notSupported(`${path}.${name}`, value, values));
  return errors;
}

function listErrors(schema: JsonObject, path: string): FieldError[] {
  const type = schema['x-kubernetes-list-type'];
  const keys = Array.isArray(schema['x-kubernetes-list-map-keys']) ? schema['x-kubernetes-list-map-keys'].map(String) : [];
  const items = isObject(schema.items) ? schema.items : undefined;
  const errors: FieldError[] = [];
  if (type === 'set' && items && schema.type === 'array') errors.push(...setErrors(items, `${path}.items`));
  if (keys.length > 0 && type !== 'map') {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = `${path}.x-kubernetes-list-type`;
    errors.push(type === undefined ? required(field, why) : invalid(field, type, why));
  }
  if (type === 'map') errors.push(...mapErrors(items, keys, path));
  if ((type === 'set' || type === 'map') && items?.nullable === true)
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${type}`));
  return errors;
}

function setErrors(items: JsonObject, path: string): FieldError[] {
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalid(`${path}.x-kubernetes-list-type`, listType, why)];
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    return [invalid(`${path}.x-kubernetes-map-type`, listType, why)];
  return [];
}

function mapErrors(items: JsonObject | undefined, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const field = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(required(field, 'must not be empty if x-kubernetes-list-type is map'));
  if (items === undefined) return [...errors, required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  if (items.type !== 'object')
    return [
      ...errors,
      invalid(`${path}.items.type`, items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map"),
    ];
  const members = new Map(entriesOf(items.properties));
  for (const [index, key] of keys.entries()) {
    const member = members.get(key);
    if (member === undefined) errors.push(invalid(field, keys, 'entries must all be names of item properties'));
    else errors.push(...keyErrors(member, items, key, `${path}.items.properties[${key}]`));
    if (keys.indexOf(key) < index) errors.push(invalid(field, keys, 'must not contain duplicate entries'));
  }
  return errors;
}

function keyErrors(member: JsonObject, items: JsonObject, key: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (member.type === 'array' || member.type === 'object')
    errors.push(invalid(`${path}.type`, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"));
  const isRequired = Array.isArray(items.required) && items.required.includes(key);
  const because = 'this property is in x-kubernetes-list-map-keys, so it';
  if (!isRequired && member.default === undefined)
    errors.push(required(`${path}.default`, `${because} must have a default or be a required property`));
  if (member.nullable === true) errors.push(forbidden(`${path}.nullable`, `${because} cannot be nullable`));
  return errors;
}

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LINE_BREAK = /[\n\r]/;

/** The words of rules, without looking into expressions. */
function ruleForm(schema: JsonObject, path: string): FieldError[] {
  return rulesOf(schema).flatMap((rule, index) => {
    const field = (name: string) => `${path}.x-kubernetes-validations[${index}].${name}`;
    const { message = '', messageExpression = '', fieldPath = '', reason } = rule;
    const text = (rule.rule ?? '').trim();
    const errors: FieldError[] = [];
    if (text === '') errors.push(required(field('rule'), 'rule is not specified'));
    else if (message !== '' && message.trim() === '')
      errors.push(invalid(field('message'), message, 'must be non-empty if specified'));
    else if (LINE_BREAK.test(message.trim())) errors.push(invalid(field('message'), message, 'must not contain line breaks'));
    else if (LINE_BREAK.test(text) && message.trim() === '')
      errors.push(required(field('message'), 'message must be specified if rule contains line breaks'));
    if (messageExpression !== '' && messageExpression.trim() === '')
      errors.push(required(field('messageExpression'), 'messageExpression must be non-empty if specified'));
    if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(field('reason'), reason, REASONS));
    if (fieldPath !== '' && fieldPath.trim() === '')
      errors.push(invalid(field('fieldPath'), fieldPath, 'must be non-empty if specified'));
    if (LINE_BREAK.test(fieldPath)) errors.push(invalid(field('fieldPath'), fieldPath, 'must not contain line breaks'));
    if (fieldPath !== '' && !findField(fieldPath, schema, { arrayNotation: true }).ok)
      errors.push(invalid(field('fieldPath'), fieldPath, 'must be a valid path'));
    return errors;
  });
}

function ruleErrors(schema: JsonObject, { path, isRoot, unrelated, cardinality }: Place): FieldError[] {
  const isObjectRoot = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  return compileNodeRules(schema, isObjectRoot).flatMap((rule, index) => {
    const field = (name: string) => `${path}.x-kubernetes-validations[${index}].${name}`;
    const errors: FieldError[] = [];
    const { source, error, messageError, usesOldSelf } = rule;
    const tooDear = costProblem(ruleCost(source.rule, schema, cardinality));
    if (tooDear !== undefined) errors.push(forbidden(field('rule'), tooDear));
    if (error !== undefined) errors.push(shownRule(field('rule'), rule, error));
    if (messageError !== undefined) errors.push(shownRule(field('messageExpression'), rule, messageError));
    if (usesOldSelf && unrelated !== undefined)
      errors.push(
        invalid(
          field('rule'),
          source.rule,
          `oldSelf cannot be used on the uncorrelatable portion of the schema within ${unrelated}`,
        ),
      );
    if (!usesOldSelf && error === undefined && source.optionalOldSelf !== undefined)
      errors.push(invalid(field('optionalOldSelf'), source.optionalOldSelf, 'may not be set if oldSelf is not used in rule'));
    return errors;
  });
}

/** Upstream prints the whole rule, by the names that it has inside. */
function shownRule(field: string, { source }: CompiledRule, why: string): FieldError {
  const { rule, message = '', messageExpression = '', reason, fieldPath = '', optionalOldSelf } = source;
  const shown = canonicalOrder({
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  });
  return { type: 'Invalid', field, detail: `Invalid value: ${shown}: ${why}` };
}

/** As Go writes JSON: what HTML would read is escaped. */
function escapeHtml(text: string): string {
  return text.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

function canonicalOrder(members: Record<string, JsonValue>): string {
  const parts = Object.entries(members).map(([name, value]) => `${quoteGo(name)}:${escapeHtml(canonicalJson(value))}`);
  return `{${parts.join(',')}}`;
}
