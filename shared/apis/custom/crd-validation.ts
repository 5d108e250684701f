/** What a CustomResourceDefinition must be (apiextensions' validation.go). Paths are those of upstream's internal form: what all versions share stands in `spec`. */
import { deepEqual } from '../../machinery/equality.ts';
import { nameErrors } from '../../machinery/names.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import { duplicate, forbidden, IMMUTABLE, invalid, notSupported, required, tooMany } from '../validation/fields.ts';
import { approvalOf, isProtectedGroup } from './conditions.ts';
import { conversionErrors } from './conversion-validation.ts';
import {
  type CrdColumn,
  type CrdNames,
  type CrdScale,
  type CrdSpec,
  type CrdVersion,
  isCrdCondition,
  specOf,
  statusOf,
} from './crd.ts';
import { defaultErrors } from './default-validation.ts';
import { findField } from './field-path.ts';
import { validateSchemaNodes } from './schema-rules.ts';
import { entriesOf, isObject, validateStructural } from './structural.ts';

/** Errors of a definition, beside those of its metadata. `old`: what it replaces. */
export function validateCrd(crd: KubeObject, old?: KubeObject): FieldError[] {
  const spec = specOf(crd);
  return [
    ...(old ? [] : nameOf(crd, spec)),
    ...specErrors(spec, crd, old),
    ...(old ? immutableErrors(spec, specOf(old), isCrdCondition(old, 'Established')) : []),
    ...namesErrors(statusOf(crd).acceptedNames ?? { plural: '', kind: '' }, 'status.acceptedNames'),
    ...storedVersionErrors(statusOf(crd).storedVersions ?? [], spec.versions),
    ...approvalErrors(crd, old),
    ...preserveErrors(spec),
  ];
}

/** Errors of a change of the status alone. */
export function validateCrdStatus(crd: KubeObject): FieldError[] {
  return namesErrors(statusOf(crd).acceptedNames ?? { plural: '', kind: '' }, 'status.acceptedNames');
}

