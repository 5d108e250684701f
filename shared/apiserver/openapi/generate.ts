/** OpenAPI v3 documents of kinds that have none of upstream's: made from their schemas and verbs. Pure. */
import type { ResourceDefinition } from '../../apis/definition.ts';
import type { JsonObject } from '../../machinery/object.ts';
import { formatApiVersion } from '../../machinery/resource.ts';
import type { ObjectSchema, Schema } from '../../machinery/schema/schema.ts';

/** Names of definitions that are kept shared, with what was found for each so far. */
type Components = Record<string, JsonObject>;

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const QUERY_STRINGS = ['dryRun', 'fieldManager', 'fieldValidation'];

/** The document of one group-version: paths that say what may be sent, and the schemas of its kinds. */
export function openApiDocument(title: string, definitions: readonly ResourceDefinition[]): JsonObject {
  const schemas: Components = {};
  const paths: Record<string, JsonObject> = {};
  for (const definition of definitions) {
    const schema = definition.schema();
    schemas[componentName(definition)] = kindComponent(definition, schema, schemas);
    addPaths(paths, definition);
  }
  return { openapi: '3.0.0', info: { title, version: 'v1' }, paths, components: { schemas } };
}

/** `com.example.v1.Widget` for kind Widget of example.com/v1. */
export function componentName({ group, version, kind }: ResourceDefinition): string {
  return [...group.split('.').toReversed(), version, kind].filter((part) => part !== '').join('.');
}

function kindComponent(definition: ResourceDefinition, schema: ObjectSchema | undefined, schemas: Components): JsonObject {
  const body: JsonObject = schema
    ? objectSchema(schema, schemas)
    : { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const { group, version, kind } = definition;
  return { ...body, 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
}

/** A schema as OpenAPI: shared definitions become references, so that recursive types end. */
function toOpenApi(schema: Schema, schemas: Components): JsonObject {
  if (!schema.definition.startsWith(META) && !schema.definition.includes('.')) return inline(schema, schemas);
  if (!Object.hasOwn(schemas, schema.definition)) {
    schemas[schema.definition] = {};
    schemas[schema.definition] = inline(schema, schemas);
  }
  return { $ref: `#/components/schemas/${schema.definition}` };
}

function inline(schema: Schema, schemas: Components): JsonObject {
  switch (schema.kind) {
    case 'object':
      return objectSchema(schema, schemas);
    case 'map':
      return { type: 'object', additionalProperties: toOpenApi(schema.values, schemas) };
    case 'list':
      return listSchema(schema, schemas);
    case 'scalar':
      return scalarSchema(schema);
    case 'any':
      return { 'x-kubernetes-preserve-unknown-fields': true };
  }
}

function objectSchema(schema: ObjectSchema, schemas: Components): JsonObject {
  const properties: Record<string, JsonObject> = {};
  for (const [name, property] of schema.properties) properties[name] = toOpenApi(property, schemas);
  return {
    type: 'object',
    properties,
    ...(schema.required.length > 0 ? { required: [...schema.required] } : {}),
    ...(schema.preserveUnknown ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(schema.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
}

function listSchema(schema: Extract<Schema, { kind: 'list' }>, schemas: Components): JsonObject {
  return {
    type: 'array',
    items: toOpenApi(schema.items, schemas),
    'x-kubernetes-list-type': schema.listType,
    ...(schema.listKeys.length > 0 ? { 'x-kubernetes-list-map-keys': [...schema.listKeys] } : {}),
  };
}

function scalarSchema(schema: Extract<Schema, { kind: 'scalar' }>): JsonObject {
  const { scalar, format, enum: values } = schema;
  if (scalar === 'intOrString' || scalar === 'quantity') return { 'x-kubernetes-int-or-string': true, type: 'string' };
  return { type: scalar, ...(format === '' ? {} : { format }), ...(values ? { enum: [...values] } : {}) };
}

/** What clients read of paths: which kind a path is about, and that the server validates fields itself. */
function addPaths(paths: Record<string, JsonObject>, definition: ResourceDefinition): void {
  const { group, version, kind, plural, namespaced } = definition;
  const root = `${group === '' ? '/api' : '/apis'}/${formatApiVersion(group, version)}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const gvk = { group, kind, version };
  const ref = { $ref: `#/components/schemas/${componentName(definition)}` };
  const operation = (action: string, body?: string) => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
    parameters: body === undefined ? [] : QUERY_STRINGS.map(queryParameter),
    ...(body === undefined ? {} : { requestBody: { content: { [body]: { schema: ref } } } }),
    responses: { '200': { description: 'OK', content: { 'application/json': { schema: ref } } } },
  });
  paths[collection] = { get: operation('list'), post: operation('post', 'application/json') };
  paths[`${collection}/{name}`] = {
    get: operation('get'),
    put: operation('put', 'application/json'),
    patch: operation('patch', 'application/merge-patch+json'),
    delete: operation('delete'),
  };
}

const queryParameter = (name: string) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } });
