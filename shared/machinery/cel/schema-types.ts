/** The static type of a schema, by the rules of SchemaDeclType (k8s.io/apiserver/pkg/cel/common/schemas.go). */
import type { ObjectSchema, ScalarSchema, Schema } from '../schema/schema.ts';
import { escapeProperty } from './escape.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  type ObjectType,
  objectOf,
  STRING,
  TIMESTAMP,
} from './types.ts';

/** What every embedded resource lets an expression see, whatever its schema says. */
const EMBEDDED_METADATA = objectOf('object', { name: STRING, generateName: STRING });

/** Undefined: the part has no structure, and expressions cannot see it. */
export function schemaType(schema: Schema): CelType | undefined {
  switch (schema.kind) {
    case 'any':
      return undefined;
    case 'scalar':
      return scalarType(schema);
    case 'list': {
      const items = schemaType(schema.items);
      return items && listOf(items);
    }
    case 'map': {
      const values = schemaType(schema.values);
      return values && mapOf(STRING, values);
    }
    case 'object':
      return objectType(schema);
  }
}

function scalarType({ scalar, format }: ScalarSchema): CelType {
  switch (scalar) {
    case 'boolean':
      return BOOL;
    case 'integer':
      return INT;
    case 'number':
      return DOUBLE;
    case 'intOrString':
      return DYN;
    case 'quantity':
      return STRING;
    case 'string':
      return formatType(format);
  }
}

function formatType(format: string): CelType {
  switch (format) {
    case 'byte':
      return BYTES;
    case 'duration':
      return DURATION;
    case 'date':
    case 'date-time':
      return TIMESTAMP;
    default:
      return STRING;
  }
}

/** Fields are looked up when they are asked for: schemas may contain themselves. */
function objectType(schema: ObjectSchema): ObjectType {
  const names = propertyNames(schema);
  const known = new Map<string, CelType | undefined>();
  return {
    kind: 'object',
    name: schema.definition === '' ? 'object' : schema.definition,
    field(field) {
      const found = known.get(field);
      if (found) return found;
      const property = schema.properties.get(names.get(field) ?? '');
      const type = (property && schemaType(property)) ?? embeddedType(schema, field);
      known.set(field, type);
      return type;
    },
  };
}

function embeddedType({ embedded, properties }: ObjectSchema, field: string): CelType | undefined {
  if (!embedded) return undefined;
  if (field === 'apiVersion' || field === 'kind') return STRING;
  const metadata = properties.get('metadata');
  return field === 'metadata' && (metadata === undefined || metadata.kind === 'any') ? EMBEDDED_METADATA : undefined;
}

/** Escaped name -> name, of all properties that can be written. */
export function propertyNames(schema: ObjectSchema): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const name of schema.properties.keys()) {
    const escaped = escapeProperty(name);
    if (escaped !== undefined) names.set(escaped, name);
  }
  for (const name of schema.embedded ? ['apiVersion', 'kind', 'metadata'] : []) names.set(name, name);
  return names;
}
