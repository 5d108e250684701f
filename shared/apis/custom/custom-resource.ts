/** Kinds that our own code declares by an inline schema: KubeAdmiral's and ours. Those of CustomResourceDefinitions: definitions.ts. */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { applySchemaDefaults } from '../../machinery/schema/defaults.ts';
import { validateLists } from '../../machinery/schema/list-rules.ts';
import { defineResource, type KindDeclaration } from '../declare.ts';
import type { Column, FieldError, ResourceDefinition } from '../definition.ts';
import { once } from '../once.ts';
import { DATE_AGE, NAME } from '../printing/columns.ts';
import { type CompiledCustom, compileCustom } from './schema.ts';

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

/** A definition with defaulting, pruning and validation by its schema. */
export function defineCustomResource(custom: CustomResource): ResourceDefinition {
  const compiled = once(() => compileCustom(custom.schema));
  const { group, version, kind, plural, namespaced, status, shortNames = [] } = custom;
  const declaration: KindDeclaration = {
    generation: true,
    openApiSchema: () => custom.schema,
    columns: [NAME, ...(custom.columns ?? [DATE_AGE])],
    strategy: {
      applyDefaults: (object) => applySchemaDefaults(compiled().schema, object),
      validate: (object) => [...schemaErrors(compiled(), object), ...(custom.validate?.(object) ?? [])],
    },
  };
  return defineResource(
    { group, version, kind, plural, namespaced, status, shortNames, builtIn: false, schema: () => compiled().schema },
    declaration,
  );
}

/** metadata has rules of its own (validation/metadata.ts). */
function schemaErrors({ schema, validate }: CompiledCustom, object: KubeObject): FieldError[] {
  const { metadata: _metadata, ...content } = object;
  return [...validate(content, ''), ...validateLists(schema, content, '')];
}