function nameOf({ metadata }: KubeObject, { names, group }: CrdSpec): FieldError[] {
  const name = metadata.name ?? '';
  if (name === `${names?.plural ?? ''}.${group ?? ''}`) return [];
  return [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function specErrors(spec: CrdSpec, crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  const { group = '', scope, versions = [], names = { plural: '', kind: '' } } = spec;
  const shared = sharedParts(versions);
  const errors = [...groupErrors(group), ...scopeErrors(scope)];
  if (shared.schema && !versions[0]?.schema?.openAPIV3Schema)
    for (const index of versions.keys()) errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
  for (const [index, version] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    const wrong = nameErrors('label1035', version.name ?? '');
    if (wrong.length > 0) errors.push(invalid(`${path}.name`, version.name, wrong.join(',')));
    if (!shared.schema && !version.schema?.openAPIV3Schema) errors.push(required(`${path}.schema.openAPIV3Schema`));
    errors.push(...deprecationErrors(version, `${path}.deprecationWarning`), ...partErrors(version, path, shared, false));
  }
  const count = new Set(versions.map(({ name }) => name)).size;
  if (count < versions.length) errors.push(invalid('spec.versions', versions, 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalid('spec.versions', versions, 'must have exactly one version marked as storage version'));
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const)
    if (!names[name]) errors.push(required(`spec.names.${name}`));
  errors.push(...namesErrors(names, 'spec.names'));
  const [first] = versions;
  if (first) errors.push(...partErrors(first, 'spec', shared, true));
  return [...errors, ...conversionErrors(spec, crd, old)];
}

function groupErrors(group: string): FieldError[] {
  if (group === '') return [required('spec.group')];
  const wrong = nameErrors('subdomain', group);
  if (wrong.length > 0) return [invalid('spec.group', group, wrong.join(','))];
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function scopeErrors(scope: string | undefined): FieldError[] {
  if (!scope) return [required('spec.scope')];
  const scopes = ['Cluster', 'Namespaced'];
  return scopes.includes(scope) ? [] : [notSupported('spec.scope', scope, scopes)];
}

/** Which parts are the same in all versions. */
type Shared = { schema: boolean; subresources: boolean; columns: boolean; fields: boolean };

function sharedParts(versions: readonly CrdVersion[]): Shared {
  const isSame = (part: (version: CrdVersion) => unknown) =>
    versions.every((version) => deepEqual(part(version) ?? null, versions[0] ? (part(versions[0]) ?? null) : null));
  return {
    schema: isSame(({ schema }) => schema),
    subresources: isSame(({ subresources }) => subresources),
    columns: isSame(({ additionalPrinterColumns }) => additionalPrinterColumns ?? []),
    fields: isSame(({ selectableFields }) => selectableFields ?? []),
  };
}

/** Errors of the parts that stand at `path`: those that are shared, or those that are not. */
function partErrors(version: CrdVersion, path: string, shared: Shared, wanted: boolean): FieldError[] {
  const { subresources, additionalPrinterColumns = [], selectableFields = [] } = version;
  const schema = version.schema?.openAPIV3Schema;
  const errors: FieldError[] = [];
  if (shared.schema === wanted && schema)
    errors.push(
      ...schemaErrors(schema, `${path}.${wanted ? 'validation' : 'schema'}.openAPIV3Schema`, Boolean(subresources?.status)),
    );
  if (shared.subresources === wanted && subresources?.scale)
    errors.push(...scalePathErrors(subresources.scale, `${path}.subresources`));
  if (shared.columns === wanted)
    for (const [index, column] of additionalPrinterColumns.entries())
      errors.push(...columnErrors(column, `${path}.additionalPrinterColumns[${index}]`));
  if (shared.fields === wanted && schema) errors.push(...selectableErrors(selectableFields, schema, `${path}.selectableFields`));
  return errors;
}

/** Fields of the root schema that do not get lost where status is looked at by itself, by upstream's names for them. */
const ROOT_FIELDS =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';
const ROOT_KEYS = new Set([
  ...ROOT_FIELDS.split(' ').map((name) => name.charAt(0).toLowerCase() + name.slice(1)),
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);

function schemaErrors(schema: JsonObject, path: string, hasStatus: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (hasStatus && typeof schema.type === 'string' && schema.type !== '' && schema.type !== 'object')
    errors.push(
      invalid(
        `${path}.type`,
        schema.type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    );
  else if (hasStatus && Object.keys(schema).some((key) => !ROOT_KEYS.has(key)))
    errors.push(
      invalid(
        path,
        schema,
        `only [${ROOT_FIELDS}] fields are allowed at the root of the schema if the status subresource is enabled`,
      ),
    );
  if (schema.nullable === true) errors.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  const structural = validateStructural(schema, path);
  const ofDefaults = structural.length === 0 ? defaultErrors(schema, path) : [];
  errors.push(...structural, ...ofDefaults);
  const withRules = structural.length + ofDefaults.length === 0;
  return [...errors, ...validateSchemaNodes(schema, path, { withRules })];
}

function deprecationErrors({ deprecated, deprecationWarning }: CrdVersion, path: string): FieldError[] {
  if (deprecationWarning === undefined) return [];
  if (!deprecated) return [invalid(path, deprecationWarning, 'can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(deprecationWarning) > 256)
    errors.push(invalid(path, deprecationWarning, 'must be <= 256 characters long'));
  if (deprecationWarning === '') errors.push(invalid(path, deprecationWarning, 'must not be an empty string'));
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(deprecationWarning);
  if (odd) {
    const at = Buffer.byteLength(deprecationWarning.slice(0, odd.index));
    const why = `must only contain printable UTF-8 characters; non-printable character found at index ${at}`;
    errors.push(invalid(path, deprecationWarning, why));
  }
  return errors;
}

function namesErrors(names: CrdNames, path: string): FieldError[] {
  const { kind, listKind } = names;
  const label = (field: string, value: string | undefined, mixed = false): FieldError[] => {
    if (!value) return [];
    const wrong = nameErrors('label1035', mixed ? value.toLowerCase() : value);
    const prefix = mixed ? 'may have mixed case, but should otherwise match: ' : '';
    return wrong.length === 0 ? [] : [invalid(`${path}.${field}`, value, `${prefix}${wrong.join(',')}`)];
  };
  const errors = [...label('plural', names.plural), ...label('singular', names.singular)];
  errors.push(...label('kind', kind, true), ...label('listKind', listKind, true));
  for (const [index, name] of (names.shortNames ?? []).entries()) errors.push(...listed(`shortNames[${index}]`, name));
  if (kind && kind === listKind) errors.push(invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same'));
  for (const [index, name] of (names.categories ?? []).entries()) errors.push(...listed(`categories[${index}]`, name));
  return errors;

  function listed(field: string, value: string): FieldError[] {
    const wrong = nameErrors('label1035', value);
    return wrong.length === 0 ? [] : [invalid(`${path}.${field}`, value, wrong.join(','))];
  }
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function columnErrors({ name, type, format, jsonPath }: CrdColumn, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  if (!name) errors.push(required(`${path}.name`));
  if (!type) errors.push(required(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(`${path}.type`, type, types));
  if (format && !COLUMN_FORMATS.includes(format))
    errors.push(invalid(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  if (!jsonPath) errors.push(required(`${path}.JSONPath`));
  else if (!jsonPath.startsWith('.')) errors.push(notSimple(`${path}.JSONPath`, jsonPath));
  return errors;
}

const notSimple = (field: string, value: string) => invalid(field, value, 'must be a simple json path starting with .');

function scalePathErrors({ specReplicasPath, statusReplicasPath, labelSelectorPath }: CrdScale, path: string): FieldError[] {
  const check = (name: string, value: string | undefined, roots: readonly string[], where: string): FieldError[] => {
    const field = `${path}.scale.${name}`;
    if (!value) return [required(field)];
    if (!value.startsWith('.')) return [notSimple(field, value)];
    return roots.some((root) => value.startsWith(root)) ? [] : [invalid(field, value, `should be a json path under ${where}`)];
  };
  return [
    ...check('specReplicasPath', specReplicasPath, ['.spec.'], '.spec'),
    ...check('statusReplicasPath', statusReplicasPath, ['.status.'], '.status'),
    ...(labelSelectorPath
      ? check('labelSelectorPath', labelSelectorPath, ['.spec.', '.status.'], 'either .spec or .status')
      : []),
  ];
}

const SELECTABLE_FIELDS_MAX = 8;

function selectableErrors(fields: readonly { jsonPath: string }[], schema: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const field = `${path}[${index}].jsonPath`;
    if (!jsonPath) {
      errors.push(required(field));
      continue;
    }
    const found = findField(jsonPath, schema, { arrayNotation: false });
    if (!found.ok) {
      errors.push(invalid(field, jsonPath, `is an invalid path: ${found.why}`));
      continue;
    }
    if (/^metadata(?:[.[]|$)/.test(found.path)) errors.push(invalid(field, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(String(found.schema.type)))
      errors.push(
        invalid(
          field,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        ),
      );
    if (seen.has(found.path)) errors.push(duplicate(field, jsonPath));
    seen.add(found.path);
  }
  if (seen.size > SELECTABLE_FIELDS_MAX) errors.push(tooMany(path, seen.size, SELECTABLE_FIELDS_MAX));
  return errors;
}

function immutableErrors(spec: CrdSpec, old: CrdSpec, isEstablished: boolean): FieldError[] {
  const changed = (field: string, value: string, before: string) => (value === before ? [] : [invalid(field, value, IMMUTABLE)]);
  return [
    ...(isEstablished
      ? [...changed('spec.scope', spec.scope, old.scope), ...changed('spec.names.kind', spec.names.kind, old.names.kind)]
      : []),
    ...changed('spec.group', spec.group, old.group),
    ...changed('spec.names.plural', spec.names.plural, old.names.plural),
  ];
}

function storedVersionErrors(stored: readonly string[], versions: readonly CrdVersion[] = []): FieldError[] {
  const path = 'status.storedVersions';
  if (stored.length === 0) return [invalid(path, stored, 'must have at least one stored version')];
  const errors = versions
    .filter(({ name, storage }) => storage && !stored.includes(name))
    .map(({ name }) => invalid(path, stored, `must have the storage version ${name}`));
  for (const [index, name] of stored.entries())
    if (!versions.some((version) => version.name === name))
      errors.push(
        invalid(
          `${path}[${index}]`,
          name,
          `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
        ),
      );
  return errors;
}

function approvalErrors(crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  if (!isProtectedGroup(specOf(crd).group ?? '')) return [];
  const { state, reason } = approvalOf(crd);
  if ((old && approvalOf(old).state === state) || state === 'approved' || state === 'unapproved') return [];
  const field = 'metadata.annotations[api-approved.kubernetes.io]';
  if (state === 'missing') return [required(field, reason)];
  return [invalid(field, crd.metadata.annotations?.['api-approved.kubernetes.io'] ?? '', reason)];
}

function preserveErrors(spec: CrdSpec): FieldError[] {
  const field = 'spec.preserveUnknownFields';
  if ((spec as { preserveUnknownFields?: boolean }).preserveUnknownFields !== true) return [];
  const why = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  const hasDefaults = (spec.versions ?? []).some(
    ({ schema }) => schema?.openAPIV3Schema && mentionsDefault(schema.openAPIV3Schema),
  );
  return [
    ...(hasDefaults ? [invalid(field, true, 'must be false in order to use defaults in the schema')] : []),
    invalid(field, true, why),
  ];
}

function mentionsDefault(schema: JsonObject): boolean {
  if (schema.default !== undefined) return true;
  if (isObject(schema.items) && mentionsDefault(schema.items)) return true;
  return entriesOf(schema.properties).some(([, each]) => mentionsDefault(each));
}
