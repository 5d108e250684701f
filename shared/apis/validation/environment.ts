/** Rules of a container's environment: names, and exactly one source per variable. */
import { nameErrors } from '../../machinery/names.ts';
import type { FieldError } from '../definition.ts';
import { eachItem, invalid, invalidEach, isEmptyText, notSupported, type OwnField, required } from './fields.ts';
import { configKeyErrors, environmentNameErrors } from './formats.ts';

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

/** What a variable may show of its own pod. */
const FIELD_PATHS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** Known fields of a pod that variables still may not show. */
const OTHER_FIELD_PATHS = new Set([
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

/** Errors of `env`. */
export function validateEnvironment(field: string, variables: unknown): FieldError[] {
  return eachItem(field, variables, (variable, path) => [
    ...(isEmptyText(variable?.name)
      ? [required(`${path}.name`)]
      : invalidEach(`${path}.name`, variable.name, environmentNameErrors(String(variable.name)))),
    ...(variable?.valueFrom ? sourceErrors(variable, `${path}.valueFrom`) : []),
  ]);
}

/** Errors of `envFrom`. */
export function validateEnvironmentSources(field: string, sources: unknown): FieldError[] {
  return eachItem(field, sources, (source, path) => {
    const present = ['configMapRef', 'secretRef'].filter((member) => source?.[member]);
    const errors = [
      ...(source?.prefix ? invalidEach(`${path}.prefix`, source.prefix, environmentNameErrors(source.prefix)) : []),
      ...present.flatMap((member) => (isEmptyText(source[member].name) ? [required(`${path}.${member}.name`)] : [])),
    ];
    // Upstream names the list here, not the element.
    if (present.length === 0) errors.push(invalid(field, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (present.length > 1) errors.push(invalid(field, '', 'may not have more than one field specified at a time'));
    return errors;
  });
}

function sourceErrors(variable: OwnField, field: string): FieldError[] {
  const source = variable.valueFrom;
  const present = SOURCES.filter((member) => source[member] !== undefined && source[member] !== null);
  const errors = present.flatMap((member) => CHECKS[member](source[member], `${field}.${member}`));
  if (present.length === 0)
    return [
      invalid(
        field,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    ];
  if (variable.value) return [...errors, invalid(field, '', 'may not be specified when `value` is not empty')];
  if (present.length > 1) return [...errors, invalid(field, '', 'may not have more than one field specified at a time')];
  return errors;
}

const CHECKS: Record<(typeof SOURCES)[number], (reference: OwnField, field: string) => FieldError[]> = {
  fieldRef: fieldErrors,
  resourceFieldRef: (reference, field) => (isEmptyText(reference.resource) ? [required(`${field}.resource`)] : []),
  configMapKeyRef: keyErrors,
  secretKeyRef: keyErrors,
  fileKeyRef: (reference, field) => (isEmptyText(reference.key) ? [required(`${field}.key`)] : []),
};

function fieldErrors({ fieldPath }: OwnField, field: string): FieldError[] {
  if (isEmptyText(fieldPath)) return [required(`${field}.fieldPath`)];
  const path = String(fieldPath);
  if (FIELD_PATHS.includes(path) || /^metadata\.(labels|annotations)\['[^']+'\]$/.test(path)) return [];
  if (OTHER_FIELD_PATHS.has(path)) return [notSupported(`${field}.fieldPath`, path, FIELD_PATHS)];
  return [invalid(`${field}.fieldPath`, path, `error converting fieldPath: field label not supported: ${path}`)];
}

function keyErrors({ name = '', key }: OwnField, field: string): FieldError[] {
  return [
    ...invalidEach(`${field}.name`, name, nameErrors('subdomain', String(name))),
    ...(isEmptyText(key) ? [required(`${field}.key`)] : invalidEach(`${field}.key`, key, configKeyErrors(String(key)))),
  ];
}
