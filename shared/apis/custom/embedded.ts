/** Whole objects inside custom resources (`x-kubernetes-embedded-resource`): they name their kind, and their metadata follows the usual rules. */

import { nameErrors } from '../../machinery/names.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import type { ObjectSchema, Schema } from '../../machinery/schema/schema.ts';
import type { FieldError } from '../definition.ts';
import { invalid, required } from '../validation/fields.ts';
import { validateAnnotations, validateLabels } from '../validation/metadata.ts';

/** Does the schema hold embedded objects anywhere? Then, and only then, values need to be walked. */
export function hasEmbedded(schema: Schema): boolean {
  switch (schema.kind) {
    case 'object':
      return (
        schema.embedded ||
        [...schema.properties.values()].some((each) => each.definition === '' && hasEmbedded(each)) ||
        (schema.additional !== undefined && hasEmbedded(schema.additional))
      );
    case 'map':
      return hasEmbedded(schema.values);
    case 'list':
      return hasEmbedded(schema.items);
    default:
      return false;
  }
}

/** Errors of the embedded objects of a value. */
export function validateEmbedded(schema: Schema, value: JsonValue, path: string): FieldError[] {
  if (Array.isArray(value)) {
    if (schema.kind !== 'list') return [];
    return value.flatMap((item, index) => validateEmbedded(schema.items, item, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return [];
  if (schema.kind === 'map')
    return Object.entries(value).flatMap(([name, each]) => validateEmbedded(schema.values, each ?? null, `${path}[${name}]`));
  return schema.kind === 'object' ? [...ownErrors(schema, value, path), ...memberErrors(schema, value, path)] : [];
}

function memberErrors(schema: ObjectSchema, value: JsonObject, path: string): FieldError[] {
  return Object.entries(value).flatMap(([name, each]) => {
    const type = schema.properties.get(name);
    if (type === undefined || type.definition !== '') return [];
    return validateEmbedded(type, each ?? null, path === '' ? name : `${path}.${name}`);
  });
}

function ownErrors({ embedded }: ObjectSchema, value: JsonObject, path: string): FieldError[] {
  if (!embedded) return [];
  const { apiVersion, kind, metadata } = value as Partial<KubeObject>;
  const errors: FieldError[] = [];
  if (apiVersion === undefined) errors.push(required(`${path}.apiVersion`));
  if (kind === undefined) errors.push(required(`${path}.kind`));
  if (apiVersion !== undefined) errors.push(...apiVersionErrors(`${path}.apiVersion`, apiVersion));
  if (kind !== undefined) errors.push(...kindErrors(`${path}.kind`, kind));
  if (typeof metadata !== 'object' || metadata === null) return errors;
  const { name, labels, annotations } = metadata;
  for (const why of name ? nameErrors('pathSegment', name) : []) errors.push(invalid(`${path}.metadata.name`, name, why));
  errors.push(...validateLabels(`${path}.metadata.labels`, labels));
  errors.push(...validateAnnotations(`${path}.metadata.annotations`, annotations));
  return errors;
}

function apiVersionErrors(field: string, apiVersion: unknown): FieldError[] {
  if (typeof apiVersion !== 'string') return [invalid(field, apiVersion, 'must be a string')];
  if (apiVersion === '') return [invalid(field, apiVersion, 'must not be empty')];
  if (apiVersion.split('/').length > 2) return [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  return [];
}

function kindErrors(field: string, kind: unknown): FieldError[] {
  if (typeof kind !== 'string') return [invalid(field, kind, 'must be a string')];
  if (kind === '') return [invalid(field, kind, 'must not be empty')];
  const wrong = nameErrors('label1035', kind.toLowerCase());
  return wrong.length === 0 ? [] : [invalid(field, kind, `may have mixed case, but should otherwise match: ${wrong.join(',')}`)];
}
