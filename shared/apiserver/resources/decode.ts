/** From a decoded body to an object of the kind that the URL names: version and kind agree, unknown fields fall away, JSON types are right. */
import type { ResourceDefinition } from '../../apis/definition.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { formatApiVersion } from '../../machinery/resource.ts';
import { decode as decodeStructure, strictErrors, strictErrorsInText } from '../../machinery/schema/decode.ts';
import { badRequest, invalid, type StatusError } from '../../machinery/status.ts';
import type { FieldValidation } from '../core.ts';
import { isJsonObject } from '../http/body.ts';

/** What is to become of fields that the kind does not have (`fieldValidation`); `duplicates` are the paths of members given twice. */
export type Strictness = {
  mode: FieldValidation;
  duplicates: readonly string[];
  /** The JSON text of a built-in kind's body: complaints come in its order. Without it, duplicates come first. */
  text?: string;
  /** The same of a YAML body, as its parser words them: `line 3: key "a" already set in map`. */
  yamlDuplicates?: readonly string[];
  warn(text: string): void;
  /** Makes the failure of a value that is not as it must be: bodies and patches word it differently. */
  refuse(why: string): StatusError;
};

/** The sentence that begins every decoding failure of a body. */
export function cannotBeHandled(definition: ResourceDefinition, why: string): StatusError {
  const { kind, version } = definition;
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}

/** Checks and prunes. The value is taken over: callers must not use it afterwards. Throws 400 (or what `refuse` makes). */
export function toObject(definition: ResourceDefinition, value: JsonObject, strictness: Strictness): KubeObject {
  const apiVersion = formatApiVersion(definition.group, definition.version);
  checkKind(definition, apiVersion, value);
  const schema = definition.schema();
  if (schema === undefined) return withMetadata({ ...value, apiVersion, kind: definition.kind });
  const decoded = decodeStructure(schema, value, { apiVersion, kind: definition.kind });
  if (decoded.typeError !== undefined) throw strictness.refuse(decoded.typeError);
  report(strictness, decoded.unknownFields);
  return withMetadata({ ...decoded.value, apiVersion, kind: definition.kind });
}

function checkKind(definition: ResourceDefinition, apiVersion: string, value: JsonObject): void {
  const given = String(value.apiVersion || apiVersion);
  const kind = String(value.kind || definition.kind);
  if (given !== apiVersion)
    throw badRequest(`the API version in the data (${given}) does not match the expected API version (${apiVersion})`);
  if (kind === definition.kind) return;
  // Custom resources are read without their type, and found to be of another one by their rules.
  if (!definition.builtIn)
    throw invalid({ group: definition.group, kind }, nameOf(value), [
      { type: 'Invalid', field: 'kind', detail: `Invalid value: ${JSON.stringify(kind)}: must be ${definition.kind}` },
    ]);
  // Go packages of internal types are named by the first part of the group.
  const [internal = ''] = definition.group.split('.');
  throw badRequest(
    `${kind} in version "${definition.version}" cannot be handled as a ${definition.kind}: ` +
      `converting (${definition.version}.${kind}) to (${internal || 'core'}.${definition.kind}): unknown conversion`,
  );
}

function nameOf({ metadata }: JsonObject): string {
  return isJsonObject(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
}

function report(strictness: Strictness, unknownFields: readonly string[]): void {
  const { mode, duplicates, text, yamlDuplicates = [], warn, refuse } = strictness;
  if (mode === 'Ignore' || unknownFields.length + duplicates.length + yamlDuplicates.length === 0) return;
  const isMixed = unknownFields.length > 0 && duplicates.length > 0 && text !== undefined;
  const problems = isMixed ? strictErrorsInText(text, unknownFields) : strictErrors(unknownFields, duplicates);
  if (mode === 'Strict') throw refuse(`strict decoding error: ${[...yamlProblem(yamlDuplicates), ...problems].join(', ')}`);
  for (const problem of [...yamlDuplicates, ...problems]) warn(problem);
}

/** Lines of a YAML text that say something twice, as one problem; none when there are none. */
export function yamlProblem(duplicates: readonly string[]): string[] {
  return duplicates.length === 0 ? [] : [['yaml: unmarshal errors:', ...duplicates].join('\n  ')];
}

function withMetadata(value: JsonObject): KubeObject {
  if (!isJsonObject(value.metadata)) value.metadata = {};
  return value as unknown as KubeObject;
}
