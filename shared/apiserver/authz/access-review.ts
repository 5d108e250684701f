/** What an access review asks, and what is wrong with the question (kubernetes/pkg/apis/authorization/validation). Pure. */
import { eachItem, forbidden, invalid, invalidEach, required } from '../../apis/validation/fields.ts';
import { labelKeyErrors, labelValueErrors } from '../../machinery/names.ts';
import type { JsonObject, JsonValue, ObjectMeta } from '../../machinery/object.ts';
import type { InvalidField } from '../../machinery/status.ts';
import { isJsonObject } from '../http/body.ts';
import type { RequestAttributes, User } from '../server.ts';

export type ReviewKind = 'SelfSubjectAccessReview' | 'SubjectAccessReview' | 'LocalSubjectAccessReview';

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const isEmpty = (value: JsonValue | undefined): boolean => value === undefined || value === null;

/** The question of a review that has no errors. A resource's version and selectors decide nothing under roles. */
export function accessQuestion(spec: JsonObject, user: User): RequestAttributes {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const from = isJsonObject(resource) ? resource : {};
  const base = {
    user,
    verb: text((isJsonObject(path) ? path : from).verb),
    group: text(from.group),
    version: text(from.version),
    resource: text(from.resource),
    subresource: text(from.subresource),
    namespace: text(from.namespace),
    name: text(from.name),
  };
  return isJsonObject(path) ? { ...base, path: text(path.path) } : base;
}

/** Errors of a review, in upstream's order; none when it can be answered. `namespace` is the URL's. */
export function reviewErrors(kind: ReviewKind, metadata: ObjectMeta, spec: JsonObject, namespace: string): InvalidField[] {
  const errors = specErrors(kind, spec);
  const { managedFields: _fields, creationTimestamp: _time, namespace: _namespace, ...rest } = metadata;
  const others = kind === 'LocalSubjectAccessReview' ? rest : { ...rest, ...(metadata.namespace ? { namespace: '' } : {}) };
  if (Object.values(others).some((value) => value !== undefined && value !== null && value !== ''))
    errors.push(mustBeEmpty(kind, metadata));
  if (kind !== 'LocalSubjectAccessReview') return errors;
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (isJsonObject(resource) && text(resource.namespace) !== namespace)
    errors.push(invalid('spec.resourceAttributes.namespace', text(resource.namespace), 'must match metadata.namespace'));
  if (!isEmpty(path)) errors.push(invalid('spec.nonResourceAttributes', inGo(path), 'disallowed on this kind of request'));
  return errors;
}

function mustBeEmpty(kind: ReviewKind, metadata: ObjectMeta): InvalidField {
  const except = kind === 'LocalSubjectAccessReview' ? ' except for namespace' : '';
  return invalid('metadata', metadata, `must be empty${except}`);
}

/** As Go prints the type, which has no JSON names of its own. */
function inGo(path: JsonValue | undefined): object {
  const { path: Path = '', verb: Verb = '' } = isJsonObject(path) ? path : {};
  return { Path, Verb };
}

function specErrors(kind: ReviewKind, spec: JsonObject): InvalidField[] {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const errors: InvalidField[] = [];
  if (!isEmpty(resource) && !isEmpty(path))
    errors.push(invalid('spec.nonResourceAttributes', inGo(path), 'cannot be specified in combination with resourceAttributes'));
  if (isEmpty(resource) && isEmpty(path)) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(invalid('spec.resourceAttributes', null, why));
  }
  const named = text(spec.user) !== '' || (Array.isArray(spec.groups) && spec.groups.length > 0);
  if (kind !== 'SelfSubjectAccessReview' && !named)
    errors.push(invalid('spec.user', '', 'at least one of user or group must be specified'));
  if (!isJsonObject(resource)) return errors;
  const field = 'spec.resourceAttributes';
  return [
    ...errors,
    ...selectorErrors(resource.fieldSelector, `${field}.fieldSelector`, fieldRequirementErrors),
    ...selectorErrors(resource.labelSelector, `${field}.labelSelector`, labelRequirementErrors),
  ];
}

type RequirementErrors = (requirement: JsonObject, field: string) => InvalidField[];

function selectorErrors(selector: JsonValue | undefined, field: string, each: RequirementErrors): InvalidField[] {
  if (!isJsonObject(selector)) return [];
  const raw = text(selector.rawSelector);
  const requirements = Array.isArray(selector.requirements) ? selector.requirements : [];
  const errors: InvalidField[] = [];
  if (raw !== '' && requirements.length > 0)
    errors.push(invalid(`${field}.rawSelector`, raw, 'may not specified at the same time as requirements'));
  if (raw === '' && requirements.length === 0)
    errors.push(required(`${field}.requirements`, `when ${field} is specified, requirements or rawSelector is required`));
  const found = requirements.map((requirement, i) =>
    each(isJsonObject(requirement) ? requirement : {}, `${field}.requirements[${i}]`),
  );
  return [...errors, ...found.flat()];
}

function labelRequirementErrors(requirement: JsonObject, field: string): InvalidField[] {
  const key = text(requirement.key);
  return [
    ...countErrors(requirement, field),
    ...invalidEach(`${field}.key`, key, labelKeyErrors(key)),
    ...eachItem(`${field}.values`, requirement.values, (value, at) => invalidEach(at, value, labelValueErrors(String(value)))),
  ];
}

function fieldRequirementErrors(requirement: JsonObject, field: string): InvalidField[] {
  const unnamed = text(requirement.key) === '' ? [required(`${field}.key`, 'must be specified')] : [];
  return [...unnamed, ...countErrors(requirement, field)];
}

/** Operators that are not known are let pass: a newer client may know them. */
function countErrors({ operator, values }: JsonObject, field: string): InvalidField[] {
  const count = Array.isArray(values) ? values.length : 0;
  if ((operator === 'In' || operator === 'NotIn') && count === 0)
    return [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0)
    return [forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  return [];
}
