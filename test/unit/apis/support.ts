/** What several tests of kinds share. */
import type { Registry, ResourceDefinition } from '../../../shared/apis/definition.ts';
import type { JsonObject, KubeObject } from '../../../shared/machinery/object.ts';
import { parseApiVersion } from '../../../shared/machinery/resource.ts';
import { decode } from '../../../shared/machinery/schema/decode.ts';

/** The definition of an object's own apiVersion and kind. */
export function definitionOf(registry: Registry, { apiVersion, kind }: KubeObject): ResourceDefinition {
  const { group, version } = parseApiVersion(apiVersion);
  const definition = registry.byKind(group, version, kind);
  if (!definition) throw new Error(`no definition of ${apiVersion} ${kind}`);
  return definition;
}

/** The object as the server reads a request body: decoded by its schema. */
export function readAs(definition: ResourceDefinition, object: KubeObject): KubeObject {
  const schema = definition.schema();
  if (!schema) return structuredClone(object);
  return decode(schema, structuredClone(object) as unknown as JsonObject, object).value as unknown as KubeObject;
}
