/** Defaults of a schema must fit it: every object of the kind may be given them. */
import { deepEqual } from '../../machinery/equality.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import { compileInline } from '../../machinery/schema/compile.ts';
import { decode } from '../../machinery/schema/decode.ts';
import { compileValidator } from '../../machinery/schema/validator.ts';
import type { FieldError } from '../definition.ts';
import { invalid } from '../validation/fields.ts';
import { compileRules } from './rules.ts';
import { objectMetaSchema } from './schema.ts';
import { entriesOf, isObject } from './structural.ts';

/** Errors of the defaults of a structural schema. */
export function defaultErrors(schema: JsonObject, path: string): FieldError[] {
  const errors = schema.default === undefined ? [] : ownErrors(schema, schema.default, `${path}.default`);
  if (isObject(schema.items)) errors.push(...defaultErrors(schema.items, `${path}.items`));
  for (const [name, each] of entriesOf(schema.properties)) errors.push(...defaultErrors(each, `${path}.properties[${name}]`));
  return errors;
}

function ownErrors(schema: JsonObject, value: JsonValue, field: string): FieldError[] {
  const errors: FieldError[] = isPruned(schema, value) ? [] : [invalid(field, value, 'must not have unknown fields')];
  const found = compileValidator(schema)(value, '');
  if (found.length > 0) return [...errors, ...found.map((error) => ({ ...error, field: below(field, error.field) }))];
  // A rule of the node itself is asked as one of a member: rules of a root see a whole object.
  const rules = compileRules({ type: 'object', properties: { value: schema } });
  const broken = rules?.({ value }, undefined) ?? [];
  return [...errors, ...broken.map((error) => ({ ...error, field: below(field, error.field.replace(/^value\.?/, '')) }))];
}

const below = (field: string, inner: string): string => (inner === '' || inner === '<nil>' ? field : `${field}.${inner}`);

function isPruned(schema: JsonObject, value: JsonValue): boolean {
  if (!isObject(value)) return true;
  const compiled = compileInline(schema, schema['x-kubernetes-embedded-resource'] === true ? objectMetaSchema() : undefined);
  if (compiled.kind !== 'object') return true;
  return deepEqual(decode(compiled, value, { apiVersion: '', kind: '' }).value, value);
}
