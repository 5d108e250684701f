/** The compiled schema of one version of a custom resource. Whatever is not always needed is compiled on first use. */
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import { compileInline } from '../../machinery/schema/compile.ts';
import type { ObjectSchema, Schema } from '../../machinery/schema/schema.ts';
import { compileValidator, type Validator } from '../../machinery/schema/validator.ts';
import type { FieldError } from '../definition.ts';
import { once } from '../once.ts';
import { typeSchemas } from '../schemas.ts';
import { hasEmbedded } from './embedded.ts';
import { compileRules } from './rules.ts';

export type CompiledCustom = {
  /** Serves decoding, pruning, defaulting and apply. */
  schema: ObjectSchema;
  /** What `openAPIV3Schema` says of a whole object, and of its status alone (undefined where it says nothing of that). */
  validate: Validator;
  validateStatus: Validator | undefined;
  hasEmbedded: () => boolean;
  /** `x-kubernetes-validations`; undefined where there are none. */
  rules: () => ((object: JsonObject, old: JsonObject | undefined) => FieldError[]) | undefined;
};

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
  const validate = once(() => compileValidator(source));
  const status = statusSchema(source);
  const validateStatus = status && once(() => compileValidator(status));
  return {
    schema,
    validate: (...given) => validate()(...given),
    validateStatus: validateStatus && ((...given) => validateStatus()(...given)),
    hasEmbedded: once(() => hasEmbedded(schema)),
    rules: once(() => compileRules(source)),
  };
}

function statusSchema({ properties }: JsonObject): JsonObject | undefined {
  const status: JsonValue | undefined = isObject(properties) ? properties.status : undefined;
  return isObject(status) ? status : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
