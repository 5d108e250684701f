/** The compiled schema of one version of a custom resource. */
import type { JsonObject } from '../../machinery/object.ts';
import { compileInline } from '../../machinery/schema/compile.ts';
import type { ObjectSchema, Schema } from '../../machinery/schema/schema.ts';
import { once } from '../once.ts';
import { typeSchemas } from '../schemas.ts';

/** `schema` serves decoding, pruning, defaulting and apply; `source` is `openAPIV3Schema` as its author wrote it. */
export type CompiledCustom = { schema: ObjectSchema; source: JsonObject };

const METADATA = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** The type of `metadata` of every object. */
export const objectMetaSchema: () => Schema = once(() => {
  const schema = typeSchemas().definition(METADATA);
  if (schema === undefined) throw new Error(`the type data lacks ${METADATA}`);
  return schema;
});

/** The kind's whole type: what the schema says, and apiVersion, kind and metadata as every object has them. Throws for a root that is no object. */
export function compileCustom(source: JsonObject): CompiledCustom {
  const schema = compileInline(source, objectMetaSchema());
  if (schema.kind !== 'object') throw new Error('the schema of a kind must be of type object');
  return { schema, source };
}
