/** Prose of types: ours come without, another server's documents of the same group-version have it. Pure. */
import type { JsonObject, JsonValue } from '../../machinery/object.ts';

/**
 * Where descriptions of built-in types come from (a member cluster). `version` is '' while there is nowhere to ask, and changes with what
 * is answered: it becomes part of the documents' hashes.
 */
export type DescriptionSource = {
  version(): string;
  /** Its own v3 document of a path such as `apis/apps/v1`; undefined when it cannot be had now. */
  document(path: string): Promise<JsonObject | undefined>;
};

/** A v3 document with the descriptions that `source` has for the same types and fields. Nothing else is taken over. */
export function withDescriptions(document: JsonObject, source: JsonObject): JsonObject {
  const components = asObject(document.components);
  const known = asObject(asObject(source.components).schemas);
  const schemas = mapMembers(asObject(components.schemas), (name, schema) => describeSchema(schema, asObject(known[name])));
  return { ...document, components: { ...components, schemas } };
}

function describeSchema(schema: JsonObject, known: JsonObject): JsonObject {
  const text = described(schema, known);
  if (schema.properties === undefined) return text;
  const properties = asObject(known.properties);
  return {
    ...text,
    properties: mapMembers(asObject(schema.properties), (name, field) => described(field, asObject(properties[name]))),
  };
}

function described(schema: JsonObject, { description }: JsonObject): JsonObject {
  return typeof description === 'string' && description !== '' ? { description, ...schema } : schema;
}

function mapMembers(members: JsonObject, change: (name: string, member: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(name, asObject(member))]));
}

function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
