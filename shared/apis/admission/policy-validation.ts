/** Rules of ValidatingAdmissionPolicy and its binding (k8s.io/kubernetes/pkg/apis/admissionregistration/validation). */
import { deepEqual } from '../../machinery/equality.ts';
import { labelKeyErrors, nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import {
  duplicate,
  eachItem,
  forbidden,
  invalid,
  invalidEach,
  isEmptyText,
  notSupported,
  type OwnField,
  oneOf,
  required,
  requiredOneOf,
} from '../validation/fields.ts';
import { validateLabelSelector } from '../validation/selector.ts';
import { type CompiledExpression, type CompiledPolicy, compilePolicy } from './policy.ts';
import { FAILURE_POLICIES, validateMatchConditions, validateMatchResources } from './rules-validation.ts';

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const ANNOTATIONS_MAX = 20;
const ANNOTATION_EXPRESSION_BYTES_MAX = 5 * 1024;
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** Errors of a policy. What does not compile is one. */
export function validatePolicy(policy: KubeObject): FieldError[] {
  const spec: OwnField = policy.spec ?? {};
  const compiled = compilePolicy(policy);
  const constraints = spec.matchConstraints;
  return [
    ...requiredOneOf('spec.failurePolicy', spec.failurePolicy, FAILURE_POLICIES),
    ...(spec.paramKind ? paramKindErrors(spec.paramKind) : []),
    ...(constraints ? validateMatchResources(constraints, 'spec.matchConstraints') : [required('spec.matchConstraints')]),
    ...(constraints && !(constraints.resourceRules?.length > 0) ? [required('spec.matchConstraints.resourceRules')] : []),
    ...validateMatchConditions('spec.matchConditions', spec.matchConditions, Boolean(spec.paramKind)),
    ...eachItem('spec.variables', spec.variables, (variable, path) => variableErrors(variable, path, compiled)),
    ...checkErrors(policy, compiled),
  ];
}

/** What was stored stays valid: only changed specs are looked at. */
export function validatePolicyChange(policy: KubeObject, old: KubeObject): FieldError[] {
  return deepEqual(policy.spec, old.spec) ? [] : validatePolicy(policy);
}

function paramKindErrors({ apiVersion = '', kind = '' }: OwnField): FieldError[] {
  const field = 'spec.paramKind';
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const errors: FieldError[] = [];
  if (apiVersion === '') errors.push(required(`${field}.apiVersion`));
  else if (apiVersion.split('/').length > 2)
    errors.push(invalid(`${field}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    if (group !== '') errors.push(...joined(`${field}.apiVersion`, group, nameErrors('subdomain', group)));
    if (version === '') errors.push(invalid(`${field}.apiVersion`, apiVersion, 'version must be specified'));
    else errors.push(...joined(`${field}.apiVersion`, version, nameErrors('label1035', version)));
  }
  if (kind === '') return [...errors, required(`${field}.kind`)];
  const complaints = nameErrors('label1035', String(kind).toLowerCase());
  return [...errors, ...joined(`${field}.kind`, kind, complaints, 'may have mixed case, but should otherwise match: ')];
}

function joined(field: string, value: unknown, complaints: readonly string[], before = ''): FieldError[] {
  return complaints.length === 0 ? [] : [invalid(field, value, before + complaints.join(','))];
}

function expressionErrors({ error, expression }: CompiledExpression, field: string): FieldError[] {
  return error === '' ? [] : [invalid(field, expression, error)];
}

const isBlank = (text: unknown): boolean => String(text ?? '').trim() === '';

function variableErrors({ name = '', expression = '' }: OwnField, path: string, compiled: CompiledPolicy): FieldError[] {
  const errors: FieldError[] = [];
  if (isBlank(name)) errors.push(required(`${path}.name`, 'name is not specified'));
  else if (!/^[A-Za-z_]\w*$/.test(name) || RESERVED.has(name))
    errors.push(invalid(`${path}.name`, name, 'must be a valid CEL identifier'));
  if (isBlank(expression)) return [...errors, required(`${path}.expression`, 'expression is not specified')];
  const found = compiled.variables.get(name);
  return [...errors, ...(found ? expressionErrors(found, `${path}.expression`) : [])];
}

function checkErrors(policy: KubeObject, compiled: CompiledPolicy): FieldError[] {
  const { validations, auditAnnotations } = policy.spec ?? {};
  if (!(validations?.length > 0) && !(auditAnnotations?.length > 0)) {
    const why = 'validations or auditAnnotations must contain at least one item';
    return [required('spec.validations', why), required('spec.auditAnnotations', why)];
  }
  const keys = new Set<string>();
  const tooMany = auditAnnotations?.length > ANNOTATIONS_MAX;
  const field = 'spec.auditAnnotations';
  return [
    ...eachItem('spec.validations', validations, (each, path, index) => validationErrors(each, path, compiled, index)),
    ...(tooMany ? [invalid(field, auditAnnotations, `must not have more than ${ANNOTATIONS_MAX} auditAnnotations`)] : []),
    ...eachItem(field, auditAnnotations, (each, path, index) => {
      const errors = annotationErrors(policy, each, path, compiled.auditAnnotations[index]);
      if (keys.has(each?.key)) errors.push(duplicate(`${path}.key`, each?.key));
      keys.add(each?.key);
      return errors;
    }),
  ];
}

function validationErrors(validation: OwnField, path: string, compiled: CompiledPolicy, index: number): FieldError[] {
  const { expression = '', message = '', messageExpression = '', reason } = validation ?? {};
  const found = compiled.validations[index];
  const errors: FieldError[] = [];
  if (isBlank(expression)) errors.push(required(`${path}.expression`, 'expression is not specified'));
  else if (found) errors.push(...expressionErrors(found.condition, `${path}.expression`));
  if (messageExpression !== '' && isBlank(messageExpression))
    errors.push(invalid(`${path}.messageExpression`, messageExpression, 'must be non-empty if specified'));
  else if (found?.messageExpression) errors.push(...expressionErrors(found.messageExpression, `${path}.messageExpression`));
  if (message !== '' && isBlank(message)) errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'));
  else if (/[\n\r]/.test(String(message).trim()))
    errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'));
  return [...errors, ...oneOf(`${path}.reason`, reason, REASONS)];
}

function annotationErrors(
  { metadata }: KubeObject,
  annotation: OwnField,
  path: string,
  compiled: CompiledExpression | undefined,
): FieldError[] {
  const { key = '', valueExpression = '' } = annotation ?? {};
  const field = `${path}.valueExpression`;
  const qualified = `${metadata.name ?? ''}/${key}`;
  const errors = metadata.name
    ? invalidEach(`${path}.key`, qualified, labelKeyErrors(qualified))
    : [invalid(`${path}.key`, key, 'requires metadata.name be non-empty')];
  if (isBlank(valueExpression)) return [...errors, required(field, 'valueExpression is not specified')];
  if (Buffer.byteLength(String(valueExpression).trim()) > ANNOTATION_EXPRESSION_BYTES_MAX)
    return [...errors, required(field, `must not exceed ${ANNOTATION_EXPRESSION_BYTES_MAX} bytes in length`)];
  return [...errors, ...(compiled ? expressionErrors(compiled, field) : [])];
}

/** Errors of a binding. */
export function validatePolicyBinding(binding: KubeObject): FieldError[] {
  const { policyName = '', paramRef, matchResources, validationActions } = binding.spec ?? {};
  return [
    ...(isEmptyText(policyName)
      ? [required('spec.policyName')]
      : invalidEach('spec.policyName', policyName, nameErrors('subdomain', policyName))),
    ...(paramRef ? paramRefErrors(paramRef) : []),
    ...validateMatchResources(matchResources, 'spec.matchResources'),
    ...actionErrors(validationActions),
  ];
}

function paramRefErrors({ name = '', selector, parameterNotFoundAction }: OwnField): FieldError[] {
  const field = 'spec.paramRef';
  const both = name !== '' && selector;
  const exclusive = 'name and selector are mutually exclusive';
  return [
    ...(name === '' ? [] : invalidEach(`${field}.name`, name, nameErrors('pathSegment', name))),
    ...(both ? [forbidden(`${field}.name`, exclusive)] : []),
    ...validateLabelSelector(`${field}.selector`, selector),
    ...(both ? [forbidden(`${field}.selector`, exclusive)] : []),
    ...(name === '' && !selector ? [required(field, 'one of name or selector must be specified')] : []),
    ...requiredOneOf(`${field}.parameterNotFoundAction`, parameterNotFoundAction, ['Deny', 'Allow']),
  ];
}

function actionErrors(actions: OwnField): FieldError[] {
  const field = 'spec.validationActions';
  const seen = new Set<string>();
  const errors = eachItem(field, actions, (action, path) => {
    const found = ACTIONS.includes(action) ? [] : [notSupported(path, action, ACTIONS)];
    if (seen.has(action)) found.push(duplicate(path, action));
    seen.add(action);
    return found;
  });
  const why =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  if (seen.has('Deny') && seen.has('Warn')) errors.push(invalid(field, actions, why));
  if (seen.size === 0) errors.push(required(field, 'at least one validation action is required'));
  return errors;
}
