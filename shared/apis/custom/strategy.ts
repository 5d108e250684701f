/** How custom resources are created and changed: defaults and rules of their schema (apiextensions' customresource strategy). */

import { labelKeyErrors } from '../../machinery/names.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import { getPath } from '../../machinery/paths.ts';
import { applySchemaDefaults } from '../../machinery/schema/defaults.ts';
import { validateLists } from '../../machinery/schema/list-rules.ts';
import type { FieldError, Strategy } from '../definition.ts';
import { invalid } from '../validation/fields.ts';
import { isUnqualifiedFinalizer } from '../validation/metadata.ts';
import type { CrdScale } from './crd.ts';
import { validateEmbedded } from './embedded.ts';
import type { CompiledCustom } from './schema.ts';

/** The strategy of one version. */
export function customStrategy(compiled: () => CompiledCustom, scale?: CrdScale): Strategy {
  return {
    applyDefaults: (object) => applySchemaDefaults(compiled().schema, object),
    validate: (object) => createErrors(compiled(), object, scale),
    validateChange: (object, old, subresource) =>
      subresource === 'status' ? statusErrors(compiled(), object, old, scale) : changeErrors(compiled(), object, old, scale),
    warnings: (object, old) => finalizerWarnings(object, old),
  };
}

function createErrors(compiled: CompiledCustom, object: KubeObject, scale: CrdScale | undefined): FieldError[] {
  const value = object as unknown as JsonObject;
  const errors: FieldError[] = [
    ...compiled.validate(value, ''),
    ...scaleErrors(object, scale),
    ...embeddedErrors(compiled, value),
    ...validateLists(compiled.schema, value, ''),
  ];
  return [...errors, ...ruleErrors(compiled, errors, value, undefined)];
}

/** What did not change is not complained about, nor are lists that were wrong before. */
function changeErrors(compiled: CompiledCustom, object: KubeObject, old: KubeObject, scale: CrdScale | undefined): FieldError[] {
  const value = object as unknown as JsonObject;
  const before = old as unknown as JsonObject;
  const errors: FieldError[] = [
    ...compiled.validate(value, '', before),
    ...scaleErrors(object, scale),
    ...embeddedErrors(compiled, value),
    ...newListErrors(compiled, value, before),
  ];
  return [...errors, ...ruleErrors(compiled, errors, value, before)];
}

/** Paths inside complaints begin below `status`, as upstream's do. */
function statusErrors(compiled: CompiledCustom, object: KubeObject, old: KubeObject, scale: CrdScale | undefined): FieldError[] {
  const value = object as unknown as JsonObject;
  const before = old as unknown as JsonObject;
  const status: JsonValue | undefined = value.status;
  const found = status === undefined ? [] : (compiled.validateStatus?.(status, '', before.status) ?? []);
  const errors: FieldError[] = [
    ...found.map((error) => ({
      ...error,
      field: error.field === '<nil>' || error.field === '' ? 'status' : `status.${error.field}`,
    })),
    ...scaleStatusErrors(object, scale),
    ...newListErrors(compiled, value, before),
  ];
  return [...errors, ...ruleErrors(compiled, errors, value, before)];
}

function embeddedErrors({ schema, hasEmbedded }: CompiledCustom, value: JsonObject): FieldError[] {
  return hasEmbedded() ? validateEmbedded(schema, value, '') : [];
}

function newListErrors({ schema }: CompiledCustom, value: JsonObject, before: JsonObject): FieldError[] {
  const errors = validateLists(schema, value, '');
  return errors.length > 0 && validateLists(schema, before, '').length > 0 ? [] : errors;
}

/** Errors that leave too little of an object for rules to be run on. */
const BLOCKING = new Set(['NotSupported', 'Required', 'TooLong', 'TooMany', 'TypeInvalid']);
const UNCHECKED: FieldError = {
  type: 'Invalid',
  field: '<nil>',
  detail:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

function ruleErrors(
  { rules }: CompiledCustom,
  errors: readonly FieldError[],
  value: JsonObject,
  before: JsonObject | undefined,
): FieldError[] {
  const check = rules();
  if (check === undefined) return [];
  return errors.some(({ type }) => BLOCKING.has(type)) ? [UNCHECKED] : check(value, before);
}

function scaleErrors(object: KubeObject, scale: CrdScale | undefined): FieldError[] {
  return scale === undefined ? [] : [...countErrors(object, scale.specReplicasPath), ...scaleStatusErrors(object, scale)];
}

function scaleStatusErrors(object: KubeObject, scale: CrdScale | undefined): FieldError[] {
  if (scale === undefined) return [];
  const { statusReplicasPath, labelSelectorPath = '' } = scale;
  return [...countErrors(object, statusReplicasPath), ...(labelSelectorPath === '' ? [] : textErrors(object, labelSelectorPath))];
}

const INT32_MAX = 2 ** 31 - 1;

function countErrors(object: KubeObject, path: string): FieldError[] {
  const value = getPath(object, path);
  if (value === undefined) return [];
  if (typeof value !== 'bigint' && !Number.isInteger(value)) return [invalid(path, 0, accessorError(path, value, 'int64'))];
  const count = Number(value);
  if (count < 0) return [invalid(path, count, 'should be a non-negative integer')];
  return count > INT32_MAX ? [invalid(path, count, `should be less than or equal to ${INT32_MAX}`)] : [];
}

function textErrors(object: KubeObject, path: string): FieldError[] {
  const value = getPath(object, path);
  return value === undefined || typeof value === 'string' ? [] : [invalid(path, '', accessorError(path, value, 'string'))];
}

/** What Go's accessor of untyped objects says of a value of another type. */
function accessorError(path: string, value: JsonValue, wanted: string): string {
  const type = Array.isArray(value)
    ? '[]interface {}'
    : value === null
      ? '<nil>'
      : { string: 'string', number: 'float64', boolean: 'bool', bigint: 'int64', object: 'map[string]interface {}' }[
          typeof value as 'string'
        ];
  return `${path} accessor error: ${String(value)} is of the type ${type}, expected ${wanted}`;
}

/** Finalizers without a domain are taken, with a warning; built-in kinds refuse them. */
function finalizerWarnings({ metadata }: KubeObject, old: KubeObject | undefined): string[] {
  const known = old?.metadata.finalizers ?? [];
  const added = [...new Set(metadata.finalizers ?? [])].filter((finalizer) => !known.includes(finalizer)).sort();
  return added.flatMap((finalizer) => {
    const subject = `metadata.finalizers: ${JSON.stringify(finalizer)}:`;
    const warnings = labelKeyErrors(finalizer).map((why) => `${subject} ${why}`);
    if (!isUnqualifiedFinalizer(finalizer)) return warnings;
    const path = finalizer.includes('.') ? ' including a path (/)' : '';
    const others = 'to avoid accidental conflicts with other finalizer writers';
    return [...warnings, `${subject} prefer a domain-qualified finalizer name${path} ${others}`];
  });
}
