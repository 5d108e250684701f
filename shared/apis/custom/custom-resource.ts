/** Kinds that are declared by an inline schema: KubeAdmiral's, ours, and (later) those of CustomResourceDefinitions. */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { compileInline } from '../../machinery/schema/compile.ts';
import { applySchemaDefaults } from '../../machinery/schema/defaults.ts';
import type { ObjectSchema } from '../../machinery/schema/schema.ts';
import { validateSchema } from '../../machinery/schema/validate.ts';
import { defineResource, type KindDeclaration } from '../declare.ts';
import type { Column, FieldError, ResourceDefinition } from '../definition.ts';
import { once } from '../once.ts';
import { DATE_AGE, NAME } from '../printing/columns.ts';
import { typeSchemas } from '../schemas.ts';

/** A custom kind in words. Generation is counted and updates need a resourceVersion, as for every custom resource. */
export type CustomResource = {
  group: string;
  version: string;
  kind: string;
  plural: string;
  namespaced: boolean;
  shortNames?: readonly string[];
  status: boolean;
  /** `openAPIV3Schema` without apiVersion, kind and metadata. */
  schema: JsonObject;
  /** Columns after Name; Age when there are none. */
  columns?: readonly Column[];
  /** Rules that the schema cannot say. */
  validate?(object: KubeObject): FieldError[];
};

const METADATA = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** A definition with defaulting, pruning and validation by its schema. */
export function defineCustomResource(custom: CustomResource): ResourceDefinition {
  const schema = once(() => compileObject(custom.schema));
  const { group, version, kind, plural, namespaced, status, shortNames = [] } = custom;
  const declaration: KindDeclaration = {
    generation: true,
    columns: [NAME, ...(custom.columns ?? [DATE_AGE])],
    strategy: {
      applyDefaults: (object) => applySchemaDefaults(schema(), object),
      validate: (object) => [...schemaErrors(schema(), object), ...(custom.validate?.(object) ?? [])],
    },
  };
  return defineResource({ group, version, kind, plural, namespaced, status, shortNames, builtIn: false, schema }, declaration);
}

/** The kind's whole type: what the schema says, and apiVersion, kind and metadata as every object has them. */
function compileObject(schema: JsonObject): ObjectSchema {
  const compiled = compileInline(schema);
  if (compiled.kind !== 'object') throw new Error('the schema of a kind must be of type object');
  const text = compileInline({ type: 'string' });
  const metadata = typeSchemas().definition(METADATA);
  if (metadata === undefined) throw new Error(`the type data lacks ${METADATA}`);
  const properties = new Map(compiled.properties).set('apiVersion', text).set('kind', text).set('metadata', metadata);
  return { ...compiled, properties };
}

/** metadata has rules of its own (validation/metadata.ts). */
function schemaErrors(schema: ObjectSchema, object: KubeObject): FieldError[] {
  const { metadata: _metadata, ...content } = object;
  return validateSchema(schema, content, '') as FieldError[];
}
