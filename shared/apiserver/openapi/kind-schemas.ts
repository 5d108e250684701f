/**
 * Schemas of custom kinds and their lists for the OpenAPI documents, made from what their authors wrote, as kube-apiserver publishes
 * them (apiextensions-apiserver, pkg/controller/openapi). Pure.
 */
import { typeDefinitions } from '../../apis/data/load.ts';
import type { ResourceDefinition } from '../../apis/definition.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import { withMetaProse } from './meta-prose.ts';

/** `v2` cannot say all that `v3` can, and keeps its definitions elsewhere. */
export type OpenApiForm = 'v2' | 'v3';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const OBJECT_META = `${META}ObjectMeta`;
const CONVENTIONS = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
const TYPE_META: JsonObject = {
  apiVersion: {
    description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${CONVENTIONS}#resources`,
    type: 'string',
  },
  kind: {
    description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${CONVENTIONS}#types-kinds`,
    type: 'string',
  },
};

/** `com.example.v1.Widget` for kind Widget of example.com/v1. */
export function schemaName({ group, version }: ResourceDefinition, kind: string): string {
  return [...group.split('.').toReversed(), version, kind].filter((part) => part !== '').join('.');
}

/** A reference to a shared schema by its name. */
export function reference(form: OpenApiForm, name: string): string {
  return form === 'v3' ? `#/components/schemas/${name}` : `#/definitions/${name}`;
}

/** The kind and its list, by schema name. */
export function kindSchemas(definition: ResourceDefinition, form: OpenApiForm): Record<string, JsonObject> {
  const { kind, listKind } = definition;
  return {
    [schemaName(definition, kind)]: { ...objectSchema(definition, form), ...typed(definition, kind) },
    [schemaName(definition, listKind)]: { ...listSchema(definition, form), ...typed(definition, listKind) },
  };
}

/** Schemas of `metadata` and of requests that every kind shares, with all that they refer to, in their v3 form. */
export function sharedSchemas(): Record<string, JsonObject> {
  const known = typeDefinitions();
  const schemas: Record<string, JsonObject> = {};
  const add = (name: string): void => {
    const schema = known[name];
    if (schema === undefined || Object.hasOwn(schemas, name)) return;
    schemas[name] = name === OBJECT_META ? withMetaProse(schema) : schema;
    for (const [, other = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) add(other);
  };
  for (const name of ['ObjectMeta', 'ListMeta', 'Status', 'DeleteOptions', 'Patch']) add(META + name);
  return schemas;
}

function typed({ group, version }: ResourceDefinition, kind: string): JsonObject {
  return { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
}

/** In v2 a kind that keeps unknown fields shows none: kubectl would take those that are shown for all there are. */
function objectSchema(definition: ResourceDefinition, form: OpenApiForm): JsonObject {
  const written = definition.openApiSchema?.();
  if (written === undefined || (form === 'v2' && written['x-kubernetes-preserve-unknown-fields'] === true))
    return { type: 'object' };
  const schema = withEmbedded(form === 'v2' ? inVersionTwo(written) : written, form);
  const properties = isObject(schema.properties) ? schema.properties : {};
  return { ...schema, properties: { ...properties, ...TYPE_META, metadata: metadata('ObjectMeta', 'object', form) } };
}

function listSchema(definition: ResourceDefinition, form: OpenApiForm): JsonObject {
  const { kind, plural, listKind } = definition;
  return {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      ...TYPE_META,
      items: {
        description: `List of ${plural}. More info: ${CONVENTIONS}`,
        type: 'array',
        items: refer(form, schemaName(definition, kind)),
      },
      metadata: metadata('ListMeta', 'list', form),
    },
  };
}

function metadata(type: string, what: 'object' | 'list', form: OpenApiForm): JsonObject {
  const link = what === 'object' ? 'metadata' : 'types-kinds';
  const description = `Standard ${what}${what === 'object' ? "'s" : ''} metadata. More info: ${CONVENTIONS}#${link}`;
  return { description, ...refer(form, META + type) };
}

/** In v3 nothing may stand beside a reference. */
function refer(form: OpenApiForm, name: string): JsonObject {
  const ref = { $ref: reference(form, name) };
  return form === 'v3' ? { allOf: [ref] } : ref;
}

/** A whole object inside an object has the fields of one. */
function withEmbedded(schema: JsonObject, form: OpenApiForm): JsonObject {
  return mapSchemas(schema, (node) => {
    if (node['x-kubernetes-embedded-resource'] !== true) return node;
    const properties = isObject(node.properties) ? node.properties : {};
    const required = Array.isArray(node.required) ? node.required : [];
    return {
      ...node,
      required: [...new Set([...required, 'kind', 'apiVersion'])],
      properties: { ...properties, ...TYPE_META, metadata: metadata('ObjectMeta', 'object', form) },
    };
  });
}

/** Without what v2 has no words for (apiextensions-apiserver, openapi/v2/conversion.go). */
function inVersionTwo(schema: JsonObject): JsonObject {
  return mapSchemas(schema, (node) => {
    const { allOf: _all, anyOf: _any, oneOf: _one, not: _not, nullable, ...kept } = node;
    if (nullable === true) delete kept.type;
    if (nullable === true || kept['x-kubernetes-preserve-unknown-fields'] === true) {
      delete kept.items;
      delete kept.properties;
    }
    return kept;
  });
}

/** A copy in which every schema has been changed, from the outside in. */
function mapSchemas(schema: JsonObject, change: (node: JsonObject) => JsonObject): JsonObject {
  const node = { ...change(schema) };
  const { properties, items, additionalProperties } = node;
  if (isObject(properties))
    node.properties = Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name, isObject(value) ? mapSchemas(value, change) : (value ?? null)]),
    );
  if (isObject(items)) node.items = mapSchemas(items, change);
  if (isObject(additionalProperties)) node.additionalProperties = mapSchemas(additionalProperties, change);
  return node;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
